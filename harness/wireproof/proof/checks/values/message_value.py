"""Judgement of one value: the codec's bytes and values against Kafka's, in both directions."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kafkawire.annotate import annotate
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Decoded, Encoded, Reencoded, Refused, Reply, Sized, Unsupported
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleReply, OracleValue, Refusal
from wireproof.proof.checks.check_table import Check, left_out
from wireproof.proof.checks.comparing.divergences import (
    byte_differences,
    decoded_value,
    judge_size,
    no_answer,
    value_differences,
)
from wireproof.proof.checks.difference_kinds import UNREADABLE
from wireproof.proof.checks.evidence_text import around, field_words, refusal_words, reply_words
from wireproof.proof.checks.known_defects.kafka_bugs import KafkaBug
from wireproof.proof.checks.known_defects.leniencies import LEFT_OUT, VERSION_FALLBACK, begins_fallback


@dataclass(frozen=True, slots=True)
class ValueEvidence:
    """The answers about one value.

    Attributes:
        expected: the canonical binary of the value.
        encoded, sized: the codec's answers for the value.
        decoded: the codec's answer for its own bytes; None if it wrote none.
        reread: Kafka's answer for the codec's bytes; None if it wrote none.
        written: Kafka's answer for the value.
        decoded_oracle: the codec's answer for Kafka's bytes; None if they are its own bytes.
        known_bug: explains why Kafka does not write the value; None if no known Kafka bug does.
    """

    layout: MessageLayout
    subject: str
    expected: bytes
    encoded: Reply
    sized: Reply
    decoded: Reply | None
    reread: OracleReply | None
    written: OracleReply
    decoded_oracle: Reply | None = None
    known_bug: KafkaBug | None = None


def agrees(
    layout: MessageLayout,
    expected: bytes,
    encoded: Reply,
    sized: Reply,
    decoded: Reply | None,
    reread: OracleReply | None,
    written: OracleReply,
) -> bool:
    """Return True only if `judge_value` would find no divergence; False decides nothing.

    The arguments are those of `ValueEvidence`. Nearly all cases pass here, without the cost of a judgement.
    """
    if not (
        isinstance(encoded, Encoded)
        and (isinstance(sized, Sized) or (isinstance(sized, Unsupported) and not sized.reason))
        and isinstance(decoded, Decoded)
        and isinstance(reread, OracleValue)
        and isinstance(written, OracleValue)
    ):
        return False
    data = encoded.data
    length = len(data)
    if not (
        data == written.written == reread.written
        and expected == written.value == reread.value
        and (isinstance(sized, Unsupported) or length == sized.size_bytes)
        and length == reread.consumed_bytes == reread.predicted_bytes
        and not reread.absent_set
    ):
        return False
    try:
        return canonical(layout).to_binary(decoded.value) == expected
    except CodecError:
        return False


def judge_value(e: ValueEvidence) -> Iterator[Divergence]:
    """Yield a divergence for each failed check of a value, the most relevant first."""
    if isinstance(e.written, Refusal):
        yield Divergence(
            Check.ENCODE,
            e.subject,
            e.known_bug.summary if e.known_bug else "Kafka cannot write a value that the layout allows",
            codec=reply_words(e.encoded),
            oracle=refusal_words(e.written),
            erratum=e.known_bug.witness if e.known_bug else "",
        )
        if e.known_bug is not None:
            yield from _judge_without_writing(e)
        return
    if isinstance(e.encoded, Unsupported):
        yield from left_out(Check.ENCODE, e.subject, e.encoded)
    elif not isinstance(e.encoded, Encoded):
        yield _not_encoded(e, e.encoded)
    else:
        if e.encoded.data != e.written.written:
            summary, bodies = "the bytes differ from Kafka's", (e.encoded.data, e.written.written)
            yield from byte_differences(e.layout, Check.BYTES, e.subject, summary, *bodies)
        yield from judge_size(e.subject, e.sized, e.encoded.data)
        if e.decoded is not None:
            yield from _judge_own(e, e.decoded, e.encoded.data, e.written.written)
        if e.reread is not None:
            yield from _judge_reread(e, e.encoded.data, e.reread)
    if e.written.value != e.expected:
        yield from value_differences(
            e.layout,
            Check.CANONICAL,
            "layout",
            "Kafka's class does not hold the value it was given",
            e.expected,
            e.written.value,
        )
    if e.decoded_oracle is not None:
        yield from _judge_decoded(e, Check.DECODE, e.decoded_oracle, "Kafka's bytes", e.written.written)


def _judge_without_writing(e: ValueEvidence) -> Iterator[Divergence]:
    """Judge the codec without Kafka's bytes: a known bug keeps Kafka from writing the value."""
    if isinstance(e.encoded, Unsupported):
        yield from left_out(Check.ENCODE, e.subject, e.encoded)
        return
    if not isinstance(e.encoded, Encoded):
        yield _not_encoded(e, e.encoded)
        return
    yield from judge_size(e.subject, e.sized, e.encoded.data)
    if e.decoded is not None:
        yield from _judge_decoded(e, Check.ROUND_TRIP, e.decoded, "its own bytes", e.encoded.data)
    # Kafka reads the codec's bytes to their end; the same bug keeps it from writing them again.
    same = (
        isinstance(e.reread, Refusal) and isinstance(e.written, Refusal) and e.reread.stage == e.written.stage
    )
    whole = isinstance(e.reread, Refusal) and e.reread.consumed_bytes == len(e.encoded.data)
    if e.reread is not None and not (same and whole):
        yield from _judge_reread(e, e.encoded.data, e.reread)


def _not_encoded(e: ValueEvidence, reply: Reply) -> Divergence:
    return no_answer(e.layout, Check.ENCODE, e.subject, "a valid value is not encoded", reply, "encodes it")


def _judge_own(e: ValueEvidence, reply: Reply, ours: bytes, theirs: bytes) -> Iterator[Divergence]:
    """Judge the codec's answer for the bytes that it wrote.

    If Kafka writes the same bytes for another value, the codec may read that value; a codec that misreads its
    own mistake reads the given value.
    """
    if ours == theirs:
        yield from _judge_decoded(e, Check.DECODE, reply, "Kafka's bytes", ours)
        return
    found = tuple(_judge_decoded(e, Check.ROUND_TRIP, reply, "its own bytes", ours))
    meant = e.reread
    if not isinstance(meant, OracleValue) or (meant.written, meant.consumed_bytes) != (ours, len(ours)):
        yield from found
        return
    paths = {each.path for each in found}
    other = replace(e, expected=meant.value)
    whose = "bytes that are Kafka's of another value"
    read = _judge_decoded(other, Check.DECODE, reply, whose, ours)
    left = [each for each in read if each.path in paths]
    yield from (replace(each, rank=rank) for rank, each in enumerate(left))


def _judge_decoded(
    e: ValueEvidence, check: Check, reply: Reply, of: str, data: bytes
) -> Iterator[Divergence]:
    """Judge the codec's answer for the bytes that `of` names: a value, or the same bytes again."""
    if isinstance(reply, Unsupported):
        yield from left_out(check, e.subject, reply)
        return
    if isinstance(reply, Reencoded):
        if reply.data != data:
            summary = f"{of} are written again as others"
            yield from byte_differences(e.layout, check, e.subject, summary, reply.data, data)
        return
    if isinstance(reply, Refused) and begins_fallback(e.layout, data):
        yield Divergence(
            check, e.subject, LEFT_OUT, codec=reply_words(reply), unsupported=VERSION_FALLBACK.name
        )
        return
    if not isinstance(reply, Decoded):
        yield no_answer(e.layout, check, e.subject, f"{of} are not decoded", reply, "decodes them")
        if isinstance(reply, Refused) and isinstance(reply.read, Decoded | Reencoded):
            following = _judge_decoded(e, check, reply.read, of, data)
            yield from (replace(each, rank=each.rank + 1) for each in following)
        return
    yield from decoded_value(e.layout, check, e.subject, of, reply.value, e.expected)


def _judge_reread(e: ValueEvidence, data: bytes, reply: OracleReply) -> Iterator[Divergence]:
    def found(summary: str, codec: str, oracle: str) -> Divergence:
        return Divergence(Check.ORACLE_READS, e.subject, summary, codec=codec, oracle=oracle)

    if isinstance(reply, Refusal):
        place = annotate(e.layout, data).at(reply.consumed_bytes)
        yield Divergence(
            Check.ORACLE_READS,
            e.subject,
            "Kafka does not read the codec's bytes",
            place.path,
            "" if place.field is None else field_words(place.field),
            reply.consumed_bytes,
            around(data, reply.consumed_bytes),
            refusal_words(reply),
            kind=UNREADABLE,
        )
        return
    if reply.consumed_bytes != len(data):
        yield found("Kafka stops before the end", f"{len(data)} bytes", f"reads {reply.consumed_bytes}")
    if reply.value != e.expected:
        yield from value_differences(
            e.layout,
            Check.ORACLE_READS,
            e.subject,
            "Kafka reads the codec's bytes to another value",
            e.expected,
            reply.value,
        )
    if reply.written != data:
        yield from byte_differences(
            e.layout,
            Check.ORACLE_READS,
            e.subject,
            "Kafka writes again other bytes than it read",
            data,
            reply.written,
        )
    if reply.predicted_bytes != len(reply.written):
        yield found(
            "Kafka's own size is not the length of its bytes", str(len(data)), str(reply.predicted_bytes)
        )
    if reply.absent_set:
        names = ", ".join(reply.absent_set)
        yield found("Kafka reads fields that the layout does not have at this version", "absent", names)


def judge_instance(
    layout: MessageLayout,
    subject: str,
    made: OracleReply,
    decoded: Reply | None,
    again: Reply | None,
    *,
    known_bug: KafkaBug | None = None,
) -> tuple[Divergence, ...]:
    """Judge an instance that Kafka made of its own class: the codec must read and write the same.

    Args:
        made: the instance as bytes and value.
        decoded: the codec's answer for those bytes.
        again: the codec's bytes for the same value; None if it decoded nothing.
        known_bug: explains why Kafka refuses its instance; None if no known Kafka bug does.
    """
    if isinstance(made, Refusal):
        return (
            Divergence(
                Check.DECODE,
                "oracle",
                known_bug.summary if known_bug else "Kafka's own instance is refused by it",
                oracle=refusal_words(made),
                erratum=known_bug.witness if known_bug else "",
            ),
        )
    evidence = ValueEvidence(
        layout,
        subject,
        made.value,
        again or Encoded(made.written),
        Unsupported("", "not asked"),
        None,
        None,
        made,
        decoded,
    )
    return tuple(judge_value(evidence))
