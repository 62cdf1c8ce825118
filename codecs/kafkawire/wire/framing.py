"""Frames of a connection: an int32 size, then that many bytes (protocol guide, "Protocol Primitives")."""

from typing import Final

from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.wire.lengths import MAX_LENGTH
from kafkawire.wire.numbers import read_int32, truncated, write_int32

PREFIX_BYTES: Final = 4


def read_frame(data: bytes, pos: int) -> tuple[bytes, int]:
    """The next frame without its size, and the position after it.

    Raises:
        DecodeError: TRUNCATED, LENGTH; the offset is that of the size.
    """
    size, start = read_int32(data, pos)
    if size < 0:
        raise DecodeError(Fault.LENGTH, "", f"a frame of {size} bytes", pos)
    end = start + size
    if end > len(data):
        raise truncated(data, start, size, pos)
    return data[start:end], end


def write_frame(payload: bytes) -> bytes:
    """The payload after its size.

    Raises:
        EncodeError: TOO_LONG.
    """
    if len(payload) > MAX_LENGTH:
        raise EncodeError(Fault.TOO_LONG, "", f"a frame of {len(payload)} bytes; {MAX_LENGTH} at most")
    return write_int32(len(payload)) + payload
