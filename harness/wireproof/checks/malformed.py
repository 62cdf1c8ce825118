"""Judgement of bytes that are wrong: accept or refuse and the value, never the wording of an error."""

from dataclasses import dataclass
from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.checks.catalogue import Check
from wireproof.checks.describe import around, refusal_words
from wireproof.checks.laxities import lax_reading_of
from wireproof.checks.value import value_difference
from wireproof.model import (
    Answer,
    Divergence,
    Mutant,
    OracleFrame,
    OracleValue,
    Outcome,
    Refusal,
)

__all__ = ["MalformedEvidence", "MalformedVerdict", "judge_malformed"]

_FAILURES: Final = {
    Outcome.CRASHED: (Check.CRASH, "crashes on bytes that are wrong"),
    Outcome.HUNG: (Check.HANG, "takes too long over bytes that are wrong"),
    Outcome.BLEW_UP: (Check.BLOW_UP, "asks for memory out of proportion to the bytes"),
}


@dataclass(frozen=True, slots=True)
class MalformedEvidence:
    """All that was said about one mutant.

    Attributes:
        header: the layout of the header where the mutant is a frame; None for a body.
        reply: Kafka's.
    """

    release: str
    layout: MessageLayout
    header: MessageLayout | None
    subject: str
    mutant: Mutant
    answer: Answer
    reply: OracleValue | OracleFrame | Refusal


@dataclass(frozen=True, slots=True)
class MalformedVerdict:
    """What a mutant comes to.

    Attributes:
        check: of the verdict; None where both sides agree.
        divergence: the evidence; None where they agree, or the codec is stricter as it may be.
        laxities: of a stricter codec: what Kafka let pass. Empty where nothing explains it.
    """

    check: Check | None = None
    divergence: Divergence | None = None
    laxities: frozenset[str] = frozenset()

    @property
    def fails(self) -> bool:
        return self.check is not None and self.check is not Check.STRICTER


AGREES: Final = MalformedVerdict()


def judge_malformed(e: MalformedEvidence) -> MalformedVerdict:
    """The verdict on one mutant."""
    outcome = e.answer.outcome
    if outcome in _FAILURES:
        check, summary = _FAILURES[outcome]
        return _found(e, check, summary)
    if outcome is Outcome.NO_VALUE:
        return _found(e, Check.DIFFERENT, "gives something that is no value of the layout")
    if isinstance(e.reply, Refusal):
        return AGREES if outcome is Outcome.REFUSED else _found(e, Check.LAXER, "reads what Kafka refuses")
    if outcome is Outcome.REFUSED:
        return _judge_refusal(e, e.reply)
    return AGREES if e.answer.value == _value(e.reply) else _different(e, e.reply)


def _judge_refusal(e: MalformedEvidence, reply: OracleValue | OracleFrame) -> MalformedVerdict:
    """The codec refuses what Kafka reads: stricter where something is wrong with it, else a failure."""
    reading = lax_reading_of(e.release, e.layout, e.header, e.mutant.data)
    explained = (
        reading is not None
        and reading.value == _value(reply)
        and reading.consumed_bytes == reply.consumed_bytes
    )
    if reading is None or not explained:
        return _found(e, Check.STRICTER, "refuses what Kafka reads, by no laxity that is known")
    if not reading.slips:
        return _found(e, Check.DECODE, "refuses bytes that are a message like any other")
    return MalformedVerdict(Check.STRICTER, None, reading.slips)


def _different(e: MalformedEvidence, reply: OracleValue | OracleFrame) -> MalformedVerdict:
    summary = "reads another value than Kafka"
    if isinstance(reply, OracleFrame):
        return _found(e, Check.DIFFERENT, summary)
    shown = value_difference(e.layout, Check.DIFFERENT, e.subject, summary, e.answer.value, reply.value)
    return _found(e, Check.DIFFERENT, summary, shown)


def _value(reply: OracleValue | OracleFrame) -> bytes:
    return reply.value if isinstance(reply, OracleValue) else reply.header + reply.body


def _found(
    e: MalformedEvidence, check: Check, summary: str, shown: Divergence | None = None
) -> MalformedVerdict:
    mutation = e.mutant.mutation
    divergence = Divergence(
        check,
        e.subject,
        summary,
        path=mutation.path,
        offset=mutation.offset,
        codec=shown.codec if shown else _answer_words(e.answer),
        oracle=shown.oracle if shown else _reply_words(e.reply),
        done=f"{mutation.words}; now {around(e.mutant.data, mutation.offset)}",
    )
    return MalformedVerdict(check, divergence)


def _answer_words(answer: Answer) -> str:
    if answer.outcome is Outcome.READ:
        return f"reads it: {answer.value[:16].hex(' ')} ... in canonical form"
    return f"{answer.outcome}: {answer.words}"


def _reply_words(reply: OracleValue | OracleFrame | Refusal) -> str:
    if isinstance(reply, Refusal):
        return refusal_words(reply)
    return f"reads it, {reply.consumed_bytes} bytes"
