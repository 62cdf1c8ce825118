"""Types of a fixed width: big-endian integers, bool, float64, uuid (Kafka: `Readable`, `Writable`).

Every `read_x(data, pos)` returns the value and the position after it, or raises `DecodeError`
TRUNCATED. Every `write_x(value)` returns the bytes, or raises `EncodeError` TYPE or RANGE.
"""

import struct
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID, SafeUUID

from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.wire.buffers import describe

_new: Final = object.__new__
_set: Final = object.__setattr__
_UNKNOWN: Final = SafeUUID.unknown
_ZERO_BYTES: Final = bytes(16)
_ZERO_UUID: Final = UUID(int=0)

FIXED_CODES: Final = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
    "uuid": "16s",
}
"""Kafka's name of each type of a fixed width, and its code in Python's `struct`."""


def truncated(data: bytes, start: int, needed: int, offset: int | None = None) -> DecodeError:
    """The error for an item at `offset` (`start` if None) that needs more bytes than follow `start`."""
    left = max(0, len(data) - start)
    detail = f"needs {needed} bytes, {left} left"
    return DecodeError(Fault.TRUNCATED, "", detail, start if offset is None else offset)


def _integer(name: str) -> tuple[Callable[[bytes, int], tuple[int, int]], Callable[[int], bytes]]:
    """The reader and the writer of an integer type. Writing takes what `struct.pack` takes."""
    form = struct.Struct(">" + FIXED_CODES[name])
    unpack, pack, size = form.unpack_from, form.pack, form.size

    def read(data: bytes, pos: int) -> tuple[int, int]:
        try:
            return unpack(data, pos)[0], pos + size
        except struct.error:
            raise truncated(data, pos, size) from None

    def write(value: int) -> bytes:
        try:
            return pack(value)
        except Exception as error:  # noqa: BLE001 - `__index__` is the value's own code: it may raise anything
            whole = isinstance(error, struct.error) and hasattr(type(value), "__index__")
            fault = Fault.RANGE if whole else Fault.TYPE
            raise EncodeError(fault, "", f"{describe(value)} is not of type {name}") from None

    return read, write


read_int8, write_int8 = _integer("int8")
read_int16, write_int16 = _integer("int16")
read_int32, write_int32 = _integer("int32")
read_int64, write_int64 = _integer("int64")
read_uint16, write_uint16 = _integer("uint16")
read_uint32, write_uint32 = _integer("uint32")

_FLOAT64: Final = struct.Struct(">d")


def read_bool(data: bytes, pos: int) -> tuple[bool, int]:
    """One byte; any value except 0 is true."""
    try:
        return data[pos] != 0, pos + 1
    except IndexError:
        raise truncated(data, pos, 1) from None


def write_bool(value: bool) -> bytes:
    """0 or 1; only `True` and `False` are accepted."""
    if value is True:
        return b"\1"
    if value is False:
        return b"\0"
    raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a bool")


def read_float64(data: bytes, pos: int) -> tuple[float, int]:
    """IEEE 754, 8 bytes; the bits of a NaN are kept."""
    try:
        return _FLOAT64.unpack_from(data, pos)[0], pos + 8
    except struct.error:
        raise truncated(data, pos, 8) from None


def write_float64(value: float) -> bytes:
    """8 bytes; an int is accepted, too."""
    if not isinstance(value, float | int):
        raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a float64")
    try:
        return _FLOAT64.pack(value)
    except (OverflowError, struct.error):
        raise EncodeError(Fault.RANGE, "", f"{describe(value)} is beyond float64") from None


def new_uuid(raw: bytes) -> UUID:
    """16 bytes as a UUID, at half the cost of its constructor, which checks six kinds of arguments."""
    if raw == _ZERO_BYTES:
        return _ZERO_UUID  # Kafka's "none", and by far the most frequent
    value = _new(UUID)
    # As in the constructor, because a UUID refuses assignments.
    _set(value, "int", int.from_bytes(raw, "big"))
    _set(value, "is_safe", _UNKNOWN)
    return value


def read_uuid(data: bytes, pos: int) -> tuple[UUID, int]:
    """16 bytes, as written by RFC 9562."""
    raw = data[pos : pos + 16]
    if len(raw) != 16:
        raise truncated(data, pos, 16)
    return new_uuid(raw), pos + 16


def write_uuid(value: UUID) -> bytes:
    """Return the 16 bytes of a UUID."""
    if not isinstance(value, UUID):
        raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a UUID")
    return value.int.to_bytes(16, "big")


FIXED_READERS: Final[dict[str, Callable[[bytes, int], tuple[Any, int]]]] = {
    "bool": read_bool,
    "int8": read_int8,
    "int16": read_int16,
    "uint16": read_uint16,
    "int32": read_int32,
    "uint32": read_uint32,
    "int64": read_int64,
    "float64": read_float64,
    "uuid": read_uuid,
}
"""Kafka's name of each type of a fixed width, and its reader."""

FIXED_WRITERS: Final[dict[str, Callable[[Any], bytes]]] = {
    "bool": write_bool,
    "int8": write_int8,
    "int16": write_int16,
    "uint16": write_uint16,
    "int32": write_int32,
    "uint32": write_uint32,
    "int64": write_int64,
    "float64": write_float64,
    "uuid": write_uuid,
}
"""Kafka's name of each type of a fixed width, and its writer, which checks the value's type and range."""
