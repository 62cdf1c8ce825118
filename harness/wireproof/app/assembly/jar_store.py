"""The jar store, with the progress of a download on standard error, and Kafka's generator out of its jars."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wireproof.kafka.releases import Jar, JarStore

if TYPE_CHECKING:
    from wireproof.kafka.oracle import SchemaGenerator

_STEP_BYTES = 1 << 20


def open_store(jars: Path | None, offline: bool) -> JarStore:
    """The user's jars and cache.

    Raises:
        ReleaseError: the folder of jars does not exist.
    """
    return JarStore(jars_dir=jars, offline=offline, progress=Download())


def open_generator(release: str, store: JarStore, *, peak: bool = False) -> "SchemaGenerator":
    """Open Kafka's message generator of a release; the first question starts it.

    Args:
        release: one of `wireproof.kafka.releases.generator_releases`, such as ``4.3.1``.
        peak: let Java optimise, for runs of minutes.

    Raises:
        ReleaseError: no generator of this release is pinned, or a jar cannot be had.
    """
    from wireproof.kafka.oracle import SchemaGenerator

    program, clients = store.generator_jars(release)
    return SchemaGenerator(
        release,
        program,
        clients,
        shared=store.support_jars(),
        cache_dir=store.cache_dir,
        ecj=lambda: store.tool_jar("ecj"),
        peak=peak,
    )


class Download:
    """Says what is fetched: one line a jar, its size redrawn where standard error is a terminal."""

    def __init__(self) -> None:
        self._jar = ""
        self._shown = 0

    def __call__(self, jar: Jar, there_bytes: int) -> None:
        live = sys.stderr.isatty()
        if jar.file_name != self._jar:
            self._jar, self._shown = jar.file_name, 0
            size = f" ({jar.size_bytes / 1e6:.1f} MB)" if jar.size_bytes else ""
            sys.stderr.write(f"fetching {jar.file_name}{size}\n")
        if live and there_bytes - self._shown >= _STEP_BYTES:
            self._shown = there_bytes
            sys.stderr.write(f"\r  {there_bytes / 1e6:.1f} MB\r")
        sys.stderr.flush()
