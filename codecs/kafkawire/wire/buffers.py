"""Conversion of buffers to bytes, and descriptions of other values for errors."""

from typing import Final, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview

_SHOWN: Final = 40
"""The most characters of a value that an error shows."""


def as_bytes(data: Buffer) -> bytes:
    """The content as `bytes`; other buffers are copied, so that the result does not alias the caller's.

    Raises:
        TypeError: it is not bytes, bytearray or memoryview.
        ValueError: a memoryview that has been released.
    """
    if type(data) is bytes:
        return data
    if isinstance(data, bytes | bytearray | memoryview):
        return memoryview(data).tobytes()
    raise TypeError(f"want bytes, bytearray or memoryview, not {type(data).__name__}")


def describe(value: object) -> str:
    """A value in a few words. Runs no code of the value's class, whose `repr` may be long or fail."""
    if value is None or type(value) is bool or type(value) is float:
        return repr(value)
    if type(value) is int:
        return _describe_int(value)
    if type(value) is str or type(value) is bytes:
        return _describe_text(value)
    return f"a {type(value).__name__}"


def _describe_int(value: int) -> str:
    return repr(value) if value.bit_length() <= 128 else f"an int of {value.bit_length()} bits"


def _describe_text(value: str | bytes) -> str:
    if len(value) <= _SHOWN:
        return repr(value)
    return f"{value[:_SHOWN]!r}... ({len(value)} in all)"
