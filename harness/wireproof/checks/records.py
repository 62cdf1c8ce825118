"""Judging record sets: what a codec of them and Kafka's MemoryRecords make of one.

Compressed bytes have many right forms, so they are judged by what both sides read in them; all others by the
byte.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kafkawire.errors import CodecError
from kafkawire.records import (
    Compression,
    Message,
    MessageSet,
    RecordBatch,
    RecordSet,
    annotate_records,
    records_to_json,
    to_canonical,
)
from wireproof.checks.catalogue import Check
from wireproof.checks.describe import around, refusal_words, value_words
from wireproof.checks.record_form import first_record_difference
from wireproof.model import (
    Crashed,
    Divergence,
    Encoded,
    OracleReply,
    OracleValue,
    RecordCase,
    RecordsDecoded,
    RecordsReply,
    Refusal,
    Refused,
)

__all__ = [
    "RecordsEvidence",
    "judge_cut",
    "judge_foreign",
    "judge_records",
    "judge_same_records",
    "records_words",
]


@dataclass(frozen=True, slots=True)
class RecordsEvidence:
    """All that was answered about one record set.

    Attributes:
        known: whether the release knows everything in it; else it is only to take it.
        encoded: the codec's bytes.
        decoded, read: what the codec and Kafka read in them; None where there are none.
        written: Kafka's own bytes of the set, by each of its writers, with what the codec reads in them.
    """

    subject: str
    case: RecordCase
    known: bool
    encoded: RecordsReply
    decoded: RecordsReply | None
    read: OracleReply | None
    written: Sequence[tuple[OracleReply, RecordsReply | None]]


def judge_records(evidence: RecordsEvidence) -> tuple[Divergence, ...]:
    """The divergences; none where the set is proven."""
    return tuple(_judge(evidence))


def _judge(e: RecordsEvidence) -> Iterator[Divergence]:
    records = e.case.records
    if not isinstance(e.encoded, Encoded):
        path = e.encoded.path if isinstance(e.encoded, Refused) else ""
        words = records_words(e.encoded)
        yield Divergence(Check.ENCODE, e.subject, "a valid record set is not encoded", path, codec=words)
    else:
        if e.decoded is not None:
            yield from judge_same_records(Check.ROUND_TRIP, e.subject, e.decoded, records, "its own bytes")
        if e.read is not None:
            yield from _judge_read(e, e.encoded.data, e.read)
    for reply, decoded in e.written:
        yield from _judge_written(e, reply, decoded)


def _judge_read(e: RecordsEvidence, data: bytes, read: OracleReply) -> Iterator[Divergence]:
    if isinstance(read, Refusal):
        yield Divergence(
            Check.ORACLE_READS,
            e.subject,
            "Kafka refuses the codec's bytes",
            codec=around(data, 0),
            oracle=refusal_words(read),
        )
    elif e.known and read.value != (expected := to_canonical(e.case.records)):
        yield _form_difference(
            Check.ORACLE_READS,
            e.subject,
            "Kafka reads another set in the codec's bytes",
            expected,
            read.value,
        )


def _judge_written(
    e: RecordsEvidence, reply: OracleReply, decoded: RecordsReply | None
) -> Iterator[Divergence]:
    records = e.case.records
    if not isinstance(reply, OracleValue):
        yield Divergence(
            Check.CANONICAL, "cases", "Kafka does not write a set that it should", oracle=refusal_words(reply)
        )
        return
    if reply.value != (expected := to_canonical(records)):
        yield _form_difference(Check.CANONICAL, "cases", "Kafka writes another set", expected, reply.value)
    whole = reply.written + records.tail
    if isinstance(e.encoded, Encoded) and _plain(records) and e.encoded.data != whole:
        yield _byte_difference(e.subject, e.encoded.data, whole)
    if isinstance(e.encoded, Encoded):
        yield from _judge_lz4_header(e, e.encoded.data, whole)
    if decoded is not None:
        yield from judge_same_records(Check.DECODE, e.subject, decoded, records, "Kafka's bytes")


_LZ4_FRAME_AT = {0: 26, 1: 34, 2: 61}
"""Where the compressed bytes of a set begin, whose wrapper has no key."""
_LZ4_HEADER_BYTES = 7


def _judge_lz4_header(e: RecordsEvidence, data: bytes, kafka: bytes) -> Iterator[Divergence]:
    """The frame's header and its checksum, wrong in magic 0 by tradition: Kafka does not look at it, but
    the clients of its day do (KAFKA-3160).
    """
    match e.case.records.batches:
        case (RecordBatch() | MessageSet() as batch,) if batch.compression is Compression.LZ4:
            start = _LZ4_FRAME_AT[batch.magic]
            stop = start + _LZ4_HEADER_BYTES
            if data[start:stop] != kafka[start:stop]:
                yield Divergence(
                    Check.BYTES,
                    e.subject,
                    "the LZ4 frame begins otherwise than Kafka's",
                    "batches[0].value",
                    "",
                    start,
                    codec=data[start:stop].hex(" "),
                    oracle=kafka[start:stop].hex(" "),
                )


def judge_same_records(
    check: Check, subject: str, reply: RecordsReply, wanted: RecordSet, of: str
) -> Iterator[Divergence]:
    """A reading that is to give a certain set, to its last unused bit."""
    match reply:
        case RecordsDecoded(records) if records == wanted:
            return
        case RecordsDecoded(records):
            try:
                left, right = to_canonical(records), to_canonical(wanted)
            except CodecError as error:
                yield Divergence(
                    check, subject, f"{of} are read to no valid set", error.path, codec=value_words(records)
                )
                return
            if left == right:  # in something that consumers do not see
                words = records_to_json(records), records_to_json(wanted)
                yield Divergence(
                    check, subject, f"{of} are read to another set", codec=words[0], oracle=words[1]
                )
            else:
                yield _form_difference(check, subject, f"{of} are read to another set", left, right)
        case _:
            path = reply.path if isinstance(reply, Refused) else ""
            offset = reply.offset if isinstance(reply, Refused) else None
            yield Divergence(
                check, subject, f"{of} are not read", path, "", offset, codec=records_words(reply)
            )


def judge_foreign(subject: str, reply: RecordsReply, read: OracleReply) -> Iterator[Divergence]:
    """Valid bytes of another encoder: the codec reads in them what Kafka reads, and Kafka does."""
    match reply, read:
        case RecordsDecoded(records), OracleValue():
            if (form := to_canonical(records)) != read.value:
                yield _form_difference(
                    Check.DECODE, subject, "another encoder's set is read otherwise", form, read.value
                )
        case _, Refusal():
            yield Divergence(
                Check.CANONICAL, "cases", "Kafka refuses a set that is valid", oracle=refusal_words(read)
            )
        case _:
            yield Divergence(
                Check.DECODE, subject, "another encoder's set is not read", codec=records_words(reply)
            )


def judge_cut(subject: str, data: bytes, reply: RecordsReply, read: OracleReply) -> Iterator[Divergence]:
    """Bytes cut short: codec and Kafka find the same whole batches and the same tail, or both refuse."""
    match reply, read:
        case RecordsDecoded(records), OracleValue():
            if (form := to_canonical(records)) != read.value:
                yield _form_difference(
                    Check.CUT, subject, "a cut set is read otherwise", form, read.value, len(data)
                )
        case Refused(), Refusal():
            return
        case _:
            theirs = refusal_words(read) if isinstance(read, Refusal) else "reads it"
            yield Divergence(
                Check.CUT,
                subject,
                "a cut set is read by one side alone",
                offset=len(data),
                codec=records_words(reply),
                oracle=theirs,
            )


def records_words(reply: RecordsReply) -> str:
    """What a codec answered."""
    match reply:
        case Encoded(data):
            return f"{len(data)} bytes: {around(data, 0)}"
        case RecordsDecoded(records):
            return value_words(records)
        case Refused(_, message):
            return f"refused: {message}"
        case Crashed(error, message):
            return f"crashed: {error}: {message}"


def _form_difference(
    check: Check, subject: str, summary: str, left: bytes, right: bytes, offset: int | None = None
) -> Divergence:
    path, ours, theirs = first_record_difference(left, right)
    return Divergence(
        check, subject, summary, path, "", offset, codec=value_words(ours), oracle=value_words(theirs)
    )


def _byte_difference(subject: str, left: bytes, right: bytes) -> Divergence:
    pairs = enumerate(zip(left, right, strict=False))
    offset = next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))
    path = annotate_records(right).at(offset).path
    if path.endswith((".crc", ".batchLength", ".messageSize")):
        # They follow from what comes later: that is the place to look at.
        later = [at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other]
        named = (annotate_records(right).at(at).path for at in later)
        path = next(
            (name for name in named if not name.endswith((".crc", ".batchLength", ".messageSize"))), path
        )
    return Divergence(
        Check.BYTES,
        subject,
        "the bytes differ from Kafka's",
        path,
        "",
        offset,
        codec=around(left, offset),
        oracle=around(right, offset),
    )


def _plain(records: RecordSet) -> bool:
    """Whether nothing in it is compressed."""
    return all(
        isinstance(batch, Message) or batch.compression is Compression.NONE for batch in records.batches
    )
