"""Records of magic 2 at speed: one pass, with the common forms of varints inline.

What is wrong is only noticed here; `_record_reading` says where. Slices beyond the end come out short
without an error, so that a record is only right where its content ends exactly at its declared end,
and the records exactly where the batch does.
"""

from typing import Final

from kafkawire.errors import DecodeError
from kafkawire.records._record_reading import read_records
from kafkawire.records.model import Header, Record
from kafkawire.wire.varints import read_varint, read_varlong

__all__ = ["decode_record_block"]

_NO_HEADERS: Final[tuple[Header, ...]] = ()


def decode_record_block(data: bytes, pos: int, stop: int, count: int) -> tuple[Record, ...]:
    """Exactly `count` records that fill the bytes from `pos` to `stop`.

    Raises:
        DecodeError: as `read_records`.
    """
    try:
        records = _loop(data, pos, stop, count)
    except (IndexError, UnicodeDecodeError, DecodeError):
        records = None
    return read_records(data, pos, stop, count) if records is None else tuple(records)


def _loop(data: bytes, pos: int, stop: int, count: int) -> list[Record] | None:  # noqa: C901, PLR0915
    """The records, or None where something is wrong. Long, because a call costs what a field does."""
    records: list[Record] = []
    append, new = records.append, tuple.__new__
    for _ in range(count):
        first, second = data[pos], data[pos + 1]
        if first > 127 and second < 128 and not first & 1:
            pos += 2
            end = pos + ((first & 127 | second << 7) >> 1)
        else:
            length, pos = read_varint(data, pos)
            end = pos + length
            if length < 0:
                return None
        if end > stop:
            return None
        attributes, first = data[pos], data[pos + 1]
        pos += 2
        if attributes > 127:
            attributes -= 256
        if first < 128:
            timestamp = first >> 1 ^ -(first & 1)
        else:
            timestamp, pos = read_varlong(data, pos - 1)
        first = data[pos]
        if first < 128:
            offset = first >> 1 ^ -(first & 1)
            pos += 1
        elif (second := data[pos + 1]) < 128:
            first = first & 127 | second << 7
            offset = first >> 1 ^ -(first & 1)
            pos += 2
        else:
            offset, pos = read_varint(data, pos)
        key: bytes | None
        first = data[pos]
        if first < 128 and not first & 1:
            start = pos + 1
            pos = start + (first >> 1)
            key = data[start:pos]
        else:
            key, pos = _nullable(data, pos)
        value: bytes | None
        first, second = data[pos], data[pos + 1]
        if first > 127 and second < 128 and not first & 1:
            start = pos + 2
            pos = start + ((first & 127 | second << 7) >> 1)
            value = data[start:pos]
        else:
            value, pos = _nullable(data, pos)
        headers = _NO_HEADERS
        if data[pos]:
            headers, pos = _headers(data, pos, end)
        else:
            pos += 1
        if pos != end:
            return None
        append(new(Record, (offset, timestamp, key, value, headers, attributes)))
    return records if pos == stop else None


def _headers(data: bytes, pos: int, end: int) -> tuple[tuple[Header, ...], int]:
    count, pos = read_varint(data, pos)
    if not 0 <= count <= end - pos:
        raise IndexError
    headers: list[Header] = []
    for _ in range(count):
        key, pos = _nullable(data, pos)
        if key is None or pos > end:
            raise IndexError
        value, pos = _nullable(data, pos)
        headers.append(Header(key.decode(), value))
    return tuple(headers), pos


def _nullable(data: bytes, pos: int) -> tuple[bytes | None, int]:
    """Nullable bytes behind their length; IndexError for other negative lengths."""
    first = data[pos]
    if first == 1:
        return None, pos + 1
    if first < 128 and not first & 1:
        pos += 1
        end = pos + (first >> 1)
        return data[pos:end], end
    length, pos = read_varint(data, pos)
    if length < -1:
        raise IndexError
    if length < 0:
        return None, pos
    return data[pos : pos + length], pos + length
