"""Classes of values that the cases of a cell do not cover, found without a codec and without Java.

All cases of a run are examined, as if each of them were proven.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from kafkawire.records import to_value
from kafkawire.schema.layout import MessageLayout
from wireproof.model.case_source import CaseSource, RecordSource
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.coverage.cell_coverage import CellCoverage, Coverage
from wireproof.model.coverage.layout_model import coverage_model, frame_coverage_model
from wireproof.model.coverage.record_set_model import record_coverage_model
from wireproof.model.coverage.value_nodes import CoverageModel, Point
from wireproof.proof.run.core.environment import Layouts
from wireproof.proof.run.core.prepared_cases import header_cases
from wireproof.proof.run.core.shared_layouts import without_versions


@dataclass(frozen=True, slots=True)
class UncoveredClass:
    """A class that no case of a cell meets, or that a case meets although it is said to be out of reach.

    Attributes:
        reason: why the layout lets no value meet it; empty without such a reason: then a case is missing.
        disproof: what contradicts the reason; empty if the reason holds.
    """

    cell: Cell
    point: Point
    reason: str
    disproof: str = ""

    @property
    def sound(self) -> bool:
        """True if there is a reason, and it holds."""
        return bool(self.reason and not self.disproof)


_Known: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""The classes that are not met, and those that are met though they should not be."""


@dataclass(slots=True)
class UncoveredClassFinder:
    """Finds the uncovered classes of cells; cells with equal layouts are examined once."""

    layouts: Layouts
    source: CaseSource
    record_source: RecordSource
    _known: dict[tuple[MessageLayout, MessageLayout | None], _Known] = field(default_factory=dict)

    def of(self, cell: Cell) -> Iterator[UncoveredClass]:
        """Yield the uncovered classes of one cell, in the order of its layout; those of the frame's header
        are last.
        """
        layout = self.layouts.of(cell)
        header = self.layouts.header(cell)
        key = without_versions(layout), header
        if key not in self._known:
            result = self._looked_at(cell, layout, header)
            self._known[key] = frozenset(result.missing), frozenset(result.contradicted)
        missing, contradicted = self._known[key]
        for each in _coverage_models(cell, layout, header):
            for bit, point in enumerate(each.points):
                name = str(point)
                if bit in each.unreachable:
                    disproof = "a case meets it" if name in contradicted else each.disproof(bit)
                    yield UncoveredClass(cell, point, str(each.unreachable[bit]), disproof)
                elif name in missing:
                    yield UncoveredClass(cell, point, "")

    def reachable(self, cell: Cell) -> int:
        """The number of classes of a cell that values can cover."""
        layout = self.layouts.of(cell)
        coverage_models = _coverage_models(cell, layout, self.layouts.header(cell))
        return sum(each.reachable.bit_count() for each in coverage_models)

    def _looked_at(self, cell: Cell, layout: MessageLayout, header: MessageLayout | None) -> CellCoverage:
        coverage = Coverage(*_coverage_models(cell, layout, header), thorough=True)
        if cell.module == RECORDS_MODULE:
            for records in self.record_source.cases(cell):
                coverage.met(to_value(records.records))
            return coverage.result(body=True)
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
        return coverage.result(body=True)


def _coverage_models(cell: Cell, layout: MessageLayout, header: MessageLayout | None) -> list[CoverageModel]:
    if cell.module == RECORDS_MODULE:
        return [record_coverage_model(cell.version)]
    body = coverage_model(layout)
    return [body] if header is None else [body, frame_coverage_model(header, layout.api_key, cell.version)]
