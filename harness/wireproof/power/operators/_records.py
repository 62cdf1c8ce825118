"""Record batches, legacy sets, and control records."""

from itertools import pairwise
from typing import Any

from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongRecords
from wireproof.power.mutants.record_sites import (
    carries,
    is_fetch_of,
    is_message_with_records,
    is_set,
    is_set_of,
    knows_the_delete_horizon,
)
from wireproof.power.mutants.sites import Site
from wireproof.power.mutants.source_copies import Patch

__all__ = ["RECORD_OPERATORS"]

_ENCODING, _DECODING = "records.encoding", "records.decoding"


_NUMBERS = (
    "baseOffset",
    "partitionLeaderEpoch",
    "maxTimestamp",
    "producerId",
    "producerEpoch",
    "baseSequence",
)


def _is_fetch(site: Site) -> bool:
    return is_fetch_of(site, 2)


def _is_number_of_a_batch(site: Site) -> bool:
    return is_set(site) and site.struct_path == "batches[]" and site.path.partition(".")[2] in _NUMBERS


def _is_batches(site: Site) -> bool:
    return is_set(site) and site.path == "batches" and site.cell.version == 2


def _is_delta(site: Site) -> bool:
    return is_set(site) and site.path in (
        "batches[].records[].timestampDelta",
        "batches[].records[].offsetDelta",
    )


def _without_empty_batches(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [batch for batch in value if batch.get("magic") != 2 or batch.get("records")]


def _at_least_zero(value: Any) -> Any:
    return max(value, 0) if isinstance(value, int) else value


def _is_empty(batch: Any) -> bool:
    return batch.get("magic") == 2 and not batch.get("records")


def _without_second_empty(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [
        *value[:1],
        *(after for before, after in pairwise(value) if not (_is_empty(before) and _is_empty(after))),
    ]


def _sequences_of_transactions(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [
        {**batch, "baseSequence": -1}
        if batch.get("transactional") and batch.get("baseSequence", -1) < -1
        else batch
        for batch in value
    ]


def _first_records(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [{**batch, "records": batch.get("records", [])[: 1 << 15]} for batch in value]


_FLAGS = (
    'bits |= flag(batch.transactional, "transactional") << 4\n    bits |= flag(batch.control, "control") << 5'
)
_SWAPPED_FLAGS = _FLAGS.replace("<< 4", "<< 9").replace("<< 5", "<< 4").replace("<< 9", "<< 5")

_OTHER_CHECKSUM = (
    Patch(_ENCODING, "crc32c()(rest)", "crc32(rest)"),
    Patch(_DECODING, "crc32c()(data[pos + 21 : end])", "crc32(data[pos + 21 : end])"),
)

RECORD_OPERATORS = (
    CodecOperator(
        "batch-size-from-the-wrong-field",
        BugClass.RECORDS,
        "the size of a batch counts from the field before the right one",
        WrongRecords(carries(2), (Patch(_ENCODING, "_SIZE_AFTER: Final = 9", "_SIZE_AFTER: Final = 13"),)),
    ),
    CodecOperator(
        "batch-number-not-written",
        BugClass.RECORDS,
        "a number in the header of a batch is written as -1",
        WrongRecords(_is_number_of_a_batch, outward=lambda value: -1),
    ),
    CodecOperator(
        "transactional-and-control-bits-swapped",
        BugClass.RECORDS,
        "the bits of transactional and control batches are exchanged, written and read",
        WrongRecords(
            carries(2),
            (
                Patch(
                    _ENCODING,
                    _FLAGS,
                    _FLAGS.replace("<< 4", "<< 9").replace("<< 5", "<< 4").replace("<< 9", "<< 5"),
                ),
                Patch(
                    _DECODING,
                    "bool(attributes & 16), bool(attributes & 32)",
                    "bool(attributes & 32), bool(attributes & 16)",
                ),
            ),
        ),
    ),
    CodecOperator(
        "checksum-of-another-polynomial",
        BugClass.RECORDS,
        "the checksum of magic 2 is the CRC-32 of the older ones, written and checked",
        WrongRecords(is_set_of(2), _OTHER_CHECKSUM),
    ),
    CodecOperator(
        "checksum-of-another-polynomial-in-a-message",
        BugClass.RECORDS,
        "in one message the checksum of magic 2 is the CRC-32 of the older ones, written and checked",
        WrongRecords(is_message_with_records, _OTHER_CHECKSUM),
    ),
    CodecOperator(
        "delete-horizon-a-bit-too-high",
        BugClass.RECORDS,
        "the flag of the delete horizon is written one bit too high",
        WrongRecords(
            knows_the_delete_horizon, (Patch(_ENCODING, '"deleteHorizon") << 6', '"deleteHorizon") << 7'),)
        ),
    ),
    CodecOperator(
        "transaction-taken-for-control",
        BugClass.RECORDS,
        "in one message a batch of a transaction is read as a control batch",
        WrongRecords(_is_fetch, (Patch(_DECODING, "bool(attributes & 32)", "bool(attributes & (16 | 32))"),)),
    ),
    CodecOperator(
        "checksum-not-looked-at",
        BugClass.RECORDS,
        "a batch of magic 2 is read whatever its checksum",
        WrongRecords(
            is_set_of(2),
            (
                Patch(
                    _DECODING,
                    "crc32c()(data[pos + 21 : end])) != crc:",
                    "crc32c()(data[pos + 21 : end])) < 0:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "empty-batch-counts-one",
        BugClass.RECORDS,
        "the count of a batch without records is 1",
        WrongRecords(
            carries(2),
            (Patch(_ENCODING, "*others, len(batch.records))", "*others, len(batch.records) or 1)"),),
        ),
    ),
    CodecOperator(
        "size-of-half-an-offset-delta",
        BugClass.RECORDS,
        "the size announced takes an offset's delta for half of what it is",
        WrongRecords(
            is_set_of(2),
            (
                Patch(
                    "records.size",
                    "+ size_varint(record.offset_delta)",
                    "+ size_varint(record.offset_delta // 2)",
                ),
            ),
        ),
    ),
    CodecOperator(
        "last-offset-delta-is-the-count",
        BugClass.RECORDS,
        "the last offset delta is taken to be the number of records less one",
        WrongRecords(
            carries(2),
            (
                Patch(
                    _ENCODING,
                    "    rest = _V2_REST.pack(",
                    "    others[0] = len(batch.records) - 1\n    rest = _V2_REST.pack(",
                ),
            ),
        ),
    ),
    CodecOperator(
        "negative-delta-as-0",
        BugClass.RECORDS,
        "a negative delta of a record is written as 0",
        WrongRecords(_is_delta, outward=_at_least_zero),
    ),
    CodecOperator(
        "empty-batch-passed-over",
        BugClass.RECORDS,
        "a batch without records is left out",
        WrongRecords(_is_batches, inward=_without_empty_batches),
    ),
    CodecOperator(
        "null-header-value-empty",
        BugClass.RECORDS,
        "a header without a value is written with an empty one",
        WrongRecords(
            carries(2),
            (Patch("records._record_writing", "out.append(_VARINTS[-1])", "out.append(_VARINTS[0])"),),
        ),
    ),
    CodecOperator(
        "cut-off-batch-forgotten",
        BugClass.RECORDS,
        "a last batch that is cut off leaves no trace",
        WrongRecords(
            carries(2),
            (
                Patch(
                    _DECODING,
                    "return RecordSet(tuple(batches), held[pos:])",
                    "return RecordSet(tuple(batches))",
                ),
            ),
        ),
    ),
    CodecOperator(
        "wrapper-offset-of-the-first",
        BugClass.RECORDS,
        "a compressed set of messages has the offset of its first message",
        WrongRecords(
            carries(0, 1),
            (
                Patch(
                    _ENCODING,
                    "wrapper = Message(batch.offset,",
                    "wrapper = Message(batch.offset - len(messages) + 1,",
                ),
            ),
        ),
    ),
    CodecOperator(
        "legacy-null-as-empty",
        BugClass.RECORDS,
        "a null key or value of a legacy message is written empty",
        WrongRecords(
            carries(0, 1), (Patch(_ENCODING, "        return _NULL", "        return _SIZE.pack(0)"),)
        ),
    ),
    CodecOperator(
        "set-loses-its-timestamp",
        BugClass.RECORDS,
        "the timestamp of a compressed set of messages is not read",
        WrongRecords(carries(1), (Patch(_DECODING, "        wrapper.timestamp,\n", "        0,\n"),)),
    ),
    CodecOperator(
        "second-empty-batch-passed-over",
        BugClass.RECORDS,
        "of two batches without records in a row the second is left out",
        WrongRecords(_is_batches, inward=_without_second_empty),
    ),
    CodecOperator(
        "records-counted-in-15-bits",
        BugClass.RECORDS,
        "of the records of a batch no more than 32,768 are read",
        WrongRecords(_is_batches, inward=_first_records),
    ),
    CodecOperator(
        "negative-sequence-of-a-transaction",
        BugClass.RECORDS,
        "a negative base sequence of a batch of a transaction is read as -1",
        WrongRecords(_is_batches, inward=_sequences_of_transactions),
    ),
    CodecOperator(
        "checksum-of-31-bits",
        BugClass.RECORDS,
        "the highest bit of the checksum of magic 2 is not compared",
        WrongRecords(
            is_set_of(2),
            (
                Patch(
                    _DECODING,
                    "crc32c()(data[pos + 21 : end])) != crc:",
                    "crc32c()(data[pos + 21 : end])) & 0x7FFFFFFF != crc & 0x7FFFFFFF:",
                ),
            ),
        ),
    ),
)
