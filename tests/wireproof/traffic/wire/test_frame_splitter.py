"""Splitting of byte streams into frames."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wireproof.traffic.wire.sized_frames import framed
from wireproof.traffic.wire.request_matcher import Frame, FrameSplitter


@given(st.lists(st.binary(max_size=40)), st.binary(max_size=3), st.lists(st.integers(0, 400)))
def test_any_slicing_gives_the_same_frames(contents: list[bytes], rest: bytes, cuts: list[int]) -> None:
    """The frames, their offsets and the unfinished bytes do not depend on the pieces in which the bytes
    come."""
    stream = b"".join(map(framed, contents)) + rest
    bounds = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    splitter = FrameSplitter()
    frames = [
        frame for start, end in itertools.pairwise(bounds) for frame in splitter.feed(stream[start:end])
    ]
    assert [bytes(each.content) for each in frames] == contents
    assert all(stream[each.offset :].startswith(each.data) for each in frames)
    assert splitter.unfinished == rest
    assert splitter.offset == len(stream) - len(rest)
    assert splitter.foreign is None


@pytest.mark.parametrize(
    ("begin", "protocol"),
    [
        (b"GET / HTTP/1.1\r\n", "HTTP"),
        (b"HTTP/1.1 400", "HTTP"),
        (b"PRI * HTTP/2.0", "HTTP/2"),
        (b"\x16\x03\x01\x02\x00\x01", "TLS"),
        (b"SSH-2.0-x", "SSH"),
        (b"\xff\xff\xff\xff", ""),
        (b"\x7f\xff\xff\xff", ""),
    ],
)
def test_bytes_that_are_not_a_frame_have_a_reason(begin: bytes, protocol: str) -> None:
    """Another protocol, a negative size and a size above the limit end the splitting, at their byte."""
    splitter = FrameSplitter()
    assert splitter.feed(framed(b"good") + begin) == [Frame(0, framed(b"good"))]
    assert splitter.foreign is not None
    assert (splitter.foreign.offset, splitter.foreign.protocol) == (8, protocol)
    assert splitter.feed(framed(b"late")) == []


def test_the_limit_applies_to_the_content() -> None:
    """A frame of exactly the limit is returned; one more byte is an error."""
    assert len(FrameSplitter(limit=5).feed(framed(b"12345"))) == 1
    over = FrameSplitter(limit=5)
    assert over.feed(framed(b"123456")) == []
    assert over.foreign is not None
    assert "5 at most" in str(over.foreign)


def test_a_frame_after_a_hole_has_its_offset_in_the_stream() -> None:
    """Unfinished bytes before a hole are lost, and offsets include the missing bytes."""
    splitter = FrameSplitter()
    splitter.feed(framed(b"whole") + b"\0\0")
    splitter.skip(10)
    (frame,) = splitter.feed(framed(b"next"))
    assert frame.offset == 9 + 2 + 10
