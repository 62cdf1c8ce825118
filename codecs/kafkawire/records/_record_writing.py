"""Records of magic 2 to bytes: a fast path for plain values, and exact checks for all others."""

from typing import Final

from kafkawire.errors import EncodeError, Fault
from kafkawire.records._libraries import native_records
from kafkawire.records._value_checks import bytes_or_null, number
from kafkawire.records.model import Header, Record
from kafkawire.wire.buffers import describe
from kafkawire.wire.varints import write_varint, write_varlong

_LOW: Final = -64
_HIGH: Final = 2048
_VARINTS: Final = tuple(write_varint(value) for value in (*range(_HIGH), *range(_LOW, 0)))
"""The varints of these numbers; a negative number is an index from the end."""

_ATTRIBUTES: Final = tuple(bytes([value & 0xFF]) for value in (*range(128), *range(-128, 0)))


def encode_record_block(records: object) -> bytes:
    """The records, one after the other.

    Raises:
        EncodeError: NULL, RANGE, TOO_LONG, TYPE, UTF8.
    """
    native = native_records()
    if native is not None and (written := native.write(records)) is not None:
        return bytes(written)
    if type(records) is not tuple and type(records) is not list:
        raise EncodeError(Fault.TYPE, "records", f"want a tuple of Record, not {describe(records)}")
    pieces: list[bytes] = []
    append = pieces.append
    table, join = _VARINTS, b"".join
    for record in records:
        if type(record) is not Record:
            raise _at(len(pieces), EncodeError(Fault.TYPE, "", f"want a Record, not {describe(record)}"))
        offset, timestamp, key, value, headers, attributes = record
        if (
            type(offset) is not int
            or type(timestamp) is not int
            or type(attributes) is not int
            or not -128 <= attributes < 128
            or type(headers) is not tuple
            or (type(key) is not bytes and key is not None)
            or (type(value) is not bytes and value is not None)
        ):
            record = _checked(len(pieces), record)
            offset, timestamp, key, value, headers, attributes = record
        try:
            body = join((
                _ATTRIBUTES[attributes],
                table[timestamp] if _LOW <= timestamp < _HIGH else _varlong(timestamp),
                table[offset] if _LOW <= offset < _HIGH else _varint(offset),
                b"\1" if key is None else table[n] if (n := len(key)) < _HIGH else write_varint(n),
                key or b"",
                b"\1" if value is None else table[n] if (n := len(value)) < _HIGH else write_varint(n),
                value or b"",
                _headers(headers) if headers else b"\0",
            ))  # fmt: skip
        except EncodeError as error:
            raise _at(len(pieces), error) from None
        length = len(body)
        append((table[length] if length < _HIGH else write_varint(length)) + body)
    return join(pieces)


def _at(index: int, error: EncodeError) -> EncodeError:
    return error.within(f"records[{index}]")


def _varlong(timestamp: int) -> bytes:
    try:
        return write_varlong(timestamp)
    except EncodeError as error:
        raise error.within("timestampDelta") from None


def _varint(offset: int) -> bytes:
    try:
        return write_varint(offset)
    except EncodeError as error:
        raise error.within("offsetDelta") from None


def _headers(headers: tuple[Header, ...]) -> bytes:
    out = [write_varint(len(headers))]
    for index, header in enumerate(headers):
        try:
            key, value = _header(header)
        except EncodeError as error:
            raise error.within(f"headers[{index}]") from None
        out += write_varint(len(key)), key
        if value is None:
            out.append(_VARINTS[-1])
        else:
            out += write_varint(len(value)), value
    return b"".join(out)


def _header(header: object) -> tuple[bytes, bytes | None]:
    if type(header) is not Header:
        raise EncodeError(Fault.TYPE, "", f"want a Header, not {describe(header)}")
    key: object = header.key
    if type(key) is not str:
        fault = Fault.NULL if key is None else Fault.TYPE
        raise EncodeError(fault, "key", f"want a str, not {describe(key)}")
    try:
        encoded = key.encode("utf-8")
    except UnicodeEncodeError:
        raise EncodeError(Fault.UTF8, "key", f"{describe(key)} has no UTF-8 form") from None
    return encoded, bytes_or_null(header.value, "value")


def _checked(index: int, record: Record) -> Record:
    """The record with plain ints, bytes and a tuple of headers, if its parts can be converted."""
    try:
        headers: object = record.headers
        if type(headers) is not tuple and type(headers) is not list:
            raise EncodeError(Fault.TYPE, "headers", f"want a tuple of Header, not {describe(headers)}")
        return Record(
            number(record.offset_delta, 32, "offsetDelta"),
            number(record.timestamp_delta, 64, "timestampDelta"),
            bytes_or_null(record.key, "key"),
            bytes_or_null(record.value, "value"),
            tuple(headers),
            number(record.attributes, 8, "attributes"),
        )
    except EncodeError as error:
        raise _at(index, error) from None
