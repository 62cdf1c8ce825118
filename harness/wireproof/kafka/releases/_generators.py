"""The jars of Kafka's message generator: the program, its dependencies, and the clients of its release."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from wireproof.kafka.releases._brokers import read_broker_table
from wireproof.kafka.releases._errors import ReleaseError
from wireproof.kafka.releases._table import Jar

__all__ = ["generator_jars", "generator_releases"]

_CLIENTS = "kafka-clients"


@cache
def _table() -> Mapping[str, tuple[Jar, ...]]:
    text = files("wireproof.kafka.releases").joinpath("generators.toml").read_text(encoding="utf-8")
    return read_broker_table(text, "generators")


def generator_releases() -> tuple[str, ...]:
    """The releases whose generator is pinned, newest first."""
    return tuple(_table())


def generator_jars(release: str) -> tuple[tuple[Jar, ...], Jar]:
    """The generator of a release with its dependencies, and the release's clients.

    Args:
        release: a patch release such as ``4.3.1``. Generator and clients are of one release.

    Raises:
        ReleaseError: no generator of this release is pinned.
    """
    try:
        jars = _table()[release]
    except KeyError:
        known = ", ".join(generator_releases())
        raise ReleaseError(
            f"there are no pinned jars of the generator of Kafka {release}", f"Known are: {known}."
        ) from None
    (clients,) = [jar for jar in jars if jar.artifact == _CLIENTS]
    return tuple(jar for jar in jars if jar is not clients), clients
