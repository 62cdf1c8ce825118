"""The framing of compressed data in record sets."""

from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongRecords
from wireproof.power.mutants.record_sites import carries, is_set_of
from wireproof.power.mutants.source_copies import Patch

__all__ = ["COMPRESSION_OPERATORS"]

COMPRESSION_OPERATORS = (
    CodecOperator(
        "snappy-blocks-little-endian",
        BugClass.COMPRESSION,
        "the lengths of the blocks of a snappy stream have their lowest byte first, written and read",
        WrongRecords(
            carries(0, 1, 2),
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
        "a snappy stream after another one is not read",
        WrongRecords(
            is_set_of(0, 1, 2),
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
            is_set_of(0, 1, 2),
            (Patch("records.compression._snappy", 'struct.pack(">ii", 1, 1)', 'struct.pack(">ii", 1, 0)'),),
        ),
    ),
    CodecOperator(
        "lz4-checksum-right-in-magic-0",
        BugClass.COMPRESSION,
        "the checksum of an LZ4 header is the right one in magic 0, where Kafka's is wrong",
        WrongRecords(
            is_set_of(0),
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
            carries(0, 1, 2),
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
            is_set_of(2),
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
            is_set_of(0, 1, 2),
            (Patch("records.compression._gzip", "        if pos >= len(data):", "        if True:"),),
        ),
    ),
    CodecOperator(
        "zlib-for-gzip",
        BugClass.COMPRESSION,
        "gzip data are framed as zlib frames them, written and read",
        WrongRecords(
            carries(0, 1, 2), (Patch("records.compression._gzip", "_GZIP: Final = 31", "_GZIP: Final = 15"),)
        ),
    ),
)
