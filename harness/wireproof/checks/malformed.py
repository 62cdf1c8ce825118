"""Judging what a codec does with malformed bytes: accepted or refused, and the value; wording never."""

from dataclasses import dataclass
from typing import assert_never

from kafkawire.errors import CodecError
from kafkawire.records import view_layout
from kafkawire.schema.layout import MessageLayout
from wireproof.checks.catalogue import Check
from wireproof.checks.describe import around, refusal_words
from wireproof.checks.laxities import Laxity, laxity_of
from wireproof.checks.value import value_difference
from wireproof.model import Answer, Divergence, Mutation, OracleReply, OracleValue, Outcome, Refusal, Verdict

__all__ = ["Judged", "judge_malformed"]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one mutation.

    Attributes:
        laxity: what explains a stricter codec; None where nothing does, or nothing needs to.
        divergence: the evidence where the verdict does not pass.
    """

    verdict: Verdict
    laxity: Laxity | None = None
    divergence: Divergence | None = None


_FAILURES = {Outcome.CRASHED: Verdict.CRASH, Outcome.HUNG: Verdict.HANG, Outcome.BLEW_UP: Verdict.BLOW_UP}


def judge_malformed(
    layout: MessageLayout | None,
    subject: str,
    mutation: Mutation,
    data: bytes,
    answer: Answer,
    reply: OracleReply,
) -> Judged:
    """A codec's answer to mutated bytes against Kafka's.

    Args:
        layout: of the message; None for record sets.
        data: the mutated bytes.
    """
    match answer.outcome:
        case Outcome.CRASHED | Outcome.HUNG | Outcome.BLEW_UP as outcome:
            return _failed(subject, mutation, data, _FAILURES[outcome], answer, reply)
        case Outcome.REFUSED:
            if isinstance(reply, Refusal):
                return Judged(Verdict.AGREE)
            return Judged(Verdict.STRICTER, laxity_of(mutation, answer))
        case Outcome.ACCEPTED:
            if isinstance(reply, Refusal):
                return _failed(subject, mutation, data, Verdict.LAXER, answer, reply)
            whole = layout is None or reply.consumed_bytes == len(data)
            if whole and reply.value == answer.value:
                return Judged(Verdict.AGREE)
            return _different(layout, subject, mutation, data, answer, reply)
        case _:
            assert_never(answer.outcome)


def _different(
    layout: MessageLayout | None,
    subject: str,
    mutation: Mutation,
    data: bytes,
    answer: Answer,
    reply: OracleValue,
) -> Judged:
    if reply.value == answer.value:
        return _failed(subject, mutation, data, Verdict.LAXER, answer, reply)
    summary = f"{_words(mutation)}: read to another value than Kafka's"
    form = view_layout() if layout is None else layout
    try:
        found = value_difference(form, Check.MALFORMED, subject, summary, answer.value, reply.value)
    except CodecError:
        found = Divergence(Check.MALFORMED, subject, summary, mutation.path, "", mutation.offset)
    return Judged(Verdict.DIFFERENT, None, found)


def _failed(
    subject: str, mutation: Mutation, data: bytes, verdict: Verdict, answer: Answer, reply: OracleReply
) -> Judged:
    told = {
        Verdict.LAXER: "accepted, where Kafka refuses",
        Verdict.CRASH: "the codec crashes",
        Verdict.HANG: "the codec hangs",
        Verdict.BLOW_UP: "the codec takes memory out of proportion",
    }
    ours = f"{verdict}: {answer.error} {answer.message}".strip() if answer.message else str(verdict)
    if isinstance(reply, Refusal):
        theirs = refusal_words(reply)
    else:
        theirs = f"reads {reply.consumed_bytes} of {len(data)} bytes"
    found = Divergence(
        Check.MALFORMED,
        subject,
        f"{_words(mutation)}: {told[verdict]}",
        mutation.path,
        f"verdict {verdict}",
        mutation.offset,
        codec=f"{ours}; bytes {around(data, mutation.offset)}",
        oracle=theirs,
    )
    return Judged(verdict, None, found)


def _words(mutation: Mutation) -> str:
    """What was done: ``length=-2 in place of 0005``."""
    if mutation.operator == "truncate":
        return f"cut off at byte {mutation.offset}"
    held = mutation.before.hex() if len(mutation.before) <= 8 else f"{mutation.before[:8].hex()}..."
    return f"{mutation.operator} in place of {held or 'nothing'}"
