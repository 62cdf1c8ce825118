"""The scoreboard: results of several codecs, cell by cell, and their agreement, summed during the run."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from wireproof.base.grouping import grouped
from wireproof.model.agreement import CodecTask, Disagreement
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.checks.check_table import tasks_of
from wireproof.proof.run.core.cell_events import CellResult, ComparedCell, DeviantCase, LostCase, LostCell
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.comparison.codec_deviations import DeviationLog, SavedDeviation


class CellStatus(StrEnum):
    """The state of a codec in one task of a cell."""

    PROVEN = "proven"
    KNOWN = "known"
    """It deviates, and its ledger knows how."""
    FAILED = "failed"
    UNREACHED = "unreached"
    """The run did not get there, or could not judge it."""


@dataclass(frozen=True, slots=True)
class CodecColumn:
    """The column of one codec.

    Attributes:
        name: unique in the matrix; the subject of its divergences.
        testee: the word that names it on the command line; empty for our own.
        claims: (question, message, version) -> whether the codec claims it.
    """

    name: str
    version: str
    language: str
    testee: str
    claims: Callable[[CodecTask, str, int], bool]


@dataclass(frozen=True, slots=True)
class CodecScore:
    """The score of a codec: its versions by question and status, and its verdicts on malformed bytes."""

    versions: Mapping[CodecTask, Mapping[CellStatus, Sequence[int]]]
    verdicts: Mapping[MalformedVerdict, int]

    def count(self, question: CodecTask, status: CellStatus) -> int:
        """Return the number of versions with a status."""
        return len(self.versions[question].get(status, ()))

    def claimed(self, question: CodecTask) -> list[int]:
        return sorted(version for versions in self.versions[question].values() for version in versions)


@dataclass(frozen=True, slots=True)
class StatusRow:
    """A message of a release: its versions that were asked for, and each codec by its column's name."""

    release: str
    message: str
    versions: Sequence[int]
    standings: Mapping[str, CodecScore]


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """A kind of disagreement with all its cases over all cells, and how many messages show it."""

    kind: Disagreement
    messages: int


@dataclass(slots=True)
class _Kind:
    all: Disagreement
    cell: Cell
    messages: set[str]


@dataclass(slots=True)
class Scoreboard:
    """Listens to a run of the selected cells, which are in the order of the report.

    Attributes:
        asked: the number of cases of each question that any codec was asked.
    """

    columns: Sequence[CodecColumn]
    cells: Sequence[Cell]
    _done: dict[Cell, CellResult] = field(default_factory=dict)
    _lost: set[Cell] = field(default_factory=set)
    _verdicts: dict[Cell, Mapping[str, Mapping[MalformedVerdict, int]]] = field(default_factory=dict)
    asked: Counter[CodecTask] = field(default_factory=Counter)
    _kinds: dict[Hashable, _Kind] = field(default_factory=dict)
    _not_asked: set[tuple[str, Cell]] = field(default_factory=set)
    _known: dict[tuple[str, Cell], set[CodecTask]] = field(default_factory=dict)
    _log: DeviationLog = field(default_factory=DeviationLog)

    def __call__(self, event: RunEvent) -> None:
        match event:
            case CellResult():
                self._done[event.cell] = replace(event, coverage=None)
            case LostCase() | LostCell():
                self._lost.add(event.cell)
            case ComparedCell(cell, compared):
                self.asked.update(compared.cases)
                self._verdicts[cell] = compared.verdicts
                self._not_asked.update((name, cell) for name, count in compared.not_asked.items() if count)
                for each in compared.disagreements:
                    self._add(cell, each)
            case DeviantCase(cell, divergences=(divergence,)):
                if divergence.entry:
                    tasks = tasks_of(divergence.check, divergence.path)
                    self._known.setdefault((divergence.subject, cell), set()).update(tasks)
                if self._is_claimed(cell, divergence):
                    self._log.add(event)
            case _:
                pass

    @property
    def deviations(self) -> list[SavedDeviation]:
        """The deviations of the codecs, each with the smallest case that shows it."""
        return list(self._log.deviations())

    @property
    def reached(self) -> int:
        """Cells that were judged to their end."""
        return len(self._done.keys() - self._lost)

    @property
    def strangers(self) -> dict[str, list[str]]:
        """The failures that are not a codec's fault: their owners, with the first case of each cause."""
        names = {column.name for column in self.columns}
        return grouped(
            (f"{cause.subject}: {cause.summary}", cause.case_id)
            for done in self._done.values()
            for cause in done.causes
            if cause.subject not in names
        )

    def rows(self) -> Iterator[StatusRow]:
        """Each message, in order."""
        messages = grouped(((cell.release, cell.message), cell) for cell in self.cells)
        for (release, message), cells in messages.items():
            standings = {column.name: self._standing(column, cells) for column in self.columns}
            yield StatusRow(release, message, sorted(cell.version for cell in cells), standings)

    def totals(self) -> dict[str, CodecScore]:
        """Return the score of each codec over all cells. It mixes messages, so only count its versions."""
        return {column.name: self._standing(column, self.cells) for column in self.columns}

    def failed(self, column: CodecColumn) -> int:
        """Return the number of cells in which a codec fails in any question."""
        return sum(
            any(self._status(column, question, cell) is CellStatus.FAILED for question in CodecTask)
            for cell in self.cells
        )

    def agreements(self) -> list[PairAgreement]:
        """The kinds of disagreement, those of most cases first."""
        found = [PairAgreement(kind.all, len(kind.messages)) for kind in self._kinds.values()]
        return sorted(found, key=lambda each: (-each.kind.cases, each.kind.question, _words(each.kind)))

    def _add(self, cell: Cell, each: Disagreement) -> None:
        kind = self._kinds.get(each.key)
        if kind is None:
            self._kinds[each.key] = _Kind(each, cell, {cell.message})
            return
        # The result must not depend on which process was first: the same run reports the same.
        kind.all = each.plus(kind.all) if cell < kind.cell else kind.all.plus(each)
        kind.cell = min(cell, kind.cell)
        kind.messages.add(cell.message)

    def _is_claimed(self, cell: Cell, divergence: Divergence) -> bool:
        """True if the divergence is of a codec of the matrix, in a task that the codec claims there."""
        tasks = tasks_of(divergence.check, divergence.path)
        return any(
            column.claims(task, cell.message, cell.version)
            for column in self.columns
            if column.name == divergence.subject
            for task in tasks
        )

    def _standing(self, column: CodecColumn, cells: Sequence[Cell]) -> CodecScore:
        versions: dict[CodecTask, dict[CellStatus, list[int]]] = {question: {} for question in CodecTask}
        verdicts: Counter[MalformedVerdict] = Counter()
        for cell in cells:
            verdicts.update(self._verdicts.get(cell, {}).get(column.name, {}))
            for question in CodecTask:
                status = self._status(column, question, cell)
                if status is not None:
                    versions[question].setdefault(status, []).append(cell.version)
        return CodecScore(versions, verdicts)

    def _status(self, column: CodecColumn, question: CodecTask, cell: Cell) -> CellStatus | None:
        """Return the status of a cell; None if the codec does not claim it."""
        if not column.claims(question, cell.message, cell.version):
            return None
        done = self._done.get(cell)
        if done is None or cell in self._lost:
            return CellStatus.UNREACHED
        for cause in done.causes:
            if cause.subject == column.name and question in tasks_of(cause.check, cause.field):
                return CellStatus.FAILED
        if question in self._known.get((column.name, cell), ()):
            return CellStatus.KNOWN
        return CellStatus.UNREACHED if (column.name, cell) in self._not_asked else CellStatus.PROVEN


def _words(kind: Disagreement) -> tuple[str, str]:
    return kind.about, repr(kind.groups)
