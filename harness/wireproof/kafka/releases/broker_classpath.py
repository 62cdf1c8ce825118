"""The jars that a broker of a release runs on: its server and all that this needs at run time.

They are pinned like every other jar, in `brokers.toml`, which only `pin_brokers` writes: what a broker is
made of is resolved once, by a maintainer, and is the same everywhere from then on.
"""

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.files.replacement import replace_file
from wireproof.kafka.releases.jar_fetcher import (
    Fetcher,
    FetchError,
    JgoFetcher,
    Progress,
    resolve_dependencies,
)
from wireproof.kafka.releases.release_table import Jar, Release, ReleaseError
from wireproof.model.kafka.releases import release_number

SERVER: Final = ("org.apache.kafka", "kafka_2.13")
LOGGING_API: Final = ("org.slf4j", "slf4j-api")
LOGGING: Final = ("org.slf4j", "slf4j-simple")
"""Kafka's server brings no logging of its own along: without one, a broker that fails says nothing."""

_HEAD: Final = """\
# What a broker of a release runs on: kafka_2.13, its run-time dependencies and slf4j-simple, each pinned.
# Only `wireproof releases RELEASE... --pin-brokers FILE` writes this file.
"""


@cache
def _own_table() -> Mapping[str, tuple[Jar, ...]]:
    text = files("wireproof.kafka.releases").joinpath("brokers.toml").read_text(encoding="utf-8")
    return read_broker_table(text)


def broker_releases() -> tuple[str, ...]:
    """The releases whose brokers can be started from jars, newest first."""
    return tuple(_own_table())


def broker_jars(release: Release) -> tuple[Jar, ...]:
    """All jars on the class path of a broker. Raises ReleaseError if no broker of this release is pinned."""
    try:
        return _own_table()[release.version]
    except KeyError:
        known = ", ".join(broker_releases())
        raise ReleaseError(
            f"there are no pinned jars of a broker {release.version}", f"Brokers there are of: {known}."
        ) from None


@cache
def _coordinator_table() -> Mapping[str, tuple[Jar, ...]]:
    text = files("wireproof.kafka.releases").joinpath("coordinators.toml").read_text(encoding="utf-8")
    return read_broker_table(text, "coordinators")


def coordinator_jars(release: Release) -> tuple[Jar, ...]:
    """The jars that the readers of a release's coordinators need besides its modules and extra jars."""
    return _coordinator_table().get(release.version, ())


def read_broker_table(text: str, of: str = "brokers") -> dict[str, tuple[Jar, ...]]:
    """Release to jars, from TOML text.

    Args:
        of: the table's subject, for errors.

    Raises:
        ReleaseError: it cannot be read, or two jars would be one file in the cache.
    """
    try:
        found = {
            version: tuple(
                Jar(group, artifact, number, pin["sha256"], pin["bytes"])
                for name, pin in jars.items()
                for group, artifact, number in [name.split(":")]
            )
            for version, jars in tomllib.loads(text)["release"].items()
        }
    except (KeyError, ValueError, tomllib.TOMLDecodeError) as error:
        raise ReleaseError(f"the table of {of} cannot be read: {error}") from error
    by_file: dict[str, Jar] = {}
    for jar in (jar for jars in found.values() for jar in jars):
        if by_file.setdefault(jar.file_name, jar) != jar:
            raise ReleaseError(f"the table of {of} has {jar.file_name} of {jar} and of another")
    return found


def pin_brokers(
    releases: Iterable[Release], table: Path, progress: Progress, fetcher: Fetcher | None = None
) -> None:
    """Resolve what brokers of these releases run on and write it into the table; other releases stay.

    Raises ReleaseError if the registry does not give it.
    """
    known = read_broker_table(table.read_text(encoding="utf-8")) if table.exists() else {}
    pinned = {jar.file_name: jar for jars in known.values() for jar in jars}
    for release in releases:
        try:
            names = sorted(_with_logging(resolve_dependencies(*SERVER, release.version)))
            jars = [
                pinned.get(jar.file_name) or _pinned(jar, fetcher or JgoFetcher(), progress)
                for jar in (Jar(*name, "", 0) for name in names)
            ]
        except FetchError as error:
            raise ReleaseError(f"what a broker {release} runs on cannot be had: {error}") from error
        pinned |= {jar.file_name: jar for jar in jars}
        known[release.version] = tuple(jars)
    newest_first = sorted(known, key=release_number, reverse=True)
    replace_file(table, _text({version: known[version] for version in newest_first}))


def _with_logging(names: Iterable[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """The same with the plain logger of the version that the logging API has."""
    names = set(names)
    (version,) = {version for group, artifact, version in names if (group, artifact) == LOGGING_API}
    return names | {(*LOGGING, version)}


def _pinned(jar: Jar, fetcher: Fetcher, progress: Progress) -> Jar:
    """The jar as the registry has it now, with its size and digest."""
    progress(jar, 0)
    with temporary_folder("pin") as folder:
        data = fetcher.fetch(jar, folder, progress).read_bytes()
    return replace(jar, sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))


def _text(table: Mapping[str, Iterable[Jar]]) -> str:
    blocks = [_HEAD]
    for version, jars in table.items():
        lines = [f'"{jar}" = {{ bytes = {jar.size_bytes}, sha256 = "{jar.sha256}" }}' for jar in jars]
        blocks.append("\n".join([f'[release."{version}"]', *lines, ""]))
    return "\n".join(blocks)
