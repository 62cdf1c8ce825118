"""What the cases of a cell do not meet, worked out without running one: no codec, no Java.

The same cases as a run's are looked at, all of them: what is proven there of each is taken for granted here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kafkawire.schema.layout import MessageLayout
from wireproof.coverage import Coverage, Point, Universe, frame_universe, universe
from wireproof.model import CaseSource, Cell
from wireproof.run.alike import bare
from wireproof.run.bench import Layouts
from wireproof.run.frames import header_cases

__all__ = ["Uncovered", "UncoveredClasses"]


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A class that no case of a cell meets.

    Attributes:
        reason: why no value can, as the layout shows; empty where nothing does: then a case is missing.
    """

    cell: Cell
    point: Point
    reason: str


@dataclass(slots=True)
class UncoveredClasses:
    """Looks for them, once for cells of equal layouts."""

    layouts: Layouts
    source: CaseSource
    _known: dict[tuple[MessageLayout, MessageLayout | None], frozenset[str]] = field(default_factory=dict)

    def of(self, cell: Cell) -> Iterator[Uncovered]:
        """Those of one cell, in the order of its layout, those of the header in frames last."""
        layout = self.layouts.of(cell)
        header = self.layouts.headers(cell).get(
            -1 if layout.header_version is None else layout.header_version
        )
        key = bare(layout), header
        if key not in self._known:
            self._known[key] = frozenset(self._missing(cell, layout, header))
        for each in _universes(cell, layout, header):
            for bit, point in enumerate(each.points):
                if bit in each.unreachable:
                    yield Uncovered(cell, point, each.unreachable[bit])
                elif str(point) in self._known[key]:
                    yield Uncovered(cell, point, "")

    def _missing(self, cell: Cell, layout: MessageLayout, header: MessageLayout | None) -> tuple[str, ...]:
        coverage = Coverage(*_universes(cell, layout, header))
        for case in self.source.enumerated(cell, layout):
            coverage.met(case.value)
        for _, value, path in self.source.refused(layout):
            coverage.met_refused(path, value)
        for absent in self.source.absent(layout):
            if absent.refused_at:
                coverage.met_refused(absent.refused_at, absent.value)
            else:
                coverage.met_absent(absent.value)
        if header is not None:
            for case in header_cases(self.source, cell, layout, header):
                coverage.met_header(case.header or {})
        return coverage.result(body=True).missing


def _universes(cell: Cell, layout: MessageLayout, header: MessageLayout | None) -> list[Universe]:
    body = universe(layout)
    return [body] if header is None else [body, frame_universe(header, layout.api_key, cell.version)]
