"""Judgement of one record set: the codec against Kafka's readers and builders, both directions.

A set has two forms. The *value* holds all that is on the wire, and is what the codec is given and gives
back; the *view* is what Kafka's readers show (`kafkawire.records.to_canonical`). Compressed bytes have many
right forms: they are compared by what they hold, the first bytes of Kafka's framings apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from kafkawire.annotate import Annotation, Span
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import (
    COMPRESSED,
    Compression,
    Message,
    RecordSet,
    annotate_records,
    decode_records,
    to_value,
    view_layout,
)
from kafkawire.schema.layout import MessageLayout
from wireproof.checks.check_table import Check
from wireproof.checks.comparing.alignment import span_differences
from wireproof.checks.comparing.divergences import ranked, value_differences
from wireproof.checks.difference_kinds import INVALID, UNREADABLE, kind_of
from wireproof.checks.evidence_text import around, refusal_words, reply_words, value_words
from wireproof.checks.state.call_scripts import ScriptStep
from wireproof.checks.unsupported import left_out
from wireproof.checks.values.message_value import field_at
from wireproof.model import (
    Decode,
    Decoded,
    Divergence,
    Encode,
    Encoded,
    OracleReply,
    OracleValue,
    Reencoded,
    Refusal,
    Refused,
    Reply,
    Sized,
    Unsupported,
)
from wireproof.model.divergence import DIFFERS

__all__ = [
    "RecordEvidence",
    "checksum_script",
    "is_plain",
    "judge_content",
    "judge_records",
    "judge_view",
    "record_script",
]

_FRAMING_BYTES: Final = {Compression.SNAPPY: 16, Compression.LZ4: 7}
"""Bytes that Kafka's framing begins with whatever is compressed: xerial's header; magic, flags, block size
and checksum of an LZ4 frame, which magic 0 computes in a way of its own (KAFKA-3160)."""


@dataclass(frozen=True, slots=True)
class RecordEvidence:
    """All that was said about one record set.

    Attributes:
        layout: of the value.
        subject: the codec's name.
        records: the set.
        expected: canonical binary of its value.
        view: its view, as Kafka's readers must show it; None where the release does not know all that is in
            the set, and shows something else.
        data: the bytes that were read: the codec's own, or those of a foreign writer; None where the codec
            wrote none.
        encoded, sized: the codec's answers for the value; None where foreign bytes are on trial.
        decoded: the codec's answer for `data`.
        reread: Kafka's answer for `data`.
        made: what Kafka made of the set's form, and the codec's answer for those bytes; where they are the
            codec's own, it was not asked again.
    """

    layout: MessageLayout
    subject: str
    records: RecordSet
    expected: bytes
    view: bytes | None
    data: bytes | None
    encoded: Reply | None
    sized: Reply | None
    decoded: Reply | None
    reread: OracleReply | None
    made: tuple[tuple[OracleReply, Reply | None], ...] = ()


def is_plain(records: RecordSet) -> bool:
    """Return whether nothing in it is compressed, so that there is only one right encoding."""
    return all(
        isinstance(batch, Message) or batch.compression is Compression.NONE for batch in records.batches
    )


def judge_records(e: RecordEvidence) -> tuple[Divergence, ...]:
    """Every check of a record set that does not hold; the first is the one to look at first."""
    return tuple(_judge(e))


def _judge(e: RecordEvidence) -> Iterator[Divergence]:
    if isinstance(e.encoded, Unsupported):
        yield from left_out(Check.ENCODE, e.subject, e.encoded)
    elif e.encoded is not None and not isinstance(e.encoded, Encoded):
        path = e.encoded.path if isinstance(e.encoded, Refused) else ""
        words = reply_words(e.encoded)
        summary = "a valid record set is not encoded"
        yield Divergence(
            Check.ENCODE, e.subject, summary, path, field_at(e.layout, path),
            codec=words, oracle="encodes it", kind=kind_of(e.encoded),
        )  # fmt: skip
    for made, _ in e.made:
        yield from _judge_bytes(e, made)
    if isinstance(e.sized, Unsupported):
        yield from left_out(Check.SIZE, e.subject, e.sized)
    elif e.sized is not None and e.data is not None and e.sized != Sized(len(e.data)):
        summary = "the size announced is not the length of the bytes"
        words, length = reply_words(e.sized), f"length {len(e.data)}"
        yield Divergence(Check.SIZE, e.subject, summary, codec=words, oracle=length, kind=kind_of(e.sized))
    if e.decoded is not None:
        theirs = [made.written + e.records.tail for made, _ in e.made if isinstance(made, OracleValue)]
        own = e.encoded is not None and e.data not in theirs
        check, whose = (Check.ROUND_TRIP, "its own bytes") if own else (Check.DECODE, "these bytes")
        yield from judge_content(e.layout, e.subject, check, whose, e.expected, e.decoded)
    if e.reread is not None and e.data is not None:
        yield from judge_view(e.subject, e.data, e.view, len(e.records.tail), e.reread)
    for made, decoded in e.made:
        yield from _judge_made(e, made, decoded)


def _judge_bytes(e: RecordEvidence, made: OracleReply) -> Iterator[Divergence]:
    """The codec's bytes against those that Kafka made of the same set."""
    if e.data is None or not isinstance(made, OracleValue):
        return
    theirs = made.written + e.records.tail
    if is_plain(e.records):
        if e.data != theirs:
            yield from ranked(
                _differing(Check.BYTES, e.subject, "the bytes differ from Kafka's", e.data, theirs)
            )
        return
    ours = _frames(annotate_records(e.data))
    for path, (start, end) in _frames(annotate_records(theirs)).items():
        number = int(path.partition("[")[2].partition("]")[0])
        batch = e.records.batches[number]
        count = 0 if isinstance(batch, Message) else _FRAMING_BYTES.get(batch.compression, 0)
        theirs_head = theirs[start : min(end, start + count)]
        at = ours.get(path, (len(e.data), 0))[0]
        ours_head = e.data[at : at + len(theirs_head)]
        if ours_head != theirs_head:
            summary = "the compressed data begin otherwise than Kafka's"
            offset = at + _first_difference(ours_head, theirs_head)
            words = ours_head.hex(" "), theirs_head.hex(" ")
            yield Divergence(Check.FRAMING, e.subject, summary, path, "", offset, *words)


def _frames(annotation: Annotation) -> dict[str, tuple[int, int]]:
    """Return the spans of compressed data, by path."""
    return {span.path: (span.start, span.end) for span in annotation.spans if span.role == COMPRESSED}


def _judge_made(e: RecordEvidence, made: OracleReply, decoded: Reply | None) -> Iterator[Divergence]:
    if isinstance(made, Refusal):
        summary = "Kafka cannot write a record set that it should know"
        yield Divergence(Check.ENCODE, "layout", summary, oracle=refusal_words(made))
        return
    if e.view is not None and made.value != e.view:
        summary = "Kafka does not hold the record set it was given"
        yield from value_differences(view_layout(), Check.CANONICAL, "layout", summary, e.view, made.value)
    if decoded is not None:
        yield from judge_content(e.layout, e.subject, Check.DECODE, "Kafka's bytes", e.expected, decoded)


def judge_content(
    layout: MessageLayout, subject: str, check: Check, whose: str, expected: bytes, reply: Reply
) -> Iterator[Divergence]:
    """Judge the codec's answer against the value of the bytes.

    Args:
        whose: the bytes in words: ``Kafka's bytes``.
    """
    if isinstance(reply, Unsupported):
        yield from left_out(check, subject, reply)
        return
    if isinstance(reply, Reencoded):
        reply = _read_again(reply)
    if not isinstance(reply, Decoded):
        path = reply.path if isinstance(reply, Refused) else ""
        offset = reply.offset if isinstance(reply, Refused) else None
        words = field_at(layout, path), offset, reply_words(reply), "decodes them"
        yield Divergence(check, subject, f"{whose} are not decoded", path, *words, kind=kind_of(reply))
        return
    try:
        actual = canonical(layout).to_binary(reply.value)
    except CodecError as error:
        words_of = f"{value_words(reply.value)} ({error})"
        summary = f"{whose} are decoded to no valid value"
        yield Divergence(check, subject, summary, error.path, codec=words_of, kind=INVALID)
        return
    if actual != expected:
        yield from value_differences(
            layout, check, subject, f"{whose} are decoded to another value", actual, expected
        )


def _read_again(reply: Reencoded) -> Decoded | Refused:
    """Return the value of the bytes that a codec wrote again, as our own codec reads them."""
    try:
        return Decoded(to_value(decode_records(reply.data)))
    except CodecError as error:
        words = f"it writes again what is no record set: {error}"
        return Refused("written-again", words, error.path, error.offset)


def judge_view(
    subject: str, data: bytes, view: bytes | None, tail_bytes: int, reply: OracleReply
) -> Iterator[Divergence]:
    """Judge Kafka's answer for the codec's bytes.

    Args:
        view: what it must show; None for anything.
        tail_bytes: how much of the end is of a batch that is cut off.
    """
    if isinstance(reply, Refusal):
        yield Divergence(
            Check.ORACLE_READS, subject, "Kafka does not read the bytes",
            codec=around(data, 0), oracle=refusal_words(reply), kind=UNREADABLE,
        )  # fmt: skip
        return
    if view is not None and reply.value != view:
        summary = "Kafka reads other records in the bytes"
        yield from value_differences(view_layout(), Check.ORACLE_READS, subject, summary, view, reply.value)
        return
    whole = len(data) - tail_bytes
    if (reply.consumed_bytes, reply.predicted_bytes) != (whole, len(data)):
        words = (
            f"{whole} of {len(data)} bytes",
            f"reads {reply.consumed_bytes} of {reply.predicted_bytes}",
        )
        yield Divergence(Check.ORACLE_READS, subject, "Kafka stops elsewhere", "", "", None, *words)


def _differing(check: Check, subject: str, summary: str, codec: bytes, oracle: bytes) -> Iterator[Divergence]:
    """Two encodings that differ, as each field that does; sizes and checksums follow from others."""
    ours, theirs = annotate_records(codec), annotate_records(oracle)

    def found(path: str, at: int, oracle_at: int, kind: str = DIFFERS) -> Divergence:
        words = path, "", oracle_at, around(codec, at), around(oracle, oracle_at)
        return Divergence(check, subject, summary, *words, kind=kind)

    first = _first_field(codec, oracle, ours, theirs)
    yield found(*first)
    for each in span_differences((codec, ours), (oracle, theirs), _is_derived, _counted):
        if each.oracle > first[2]:
            yield found(each.place.path, each.codec, each.oracle, each.kind)
    try:
        decode_records(codec)
    except CodecError as error:  # a size or a checksum that does not fit what stands behind it
        at = min(error.offset or 0, len(codec))
        yield replace(
            found(error.path, at, at, UNREADABLE), summary=f"the bytes contradict themselves: {error}"
        )


def _first_field(codec: bytes, oracle: bytes, ours: Annotation, theirs: Annotation) -> tuple[str, int, int]:
    """The first field whose bytes differ, and the first such byte on both sides."""
    known = {(span.path, span.role): span for span in ours.spans}
    for span in theirs.spans:
        mine = known.get((span.path, span.role))
        if mine is None:
            break  # the codec's bytes are cut otherwise: names do not help any further
        written, read = codec[mine.start : mine.end], oracle[span.start : span.end]
        if written != read and not _is_derived(span):
            at = _first_difference(written, read)
            return span.path, mine.start + at, span.start + at
    offset = _first_difference(codec, oracle)
    return theirs.at(offset).path, offset, offset


def _is_derived(span: Span) -> bool:
    return span.path.endswith(_DERIVED)


def _counted(span: Span) -> str:
    """Return the path that a count is about: a batch counts its records, a record its headers."""
    return f"{span.path.removesuffix('count')}records" if span.path.endswith(".count") else span.path


_DERIVED: Final = (".size", ".crc", ".length")
"""The ends of the paths of fields that follow from others."""


def _first_difference(one: bytes, other: bytes) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def record_script(layout: MessageLayout, value: dict[str, Any], data: bytes) -> Iterator[ScriptStep]:
    """The questions about one set whose bytes are known to be right, to be asked in order."""
    form = canonical(layout)
    ends = list(_batch_ends(data))

    def cut_at(length: int, more: bytes = b"") -> bytes:
        whole = [end for end in ends if end <= length]
        tail = data[whole[-1] if whole else 0 : length] + more
        return form.to_binary({"batches": value["batches"][: len(whole)], "tail": tail})

    expected = form.to_binary(value)
    for length in range(len(data)):
        yield ScriptStep(Check.CUT_OFF, Decode(data[:length]), cut_at(length))
    yield ScriptStep(Check.CUT_OFF, Decode(data + b"\x00"), cut_at(len(data), b"\x00"))
    yield ScriptStep(Check.RECOVER, Decode(data), expected)
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        for at in _under_checksum(data, start, end):
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            yield ScriptStep(Check.CHECKSUM, Decode(changed), None, path=f"batches[{number}].crc")
    yield ScriptStep(Check.RECOVER, Decode(data), expected)
    yield ScriptStep(Check.BUFFER, Decode(data, _BEFORE, _AFTER), expected)
    if all(batch.get("compression", 0) == 0 for batch in value["batches"]):
        yield ScriptStep(Check.REPEAT, Encode(value), data)
        yield ScriptStep(Check.REPEAT, Encode(value), data)


def checksum_script(expected: bytes, data: bytes) -> Iterator[ScriptStep]:
    """Some spoiled bytes in each batch of a set: of the checksum, and of what it covers; then the set as is.

    Args:
        expected: canonical binary of the set's value.
        data: its bytes, known to be right.
    """
    ends = list(_batch_ends(data))
    for start, end in zip([0, *ends], ends, strict=False):
        covered = list(_under_checksum(data, start, end))
        for at in sorted({*covered[:_CHECKSUM_BYTES], covered[len(covered) // 2], covered[-1]}):
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            yield ScriptStep(Check.CHECKSUM, Decode(changed), None)
    yield ScriptStep(Check.RECOVER, Decode(data), expected)


_CHECKSUM_BYTES: Final = 4
_BEFORE: Final = bytes(range(251, 0, -7))
_AFTER: Final = b"\xff\x00\x7f" * 9


def _batch_ends(data: bytes) -> Iterator[int]:
    end = 0
    while end + 17 <= len(data):
        end += 12 + int.from_bytes(data[end + 8 : end + 12], "big")
        if end > len(data):
            return
        yield end


def _under_checksum(data: bytes, start: int, end: int) -> Iterator[int]:
    """The bytes of a batch that its checksum covers, and the checksum's own; the magic apart."""
    yield from range(*((start + 17, end) if data[start + 16] == 2 else (start + 12, start + 16)))
    if data[start + 16] != 2:
        yield from range(start + 17, end)
