"""Variable-length integers: seven bits a byte, lowest first; the top bit is set if another byte follows.

Lengths and tags are unsigned (KIP-482, "Unsigned Varints"). The signed integers of record batches are
zig-zag, as in protocol buffers. Kafka: `ByteUtils.readUnsignedVarint`, `readVarint`, `readVarlong`.

KIP-625 proposes both for fields of type int16, int32 and int64 (`PackedInteger`).

Encodings that are not minimal (``80 00`` for 0) are accepted, as in Kafka. Bits above the type's width are
refused; Kafka drops them silently.
"""

from operator import index
from typing import Final, NamedTuple

from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.wire.buffers import describe

_INT_BITS: Final = 32
_LONG_BITS: Final = 64
_ONE_BYTE: Final = tuple(bytes([value]) for value in range(0x80))


def read_uvarint(data: bytes, pos: int) -> tuple[int, int]:
    """An unsigned varint of at most 5 bytes, 0 to 2^32 - 1, and the position after it.

    Raises:
        DecodeError: TRUNCATED, VARINT.
    """
    try:
        first = data[pos]
    except IndexError:
        raise DecodeError(Fault.TRUNCATED, "", "a varint has no first byte", pos) from None
    if first < 0x80:
        return first, pos + 1
    return _read_groups(data, pos, _INT_BITS)


def read_varint(data: bytes, pos: int) -> tuple[int, int]:
    """A zig-zag varint of at most 5 bytes, -2^31 to 2^31 - 1, and the position after it.

    Raises:
        DecodeError: TRUNCATED, VARINT.
    """
    raw, pos = _read_groups(data, pos, _INT_BITS)
    return (raw >> 1) ^ -(raw & 1), pos


def read_varlong(data: bytes, pos: int) -> tuple[int, int]:
    """A zig-zag varint of at most 10 bytes, -2^63 to 2^63 - 1, and the position after it.

    Raises:
        DecodeError: TRUNCATED, VARINT.
    """
    raw, pos = _read_groups(data, pos, _LONG_BITS)
    return (raw >> 1) ^ -(raw & 1), pos


def write_uvarint(value: int) -> bytes:
    """The shortest unsigned varint of 0 to 2^32 - 1.

    Raises:
        EncodeError: RANGE.
    """
    if 0 <= value < 0x80:
        return _ONE_BYTE[value]
    if not 0 <= value < 1 << _INT_BITS:
        raise EncodeError(Fault.RANGE, "", f"{describe(value)} is not an unsigned 32-bit integer")
    return _write_groups(value)


def write_varint(value: int) -> bytes:
    """The shortest zig-zag varint of -2^31 to 2^31 - 1.

    Raises:
        EncodeError: RANGE.
    """
    return _write_groups(_zigzag(value, _INT_BITS))


def write_varlong(value: int) -> bytes:
    """The shortest zig-zag varint of -2^63 to 2^63 - 1.

    Raises:
        EncodeError: RANGE.
    """
    return _write_groups(_zigzag(value, _LONG_BITS))


def size_uvarint(value: int) -> int:
    """The bytes that `write_uvarint` gives for a value in its range."""
    return (max(value.bit_length(), 1) + 6) // 7


def size_varint(value: int) -> int:
    """The bytes that `write_varint` gives for a value in its range."""
    return (value ^ (value >> (_INT_BITS - 1))).bit_length() // 7 + 1  # zig-zag adds one bit


def size_varlong(value: int) -> int:
    """The bytes that `write_varlong` gives for a value in its range."""
    return (value ^ (value >> (_LONG_BITS - 1))).bit_length() // 7 + 1


class PackedInteger(NamedTuple):
    """A varint of a signed integer of `bits` bits, as KIP-625 proposes it.

    Attributes:
        bits: 16, 32 or 64; a varint has at most 3, 5 or 10 bytes.
        zigzag: whether small numbers of either sign are short (``packed``). Otherwise the varint holds the
            two's complement of `bits` bits as an unsigned number (``upacked``): negative numbers take the
            most bytes.
    """

    bits: int
    zigzag: bool

    def read(self, data: bytes, pos: int) -> tuple[int, int]:
        """Return the number, -2^(bits-1) to 2^(bits-1) - 1, and the position after it.

        Raises:
            DecodeError: TRUNCATED, VARINT.
        """
        raw, end = _read_groups(data, pos, self.bits)
        if self.zigzag:
            return (raw >> 1) ^ -(raw & 1), end
        return raw - ((raw >> (self.bits - 1)) << self.bits), end

    def write(self, value: int) -> bytes:
        """Return the shortest varint of the number.

        Raises:
            EncodeError: TYPE, RANGE.
        """
        number = _whole(value)
        half = 1 << (self.bits - 1)
        if not -half <= number < half:
            raise EncodeError(Fault.RANGE, "", f"{describe(value)} is not a signed {self.bits}-bit integer")
        raw = self._unsigned(number)
        return _ONE_BYTE[raw] if raw < 0x80 else _write_groups(raw)

    def size(self, value: int) -> int:
        """Return the bytes that `write` gives for a number in its range.

        Raises:
            EncodeError: TYPE.
        """
        return size_uvarint(self._unsigned(_whole(value)))

    def _unsigned(self, number: int) -> int:
        """The number that the varint's groups hold."""
        if self.zigzag:
            return (number << 1) ^ (number >> (self.bits - 1))
        return number & ((1 << self.bits) - 1)


def _whole(value: int) -> int:
    """The value as an integer, converted as by `struct.pack`."""
    try:
        return index(value)
    except Exception:  # noqa: BLE001 - `__index__` is the value's own code: it may raise anything
        raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not an integer") from None


def _zigzag(value: int, bits: int) -> int:
    limit = 1 << (bits - 1)
    if not -limit <= value < limit:
        raise EncodeError(Fault.RANGE, "", f"{describe(value)} is not a signed {bits}-bit integer")
    return (value << 1) ^ (value >> (bits - 1))


def _read_groups(data: bytes, pos: int, bits: int) -> tuple[int, int]:
    start, result, shift = pos, 0, 0
    while shift < bits:
        try:
            byte = data[pos]
        except IndexError:
            raise DecodeError(Fault.TRUNCATED, "", "a varint goes on past the end", start) from None
        pos += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            if result >> bits:
                raise DecodeError(Fault.VARINT, "", f"a varint of more than {bits} bits", start)
            return result, pos
        shift += 7
    raise DecodeError(Fault.VARINT, "", f"a varint of more than {(bits + 6) // 7} bytes", start)


def _write_groups(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
