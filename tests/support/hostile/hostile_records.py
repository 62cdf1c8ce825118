"""Attacks on record sets: few bytes that want much time or memory, each with the fault that refuses it.

Each attack is a function without arguments, so that collecting tests builds none of them. `FAULTS` names what
`decode_records` raises; None where the bytes are a right record set. `benchmarks/hostile.py` measures them.
"""

import gzip
import struct
from collections.abc import Callable
from functools import partial
from typing import Final
from zlib import crc32

import google_crc32c
import lz4.frame
import zstandard

from kafkawire.errors import Fault
from kafkawire.records import Compression
from kafkawire.records.compression._snappy import HEADER as SNAPPY_HEADER

MIB: Final = 1 << 20

_HEAD: Final = struct.Struct(">qiibIhiqqqhii")
_TINY: Final = bytes([12, 0, 0, 0, 1, 1, 0])
"""A record of seven bytes: no key, no value, no headers."""
_ZSTD_EMPTY: Final = bytes.fromhex("28b52ffd0000010000")
_ZSTD_SKIPPABLE: Final = bytes.fromhex("502a4d1800000000")
_COMMON: Final = zstandard.ZstdCompressor(level=3, write_content_size=False)

Attack = tuple[Callable[[], bytes], Fault | None]


def batch(body: bytes, count: int, codec: Compression = Compression.NONE) -> bytes:
    """A batch of magic 2 around this body, its size and checksum right."""
    head = _HEAD.pack(0, 49 + len(body), -1, 2, 0, codec, 0, -1, -1, -1, -1, -1, count)
    data = head + body
    return data[:17] + google_crc32c.value(data[21:]).to_bytes(4, "big") + data[21:]


def message(value: bytes | None, codec: Compression = Compression.NONE, magic: int = 1) -> bytes:
    """A legacy message without a key, its size and checksum right."""
    stamp = bytes(8) if magic else b""
    length = -1 if value is None else len(value)
    rest = bytes([magic, codec]) + stamp + struct.pack(">ii", -1, length) + (value or b"")
    return struct.pack(">qiI", 0, 4 + len(rest), crc32(rest)) + rest


def varint(value: int) -> bytes:
    """The zig-zag varint of a number that is not negative."""
    raw, out = value << 1, bytearray()
    while raw > 127:
        out.append(raw & 127 | 128)
        raw >>= 7
    out.append(raw)
    return bytes(out)


def record(headers: int, header: bytes) -> bytes:
    """A record without key and value, with so many equal headers."""
    body = bytes([0, 0, 0, 1, 1]) + varint(headers) + header * headers
    return varint(len(body)) + body


def zstd(content: bytes, count: int) -> bytes:
    """A batch compressed by zstd."""
    return batch(_COMMON.compress(content), count, Compression.ZSTD)


def _tiny(count: int, last: bytes = b"") -> bytes:
    return zstd(_TINY * count + last, count + bool(last))


def _zstd_bomb() -> bytes:
    return zstd(bytes(80 * MIB), 1)


def _many_bombs() -> bytes:
    return zstd(_TINY * 100_000, 100_000) * 40


def _long_varints() -> bytes:
    return batch(bytes([0x8C, 0x80, 0x80, 0x80, 0, 0, 0, 0, 1, 1, 0]) * (MIB // 11) + b"\x02", MIB // 11 + 1)


def _one_long_record() -> bytes:
    return zstd(varint(40 * MIB) + bytes(40 * MIB), 1)


def _legacy_set(codec: Compression, compress: Callable[[bytes], bytes], last: bytes = b"") -> bytes:
    return message(compress(message(None) * 1_500_000 + last), codec)


_GZIP_EMPTY: Final = gzip.compress(b"", mtime=0)
_SNAPPY_EMPTY: Final = b"\x00\x00\x00\x01\x00"

ATTACKS: Final[dict[str, Attack]] = {
    "zstd-tiny-records": (partial(_tiny, 9_000_000), Fault.BOMB),
    "zstd-tiny-records-then-one-wrong": (partial(_tiny, 380_000, b"\x0a\x00"), Fault.TRUNCATED),
    "zstd-tiny-records-then-one-of-another-size": (partial(_tiny, 380_000, b"\x04\x00\x00"), Fault.TRUNCATED),
    "zstd-more-records-than-declared": (lambda: zstd(_TINY * 9_000_000, 1), Fault.COUNT),
    "zstd-fewer-records-than-declared": (lambda: zstd(_TINY * 300_000, 1 << 30), Fault.COUNT),
    "zstd-headers": (lambda: zstd(record(20_000_000, b"\x00\x01"), 1), Fault.BOMB),
    "zstd-headers-of-many-records": (lambda: zstd(record(1000, b"\x00\x01") * 20_000, 20_000), Fault.BOMB),
    "zstd-headers-then-one-wrong": (
        lambda: zstd(record(190_000, b"\x02k\x01") + record(190_000, b"\x02k\x01")[:-1], 2),
        Fault.TRUNCATED,
    ),
    "zstd-bomb": (_zstd_bomb, Fault.BOMB),
    "zstd-bombs": (_many_bombs, Fault.BOMB),
    "zstd-one-long-record": (_one_long_record, Fault.RECORD_SIZE),
    "zstd-empty-frames": (lambda: batch(_ZSTD_EMPTY * (4 * MIB // 9), 0, Compression.ZSTD), None),
    "zstd-skippable-frames": (lambda: batch(_ZSTD_SKIPPABLE * (MIB // 2), 0, Compression.ZSTD), None),
    "gzip-empty-members": (lambda: batch(_GZIP_EMPTY * (4 * MIB // 20), 0, Compression.GZIP), None),
    "gzip-empty-members-then-garbage": (
        lambda: batch(_GZIP_EMPTY * (4 * MIB // 20) + b"x", 0, Compression.GZIP),
        Fault.COMPRESSION,
    ),
    "gzip-bomb": (lambda: batch(gzip.compress(bytes(80 * MIB), 1), 1, Compression.GZIP), Fault.BOMB),
    "snappy-empty-blocks": (
        lambda: batch(SNAPPY_HEADER + _SNAPPY_EMPTY * (2 * MIB // 5), 0, Compression.SNAPPY),
        None,
    ),
    "snappy-headers": (lambda: batch(SNAPPY_HEADER * (4 * MIB // 16), 0, Compression.SNAPPY), None),
    "snappy-declares-much": (
        lambda: batch(SNAPPY_HEADER + b"\x00\x00\x00\x05\xff\xff\xff\xff\x0f", 1, Compression.SNAPPY),
        Fault.COMPRESSION,
    ),
    "lz4-bomb": (
        lambda: batch(lz4.frame.compress(bytes(80 * MIB), block_linked=False), 1, Compression.LZ4),
        Fault.BOMB,
    ),
    "lz4-small-batches": (
        lambda: batch(lz4.frame.compress(_TINY, block_linked=False), 1, Compression.LZ4) * 20_000,
        None,
    ),
    "legacy-gzip-messages": (
        lambda: _legacy_set(Compression.GZIP, partial(gzip.compress, compresslevel=1)),
        Fault.BOMB,
    ),
    "legacy-set-in-a-set": (
        lambda: message(
            gzip.compress(message(gzip.compress(message(None)), Compression.GZIP)), Compression.GZIP
        ),
        Fault.CODEC,
    ),
    "tiny-records-then-one-wrong": (
        lambda: batch(_TINY * (MIB // 7) + b"\x0a\x00", MIB // 7 + 1),
        Fault.TRUNCATED,
    ),
    "headers-then-one-wrong": (lambda: batch(record(MIB // 2, b"\x00\x01")[:-1], 1), Fault.TRUNCATED),
    "a-count-of-headers": (
        lambda: batch(b"\x16\x00\x00\x00\x01\x01\xfe\xff\xff\xff\x0f\x00", 1),
        Fault.TRUNCATED,
    ),
    "a-count-of-records": (lambda: batch(_TINY, (1 << 31) - 1), Fault.COUNT),
    "long-varints-then-one-wrong": (_long_varints, Fault.TRUNCATED),
    "empty-batches": (lambda: batch(b"", 0) * (4 * MIB // 61), None),
}
