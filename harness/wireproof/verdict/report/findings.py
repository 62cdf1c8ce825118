"""The grouping of failures by their causes: many failures have few causes.

Failures are grouped in three steps. Failures of one cause in one message are a `CauseFinding`. Findings that
look alike in several messages are a `CauseGroup`. If at least half of the cells failed, and one reason shows
in every failed cell, that reason is the `SharedReason`: a single line.
"""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from kafkawire.values import TAGS
from wireproof.base.grouping import grouped
from wireproof.base.text.wording import counted, first_names, ranges_text
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import DIFFERS, Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.run.core.cell_events import FailedCase, ShrunkCase
from wireproof.verdict.report.text.escaping import cut

_ALIKE_FROM: Final = 3
"""Least number of messages with similar findings that make one group: two may be alike by chance."""
_NAMED: Final = 8
"""Messages of a group that are named."""
_ORDER: Final = [str(check) for check in Check]
"""A codec that fails all checks is reported by its checks of values: they say most."""
_WIDTH: Final = 160
"""Characters of the codec's own words in a line."""


@dataclass(slots=True)
class CauseFinding:
    """One cause in one message, over all its versions and cases: the failure to show, and a smaller one."""

    message: str
    first: FailedCase
    shrunk: ShrunkCase | None = None
    in_cells: Counter[Cell] = field(default_factory=Counter)
    """Its cases in each cell."""

    @property
    def cells(self) -> Set[Cell]:
        return self.in_cells.keys()

    @property
    def cases(self) -> int:
        return self.in_cells.total()

    @property
    def divergence(self) -> Divergence:
        return (self.shrunk or self.first).divergences[0]

    @property
    def value(self) -> str | None:
        return self.shrunk.value if self.shrunk else self.first.value

    @property
    def blame(self) -> str:
        """The owner of the fault, and why; empty where it was not judged."""
        return "" if self.first.blame is None else str(self.first.blame)

    @property
    def versions(self) -> str:
        """The versions it was seen at, in ranges: ``0-3, 7``."""
        return _versions(self.cells)

    @property
    def likeness(self) -> tuple[str, ...]:
        """The properties that alike findings of different messages share.

        Two findings are alike only if the type of the field is the same as well.
        """
        found = self.first.divergences[0]
        # Unknown tags have no field and no type; they fail alike at every place.
        place = TAGS if found.path.endswith(TAGS) else _plain_type(found.field_type)
        return found.subject, found.check, found.kind, found.summary, place

    @property
    def follows(self) -> bool:
        """Return whether the finding is only a consequence of a codec that always fails."""
        return self.first.divergences[0].check == Check.CLAIM

    @property
    def reason(self) -> tuple[str, ...]:
        """The reason that many checks may share: a codec that always crashes does so in many checks."""
        found = self.first.divergences[0]
        if ":" in found.kind:
            return (found.kind,)
        return self.likeness if found.kind == DIFFERS else (found.check, found.kind)


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """Findings that look alike, one for each message; never empty. The finding to show is the first."""

    findings: tuple[CauseFinding, ...]

    @property
    def first(self) -> CauseFinding:
        return self.findings[0]

    @property
    def cells(self) -> set[Cell]:
        return {cell for finding in self.findings for cell in finding.cells}

    @property
    def cases(self) -> int:
        return sum(finding.cases for finding in self.findings)

    @property
    def others(self) -> dict[str, set[Cell]]:
        """The messages except that of the first finding, with their cells."""
        cells: dict[str, set[Cell]] = {}
        for finding in self.findings:
            cells.setdefault(finding.message, set()).update(finding.cells)
        return {message: found for message, found in cells.items() if message != self.first.message}

    @property
    def where(self) -> str:
        """``FetchRequest version 4-18 and 2 messages like it``."""
        more = len(self.others)
        like = f" and {counted(more, 'message')} like it" if more else ""
        versions = _versions(cell for cell in self.cells if cell.message == self.first.message)
        return f"{self.first.message} version {versions}{like}"

    @property
    def alike(self) -> str:
        """The other messages with their versions; the number of those beyond the first few."""
        others = [f"{message} {_versions(cells)}" for message, cells in self.others.items()]
        return first_names(others, _NAMED, " and {:,} more")


@dataclass(frozen=True, slots=True)
class SharedReason:
    """The one reason of all failed cells, if at least half of the cells failed.

    Attributes:
        findings: the finding to show first; consequences of the reason at the end.
        failed, judged: numbers of cells.
    """

    findings: tuple[CauseFinding, ...]
    failed: int
    judged: int

    def line(self, testee: str = "") -> str:
        """Return the reason in one line, with the command that replays it."""
        found = self.findings[0].divergence
        kind = "" if found.kind == DIFFERS else f"{found.kind}, "
        words = f" ({cut(' '.join(found.codec.split()), _WIDTH)})" if found.codec else ""
        return (
            f"{self.failed:,} of {self.judged:,} cells fail for one reason: {kind}[{found.check}] "
            f"{found.summary}{words}; {self._blamed}{replay_command(self.findings[0].first.case_id, testee)}"
        )

    @property
    def _blamed(self) -> str:
        """``blame codec; ``."""
        blame = self.findings[0].first.blame
        return "" if blame is None else f"blame {blame.whose}; "


class Findings:
    """Groups failures as they come."""

    def __init__(self) -> None:
        self._by_cause: dict[tuple[str, ...], CauseFinding] = {}
        self._by_first: dict[str, CauseFinding] = {}

    def add(self, event: FailedCase) -> bool:
        """Add a failure; return whether its cause is new."""
        key = event.cell.message, *event.divergences[0].cause
        finding = self._by_cause.get(key)
        new = finding is None
        if finding is None:
            finding = self._by_cause[key] = CauseFinding(event.cell.message, event)
            self._by_first[event.case_id] = finding
        elif _weight(event) < _weight(finding.first):
            if self._by_first.get(finding.first.case_id) is finding:
                del self._by_first[finding.first.case_id]
            finding.first = event
            self._by_first[event.case_id] = finding
        finding.in_cells[event.cell] += 1
        return new

    def count(self, cell: Cell, causes: Iterable[ObservedCause]) -> None:
        """Count all cases of a cell, because a phase reports only the first few failures of each cause."""
        cases = Counter[tuple[str, ...]]()
        for each in causes:
            cases[cell.message, each.check, each.field, each.subject, each.kind] += each.cases
        for key, number in cases.items():
            if key in self._by_cause and cell in self._by_cause[key].in_cells:
                self._by_cause[key].in_cells[cell] = number

    def shrink(self, event: ShrunkCase) -> None:
        """Replace a failure by its smaller instance if it is the one to show."""
        finding = self._by_first.get(event.case_id)
        if finding is not None:
            finding.shrunk = event

    def __len__(self) -> int:
        return len(self._by_cause)

    def __iter__(self) -> Iterator[CauseFinding]:
        """Iterate over the findings, the most important one first."""
        return iter(sorted(self._by_cause.values(), key=lambda finding: _weight(finding.first)))

    def groups(self, without: SharedReason | None = None) -> list[CauseGroup]:
        """Return groups of the findings without that reason: layouts first, then groups of most messages."""
        reported = None if without is None else without.findings[0].reason
        follows = without is not None
        left = (each for each in self if each.reason != reported and not (follows and each.follows))
        alike = grouped((finding.likeness, finding) for finding in left)
        groups = [group for found in alike.values() for group in _groups_of(found)]
        return sorted(groups, key=_rank)

    def one_reason(self, judged: int) -> SharedReason | None:
        """Return the reason that all failed cells share; None if there is none, or too few cells failed."""
        failed = {cell for finding in self for cell in finding.cells}
        if 2 * len(failed) < judged or len({cell.message for cell in failed}) < _ALIKE_FROM:
            return None
        causes = [finding for finding in self if not finding.follows]
        causes.sort(key=lambda finding: _ORDER.index(finding.first.divergences[0].check))
        for found in grouped((finding.reason, finding) for finding in causes).values():
            if set[Cell]().union(*(finding.cells for finding in found)) == failed:
                followers = (finding for finding in self if finding.follows)
                return SharedReason((*found, *followers), len(failed), max(judged, len(failed)))
        return None


def replay_command(case: str, testee: str = "") -> str:
    """Return the command that tries a case again; an empty `testee` is our own codec."""
    return shlex.join(["wireproof", "replay", *(["--testee", testee] if testee else []), case])


def _groups_of(alike: Sequence[CauseFinding]) -> list[CauseGroup]:
    if len({finding.message for finding in alike}) < _ALIKE_FROM:
        return [CauseGroup((finding,)) for finding in alike]
    return [CauseGroup(tuple(alike))]


def _plain_type(text: str) -> str:
    """Return a type with a struct's name replaced by ``struct``: each message has names of its own."""
    element = text.removeprefix("[]")
    return text.replace(element, "struct") if element[:1].isupper() else text


def _weight(event: FailedCase) -> tuple[int, int, str]:
    """Return a sort key: layouts first, because they explain values; small values before large ones."""
    return (0 if event.phase is Phase.SHAPE else 1), len(event.value or ""), event.case_id


def _rank(group: CauseGroup) -> tuple[int, int, tuple[int, int, str]]:
    weight = _weight(group.first.first)
    return weight[0], -len(group.others), weight


def _versions(cells: Iterable[Cell]) -> str:
    return ranges_text({cell.version for cell in cells})
