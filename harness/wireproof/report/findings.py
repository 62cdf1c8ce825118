"""Many failures, few causes: what a person should read first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wireproof.model import Cell, Divergence, Phase
from wireproof.run import CaseFailed, CaseShrunk

__all__ = ["Finding", "Findings"]


@dataclass(slots=True)
class Finding:
    """One cause in one message, over all its versions and cases.

    Attributes:
        first: the failure to show: the layout before values, then the smallest value.
        shrunk: a smaller instance of it, if one was found.
    """

    message: str
    first: CaseFailed
    shrunk: CaseShrunk | None = None
    cells: set[Cell] = field(default_factory=set)
    cases: int = 0

    @property
    def divergence(self) -> Divergence:
        return (self.shrunk or self.first).divergences[0]

    @property
    def value(self) -> str | None:
        return self.shrunk.value if self.shrunk else self.first.value

    @property
    def versions(self) -> str:
        """The versions it was seen at, in ranges: ``0-3, 7``."""
        return ", ".join(_ranges(sorted({cell.version for cell in self.cells})))


class Findings:
    """Groups failures as they come."""

    def __init__(self) -> None:
        self._by_cause: dict[tuple[str, ...], Finding] = {}
        self._by_case: dict[str, Finding] = {}

    def add(self, event: CaseFailed) -> bool:
        """Take a failure in; True where its cause is new."""
        key = event.cell.message, *event.divergences[0].cause
        finding = self._by_cause.get(key)
        new = finding is None
        if finding is None:
            finding = self._by_cause[key] = Finding(event.cell.message, event)
        elif _weight(event) < _weight(finding.first):
            finding.first = event
        finding.cells.add(event.cell)
        finding.cases += 1
        self._by_case[event.case_id] = finding
        return new

    def shrink(self, event: CaseShrunk) -> None:
        """A failure told before became smaller; kept where it is the one to show."""
        finding = self._by_case.get(event.case_id)
        if finding is not None and finding.first.case_id == event.case_id:
            finding.shrunk = event

    def __len__(self) -> int:
        return len(self._by_cause)

    def __iter__(self) -> Iterator[Finding]:
        """The findings, the one to look at first at the front."""
        return iter(sorted(self._by_cause.values(), key=lambda finding: _weight(finding.first)))


def _weight(event: CaseFailed) -> tuple[int, int, str]:
    """Layouts explain values, small values are read before large ones."""
    return (0 if event.phase is Phase.SHAPE else 1), len(event.value or ""), event.case_id


def _ranges(versions: Iterable[int]) -> Iterator[str]:
    run: list[int] = []
    for version in versions:
        if run and version != run[-1] + 1:
            yield _range(run)
            run = []
        run.append(version)
    if run:
        yield _range(run)


def _range(run: list[int]) -> str:
    return str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"
