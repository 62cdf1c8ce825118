"""Judgement of one record set: the codec against Kafka's readers and builders, in both directions.

A set has two forms. The *value* holds everything on the wire; the codec encodes and decodes it. The *view* is
the form that Kafka's readers return (`kafkawire.records.to_canonical`). Compressed data have many valid
encodings: the checks compare their content, and only the first bytes of Kafka's framing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from kafkawire.annotate import Annotation, Span
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
from wireproof.model.adapter import Decoded, Encoded, Reencoded, Refused, Reply, Unsupported
from wireproof.model.divergence import DIFFERS, ByteEvidence, Divergence
from wireproof.model.oracle import OracleReply, OracleValue, Refusal
from wireproof.proof.checks.check_table import Check, left_out
from wireproof.proof.checks.comparing.alignment import span_differences
from wireproof.proof.checks.comparing.divergences import (
    decoded_value,
    first_difference,
    judge_size,
    named_bytes,
    no_answer,
    ranked,
    value_differences,
)
from wireproof.proof.checks.difference_kinds import UNREADABLE
from wireproof.proof.checks.evidence_text import around, refusal_words


def record_differences(
    check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Iterator[Divergence]:
    """Iterate over the differing fields of two encodings; sizes and checksums follow from other fields."""
    ours, theirs = annotate_records(codec), annotate_records(oracle)

    first = _first_field(codec, oracle, ours, theirs)
    evidence = ByteEvidence(named_bytes(codec, ours, first[1]), named_bytes(oracle, theirs, first[2]))

    def found(path: str, at: int, oracle_at: int, kind: str = DIFFERS) -> Divergence:
        words = path, "", oracle_at, around(codec, at), around(oracle, oracle_at)
        return Divergence(check, subject, summary, *words, kind=kind, bytes=evidence)

    yield found(*first)
    for each in span_differences((codec, ours), (oracle, theirs), _is_derived, _counted):
        if each.oracle > first[2]:
            yield found(each.place.path, each.codec, each.oracle, each.kind)
    try:
        decode_records(codec)
    except CodecError as error:  # a size or a checksum that does not fit what follows it
        at = min(error.offset or 0, len(codec))
        yield replace(
            found(error.path, at, at, UNREADABLE), summary=f"the bytes contradict themselves: {error}"
        )


def _first_field(codec: bytes, oracle: bytes, ours: Annotation, theirs: Annotation) -> tuple[str, int, int]:
    """Return the first field whose bytes differ, and the offset of the first such byte on both sides."""
    known = {(span.path, span.role): span for span in ours.spans}
    for span in theirs.spans:
        mine = known.get((span.path, span.role))
        if mine is None:
            break  # the codec's bytes have another structure: paths do not match any more
        written, read = codec[mine.start : mine.end], oracle[span.start : span.end]
        if written != read and not _is_derived(span):
            at = first_difference(written, read)
            return span.path, mine.start + at, span.start + at
    offset = first_difference(codec, oracle)
    return theirs.at(offset).path, offset, offset


def _is_derived(span: Span) -> bool:
    return span.path.endswith(_DERIVED)


def _counted(span: Span) -> str:
    """Return the path of the counted elements: a batch counts its records, a record its headers."""
    return f"{span.path.removesuffix('count')}records" if span.path.endswith(".count") else span.path


_DERIVED: Final = (".size", ".crc", ".length")
"""The ends of the paths of fields that follow from others."""


_FRAMING_BYTES: Final = {Compression.SNAPPY: 16, Compression.LZ4: 7}
"""The number of bytes that begin Kafka's framing of any content: xerial's header; magic, flags, block size
and checksum of an LZ4 frame, which magic 0 computes differently (KAFKA-3160)."""


@dataclass(frozen=True, slots=True)
class RecordEvidence:
    """The answers about one record set.

    Attributes:
        expected: the canonical binary of its value.
        view: the view that Kafka's readers must return; None if the release does not know all of the set's
            content and returns another.
        data: the bytes to read: the codec's own, or those of another writer; None if the codec wrote none.
        encoded, sized: the codec's answers for the value; None if the bytes are another writer's.
        decoded: the codec's answer for `data`.
        reread: Kafka's answer for `data`.
        made: Kafka's bytes of the set, and the codec's answer; None if the bytes are the codec's own.
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
    """Return True if nothing in the set is compressed: it then has only one valid encoding."""
    return all(
        isinstance(batch, Message) or batch.compression is Compression.NONE for batch in records.batches
    )


def judge_records(e: RecordEvidence) -> Iterator[Divergence]:
    """Yield a divergence for each failed check of a record set, the most relevant first."""
    if isinstance(e.encoded, Unsupported):
        yield from left_out(Check.ENCODE, e.subject, e.encoded)
    elif e.encoded is not None and not isinstance(e.encoded, Encoded):
        summary = "a valid record set is not encoded"
        yield no_answer(e.layout, Check.ENCODE, e.subject, summary, e.encoded, "encodes it")
    for made, _ in e.made:
        yield from _judge_bytes(e, made)
    if e.sized is not None:
        yield from judge_size(e.subject, e.sized, e.data)
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
    """Compare the codec's bytes with Kafka's bytes of the same set."""
    if e.data is None or not isinstance(made, OracleValue):
        return
    theirs = made.written + e.records.tail
    if is_plain(e.records):
        if e.data != theirs:
            summary = "the bytes differ from Kafka's"
            yield from ranked(record_differences(Check.BYTES, e.subject, summary, e.data, theirs))
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
            offset = at + first_difference(ours_head, theirs_head)
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
        whose: names the bytes: ``Kafka's bytes``.
    """
    if isinstance(reply, Unsupported):
        yield from left_out(check, subject, reply)
        return
    if isinstance(reply, Reencoded):
        reply = _read_again(reply)
    if isinstance(reply, Decoded):
        yield from decoded_value(layout, check, subject, whose, reply.value, expected)
    else:
        yield no_answer(layout, check, subject, f"{whose} are not decoded", reply, "decodes them")


def _read_again(reply: Reencoded) -> Decoded | Refused:
    """Return the value that wireproof's codec reads in the bytes that a codec wrote again."""
    try:
        return Decoded(to_value(decode_records(reply.data)))
    except CodecError as error:
        words = f"the bytes that it writes again are not a record set: {error}"
        return Refused("written-again", words, error.path, error.offset)


def judge_view(
    subject: str, data: bytes, view: bytes | None, tail_bytes: int, reply: OracleReply
) -> Iterator[Divergence]:
    """Judge Kafka's answer for the codec's bytes.

    Args:
        view: the view that it must return; None for any view.
        tail_bytes: the bytes of a truncated batch at the end.
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
        words = (f"{whole} of {len(data)} bytes", f"reads {reply.consumed_bytes} of {reply.predicted_bytes}")
        yield Divergence(Check.ORACLE_READS, subject, "Kafka stops elsewhere", "", "", None, *words)
