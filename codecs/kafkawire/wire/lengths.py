"""Items with a length prefix: strings, bytes (records too), arrays; and the markers of nullable structs.

`compact` chooses the prefix: an unsigned varint of length + 1 with 0 for null (KIP-482), or else an
int16 (strings) or int32 (bytes, counts) with -1 for null. `nullable` allows null.

Every reader raises `DecodeError` with the offset of the prefix: TRUNCATED, VARINT, LENGTH, NULL, and UTF8 for
strings. A length is compared with the number of remaining bytes before any memory is allocated for it.
"""

from typing import Final

from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.wire.buffers import Buffer, as_bytes, describe
from kafkawire.wire.numbers import read_int8, read_int16, read_int32, truncated, write_int16, write_int32
from kafkawire.wire.varints import read_uvarint, size_uvarint, write_uvarint

MAX_STRING_BYTES: Final = 32767
"""The most bytes of a string in UTF-8 (Kafka: `MessageDataGenerator`, "is too long to be serialized")."""

MAX_LENGTH: Final = 2**31 - 1
"""The largest length of bytes, and count of an array."""


def read_string(data: bytes, pos: int, compact: bool, nullable: bool) -> tuple[str | None, int]:
    """UTF-8 text of at most 32,767 bytes, and the position after it."""
    length, start = _read_length(data, pos, compact, wide=False)
    if length is None:
        _check_null(nullable, pos)
        return None, start
    end = start + length
    if length > MAX_STRING_BYTES:
        raise DecodeError(Fault.LENGTH, "", f"a string of {length} bytes; {MAX_STRING_BYTES} at most", pos)
    if end > len(data):
        raise truncated(data, start, length, pos)
    try:
        return data[start:end].decode(), end
    except UnicodeDecodeError as error:
        raise DecodeError(Fault.UTF8, "", f"{error.reason} at byte {error.start} of the text", pos) from None


def read_bytes(data: bytes, pos: int, compact: bool, nullable: bool) -> tuple[bytes | None, int]:
    """A copy of the bytes, and the position after them."""
    length, start = _read_length(data, pos, compact, wide=True)
    if length is None:
        _check_null(nullable, pos)
        return None, start
    end = start + length
    if end > len(data):
        raise truncated(data, start, length, pos)
    return data[start:end], end


def read_count(data: bytes, pos: int, compact: bool, nullable: bool) -> tuple[int | None, int]:
    """The count of an array's elements, and the position of the first one.

    A count above the number of remaining bytes is TRUNCATED (Kafka: "Tried to allocate a collection of size
    ...").
    """
    count, start = _read_length(data, pos, compact, wide=True)
    if count is None:
        _check_null(nullable, pos)
        return None, start
    if count > len(data) - start:
        raise DecodeError(Fault.TRUNCATED, "", f"{count} elements, {len(data) - start} bytes left", pos)
    return count, start


def read_marker(data: bytes, pos: int) -> tuple[bool, int]:
    """Test if a nullable struct is present (KIP-893): int8 1, or -1 for null.

    Raises:
        DecodeError: TRUNCATED; MARKER for another byte (Kafka checks only the sign).
    """
    marker, end = read_int8(data, pos)
    if marker not in (1, -1):
        raise DecodeError(Fault.MARKER, "", f"marker {marker}; want 1 or -1", pos)
    return marker == 1, end


def read_tagged_marker(data: bytes, pos: int) -> tuple[bool, int]:
    """Test if a nullable struct is present in a tagged field: unsigned varint 1, or 0 for null.

    Raises:
        DecodeError: TRUNCATED, VARINT; MARKER for another number.
    """
    marker, end = read_uvarint(data, pos)
    if marker > 1:
        raise DecodeError(Fault.MARKER, "", f"marker {marker}; want 0 or 1", pos)
    return marker == 1, end


def write_string(value: str | None, compact: bool, nullable: bool) -> bytes:
    """Prefix and text.

    Raises:
        EncodeError: NULL, TYPE, TOO_LONG; UTF8 for a lone surrogate.
    """
    if value is None:
        _refuse_null(nullable)
        return b"\0" if compact else b"\xff\xff"
    text = utf8(value)
    return (write_uvarint(len(text) + 1) if compact else write_int16(len(text))) + text


def utf8(value: str) -> bytes:
    """The UTF-8 form of a string.

    Raises:
        EncodeError: TYPE, TOO_LONG; UTF8 for a lone surrogate.
    """
    if not isinstance(value, str):
        raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a str")
    try:
        text = str.encode(value)
    except UnicodeEncodeError as error:
        raise EncodeError(Fault.UTF8, "", f"{error.reason} at character {error.start}") from None
    if len(text) > MAX_STRING_BYTES:
        raise EncodeError(Fault.TOO_LONG, "", f"{len(text)} bytes of text; {MAX_STRING_BYTES} at most")
    return text


def write_bytes(value: Buffer | None, compact: bool, nullable: bool) -> bytes:
    """Prefix and bytes.

    Raises:
        EncodeError: NULL, TYPE, TOO_LONG.
    """
    if value is None:
        _refuse_null(nullable)
        return b"\0" if compact else b"\xff\xff\xff\xff"
    raw = raw_bytes(value)
    return write_count(len(raw), compact) + raw


def raw_bytes(value: Buffer) -> bytes:
    """A field's bytes.

    Raises:
        EncodeError: TYPE.
    """
    try:
        return as_bytes(value)
    except (TypeError, ValueError):
        raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not bytes") from None


def write_count(count: int | None, compact: bool) -> bytes:
    """The prefix of an array or of bytes; None is null.

    Raises:
        EncodeError: TOO_LONG.
    """
    number = -1 if count is None else count
    if number > MAX_LENGTH:
        raise EncodeError(Fault.TOO_LONG, "", f"a length of {number}; {MAX_LENGTH} at most")
    return write_uvarint(number + 1) if compact else write_int32(number)


def size_prefix(length: int, compact: bool, fixed: int) -> int:
    """The size of the prefix for a length (-1: null); `fixed` is the size of a prefix that is not compact."""
    return size_uvarint(length + 1) if compact else fixed


def write_marker(present: bool) -> bytes:
    """The marker of a nullable struct."""
    return b"\1" if present else b"\xff"


def write_tagged_marker(present: bool) -> bytes:
    """The marker of a nullable struct that is a tagged field."""
    return b"\1" if present else b"\0"


def _read_length(data: bytes, pos: int, compact: bool, wide: bool) -> tuple[int | None, int]:
    """A length, or None for null, and the position after the prefix."""
    if compact:
        raw, end = read_uvarint(data, pos)
        length = raw - 1
    else:
        length, end = read_int32(data, pos) if wide else read_int16(data, pos)
    if length == -1:
        return None, end
    if not 0 <= length <= MAX_LENGTH:
        raise DecodeError(Fault.LENGTH, "", f"a length of {length}", pos)
    return length, end


def _check_null(nullable: bool, pos: int) -> None:
    if not nullable:
        raise DecodeError(Fault.NULL, "", "null is not allowed in this version", pos)


def _refuse_null(nullable: bool) -> None:
    if not nullable:
        raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
