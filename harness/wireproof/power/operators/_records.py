"""Record batches, legacy sets, control records, and the framing of compressed data."""

from collections.abc import Callable
from typing import Any

from kafkawire.schema import ScalarType
from wireproof.model import RECORDS_MODULE, ReleaseFeature
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongRecords
from wireproof.power.mutants.site_conditions import is_message
from wireproof.power.mutants.sites import Site
from wireproof.power.mutants.source_copies import Patch

__all__ = ["COMPRESSION_OPERATORS", "RECORD_OPERATORS"]

_ENCODING, _DECODING = "records.encoding", "records.decoding"


def _magic(*magics: int) -> Callable[[Site], bool]:
    """The cells whose sets have these magics at most; versions of sets are magics."""
    return lambda site: is_message(site) and _is_set(site) and site.cell.version in magics


def _carried(*magics: int) -> Callable[[Site], bool]:
    """Those cells, and the messages that carry sets of all these magics: old segments keep theirs."""
    in_sets = _magic(*magics)
    return lambda site: in_sets(site) or _is_fetch_of(site, max(magics))


def _is_fetch_of(site: Site, magic: int) -> bool:
    name, version = site.layout.name, site.cell.version
    since = name == "ShareFetchResponse" or (name == "FetchResponse" and version >= _FETCH_SINCE[magic])
    return is_message(site) and since


_FETCH_SINCE = {0: 0, 1: 2, 2: 4}
"""The first version of Fetch that carries a magic."""


def _knows_the_delete_horizon(site: Site) -> bool:
    return _carried(2)(site) and ReleaseFeature.DELETE_HORIZON.is_in(site.cell.release)


def _is_set(site: Site) -> bool:
    return site.cell.module == RECORDS_MODULE


def _is_message_with_records(site: Site) -> bool:
    """A message of Produce, Fetch, ShareFetch or FetchSnapshot that carries magic 2."""
    scalars = (field.scalar for _, _, field in site.layout.walk())
    if not is_message(site) or _is_set(site) or ScalarType.RECORDS not in scalars:
        return False
    return site.cell.version >= _MAGIC_2_SINCE.get(site.layout.name, 0)


_MAGIC_2_SINCE = {"ProduceRequest": 3, "FetchResponse": 4}


_NUMBERS = (
    "baseOffset",
    "partitionLeaderEpoch",
    "maxTimestamp",
    "producerId",
    "producerEpoch",
    "baseSequence",
)


def _is_fetch(site: Site) -> bool:
    return _is_fetch_of(site, 2)


def _is_number_of_a_batch(site: Site) -> bool:
    return _is_set(site) and site.struct_path == "batches[]" and site.path.partition(".")[2] in _NUMBERS


def _is_batches(site: Site) -> bool:
    return _is_set(site) and site.path == "batches" and site.cell.version == 2


def _is_delta(site: Site) -> bool:
    return _is_set(site) and site.path in (
        "batches[].records[].timestampDelta",
        "batches[].records[].offsetDelta",
    )


def _without_empty_batches(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [batch for batch in value if batch.get("magic") != 2 or batch.get("records")]


def _at_least_zero(value: Any) -> Any:
    return max(value, 0) if isinstance(value, int) else value


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
        WrongRecords(_carried(2), (Patch(_ENCODING, "_SIZE_AFTER: Final = 9", "_SIZE_AFTER: Final = 13"),)),
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
            _carried(2),
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
        WrongRecords(_magic(2), _OTHER_CHECKSUM),
    ),
    CodecOperator(
        "checksum-of-another-polynomial-in-a-message",
        BugClass.RECORDS,
        "in one message the checksum of magic 2 is the CRC-32 of the older ones, written and checked",
        WrongRecords(_is_message_with_records, _OTHER_CHECKSUM),
    ),
    CodecOperator(
        "delete-horizon-a-bit-too-high",
        BugClass.RECORDS,
        "the flag of the delete horizon is written one bit too high",
        WrongRecords(
            _knows_the_delete_horizon, (Patch(_ENCODING, '"deleteHorizon") << 6', '"deleteHorizon") << 7'),)
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
            _magic(2),
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
            _carried(2),
            (Patch(_ENCODING, "*others, len(batch.records))", "*others, len(batch.records) or 1)"),),
        ),
    ),
    CodecOperator(
        "size-of-half-an-offset-delta",
        BugClass.RECORDS,
        "the size announced takes an offset's delta for half of what it is",
        WrongRecords(
            _magic(2),
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
            _carried(2),
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
        "a batch without records is not told",
        WrongRecords(_is_batches, inward=_without_empty_batches),
    ),
    CodecOperator(
        "null-header-value-empty",
        BugClass.RECORDS,
        "a header without a value is written with an empty one",
        WrongRecords(
            _carried(2),
            (Patch("records._record_writing", "out.append(_VARINTS[-1])", "out.append(_VARINTS[0])"),),
        ),
    ),
    CodecOperator(
        "cut-off-batch-forgotten",
        BugClass.RECORDS,
        "a last batch that is cut off leaves no trace",
        WrongRecords(
            _carried(2),
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
            _carried(0, 1),
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
            _carried(0, 1), (Patch(_ENCODING, "        return _NULL", "        return _SIZE.pack(0)"),)
        ),
    ),
    CodecOperator(
        "set-loses-its-timestamp",
        BugClass.RECORDS,
        "the timestamp of a compressed set of messages is not read",
        WrongRecords(_carried(1), (Patch(_DECODING, "        wrapper.timestamp,\n", "        0,\n"),)),
    ),
    CodecOperator(
        "timestamp-delta-without-sign",
        BugClass.VARINTS,
        "a timestamp's delta is read without undoing the zig-zag of negative ones",
        WrongRecords(
            _carried(2),
            (
                Patch(
                    "records._record_loop",
                    "timestamp = first >> 1 ^ -(first & 1)",
                    "timestamp = first >> 1",
                ),
            ),
        ),
    ),
    CodecOperator(
        "timestamp-delta-of-32-bits",
        BugClass.VARINTS,
        "a timestamp delta of more than 32 bits is an error",
        WrongRecords(
            _carried(2),
            (
                Patch(
                    "records._record_loop",
                    "timestamp, pos = read_varlong(data, pos - 1)",
                    "timestamp, pos = read_varint(data, pos - 1)",
                ),
                Patch(
                    "records._record_reading",
                    '_named("timestampDelta", read_varlong, data, pos + 1)',
                    '_named("timestampDelta", read_varint, data, pos + 1)',
                ),
            ),
        ),
    ),
    CodecOperator(
        "header-count-not-zig-zag",
        BugClass.VARINTS,
        "the number of a record's headers is written as an unsigned varint",
        WrongRecords(
            _carried(2),
            (
                Patch(
                    "records._record_writing",
                    "import write_varint, write_varlong",
                    "import write_uvarint, write_varint, write_varlong",
                ),
                Patch(
                    "records._record_writing",
                    "out = [write_varint(len(headers))]",
                    "out = [write_uvarint(len(headers))]",
                ),
            ),
        ),
    ),
)

COMPRESSION_OPERATORS = (
    CodecOperator(
        "snappy-blocks-little-endian",
        BugClass.COMPRESSION,
        "the lengths of the blocks of a snappy stream have their lowest byte first, written and read",
        WrongRecords(
            _carried(0, 1, 2),
            (
                Patch(
                    "records.compression._snappy",
                    'len(block).to_bytes(4, "big")',
                    'len(block).to_bytes(4, "little")',
                ),
                Patch(
                    "records.compression._snappy",
                    'int.from_bytes(data[pos : pos + 4], "big")',
                    'int.from_bytes(data[pos : pos + 4], "little")',
                ),
            ),
        ),
    ),
    CodecOperator(
        "snappy-header-once",
        BugClass.COMPRESSION,
        "a snappy stream behind another one is not read",
        WrongRecords(
            _magic(0, 1, 2),
            (
                Patch(
                    "records.compression._snappy",
                    "        if data.startswith(MAGIC, pos):",
                    "        if pos == 0:",
                ),
            ),
        ),
    ),
    CodecOperator(
        "xerial-header-of-another-version",
        BugClass.COMPRESSION,
        "the header of a snappy stream names version 0 as the least compatible one",
        WrongRecords(
            _magic(0, 1, 2),
            (Patch("records.compression._snappy", 'struct.pack(">ii", 1, 1)', 'struct.pack(">ii", 1, 0)'),),
        ),
    ),
    CodecOperator(
        "lz4-checksum-right-in-magic-0",
        BugClass.COMPRESSION,
        "the checksum of an LZ4 header is the right one in magic 0, where Kafka's is wrong",
        WrongRecords(
            _magic(0),
            (
                Patch(
                    "records.compression._lz4",
                    "_header_checksum(frame[:end]) + frame[end + 1 :]",
                    "_header_checksum(frame[4:end]) + frame[end + 1 :]",
                ),
            ),
        ),
    ),
    CodecOperator(
        "lz4-blocks-linked",
        BugClass.COMPRESSION,
        "the blocks of an LZ4 frame depend on each other, written and read",
        WrongRecords(
            _carried(0, 1, 2),
            (
                Patch("records.compression._lz4", "block_linked=False", "block_linked=True"),
                Patch("records.compression._lz4", "    if not flags & INDEPENDENT:", "    if False:"),
            ),
        ),
    ),
    CodecOperator(
        "one-zstd-frame",
        BugClass.COMPRESSION,
        "of several zstd frames only the first is read",
        WrongRecords(
            _magic(2),
            (
                Patch(
                    "records.compression._zstd",
                    "        while pos < len(data):",
                    "        if pos < len(data):",
                ),
            ),
        ),
    ),
    CodecOperator(
        "one-gzip-member",
        BugClass.COMPRESSION,
        "of several gzip members only the first is read",
        WrongRecords(
            _magic(0, 1, 2),
            (Patch("records.compression._gzip", "        if pos >= len(data):", "        if True:"),),
        ),
    ),
    CodecOperator(
        "zlib-for-gzip",
        BugClass.COMPRESSION,
        "gzip data are framed as zlib frames them, written and read",
        WrongRecords(
            _carried(0, 1, 2), (Patch("records.compression._gzip", "_GZIP: Final = 31", "_GZIP: Final = 15"),)
        ),
    ),
)
