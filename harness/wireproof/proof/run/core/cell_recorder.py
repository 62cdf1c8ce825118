"""The counts of one cell, and its failures without repeats."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from kafkawire.errors import CodecError
from wireproof.model.adapter import NOT_ASKED, SAME_CAUSE, UNASKED
from wireproof.model.agreement import ObservedCause, ObservedDeviation
from wireproof.model.cell import Cell, FramePart, Phase, part_of_module
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.model.divergence import Divergence, without_indices
from wireproof.model.malformed_input import Answer, MalformedVerdict
from wireproof.proof.checks.check_table import considered, hidden, leading
from wireproof.proof.checks.known_defects.kafka_bugs import explain_own_bugs
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.deviations.search.side_observers import SideObservers
from wireproof.proof.run.core.cell_events import (
    CellProgress,
    CellResult,
    DeviantCase,
    FailedCase,
    ProverEvent,
    ShrunkCase,
    StricterCase,
)
from wireproof.proof.run.core.plan import REPORTED_EACH, KnownDeviations

_Causes: TypeAlias = dict[tuple[str, ...], ObservedCause]
"""Each cause once, by its phase, its key and the part of the cell."""

_PROGRESS_S = 1.0
"""Seconds between two progress events of a cell."""


class CellRecorder:
    """Counts cases and reports failures as they come.

    Args:
        to_json: returns a case's value as JSON; raises `CodecError` if the value has no JSON form.
        known: explains the known deviations; None if there are none.
        kafka_releases: the release of each codec that is Kafka's own classes, by the name of the codec.
        observer: notes the failed cases; None if they are not diagnosed.
        compares: whether codecs are compared: the first case with each deviation, known or not, is an event.
        reported_each: how many failures of one cause each phase reports; later ones are only counted.
    """

    def __init__(
        self,
        cell: Cell,
        to_json: Callable[[Any], str],
        emit: Callable[[ProverEvent], None],
        known: KnownDeviations | None = None,
        kafka_releases: Mapping[str, str] = MappingProxyType({}),
        compares: bool = False,
        observer: AnswerObserver | SideObservers | None = None,
        reported_each: int = REPORTED_EACH,
    ) -> None:
        self._cell = cell
        self._to_json = to_json
        self._emit = emit
        self._ledger = known
        self._kafka_releases = kafka_releases
        self._compares = compares
        self._deviations: set[tuple[str, ...]] = set()
        self._observer = observer
        self._reported_each = reported_each
        self._cases: Counter[Phase] = Counter()
        self._data_bytes = 0
        self._failed_cases = 0
        self._reported: Counter[tuple[str, ...]] = Counter()
        self._errata: Counter[str] = Counter()
        self._unsupported: Counter[str] = Counter()
        self._not_asked = 0
        self._skipped: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._aside: set[tuple[str, ...]] = set()
        self._unanswered: set[tuple[str, str]] = set()
        self._known_at: Counter[tuple[str, FramePart, str]] = Counter()
        self._causes: _Causes = {}
        self._hidden_causes: _Causes = {}
        self._next_progress = time.monotonic() + _PROGRESS_S
        self._verdicts: Counter[MalformedVerdict] = Counter()
        self._laxities: Counter[str] = Counter()
        self._known_cases = frozenset(() if known is None else known.cases)
        self._passed: set[str] = set()
        self._trust: dict[str, Counter[str]] = {}
        self._phase_s: dict[Phase, float] = {}

    def count(self, phase: Phase, cases: int, data_bytes: int, failed: int) -> None:
        """Add cases that were judged, and how many of them failed."""
        self._cases[phase] += cases
        self._data_bytes += data_bytes
        self._failed_cases += failed

    @contextmanager
    def timed(self, phase: Phase) -> Iterator[None]:
        """Add the wall-clock time of the block to the time of the phase."""
        started = time.monotonic()
        try:
            yield
        finally:
            self._phase_s[phase] = self._phase_s.get(phase, 0.0) + time.monotonic() - started

    def progress(self) -> None:
        """Report the progress at times: a cell may have millions of cases."""
        if time.monotonic() >= self._next_progress:
            self._emit(CellProgress(self._cell, dict(self._cases), self._data_bytes, self._failed_cases))
            self._next_progress = time.monotonic() + _PROGRESS_S

    def cases(self, phase: Phase) -> int:
        """Cases of the phase so far."""
        return self._cases[phase]

    @property
    def failed_any(self) -> bool:
        """True if any case failed so far."""
        return self._failed_cases > 0

    @property
    def all_cases(self) -> int:
        """Cases of all phases so far. A failed case is reported before it is counted."""
        return sum(self._cases.values())

    @property
    def found_any(self) -> bool:
        """True if any case failed so far, or met a known Kafka bug or a known deviation."""
        return bool(self._failed_cases or self._errata or self._known)

    def excused(
        self,
        phase: Phase,
        name: str,
        divergences: tuple[Divergence, ...],
        value: Any = None,
        data: bytes | None = None,
    ) -> tuple[Divergence, ...]:
        """Count what excuses a case (errata, limits, known deviations); return the other divergences.

        Args:
            value, data: the value and bytes of the case, as `failed` takes them.
        """
        if not divergences:
            return ()
        found = self._excused_by_name(divergences)
        if isinstance(self._observer, SideObservers):
            found = self._observer.explained(found, value, data)
        explained = considered(found, self._aside)
        self._count_causes(self._hidden_causes, phase, name, hidden(found, self._aside))
        self._errata.update({each.erratum for each in explained if each.erratum})
        self._count_known(explained)
        if self._compares:
            self._note_deviations(phase, name, explained, value, data)
        for each in explained:
            if each.unanswered and not (each.erratum or each.unsupported):
                self._unanswered.add((each.subject, each.check))
        self._unsupported.update({each.unsupported for each in explained} - {""} - UNASKED)
        return tuple(each for each in explained if not (each.excused or each.unsupported))

    def record(
        self,
        phase: Phase,
        name: str,
        found: Iterable[Divergence],
        value: Any = None,
        data: bytes | None = None,
        *,
        size: int = 0,
        asked: Any = None,
        entry: str | None = None,
    ) -> tuple[Divergence, ...]:
        """Count one case, report the divergences that nothing excuses, and return them.

        Args:
            size: the bytes of the case.
            value, data, asked, entry: as `failed` takes them.
        """
        left = self.excused(phase, name, tuple(found), *_question(value, data, asked))
        if left:
            self.failed(phase, name, left, value, data=data, entry=entry, asked=asked)
        self.count(phase, 1, size, 1 if left else 0)
        return left

    def _count_known(self, explained: tuple[Divergence, ...]) -> None:
        """Count the known deviations of a case, and the places of those that follow from no other one."""
        known = [each for each in explained if each.entry]
        self._known.update({each.entry for each in known})
        places = {(each.entry, self._part(each), without_indices(each.path)) for each in leading(known)}
        self._known_at.update(places)

    def _note_deviations(
        self, phase: Phase, name: str, explained: tuple[Divergence, ...], value: Any, data: bytes | None
    ) -> None:
        """Report deviations not seen before; limits of a codec's types and known bugs of Kafka are none."""
        known = [each for each in explained if each.entry]
        new = [each for each in explained if not (each.excused or each.unsupported)]
        for each in (*leading(known), *leading(new)):
            key = each.entry, *each.cause
            if key not in self._deviations:
                self._deviations.add(key)
                given = None if data is None else data.hex()
                case_id = self._cell.case_id(phase, name)
                self._emit(DeviantCase(self._cell, phase, case_id, (each,), self._json(value), None, given))

    def _part(self, divergence: Divergence) -> FramePart:
        """The part of the cell that a divergence is in."""
        return FramePart(divergence.part) if divergence.part else part_of_module(self._cell.module)

    def explained(self, divergences: tuple[Divergence, ...]) -> tuple[Divergence, ...]:
        """The divergences to consider, each with the ledger entry that explains it; nothing is counted."""
        return considered(self._excused_by_name(divergences), self._aside)

    def _excused_by_name(self, divergences: tuple[Divergence, ...]) -> tuple[Divergence, ...]:
        """Return the divergences, each with the known Kafka bug or the ledger's entry that explains it."""
        for subject, release in self._kafka_releases.items():
            divergences = explain_own_bugs(release, divergences, subject)
        if self._ledger is not None:
            divergences = self._ledger.explain(self._cell, divergences)
        return divergences

    def set_aside(self, cases: Sequence[tuple[Divergence, ...]]) -> None:
        """Set aside a cause that every case of a batch shows: it would hide the differences after it."""
        while len(cases) > 1 and all(cases):
            shown = [{each.cause for each in self.explained(found) if not each.excused} for found in cases]
            new = set.intersection(*shown) - self._aside
            if not new:
                return
            self._aside |= new

    def unanswered(self, subject: str) -> frozenset[str]:
        """The checks in which a codec gave no answer to some case; known deviations count, too."""
        return frozenset(check for name, check in self._unanswered if name == subject)

    def reports(self, phase: Phase, divergences: tuple[Divergence, ...]) -> bool:
        """True if a failure of this cause would be reported, and not only counted."""
        return self._reported[phase, *divergences[0].cause] < self._reported_each

    def left_out(self, phase: Phase, answer: Answer, data_bytes: int) -> None:
        """Count a case that was not judged, by the reason that the answer has."""
        if answer.error == NOT_ASKED:
            self._not_asked += 1
        elif answer.error == SAME_CAUSE:
            self._skipped[answer.message] += 1
        elif answer.error:
            self._unsupported[answer.error] += 1
            self.count(phase, 1, data_bytes, 0)

    def unasked(self, not_asked: int, skipped: Mapping[str, int]) -> None:
        """Count questions that were not asked: too many ends, no time, or the cause of an earlier case."""
        self._not_asked += not_asked
        self._skipped.update(skipped)

    @property
    def whole(self) -> bool:
        """True if every question of the cell was asked so far."""
        return not (self._not_asked or self._skipped)

    def judged(self, verdict: MalformedVerdict, leniency: str) -> None:
        """Count a verdict on malformed bytes, and Kafka's leniency that explains a stricter codec."""
        self._verdicts[verdict] += 1
        if verdict is MalformedVerdict.STRICTER:
            self._laxities[leniency] += 1

    def passed(self, phase: Phase, name: str) -> None:
        """Note a case that passed, if it showed a known deviation."""
        if self._known_cases:
            self._passed |= self._known_cases & {self._cell.case_id(phase, name)}

    def predicted(self, data: bytes) -> bool:
        """Test if a known cause predicts the codec's answer to bytes: checks do not see that answer then."""
        return self._observer is not None and self._observer.excused_bytes(data)

    def trusted(self, subject: str, outcome: str) -> None:
        """Count what a codec that promises no refusal did with a value that the version cannot hold."""
        self._trust.setdefault(subject, Counter())[outcome] += 1

    def failed(
        self,
        phase: Phase,
        name: str,
        divergences: tuple[Divergence, ...],
        value: Any = None,
        header: str | None = None,
        data: bytes | None = None,
        entry: str | None = None,
        after: Sequence[str] = (),
        asked: Any = None,
    ) -> bool:
        """Report a failure, unless its cause was reported often enough; True if the cause is new.

        Args:
            after: the names of the cases of the phase that have to be asked before it.
            asked: the value or the bytes that the codec was asked, if the event does not have them.
        """
        self._count_causes(self._causes, phase, name, leading(divergences))
        if self._observer is not None:
            keys = frozenset((str(each.check), without_indices(each.path), each.kind) for each in divergences)
            self._observer.failed(self._cell.case_id(phase, name), keys, *_question(value, data, asked))
        divergences = self._with_headline(phase, divergences)
        reports = self.reports(phase, divergences)
        cause = phase, *divergences[0].cause
        self._reported[cause] += 1
        if reports:
            case_id = self._cell.case_id(phase, name)
            text = None if data is None else data.hex()
            before = tuple(self._cell.case_id(phase, each) for each in after)
            json = self._json(value)
            self._emit(
                FailedCase(self._cell, phase, case_id, divergences, json, header, text, entry, after=before)
            )
        return self._reported[cause] == 1

    def _with_headline(self, phase: Phase, divergences: tuple[Divergence, ...]) -> tuple[Divergence, ...]:
        """The divergences; if the first one's cause was set aside, a new cause takes the first place."""
        if divergences[0].cause not in self._aside or not self._reported[phase, *divergences[0].cause]:
            return divergences
        new = [
            each
            for each in divergences
            if each.cause not in self._aside and self._reported[phase, *each.cause] < self._reported_each
        ]
        return (*new[:1], *(each for each in divergences if each not in new[:1]))

    def _count_causes(
        self, causes: _Causes, phase: Phase, name: str, divergences: Sequence[Divergence]
    ) -> None:
        """Keep each cause of a case once, with the first case that met it."""
        first: dict[tuple[str, ...], Divergence] = {}
        for each in divergences:
            first.setdefault((phase, *each.cause, self._part(each)), each)
        case_id = self._cell.case_id(phase, name)
        for key, each in first.items():
            seen = causes.get(key) or ObservedCause.of(each, phase, case_id, 0, self._part(each))
            causes[key] = replace(seen, cases=seen.cases + 1)

    def unexplained(self, phase: Phase, name: str, divergence: Divergence, data: bytes) -> None:
        """Report a case in which a codec refused bytes that Kafka reads, for which no leniency is known."""
        if self.reports(phase, (divergence,)):
            self._emit(StricterCase(self._cell, self._cell.case_id(phase, name), divergence, data.hex()))
        self._reported[phase, *divergence.cause] += 1

    def shrunk(self, phase: Phase, name: str, divergences: tuple[Divergence, ...], value: Any) -> None:
        """Report a smaller instance of an earlier failure."""
        text = self._json(value)
        if divergences and text is not None:
            self._emit(ShrunkCase(self._cell, self._cell.case_id(phase, name), divergences, text))

    def done(self, duration_s: float, coverage: CellCoverage | None = None) -> CellResult:
        """Return the result of the cell."""
        known_at = tuple(ObservedDeviation(*place, cases) for place, cases in sorted(self._known_at.items()))
        return CellResult(
            self._cell,
            dict(self._cases),
            self._data_bytes,
            self._failed_cases,
            duration_s,
            dict(self._errata),
            dict(self._verdicts),
            dict(self._laxities),
            coverage,
            dict(self._unsupported),
            dict(self._known),
            tuple(self._causes.values()),
            not_asked=self._not_asked,
            trust={subject: dict(outcomes) for subject, outcomes in self._trust.items()},
            skipped=dict(self._skipped),
            known_at=known_at,
            phase_s=dict(self._phase_s),
            hidden_causes=tuple(self._hidden_causes.values()),
            passed=frozenset(self._passed),
        )

    def _json(self, value: Any) -> str | None:
        if value is None:
            return None
        try:
            return self._to_json(value)
        except CodecError:
            return None


def _question(value: Any, data: bytes | None, asked: Any) -> tuple[Any, bytes | None]:
    """Return the value and the bytes that the codec was asked: where an event has none, those of `asked`."""
    if isinstance(asked, bytes):
        return value, asked if data is None else data
    return asked if value is None else value, data
