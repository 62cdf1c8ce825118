"""The judgement of answers to malformed bytes and sets; a wrong answer is tried again in a fresh process.

If the codec is right there, its state is at fault and not the mutated byte. Then a search finds the earlier
questions that cause the failure: the run reports them, and a replay asks them first.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from kafkawire.records import encode_records
from wireproof.model.case_source import RecordCase
from wireproof.model.cell import Phase
from wireproof.model.codec_ends import NOT_ALONE
from wireproof.model.divergence import Divergence
from wireproof.model.malformed_input import Answer, DecodeOutcome, LimitedAdapter, MalformedVerdict, Mutation
from wireproof.model.oracle import Refusal
from wireproof.proof.checks.difference_kinds import DEATH, sites_of
from wireproof.proof.checks.malformed.mutated_bytes import (
    JudgedMutation,
    MalformedSubject,
    OracleReading,
    as_state_fault,
    judge_malformed,
    settled,
)
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.comparing.answer_comparison import Comparison
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.prepared_cases import MutatedCase

ReadAll: TypeAlias = Callable[[LimitedAdapter, Sequence[MutatedCase]], Sequence[Answer]]
"""Returns the answers of a codec to mutations, in their order, by one process."""

_MOST_STARTS: Final = 3
"""Most fresh processes that a codec gets in a cell to retry failures alone."""
_MOST_STARTS_OF_STATE: Final = 16
"""The same limit once a state fault was found: then each question may change the next answer."""
_MOST_QUESTIONS: Final = 200
"""Most retries of a codec in a cell; a cause whose first failure is no state fault is not retried again."""
_MOST_ATTEMPTS: Final = 8
"""Most fresh processes in the search for the earlier questions that a failure needs."""
_ENDINGS: Final = frozenset({MalformedVerdict.HANG, MalformedVerdict.BLOW_UP})
"""Verdicts that were tried alone already."""
_BROKEN_PROTOCOL: Final = "crashed:protocol"
"""A kind that was tried alone already, too."""


@dataclass(frozen=True, slots=True)
class FailedMutation:
    """A mutation that a codec may have answered wrongly: the judgement, and Kafka's answer."""

    subject: MalformedSubject
    mutated: MutatedCase
    judged: JudgedMutation
    reply: OracleReading | Refusal


@dataclass(slots=True)
class FreshRetry:
    """Asks one codec again about the failures of a cell.

    Args:
        asked: the mutations that the run's own process was asked in the cell, in order.
    """

    limited: LimitedAdapter
    read_all: ReadAll
    asked: list[MutatedCase] = field(default_factory=list)
    _wrong_alone: set[tuple[str, ...]] = field(default_factory=set)
    _right_alone: set[tuple[str, ...]] = field(default_factory=set)
    _process: LimitedAdapter | None = None
    _untouched: bool = False
    _starts: int = 0
    _questions: int = 0

    def state_fault(self, failure: FailedMutation) -> Divergence | None:
        """The divergence as a state fault if the codec is right when asked alone; else None."""
        divergence, verdict = failure.judged.divergence, failure.judged.verdict
        if divergence is not None and NOT_ALONE in divergence.codec:
            return as_state_fault(divergence, verdict, None)
        if divergence is None or verdict in _ENDINGS or _is_end(divergence.kind):
            return None
        if divergence.cause in self._wrong_alone or self._questions >= _MOST_QUESTIONS:
            return None
        alone = self._right_answer(failure)
        known = divergence.cause in self._right_alone
        if alone is None and not (known and self._starts >= self._most_starts):
            self._wrong_alone.add(divergence.cause)
            return None
        self._right_alone.add(divergence.cause)
        return as_state_fault(divergence, verdict, alone)

    @property
    def _most_starts(self) -> int:
        return _MOST_STARTS_OF_STATE if self._right_alone else _MOST_STARTS

    def _right_answer(self, failure: FailedMutation) -> Answer | None:
        """The answer of a process that was asked few questions before; None if that is wrong, too.

        A right answer counts, whatever the process was asked before. After a wrong answer, a new process is
        asked.
        """
        if self._process is None:
            self._renew()
        untouched = self._untouched
        answer = self._asked_alone(failure)
        if answer is None and not untouched:
            answer = self._asked_alone(failure)  # state left by the question before may be used up
        if answer is None and not untouched and self._starts < self._most_starts:
            self._renew()
            answer = self._asked_alone(failure)
        return answer

    def _asked_alone(self, failure: FailedMutation) -> Answer | None:
        """The answer of the process, if it is right."""
        if self._process is None:
            return None
        self._questions, self._untouched = self._questions + 1, False
        (answer,) = self.read_all(self._process, [failure.mutated])
        again = self._judge(failure, answer)
        return None if again is None or again.fails else answer

    def _renew(self) -> None:
        self.close()
        self._process = self.limited.fresh()
        self._starts, self._untouched = self._starts + 1, True

    def needed(self, failure: FailedMutation) -> Sequence[MutatedCase]:
        """The earlier questions that a state fault needs, as few as `_MOST_ATTEMPTS` attempts find; none if
        all earlier mutations of the cell do not cause it, or the session has tried them together already."""
        if failure.judged.divergence is not None and NOT_ALONE in failure.judged.divergence.codec:
            return ()
        names = [each.name for each in self.asked]
        before = self.asked[: names.index(failure.mutated.name)]
        attempts = _MOST_ATTEMPTS - 2
        if not before or self._shows(before[-1:], failure):
            return before[-1:]
        if not self._shows(before, failure):
            return ()
        first, end = 0, len(before)  # the cases from `first` on suffice; those from `end` on do not
        while attempts > 1 and end - first > 1:
            middle, attempts = (first + end) // 2, attempts - 1
            if self._shows(before[middle:], failure):
                first = middle
            else:
                end = middle
        window = before[first:end]
        return window if self._shows(window, failure) else before[first:]

    def close(self) -> None:
        """End the fresh process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _shows(self, before: Sequence[MutatedCase], failure: FailedMutation) -> bool:
        """True if the codec fails in the same way after these questions in a fresh process."""
        process = self.limited.fresh()
        if process is None:
            return False
        with closing(process):
            answers = self.read_all(process, [*before, failure.mutated])
        again = self._judge(failure, answers[-1])
        return again is not None and again.fails and again.verdict is failure.judged.verdict

    def _judge(self, failure: FailedMutation, answer: Answer) -> JudgedMutation | None:
        """The judgement of another answer; None if the codec was not asked."""
        answer = settled(failure.subject, answer)
        if answer.outcome is DecodeOutcome.LEFT_OUT:
            return None
        mutated = failure.mutated
        return judge_malformed(failure.subject, mutated.mutation, mutated.data, answer, failure.reply)


def _is_end(kind: str) -> bool:
    return kind == _BROKEN_PROTOCOL or kind.partition(":")[0] == DEATH


@contextmanager
def fresh_retries(
    context: CellContext,
    codecs: Sequence[LimitedAdapter],
    read_all: ReadAll,
    asked: Sequence[MutatedCase] = (),
) -> Iterator[list[FreshRetry]]:
    """Return a context with one retry for each codec, and end their processes after it.

    There is none if codecs are compared or the options disable retries.
    """
    disabled = context.environment.compared or not context.options.fresh_retries
    retries = [] if disabled else [FreshRetry(each, read_all, list(asked)) for each in codecs]
    try:
        yield retries
    finally:
        for each in retries:
            each.close()


@dataclass(frozen=True, slots=True)
class MutationRecord:
    """The destination of judgements.

    Attributes:
        comparison: the comparison of the codecs; None if they are not compared.
        retries: the retry of each codec; empty if failures are not retried.
    """

    recorder: CellRecorder
    phase: Phase = Phase.MUTATIONS
    comparison: Comparison | None = None
    retries: Sequence[FreshRetry] = ()


def judge_mutations(
    record: MutationRecord,
    subjects: Sequence[MalformedSubject],
    mutated: Sequence[MutatedCase],
    answers: Sequence[Sequence[Answer]],
    replies: Sequence[OracleReading | Refusal],
) -> None:
    """Judge the answer of each codec to each mutation, and record it.

    Args:
        answers: for each subject, its answers to all of `mutated`.
    """
    recorder, comparison = record.recorder, record.comparison
    for index, (each, reply) in enumerate(zip(mutated, replies, strict=True)):
        passed: tuple[Answer, JudgedMutation] | None = None
        reported: dict[str, Answer] = {}
        for codec, (subject, given) in enumerate(zip(subjects, answers, strict=True)):
            answer = settled(subject, given[index])
            if answer.outcome is DecodeOutcome.LEFT_OUT:
                recorder.left_out(Phase.MUTATIONS, answer, len(each.data))
                continue
            if passed is None or not _alike(answer, passed[0]):
                judged = judge_malformed(subject, each.mutation, each.data, answer, reply)
                passed = (answer, judged) if judged.divergence is None else None
            else:
                judged = passed[1]
            reported[subject.name] = answer
            if comparison is not None:
                comparison.judged(subject.name, judged.verdict)
            retry = record.retries[codec] if record.retries else None
            failed = _record(record, FailedMutation(subject, each, judged, reply), retry)
            recorder.count(record.phase, 1, len(each.data), 1 if failed else 0)
        if comparison is not None:
            comparison.malformed(each, reported, reply)


def _alike(one: Answer, other: Answer) -> bool:
    """True if two codecs gave the same answer: then one judgement serves both."""
    return (one.outcome, one.error, one.value) == (other.outcome, other.error, other.value)


def _record(record: MutationRecord, failure: FailedMutation, retry: FreshRetry | None) -> bool:
    """Count a verdict and report a failure; return whether the case failed."""
    recorder, each, judged = record.recorder, failure.mutated, failure.judged
    if judged.divergence is not None and not judged.fails and recorder.predicted(each.data):
        recorder.judged(MalformedVerdict.AGREE, "")
        return False
    recorder.judged(judged.verdict, judged.leniency.name if judged.leniency else "")
    if judged.divergence is None:
        recorder.passed(record.phase, each.name)
        return False
    if not judged.fails:
        recorder.unexplained(record.phase, each.name, judged.divergence, each.data)
        return False
    divergences = recorder.excused(record.phase, each.name, (judged.divergence,), data=each.data)
    if divergences and retry is not None:
        return _record_retried(record, failure, divergences, retry)
    if divergences:
        recorder.failed(record.phase, each.name, divergences, data=each.data, entry=each.entry or None)
    return bool(divergences)


def _record_retried(
    record: MutationRecord, failure: FailedMutation, divergences: tuple[Divergence, ...], retry: FreshRetry
) -> bool:
    """Retry a failure alone and report it; return False if the ledger excuses it as a state fault."""
    recorder, each = record.recorder, failure.mutated
    after: list[str] = []
    of_state = retry.state_fault(failure)
    if of_state is not None:
        divergences = recorder.excused(record.phase, each.name, (of_state,), data=each.data)
        if divergences and recorder.reports(record.phase, divergences):
            after = [before.name for before in retry.needed(failure)]
    if divergences:
        recorder.failed(record.phase, each.name, divergences, data=each.data, after=after)
    return bool(divergences)


def prove_record_mutations(context: CellContext) -> None:
    """Let limited processes read mutated record sets, as many as the options say."""
    source = context.record_source
    sliced = not context.only and context.options.mutations is MutationSet.SLICE
    # Our own codec is limited in two forms, interpreted and compiled, but has one codec of record sets.
    codecs = context.environment.limited[: len(context.target.adapters)]
    with fresh_retries(context, codecs, partial(_read, context)) as retries:
        for case, mutations in source.mutations(context.cell, source.slice() if sliced else None):
            if not context.target.record_domain.holds(case.records):
                continue
            right = encode_records(case.records)  # the codec's own encoder is not under test here
            every = _mutated(case, right, mutations)
            mutated = [each for each in every if context.wants(each.name) or each.name in context.after]
            if mutated:
                _try_case(context, case, mutated, retries)


def _try_case(
    context: CellContext, case: RecordCase, mutated: Sequence[MutatedCase], retries: Sequence[FreshRetry]
) -> None:
    """Ask each codec whose domain holds the set about the set's mutations, and judge the wanted ones."""
    pairs = zip(context.environment.limited, context.target.adapters, strict=False)
    asked = [
        index for index, (_, each) in enumerate(pairs) if context.target.domain_of(each).holds(case.records)
    ]
    codecs = [context.environment.limited[index] for index in asked]
    retried = [retries[index] for index in asked] if retries else []
    context.announce(Phase.MUTATIONS, [each.name for each in mutated])
    answers = [_read(context, each, mutated) for each in codecs]
    for retry in retried:
        retry.asked.extend(mutated)
    judged = [index for index, each in enumerate(mutated) if context.wants(each.name)]
    replies = context.target.oracle.read_records([mutated[index].data for index in judged])
    judge_mutations(
        MutationRecord(context.recorder, Phase.MUTATIONS, context.comparison, retried),
        [MalformedSubject(each.name, context.cell.release, None) for each in codecs],
        [mutated[index] for index in judged],
        [[given[index] for index in judged] for given in answers],
        replies,
    )


def _read(context: CellContext, codec: LimitedAdapter, mutated: Sequence[MutatedCase]) -> Sequence[Answer]:
    """The answers of a codec to mutated record sets."""
    sites = sites_of(None, [(each.mutation, f"{Phase.MUTATIONS}/{each.name}") for each in mutated])
    return codec.decode_records(context.cell.version, [each.data for each in mutated], sites)


def _mutated(case: RecordCase, data: bytes, mutations: Iterable[Mutation]) -> Iterator[MutatedCase]:
    for mutation in mutations:
        changed = mutation.apply(data)
        if changed != data:
            yield MutatedCase(f"{case.name}/{mutation.name}", mutation, changed)
