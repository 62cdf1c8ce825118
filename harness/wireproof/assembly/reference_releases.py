"""Another release as a witness: asked where the codec and Kafka disagree and the run has one release only."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import SchemaSet
from wireproof.model import Cell, Oracle, release_number
from wireproof.releases import JarState, JarStore, Release, load_snapshot, table
from wireproof.run import Layouts, same_bytes

__all__ = ["OpenOracle", "ReferenceReleases"]

OpenOracle: TypeAlias = Callable[[Release, dict[str, Path]], Oracle]


class ReferenceReleases:
    """Finds the nearest release outside the run that defines a cell alike and has its jars in the cache.

    Nothing is fetched, and nothing is done before the first question: a run without a failure pays nothing.

    Args:
        used: the releases of the run.
        store: where jars may be.
        open_oracle: opens a release with the jars that it needs.
    """

    def __init__(self, used: Sequence[Release], store: JarStore, open_oracle: OpenOracle) -> None:
        self._used = {release.version for release in used}
        self._store = store
        self._open = open_oracle
        self._schemas: dict[str, SchemaSet] = {}
        self._oracles: dict[tuple[str, str], Oracle] = {}

    def __call__(self, cell: Cell, layout: MessageLayout) -> tuple[Cell, MessageLayout, Oracle] | None:
        """The cell there, its layout and who to ask; None where no such release is at hand."""
        for release in sorted(table(), key=lambda each: _distance(each.version, cell.release)):
            if release.version in self._used:
                continue
            if release.version not in self._schemas:
                self._schemas[release.version] = load_snapshot(release)
            schemas = {release.version: self._schemas[release.version]}
            layouts = Layouts(schemas)
            for there in layouts.elsewhere(cell):
                found = layouts.of(there)
                oracle = self._oracle(release, there.module) if same_bytes(found, layout) else None
                if oracle is not None:
                    return there, found, oracle
        return None

    def _oracle(self, release: Release, module: str) -> Oracle | None:
        key = release.version, module
        if key not in self._oracles:
            status = self._store.status(release)
            jars = {each.module: each.path for each in status if each.module and each.state is JarState.READY}
            if not {"clients", module} <= jars.keys():
                return None
            self._oracles[key] = self._open(release, jars)
        return self._oracles[key]


def _distance(release: str, other: str) -> tuple[int, ...]:
    """Return the distance of two releases; of two at the same distance, the newer comes first."""
    one, two = release_number(release), release_number(other)
    return (*(abs(a - b) for a, b in zip(one, two, strict=True)), *(-part for part in one))
