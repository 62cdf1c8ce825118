"""Judgement of a codec's answers to malformed bytes: acceptance or refusal, and the value, but no wording.

Java, Go, JavaScript and Rust replace the same bytes by different numbers of U+FFFD, and an adapter's JSON may
hold a surrogate where Kafka's class holds U+FFFD.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, assert_never

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import view_layout
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import Value
from wireproof.model.adapter import NO_VALUE, Crashed, Refused, Reply
from wireproof.model.cell import FramePart
from wireproof.model.divergence import Divergence
from wireproof.model.malformed_input import Answer, DecodeOutcome, MalformedVerdict, Mutation
from wireproof.model.oracle import OracleFrame, OracleValue, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import value_differences
from wireproof.proof.checks.difference_kinds import REORDERED, kind_of_mutation, kind_of_state, operator_of
from wireproof.proof.checks.evidence_text import around, field_at, refusal_words
from wireproof.proof.checks.fault_attribution import is_adapter_error
from wireproof.proof.checks.known_defects.leniencies import (
    OTHER_MESSAGE,
    VERSION_FALLBACK,
    Leniency,
    fitting_leniency,
    known_leniencies,
    record_set_leniency,
)
from wireproof.proof.checks.malformed.lenient_reader import read_frame_leniently, read_leniently
from wireproof.proof.checks.values.message_value import judge_instance

_TEXT: Final = "text-"
_REPLACEMENTS: Final = re.compile("[\ud800-\udfff\ufffd]+")


def same_but_for_replacements(
    layout: MessageLayout | None, mutation: Mutation, answer: Answer, reply: OracleValue | OracleFrame
) -> bool:
    """Return whether a codec and Kafka read ill-formed text alike, except for replacement characters.

    All other characters must be equal, and the text must begin and end at the same place.
    """
    if layout is None or isinstance(reply, OracleFrame) or not operator_of(mutation).startswith(_TEXT):
        return False
    form = canonical(layout)
    try:
        ours, theirs = (form.from_binary(each) for each in (answer.value, reply.value))
    except CodecError:
        return False
    return bool(_replaced(ours) == _replaced(theirs))


def _replaced(value: Value) -> Value:
    """Return the value with one U+FFFD in place of each run of replacements."""
    match value:
        case str():
            return _REPLACEMENTS.sub("\ufffd", value)
        case list():
            return [_replaced(each) for each in value]
        case dict():
            return {name: _replaced(each) for name, each in value.items()}
        case _:
            return value


OracleReading: TypeAlias = OracleValue | OracleFrame
"""The answer of Kafka for bytes that it reads."""


@dataclass(frozen=True, slots=True)
class MalformedSubject:
    """The codec and the layout of the bytes that are judged.

    Attributes:
        layout: the layout of the message; None for record sets.
        header: the layout of its header if the bytes are frames; else None.
    """

    name: str
    release: str
    layout: MessageLayout | None
    header: MessageLayout | None = None


@dataclass(frozen=True, slots=True)
class JudgedMutation:
    """The verdict on one mutation.

    Attributes:
        leniency: Kafka's leniency that explains a stricter codec; None if there is none, or none is needed.
        divergence: the evidence, if the case fails or no leniency explains it.
        fails: whether the case fails.
    """

    verdict: MalformedVerdict
    leniency: Leniency | None = None
    divergence: Divergence | None = None
    fails: bool = False


_SHOWN_BYTES: Final = 12
_DEPENDS: Final = "malformed bytes are answered wrongly after other questions, and rightly alone"
_AGREES: Final = JudgedMutation(MalformedVerdict.AGREE)
_FAILURES: Final = {
    DecodeOutcome.CRASHED: MalformedVerdict.CRASH,
    DecodeOutcome.HUNG: MalformedVerdict.HANG,
    DecodeOutcome.BLEW_UP: MalformedVerdict.BLOW_UP,
}


def judge_malformed(
    subject: MalformedSubject, mutation: Mutation, data: bytes, answer: Answer, reply: OracleReading | Refusal
) -> JudgedMutation:
    """Judge a codec's answer to mutated bytes by Kafka's answer."""
    match answer.outcome:
        case DecodeOutcome.CRASHED if answer.error == NO_VALUE and isinstance(reply, Refusal):
            # It read a value that the message cannot hold: null in a field that is not nullable.
            accepted = replace(answer, outcome=DecodeOutcome.ACCEPTED)
            return _failed(subject, mutation, data, MalformedVerdict.LAXER, accepted, reply)
        case DecodeOutcome.CRASHED | DecodeOutcome.HUNG | DecodeOutcome.BLEW_UP as outcome:
            return _failed(subject, mutation, data, _FAILURES[outcome], answer, reply)
        case DecodeOutcome.STOPPED:
            return _stopped(subject, mutation, data, answer, reply)
        case DecodeOutcome.REFUSED:
            if isinstance(reply, Refusal):
                return _AGREES
            return _stricter(subject, mutation, data, answer, reply)
        case DecodeOutcome.ACCEPTED:
            if isinstance(reply, Refusal):
                return _failed(subject, mutation, data, MalformedVerdict.LAXER, answer, reply)
            if _value(reply) != answer.value and not same_but_for_replacements(
                subject.layout, mutation, answer, reply
            ):
                return _different(subject, mutation, data, answer, reply)
            if subject.layout is None or reply.consumed_bytes == len(data):
                return _AGREES
            # Kafka leaves the tail unread; a codec for whole messages must refuse bytes with a tail.
            return _failed(subject, mutation, data, MalformedVerdict.LAXER, answer, reply)
        case DecodeOutcome.LEFT_OUT:
            raise ValueError("what was not tried has no verdict")
        case _:
            assert_never(answer.outcome)


def settled(subject: MalformedSubject, answer: Answer) -> Answer:
    """Add the value to an answer that is given as bytes that our own codec does not read.

    They are read with all of Kafka's leniencies; bytes that even Kafka refuses are no value of the message.
    """
    if not answer.written or subject.layout is None:
        return answer
    reading = read_leniently(subject.layout, answer.written, known_leniencies(subject.release))
    if reading is None:
        message = f"the bytes that it wrote again are not a message: {answer.written.hex()}"
        return replace(answer, outcome=DecodeOutcome.CRASHED, error=NO_VALUE, message=message, written=b"")
    return replace(answer, value=reading.value, written=b"")


def as_state_fault(divergence: Divergence, verdict: MalformedVerdict, alone: Answer | None) -> Divergence:
    """The divergence of a codec that is right when asked alone: neither a field nor a byte is at fault.

    Args:
        alone: its right answer; None if only another failure of this cause was asked alone.
    """
    return replace(
        divergence,
        summary=_DEPENDS,
        path="",
        field="",
        offset=None,
        codec=divergence.codec if alone is None else f"{divergence.codec}; alone {_answer_words(alone)}",
        kind=kind_of_state(verdict),
    )


def _stopped(
    subject: MalformedSubject, mutation: Mutation, data: bytes, answer: Answer, reply: OracleReading | Refusal
) -> JudgedMutation:
    """Judge a codec that leaves bytes unread: it is right only if Kafka reads the same value and bytes."""
    if isinstance(reply, Refusal):
        return _failed(subject, mutation, data, MalformedVerdict.LAXER, answer, reply)
    if reply.consumed_bytes != answer.offset or _value(reply) != answer.value:
        return _different(subject, mutation, data, answer, reply)
    return _AGREES


def _stricter(
    subject: MalformedSubject, mutation: Mutation, data: bytes, answer: Answer, reply: OracleReading
) -> JudgedMutation:
    """Judge a codec that refuses bytes that Kafka reads: it may do so if the bytes are malformed."""
    if mutation.operator.startswith("identity="):
        return JudgedMutation(MalformedVerdict.STRICTER, OTHER_MESSAGE)
    leniencies = leniencies_used(subject, data, reply)
    if subject.layout is None:
        leniency = record_set_leniency(subject.release, mutation, answer)
    else:
        leniency = fitting_leniency(leniencies, answer) if leniencies else None
    if leniency is not None:
        return JudgedMutation(MalformedVerdict.STRICTER, leniency)
    well_formed = leniencies is not None
    summary = _WELL_FORMED if well_formed else _UNEXPLAINED
    found = _found(subject, mutation, data, MalformedVerdict.STRICTER, summary, answer, reply)
    return JudgedMutation(MalformedVerdict.STRICTER, None, found, fails=well_formed)


def leniencies_used(subject: MalformedSubject, data: bytes, reply: OracleReading) -> frozenset[str] | None:
    """Return the names of the leniencies by which Kafka read the bytes; None if they are not known."""
    if subject.layout is None:
        return None
    known = known_leniencies(subject.release)
    if subject.header is None:
        reading = read_leniently(subject.layout, data, known)
    else:
        reading = read_frame_leniently(subject.header, subject.layout, data, known)
    if reading is None or (reading.value, reading.consumed_bytes) != (_value(reply), reply.consumed_bytes):
        return None
    return reading.leniencies


def _different(
    subject: MalformedSubject, mutation: Mutation, data: bytes, answer: Answer, reply: OracleReading
) -> JudgedMutation:
    stopped = answer.outcome is DecodeOutcome.STOPPED
    summary = _STOPPED if stopped else "read to another value than Kafka's"
    found = _found(subject, mutation, data, MalformedVerdict.DIFFERENT, summary, answer, reply)
    if isinstance(reply, OracleValue) and reply.value != answer.value:
        form = view_layout() if subject.layout is None else subject.layout
        with suppress(CodecError):
            every = list(
                value_differences(form, Check.MALFORMED, subject.name, summary, answer.value, reply.value)
            )
            # The order of elements does not depend on the changed bytes.
            shown = next((each for each in every if each.kind != REORDERED), every[0])
            if shown.kind == REORDERED and not stopped:
                found = replace(found, kind=REORDERED)
            how = f"{answer.message}: " if stopped else ""
            codec = f"{how}{shown.codec}; bytes {around(data, mutation.offset)}"
            if shown.path:
                found = replace(found, path=shown.path, field=shown.field)
            found = replace(found, codec=codec, oracle=shown.oracle)
    return JudgedMutation(MalformedVerdict.DIFFERENT, None, found, fails=True)


_UNEXPLAINED: Final = "refused, where Kafka reads it, by no leniency that is known"
_WELL_FORMED: Final = "refused, though it is a message like any other"
_STOPPED: Final = "the codec stops early, and not as Kafka does"
_OF_ADAPTER: Final = "the adapter fails"
_SUMMARIES: Final = {
    MalformedVerdict.LAXER: "accepted, where Kafka refuses or stops before the end",
    MalformedVerdict.CRASH: "the codec crashes",
    MalformedVerdict.HANG: "the codec hangs",
    MalformedVerdict.BLOW_UP: "the codec takes memory out of proportion",
}


def _failed(
    subject: MalformedSubject,
    mutation: Mutation,
    data: bytes,
    verdict: MalformedVerdict,
    answer: Answer,
    reply: OracleReading | Refusal,
) -> JudgedMutation:
    summary = _OF_ADAPTER if is_adapter_error(answer.error) else _SUMMARIES[verdict]
    found = _found(subject, mutation, data, verdict, summary, answer, reply)
    return JudgedMutation(verdict, None, found, fails=True)


def _found(
    subject: MalformedSubject,
    mutation: Mutation,
    data: bytes,
    verdict: MalformedVerdict,
    summary: str,
    answer: Answer,
    reply: OracleReading | Refusal,
) -> Divergence:
    """The evidence: the mutation, the bytes at its place, and both answers."""
    field = field_at(subject.layout, mutation.path) if subject.layout else ""
    theirs = (
        refusal_words(reply)
        if isinstance(reply, Refusal)
        else f"reads {reply.consumed_bytes} of {len(data)} bytes"
    )
    return Divergence(
        Check.MALFORMED,
        subject.name,
        f"{_words(mutation)}: {summary}",
        mutation.path,
        field,
        mutation.offset,
        codec=f"{_answer_words(answer)}; bytes {around(data, mutation.offset)}",
        oracle=theirs,
        kind=kind_of_mutation(verdict, mutation, answer.outcome, answer.error),
        part="" if subject.header is None else FramePart.HEADER,
    )


def _answer_words(answer: Answer) -> str:
    return f"{answer.outcome}: {answer.error} {answer.message}" if answer.message else str(answer.outcome)


def _value(reply: OracleReading) -> bytes:
    """Return the value in canonical form; header and body of a frame are joined."""
    return reply.value if isinstance(reply, OracleValue) else reply.header + reply.body


def _words(mutation: Mutation) -> str:
    """Return the mutation in words: ``length=minus-2, fffe in place of 0005``."""
    if mutation.operator == "truncate":
        return f"cut off at byte {mutation.offset}"
    return f"{mutation.operator}, {_hex(mutation.after)} in place of {_hex(mutation.before)}"


def _hex(data: bytes) -> str:
    if not data:
        return "nothing"
    return data.hex() if len(data) <= _SHOWN_BYTES else f"{data[:_SHOWN_BYTES].hex()}... ({len(data)} bytes)"


def judge_fallback(
    layout: MessageLayout, subject: str, expected: OracleValue, reply: Reply
) -> JudgedMutation:
    """Judge a codec's answer: Kafka's value is right, or a refusal by a codec that reads one version only.

    Args:
        layout: the layout of the requested version.
        expected: the bytes, and the value that `ApiVersionsResponse.parse` reads, in the layout's form.
    """
    if isinstance(reply, Refused) and reply.read is None:
        return JudgedMutation(MalformedVerdict.STRICTER, VERSION_FALLBACK)
    found = [
        replace(each, summary=f"a version 0 answer to a request of version {layout.version}: {each.summary}")
        for each in judge_instance(layout, subject, expected, reply, None)
        if each.check == Check.DECODE
    ]
    if not found:
        return JudgedMutation(MalformedVerdict.AGREE)
    verdict = MalformedVerdict.CRASH if isinstance(reply, Crashed) else MalformedVerdict.DIFFERENT
    return JudgedMutation(verdict, None, found[0], fails=True)
