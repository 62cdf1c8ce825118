"""Hostile changes of valid record sets: sizes, checksums, magics, attributes, counts, compressed data.

Most of them would only fail at the checksum. So bytes under a checksum are mutated twice: once without other
changes, and once *sealed*, with the checksum and the size of the batch corrected.
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
"""The named sets whose bytes are mutated."""

_INT32: Final = 1 << 31
_LENGTH_AT: Final = 8
_MAGIC_AT: Final = 16
_CRC_AT: Final = {0: 12, 1: 12, 2: 17}
_ATTRIBUTES_AT: Final = {0: 17, 1: 17, 2: 22}
_END_BYTES: Final = 12
"""More bytes than the checksum and length at the end of a gzip stream, or the end mark of another stream."""
_BOMB_PARTS: Final = {Compression.GZIP: 4, Compression.LZ4: 8, Compression.ZSTD: 4}
"""Enough streams to exceed the memory that a reader may take: 144 MiB and 128 bytes per byte of input. A byte
of LZ4 expands to at most 255 bytes of data."""


def record_mutations(case: RecordCase, part: MutationPart | None = None) -> Iterator[Mutation]:
    """Every mutation of one record set as our codec writes it.

    Args:
        part: selects mutations; None selects all.
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
    """The mutations of a span, unsealed and sealed; for compressed data a decompression bomb, too."""
    for mutation in _of_span(span, data):
        yield mutation
        if span.start >= start + _MAGIC_AT and span.role != "crc":
            yield _sealed(mutation, data, start)
    if span.role == "compressed":
        before = data[span.start : span.end]
        bomb = _put("stream-bomb", span, before, _bomb(_codec(data, start), data[start + _MAGIC_AT]))
        yield _sealed(bomb, data, start)


def _codec(data: bytes, start: int) -> Compression:
    """The compression of the batch that starts at this offset."""
    return Compression(data[start + _ATTRIBUTES_AT[data[start + _MAGIC_AT]]] & 7)


def _kind(span: Span, data: bytes, start: int) -> str:
    """The kind of place of a span: a field of a batch of this magic, or compressed data of this codec."""
    if start + _MAGIC_AT >= len(data):
        return span.role
    codec = f" {_codec(data, start)}" if span.role == "compressed" else ""
    return f"v{data[start + _MAGIC_AT]} {without_indices(span.path)} {span.role}{codec}"


def _operator(mutation: Mutation, span: Span) -> str:
    """The operator without numbers that come from the changed bytes."""
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
    """A small stream with, or with a claim of, more data than the memory that a reader may take.

    Gzip, LZ4 and zstd: several streams, each larger than our codec accepts, 288 or 576 MiB together. Each
    byte is 1, because some readers take zeros for millions of empty messages.
    Snappy cannot compress that well: its block declares the length of the largest array instead.
    """
    if codec is Compression.SNAPPY:
        block = b"\xff\xff\xff\xff\x07" + b"\x00a"
        return compress(codec, b"", magic) + struct.pack(">i", len(block)) + block
    if magic and codec is not Compression.LZ4:
        return _bomb(codec, 0)  # the magic is a matter of LZ4 alone
    return compress(codec, b"\x01" * (MAX_DECOMPRESSED + (8 << 20)), magic) * _BOMB_PARTS[codec]


def _sealed(mutation: Mutation, data: bytes, start: int) -> Mutation:
    """The mutation with corrected lengths around it, and with the corrected checksum of its batch."""
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
