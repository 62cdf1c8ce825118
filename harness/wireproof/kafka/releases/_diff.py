"""The differences between the schemas of two releases, cell by cell."""

from collections.abc import Iterator
from dataclasses import dataclass

from kafkawire.schema import (
    Effect,
    LayoutChange,
    MessageKind,
    MessageSpec,
    SchemaSet,
    compare_layouts,
    resolve,
)
from wireproof.model.cell import Cell

_OTHER_HALF = {MessageKind.REQUEST: MessageKind.RESPONSE, MessageKind.RESPONSE: MessageKind.REQUEST}


@dataclass(frozen=True, slots=True)
class ChangedCell:
    """A cell of both releases whose layout is another.

    Attributes:
        cell: the cell of the newer release.
        stable: whether the older release had released this version as stable: it should never have changed.
    """

    cell: Cell
    stable: bool
    changes: tuple[LayoutChange, ...]

    @property
    def on_the_wire(self) -> bool:
        """Return whether bytes are others now; else only names or defaults are."""
        return any(change.effect is not Effect.WORDS for change in self.changes)


@dataclass(frozen=True, slots=True)
class MovedMessage:
    """A message that lies in another module (and jar) than before."""

    message: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """The difference of two releases, in the newer one's order of modules and messages.

    Attributes:
        came: cells that only the newer release has.
        went: cells that only the older one has.
        alike: how many cells are in both with the same layout.
    """

    came: tuple[Cell, ...]
    went: tuple[Cell, ...]
    moved: tuple[MovedMessage, ...]
    changed: tuple[ChangedCell, ...]
    alike: int

    @property
    def findings(self) -> tuple[ChangedCell, ...]:
        """Changes on the wire of versions that were stable: one number, two languages."""
        return tuple(each for each in self.changed if each.stable and each.on_the_wire)


def diff_releases(before: SchemaSet, after: SchemaSet) -> ReleaseDiff:
    """Compare two releases; messages are matched by name, in any module."""
    old = {spec.name: (module, spec) for module, spec in before}
    new = {spec.name: (module, spec) for module, spec in after}
    both = [name for name in new if name in old]
    unstable = set(_unstable(before))
    changed: list[ChangedCell] = []
    alike = 0
    for name in both:
        module, spec = new[name]
        _, earlier = old[name]
        for version in earlier.valid_versions.intersect(spec.valid_versions):
            if changes := compare_layouts(resolve(earlier, version), resolve(spec, version)):
                stable = (name, version) not in unstable
                changed.append(ChangedCell(Cell(after.release, module, name, version), stable, changes))
            else:
                alike += 1
    return ReleaseDiff(
        came=tuple(_without(after, old)),
        went=tuple(_without(before, new)),
        moved=tuple(
            MovedMessage(name, old[name][0], new[name][0]) for name in both if old[name][0] != new[name][0]
        ),
        changed=tuple(changed),
        alike=alike,
    )


def _without(schemas: SchemaSet, others: dict[str, tuple[str, MessageSpec]]) -> Iterator[Cell]:
    """The cells of a set that the others lack."""
    for module, spec in schemas:
        known = others[spec.name][1].valid_versions if spec.name in others else ()
        for version in spec.valid_versions:
            if version not in known:
                yield Cell(schemas.release, module, spec.name, version)


def _unstable(schemas: SchemaSet) -> Iterator[tuple[str, int]]:
    """(message, version) of each latest version that is declared unstable, of requests and responses."""
    by_key = {(spec.kind, spec.api_key): spec for _, spec in schemas if spec.kind in _OTHER_HALF}
    for _, spec in schemas:
        if spec.latest_version_unstable and not spec.retired:
            yield spec.name, spec.valid_versions.highest
            half = by_key.get((_OTHER_HALF[spec.kind], spec.api_key)) if spec.kind in _OTHER_HALF else None
            if half is not None:
                yield half.name, spec.valid_versions.highest
