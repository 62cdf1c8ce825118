"""Judges what codecs made of malformed bytes, and records it."""

from collections.abc import Sequence
from dataclasses import dataclass

from wireproof.model.cell import Phase
from wireproof.model.divergence import Divergence
from wireproof.model.malformed_input import Answer, DecodeOutcome, MalformedVerdict
from wireproof.model.oracle import Refusal
from wireproof.proof.checks.malformed.mutated_bytes import (
    JudgedMutation,
    MalformedSubject,
    OracleReading,
    judge_malformed,
    settled,
)
from wireproof.proof.run.comparing.answer_comparison import Comparison
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.prepared_cases import MutatedCase
from wireproof.proof.run.malformed.fresh_retry import FailedMutation, FreshRetry


@dataclass(frozen=True, slots=True)
class MutationRecord:
    """The destination of judgements.

    Attributes:
        comparison: where the codecs are held side by side; else None.
        retries: of each codec, what asks it again about its failures; empty where failures are not retried.
    """

    recorder: CellRecorder
    phase: Phase = Phase.MUTATIONS
    comparison: Comparison | None = None
    retries: Sequence[FreshRetry] = ()

    def retry_of(self, codec: int) -> FreshRetry | None:
        """Return the retry of the codec with this index."""
        return self.retries[codec] if self.retries else None


def judge_mutations(
    record: MutationRecord,
    subjects: Sequence[MalformedSubject],
    mutated: Sequence[MutatedCase],
    answers: Sequence[Sequence[Answer]],
    replies: Sequence[OracleReading | Refusal],
) -> None:
    """Judge what each codec made of each, and record it.

    Args:
        answers: for each subject those to all of `mutated`.
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
            failed = _record(record, FailedMutation(subject, each, judged, reply), record.retry_of(codec))
            recorder.count(record.phase, 1, len(each.data), 1 if failed else 0)
        if comparison is not None:
            comparison.malformed(each, reported, reply)


def _alike(one: Answer, other: Answer) -> bool:
    """True if two codecs gave the same answer: then one judgement serves both."""
    return (one.outcome, one.error, one.value) == (other.outcome, other.error, other.value)


def _record(record: MutationRecord, failure: FailedMutation, retry: FreshRetry | None) -> bool:
    """Count a verdict and report a failure; whether it failed."""
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
    """Report a failure that was asked again alone; whether it failed: the ledger may know faults of state."""
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
