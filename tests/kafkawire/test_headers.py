"""Whole frames: size, header, body."""

from collections.abc import Callable

import pytest

from kafkawire.compiler import MessageCodec, compile_layout, interpret_layout
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.headers import FrameCodec
from kafkawire.schema import MessageLayout
from tests.support.schemas.real_layouts import real

HEADER = {"requestApiKey": 18, "requestApiVersion": 3, "correlationId": 1, "clientId": "a"}
FRAME = bytes.fromhex("0000000f 0012 0003 00000001 0001 61 00 01 01 00")


Make = Callable[[MessageLayout], MessageCodec]


def frames(make: Make = compile_layout) -> FrameCodec:
    return FrameCodec(make(real("RequestHeader", 2)), make(real("ApiVersionsRequest", 3)))


@pytest.mark.parametrize("make", [compile_layout, interpret_layout])
def test_a_frame_is_read_back(make: Make) -> None:
    """The frame has the size, header v2 (its client id after an int16, then tags) and the body."""
    codec = frames(make)
    assert codec.encode(HEADER, {}) == FRAME
    header, body = codec.decode(bytearray(FRAME))
    assert header == HEADER
    assert body == {"clientSoftwareName": "", "clientSoftwareVersion": ""}


@pytest.mark.parametrize(
    ("frame", "fault", "path", "offset"),
    [
        (FRAME[:3], Fault.TRUNCATED, "", 0),
        (FRAME[:-1], Fault.TRUNCATED, "", 0),
        (FRAME + b"\0", Fault.TRAILING, "", 19),
        (b"\xff\xff\xff\xff", Fault.LENGTH, "", 0),
        (b"\0\0\0\7" + FRAME[4:11], Fault.TRUNCATED, "header.correlationId", 8),
        (b"\0\0\0\x0b" + FRAME[4:15], Fault.TRUNCATED, "header._tags", 15),
        (b"\0\0\0\x0d" + FRAME[4:17], Fault.TRUNCATED, "clientSoftwareVersion", 17),
        (b"\0\0\0\x10" + FRAME[4:] + b"\0", Fault.TRAILING, "", 19),
    ],
)
def test_invalid_frames_are_refused(frame: bytes, fault: Fault, path: str, offset: int) -> None:
    """Offsets count from the start of the frame; paths of the header begin with it."""
    with pytest.raises(DecodeError) as caught:
        frames().decode(frame)
    assert (caught.value.fault, caught.value.path, caught.value.offset) == (fault, path, offset)


def test_invalid_values_are_refused() -> None:
    """Values of the header and of the body are refused."""
    with pytest.raises(EncodeError) as caught:
        frames().encode({**HEADER, "correlationId": "1"}, {})
    assert caught.value.path == "header.correlationId"
    with pytest.raises(EncodeError) as caught:
        frames().encode(HEADER, {"clientSoftwareName": 1})
    assert caught.value.path == "clientSoftwareName"
