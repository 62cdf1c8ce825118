"""The comparer of a schema fuzz run, put together in a worker: Kafka's generator, and our own front end."""

from functools import partial
from pathlib import Path
from typing import Final

from wireproof.app.assembly.jar_store import open_generator
from wireproof.definitions.fuzz import MakeComparer, SchemaComparer
from wireproof.kafka.releases import JarStore, ReleaseError, generator_releases

_NEWEST: Final = "newest"


def fuzz_release(text: str) -> str:
    """The patch release of the generator that a release, a line or ``newest`` means.

    Raises:
        ReleaseError: no generator of it is pinned.
    """
    known = generator_releases()
    if text == _NEWEST:
        return known[0]
    for release in known:
        if text in (release, release.rpartition(".")[0]):
            return release
    raise ReleaseError(
        f"there is no generator of Kafka {text}: expected one of {', '.join(known)}",
        "Give one of them as --release.",
    )


def comparer_maker(
    release: str, store: JarStore | None, jars: Path | None = None, *, peak: bool
) -> MakeComparer:
    """The function that a worker calls to make its comparer.

    Args:
        store: where the generator's jars are fetched to; None to work without Java.
        jars: the user's folder of jars, which the store has too.
        peak: let Java optimise, for runs of minutes.

    Raises:
        ReleaseError: a jar cannot be had.
    """
    if store is None:
        return partial(SchemaComparer, release, None)
    store.generator_jars(release)  # fetched once, before the workers start
    store.support_jars()
    return partial(_with_java, release, store.cache_dir, jars, store.offline, peak)


def _with_java(release: str, cache_dir: Path, jars: Path | None, offline: bool, peak: bool) -> SchemaComparer:
    store = JarStore(cache_dir, jars_dir=jars, offline=offline)
    return SchemaComparer(release, open_generator(release, store, peak=peak))
