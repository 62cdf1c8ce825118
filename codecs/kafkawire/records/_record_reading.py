"""Records of magic 2 read one by one, with the place of whatever is wrong.

The twin of `_record_loop`: the same result, told exactly. Only what the loop refuses comes here.
"""

import struct
from collections.abc import Callable
from typing import Final, TypeAlias

from kafkawire.errors import DecodeError, Fault
from kafkawire.records.model import Header, Record
from kafkawire.wire.varints import read_varint, read_varlong

__all__ = ["read_records"]

_BYTE: Final = struct.Struct(">b")

Reader: TypeAlias = Callable[[bytes, int], tuple[int, int]]


def read_records(data: bytes, pos: int, stop: int, count: int) -> tuple[Record, ...]:
    """Exactly `count` records that fill the bytes from `pos` to `stop`.

    Raises:
        DecodeError: COUNT, LENGTH, NULL, RECORD_SIZE, TRUNCATED, UTF8, VARINT; paths from the batch.
    """
    if stop < len(data):
        data = data[:stop]  # what is behind is not the records'
    records: list[Record] = []
    for index in range(count):
        if pos == stop:
            raise DecodeError(Fault.COUNT, "records", f"{index} records where {count} are declared", pos)
        try:
            record, pos = _record(data, pos)
        except DecodeError as error:
            raise error.within(f"records[{index}]") from None
        records.append(record)
    if pos != stop:
        raise DecodeError(Fault.COUNT, "records", f"{stop - pos} bytes behind the last of {count}", pos)
    return tuple(records)


def _record(data: bytes, start: int) -> tuple[Record, int]:
    length, pos = read_varint(data, start)
    if length < 0:
        raise DecodeError(Fault.LENGTH, "", f"a record of {length} bytes", start)
    end = pos + length
    if end > len(data):
        raise DecodeError(Fault.TRUNCATED, "", f"{length} bytes wanted, {len(data) - pos} are left", start)
    return _body(data[:end], pos, start), end


def _body(data: bytes, pos: int, start: int) -> Record:
    """The record between its length and the end of `data`."""
    try:
        (attributes,) = _BYTE.unpack_from(data, pos)
    except struct.error:
        raise DecodeError(Fault.TRUNCATED, "attributes", "no byte is left", pos) from None
    timestamp, pos = _named("timestampDelta", read_varlong, data, pos + 1)
    offset, pos = _named("offsetDelta", read_varint, data, pos)
    key, pos = _bytes("key", data, pos)
    value, pos = _bytes("value", data, pos)
    headers, pos = _headers(data, pos)
    if pos != len(data):
        detail = f"{len(data) - pos} bytes behind the last header"
        raise DecodeError(Fault.RECORD_SIZE, "", detail, start)
    return Record(
        offset, timestamp, key, value, headers, attributes - 256 if attributes > 127 else attributes
    )


def _headers(data: bytes, start: int) -> tuple[tuple[Header, ...], int]:
    count, pos = _named("headers", read_varint, data, start)
    if count < 0:
        raise DecodeError(Fault.LENGTH, "headers", f"a count of {count}", start)
    if count > len(data) - pos:
        raise DecodeError(Fault.TRUNCATED, "headers", f"{count} headers in {len(data) - pos} bytes", start)
    headers: list[Header] = []
    for index in range(count):
        key_at = pos
        key, pos = _bytes(f"headers[{index}].key", data, pos)
        if key is None:
            raise DecodeError(Fault.NULL, f"headers[{index}].key", "null", key_at)
        try:
            text = key.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DecodeError(Fault.UTF8, f"headers[{index}].key", str(error), key_at) from None
        value, pos = _bytes(f"headers[{index}].value", data, pos)
        headers.append(Header(text, value))
    return tuple(headers), pos


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
