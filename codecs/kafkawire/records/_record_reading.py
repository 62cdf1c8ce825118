"""One record of magic 2, read with the exact place of a fault.

It reads only records that `_record_loop` refuses.
"""

import struct
from collections.abc import Callable
from typing import Final, TypeAlias

from kafkawire.errors import DecodeError, Fault
from kafkawire.records.model import Header, Record
from kafkawire.wire.varints import read_varint, read_varlong

_BYTE: Final = struct.Struct(">b")

Reader: TypeAlias = Callable[[bytes, int], tuple[int, int]]


def read_record(data: bytes, start: int, room: int) -> tuple[Record, int]:
    """The record at `start`, and the position after it.

    The work is proportional to the record's own bytes: a record set that is refused is read in linear time.

    Args:
        data: the bytes up to the end of the batch's records.
        room: the number of records and headers that may still be made, including this record.

    Raises:
        DecodeError: BOMB, LENGTH, NULL, RECORD_SIZE, TRUNCATED, UTF8, VARINT; paths from the record.
    """
    length, pos = read_varint(data, start)
    if length < 0:
        raise DecodeError(Fault.LENGTH, "", f"a record of {length} bytes", start)
    end = pos + length
    if end > len(data):
        raise DecodeError(Fault.TRUNCATED, "", f"{length} bytes wanted, {len(data) - pos} are left", start)
    try:
        return _body(data[pos:end], start - pos, room), end
    except DecodeError as error:
        raise DecodeError(error.fault, error.path, error.detail, pos + (error.offset or 0)) from None


def _body(data: bytes, start: int, room: int) -> Record:
    """The record with the content `data`.

    Args:
        start: the position of the record's length, relative to the content: a negative number.
    """
    try:
        (attributes,) = _BYTE.unpack_from(data, 0)
    except struct.error:
        raise DecodeError(Fault.TRUNCATED, "attributes", "no byte is left", 0) from None
    pos = 0
    timestamp, pos = _named("timestampDelta", read_varlong, data, pos + 1)
    offset, pos = _named("offsetDelta", read_varint, data, pos)
    key, pos = _bytes("key", data, pos)
    value, pos = _bytes("value", data, pos)
    headers, pos = _headers(data, pos, room - 1)
    if pos != len(data):
        detail = f"{len(data) - pos} bytes after the last header"
        raise DecodeError(Fault.RECORD_SIZE, "", detail, start)
    return Record(offset, timestamp, key, value, headers, attributes)


def _headers(data: bytes, start: int, room: int) -> tuple[tuple[Header, ...], int]:
    count, pos = _named("headers", read_varint, data, start)
    if count < 0:
        raise DecodeError(Fault.LENGTH, "headers", f"a count of {count}", start)
    if count > len(data) - pos:
        raise DecodeError(Fault.TRUNCATED, "headers", f"{count} headers in {len(data) - pos} bytes", start)
    if count > room:
        raise DecodeError(Fault.BOMB, "headers", f"{count} headers where {max(room, 0)} may be left", start)
    headers: list[Header] = []
    for index in range(count):
        try:
            header, pos = _header(data, pos)
        except DecodeError as error:
            raise error.within(f"headers[{index}]") from None
        headers.append(header)
    return tuple(headers), pos


def _header(data: bytes, start: int) -> tuple[Header, int]:
    key, pos = _bytes("key", data, start)
    if key is None:
        raise DecodeError(Fault.NULL, "key", "null", start)
    try:
        text = key.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError(Fault.UTF8, "key", str(error), start) from None
    value, pos = _bytes("value", data, pos)
    return Header(text, value), pos


def _bytes(name: str, data: bytes, start: int) -> tuple[bytes | None, int]:
    length, pos = _named(name, read_varint, data, start)
    if length < 0:
        if length == -1:
            return None, pos
        raise DecodeError(Fault.LENGTH, name, f"a length of {length}", start)
    end = pos + length
    if end > len(data):
        raise DecodeError(Fault.TRUNCATED, name, f"{length} bytes wanted, {len(data) - pos} are left", start)
    return data[pos:end], end


def _named(name: str, read: Reader, data: bytes, pos: int) -> tuple[int, int]:
    try:
        return read(data, pos)
    except DecodeError as error:
        raise error.within(name) from None
