"""Records of magic 2 at speed: one pass, with the common forms of varints inline.

The loop only detects that a record is wrong; `_record_reading` reads that record again and locates the fault.
The native module has the same loop. In this one, slices beyond the end come out short without an error. So a
record is right only if its content ends exactly at its declared end, and the last record exactly at the end
of the batch.
"""

from contextlib import suppress
from typing import Final

from kafkawire.errors import DecodeError, Fault
from kafkawire.records._libraries import native_records
from kafkawire.records._record_reading import read_record
from kafkawire.records.model import Header, Record
from kafkawire.wire.varints import read_varint, read_varlong

UNBOUNDED: Final = 1 << 62
"""The room for an unlimited number of records and headers: more than any bytes can hold."""

_NO_HEADERS: Final[tuple[Header, ...]] = ()
_SIGNED: Final = (*range(128), *range(-128, 0))
"""The signed number of each byte."""


def decode_record_block(
    data: bytes, pos: int, stop: int, count: int, room: int = UNBOUNDED
) -> tuple[tuple[Record, ...], int]:
    """Exactly `count` records that fill the bytes from `pos` to `stop`, and the room left after them.

    Args:
        room: the number of records and headers that may be made.

    Raises:
        DecodeError: BOMB, COUNT, LENGTH, NULL, RECORD_SIZE, TRUNCATED, UTF8, VARINT; paths from the batch.
    """
    records: list[Record] = []
    native = native_records()
    read = _loop if native is None else native.read
    pos, room = read(data, pos, stop, count, room, records)
    while len(records) < count:
        if stop < len(data):
            data = data[:stop]  # the rest belongs to other batches
        index = len(records)
        if pos == stop:
            raise DecodeError(Fault.COUNT, "records", f"{index} records where {count} are declared", pos)
        if room <= 0:
            raise DecodeError(
                Fault.BOMB, "records", f"more than the {index} records that there is room for", pos
            )
        try:
            record, pos = read_record(data, pos, room)
        except DecodeError as error:
            raise error.within(f"records[{index}]") from None
        records.append(record)
        room -= 1 + len(record.headers)
        pos, room = read(data, pos, stop, count - len(records), room, records)
    if pos != stop:
        raise DecodeError(Fault.COUNT, "records", f"{stop - pos} bytes after the last of {count}", pos)
    if room < 0:
        raise DecodeError(
            Fault.BOMB, "records", f"{-room} records and headers more than there is room for", pos
        )
    return tuple(records), room


def _loop(  # noqa: PLR0915 - one function, because a call costs as much as a field
    data: bytes, pos: int, stop: int, count: int, room: int, records: list[Record]
) -> tuple[int, int]:
    """Append records up to the first one that is wrong or has no room.

    Return its start and the room left, which is below 0 if the last records have too many headers.
    """
    at, before, append, new = pos, len(records), records.append, tuple.__new__
    with suppress(IndexError, UnicodeDecodeError, DecodeError):
        for _ in range(min(count, room)):
            first, second = data[pos], data[pos + 1]
            if first > 127 and second < 128 and not first & 1:
                pos += 2
                end = pos + ((first & 127 | second << 7) >> 1)
            else:
                length, pos = read_varint(data, pos)
                end = pos + length
            if not pos <= end <= stop:
                break
            attributes, first = _SIGNED[data[pos]], data[pos + 1]
            pos += 2
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
            first = data[pos]
            if first > 127 or first & 1:
                key, pos = _nullable(data, pos)
            else:
                start = pos + 1
                pos = start + (first >> 1)
                key = data[start:pos]
            first, second = data[pos], data[pos + 1]
            if first < 128 or second > 127 or first & 1:
                value, pos = _nullable(data, pos)
            else:
                start = pos + 2
                pos = start + ((first & 127 | second << 7) >> 1)
                value = data[start:pos]
            headers = _NO_HEADERS
            if data[pos]:
                headers, pos = _headers(data, pos, end, room)
            else:
                pos += 1
            if pos != end:
                break
            room -= len(headers)
            append(new(Record, (offset, timestamp, key, value, headers, attributes)))
            at = pos
    return at, room - (len(records) - before)


def _headers(data: bytes, pos: int, end: int, room: int) -> tuple[tuple[Header, ...], int]:
    count, pos = read_varint(data, pos)
    if not 0 <= count <= min(end - pos, room):
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
    """Nullable bytes after their length; IndexError for other negative lengths."""
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
