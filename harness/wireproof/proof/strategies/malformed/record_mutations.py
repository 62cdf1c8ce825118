"""Hostile changes of valid record sets: sizes, checksums, magics, attributes, counts, compressed data.

Most of them would only ever meet the checksum; so whatever lies under one is changed twice, once as it is and
once sealed: with the checksum, and where bytes came or went the size of the batch, put right again.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Final
from zlib import crc32

from kafkawire.annotate import Span
from kafkawire.records import MAX_DECOMPRESSED, Compression, annotate_records, compress, encode_records
from kafkawire.wire.varints import write_varint
from wireproof.model.case_source import RecordCase
from wireproof.model.divergence import without_indices
from wireproof.model.malformed_input import Mutation, MutationPart

RECORD_BASES: Final = frozenset(
    {
        *(
            f"v2/none/{name}"
            for name in ("headers-repeated", "nulls", "control-commit", "no-records", "compacted")
        ),
        *(f"v2/{codec}/headers-null" for codec in ("gzip", "snappy", "lz4", "zstd")),
        *(f"v{magic}/{codec}/timestamps" for magic in (0, 1) for codec in ("none", "gzip", "snappy", "lz4")),
        "set/mixed-magics",
        "set/cut-at-12",
    }
)
"""The named sets whose bytes are spoiled."""

_INT32: Final = 1 << 31
_LENGTH_AT: Final = 8
_MAGIC_AT: Final = 16
_CRC_AT: Final = {0: 12, 1: 12, 2: 17}
_ATTRIBUTES_AT: Final = {0: 17, 1: 17, 2: 22}
_END_BYTES: Final = 12
"""More than the checksum and the length at the end of a gzip stream, and the end marks of the others."""
_BOMB_PARTS: Final = {Compression.GZIP: 4, Compression.LZ4: 8, Compression.ZSTD: 4}
"""Enough to exceed 144 MiB and 128 bytes of memory per byte of input, which a reader may take. A byte of LZ4
is at most 255 bytes of data."""


def record_mutations(case: RecordCase, part: MutationPart | None = None) -> Iterator[Mutation]:
    """Every mutation of one record set as our codec writes it.

    Args:
        part: takes those that are wanted; all where it is None.
    """
    data = encode_records(case.records)
    spans, starts = annotate_records(data).spans, _starts(data)
    batches = [max(each for each in starts if each <= span.start) for span in spans]
    kinds = [_kind(span, data, start) for span, start in zip(spans, batches, strict=True)]
    if part is None:
        ends: Iterable[int] = range(len(data))
    else:
        ends = (
            span.start for span, kind in zip(spans, kinds, strict=True) if part.takes("truncate", kind, "")
        )
    for length in ends:
        yield Mutation("truncate", "", length, data[length:], b"")
    if part is None or part.takes("append", "", ""):
        yield Mutation("append", "", len(data), b"", b"\x00")
    for span, start, kind in zip(spans, batches, kinds, strict=True):
        for mutation in _with_sealed(span, data, start):
            if part is None or part.takes(_operator(mutation, span), kind, ""):
                yield mutation


def _with_sealed(span: Span, data: bytes, start: int) -> Iterator[Mutation]:
    """The mutations of a span as they are and sealed; of compressed data a bomb, too."""
    for mutation in _of_span(span, data):
        yield mutation
        if span.start >= start + _MAGIC_AT and span.role != "crc":
            yield _sealed(mutation, data, start)
    if span.role == "compressed":
        before = data[span.start : span.end]
        bomb = _put("stream-bomb", span, before, _bomb(_codec(data, start), data[start + _MAGIC_AT]))
        yield _sealed(bomb, data, start)


def _codec(data: bytes, start: int) -> Compression:
    """The compression of the batch that starts there."""
    return Compression(data[start + _ATTRIBUTES_AT[data[start + _MAGIC_AT]]] & 7)


def _kind(span: Span, data: bytes, start: int) -> str:
    """The kind of place that a span is: a field of a batch of this magic; compressed data by their codec."""
    if start + _MAGIC_AT >= len(data):
        return span.role
    codec = f" {_codec(data, start)}" if span.role == "compressed" else ""
    return f"v{data[start + _MAGIC_AT]} {without_indices(span.path)} {span.role}{codec}"


def _operator(mutation: Mutation, span: Span) -> str:
    """The operator without the numbers that it takes from the bytes it changes."""
    word, comma, sealed = mutation.operator.partition(",")
    name, _, number = word.partition("=")
    if name in ("length", "count") and number:
        word = {-1: f"{name}=one-less", 1: f"{name}=one-more"}.get(int(number) - int(str(span.value)), word)
    if name.startswith(("stream-byte-", "stream-cut-at-")):
        word, _, place = name.rpartition("-")
        short = span.end - span.start - int(place)
        if word == "stream-cut-at" and short <= _END_BYTES:
            word = f"stream-short-by-{short}"
    return f"{word}{comma}{sealed}"


def _of_span(span: Span, data: bytes) -> Iterator[Mutation]:
    before = data[span.start : span.end]
    match span.role:
        case "crc":
            yield _put("crc=0", span, before, bytes(4))
            for bit in range(32):
                flipped = (int.from_bytes(before) ^ 1 << bit).to_bytes(4)
                yield _put("crc-flipped" if bit == 24 else f"crc-bit-{bit}", span, before, flipped)
        case "magic":
            for magic in (0, 1, 2, 3, 127, 128, 255):
                yield _put(f"magic={magic}", span, before, bytes([magic]))
        case "attributes":
            for bits in range(8):
                yield _put(f"codec={bits}", span, before, before[:-1] + bytes([before[-1] & 0xF8 | bits]))
            for bit in (8, 16, 32, 64, 128):
                yield _put(f"attribute-{bit}", span, before, before[:-1] + bytes([before[-1] ^ bit]))
        case "length" | "count" if _is_fixed(span):
            yield from _fixed(span, before)
        case "length" | "count":
            yield from _varint(span, before)
        case "compressed":
            yield from _compressed(span, before)
        case "value" if span.path.endswith(".key") and ".headers[" in span.path:
            yield _put("utf8", span, before, b"\xff" * len(before))
        case _:
            return


def _is_fixed(span: Span) -> bool:
    """Return True if it is an int32: sizes and counts of batches, and the lengths of legacy messages."""
    return span.end - span.start == 4 and ".records[" not in span.path


def _fixed(span: Span, before: bytes) -> Iterator[Mutation]:
    (held,) = struct.unpack(">i", before)
    for number in dict.fromkeys((-1, -2, -_INT32, 0, 13, 14, 48, held - 1, held + 1, _INT32 - 1)):
        if number != held:
            yield _put(f"{span.role}={number}", span, before, struct.pack(">i", number))


def _varint(span: Span, before: bytes) -> Iterator[Mutation]:
    held = int(str(span.value))
    for number in dict.fromkeys((-1, -2, -_INT32, 0, held - 1, held + 1, 127, _INT32 - 1)):
        if number != held:
            yield _put(f"{span.role}={number}", span, before, write_varint(number))
    padded = bytes(byte | 0x80 for byte in before)
    yield _put(f"{span.role}-not-minimal", span, before, padded + b"\x00")
    yield _put(f"{span.role}-of-six-bytes", span, before, b"\xff\xff\xff\xff\xff\x01")


def _compressed(span: Span, before: bytes) -> Iterator[Mutation]:
    yield _put("stream-empty", span, before, b"")
    ends = range(max(1, len(before) - _END_BYTES), len(before))
    for left in dict.fromkeys((1, len(before) // 2, *ends)):
        yield _put(f"stream-cut-at-{left}", span, before, before[:left])
    for at in range(0, len(before), max(1, len(before) // 16)):
        flipped = before[:at] + bytes([before[at] ^ 0x55]) + before[at + 1 :]
        yield _put(f"stream-byte-{at}", span, before, flipped)
    yield _put("stream-garbage-behind", span, before, before + b"\x01\x02\x03")


@cache
def _bomb(codec: Compression, magic: int) -> bytes:
    """A small stream that holds, or claims to hold, more than a process that trusts it may have.

    Gzip, LZ4 and zstd: streams in a row, each above what our codec takes, 288 or 576 MiB together. Each byte
    is 1: zeros are messages of no length to some readers, which read millions of them.
    Snappy makes nothing that small: a block that declares the largest array there is.
    """
    if codec is Compression.SNAPPY:
        block = b"\xff\xff\xff\xff\x07" + b"\x00a"
        return compress(codec, b"", magic) + struct.pack(">i", len(block)) + block
    return compress(codec, b"\x01" * (MAX_DECOMPRESSED + (8 << 20)), magic) * _BOMB_PARTS[codec]


def _sealed(mutation: Mutation, data: bytes, start: int) -> Mutation:
    """The mutation with the lengths around it and the checksum of its batch put right."""
    magic = mutation.apply(data)[start + _MAGIC_AT]
    grown = len(mutation.after) - len(mutation.before)
    fixes = []
    if grown:
        fixes.append(_longer(data, start + _LENGTH_AT, grown))
        if mutation.operator.startswith("stream-") and magic < 2:
            fixes.append(_longer(data, mutation.offset - 4, grown))
    changed = replace(mutation, fixes=tuple(fixes)).apply(data)
    (size,) = struct.unpack_from(">i", changed, start + _LENGTH_AT)
    at = start + _CRC_AT.get(magic, _CRC_AT[2])
    body = changed[at + 4 : start + _LENGTH_AT + 4 + size]
    checksum = crc32(body) if magic < 2 else import_module("google_crc32c").value(body)
    fixes.append((at, struct.pack(">I", checksum)))
    return replace(mutation, operator=f"{mutation.operator},sealed", fixes=tuple(fixes))


def _longer(data: bytes, at: int, grown: int) -> tuple[int, bytes]:
    """Return the place of an int32 length, and the length increased by `grown`."""
    (length,) = struct.unpack_from(">i", data, at)
    return at, struct.pack(">i", length + grown)


def _starts(data: bytes) -> list[int]:
    """Return the offsets at which whole batches begin."""
    starts, pos = [0], 0
    while len(data) - pos > _MAGIC_AT:
        (size,) = struct.unpack_from(">i", data, pos + _LENGTH_AT)
        pos += _LENGTH_AT + 4 + size
        starts.append(pos)
    return starts


def _put(operator: str, span: Span, before: bytes, after: bytes) -> Mutation:
    return Mutation(operator, span.path, span.start, before, after)
