"""Parts of records that the encoder checks: whole numbers and nullable bytes."""

from kafkawire.errors import EncodeError, Fault
from kafkawire.wire.buffers import as_bytes, describe


def number(value: object, bits: int, name: str) -> int:
    """A signed integer of that many bits.

    Raises:
        EncodeError: RANGE, TYPE.
    """
    if not issubclass(type(value), int):
        raise EncodeError(Fault.TYPE, name, f"want an int, not {describe(value)}")
    plain = int.__index__(value)  # type: ignore[arg-type]
    limit = 1 << (bits - 1)
    if not -limit <= plain < limit:
        raise EncodeError(Fault.RANGE, name, f"{describe(plain)} is not a signed {bits}-bit integer")
    return plain


def flag(value: object, name: str) -> bool:
    """Return a bool; raise for any other value.

    Raises:
        EncodeError: TYPE.
    """
    if type(value) is not bool:
        raise EncodeError(Fault.TYPE, name, f"want a bool, not {describe(value)}")
    return value


def bytes_or_null(value: object, name: str) -> bytes | None:
    """Bytes, bytearray or memoryview as bytes; None stays.

    Raises:
        EncodeError: TYPE.
    """
    if value is None:
        return None
    if type(value) in (bytes, bytearray, memoryview):
        try:
            return as_bytes(value)  # type: ignore[arg-type]
        except ValueError as error:  # a memoryview that was released
            raise EncodeError(Fault.TYPE, name, str(error)) from None
    raise EncodeError(Fault.TYPE, name, f"want bytes, not {describe(value)}")
