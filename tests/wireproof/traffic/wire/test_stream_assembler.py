"""Assembly of the two directions of a connection to exchanges, with a reason for all other bytes."""

import struct
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.hostile.counted_steps import steps
from wireproof.traffic.wire.request_matcher import Exchange, SaslToken, UnpairedFrame, UnpairedReason
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection
from wireproof.traffic.wire.stream_assembler import AssembledPart, LossReason, LostBytes, StreamAssembler

TO_BROKER, TO_CLIENT = StreamDirection.TO_BROKER, StreamDirection.TO_CLIENT


def request(correlation_id: int, api_key: int = 3, version: int = 12, rest: bytes = b"\0\1x\0") -> bytes:
    """Return a request's frame: key, version, id and client id."""
    content = struct.pack(">hhi", api_key, version, correlation_id) + rest
    return len(content).to_bytes(4, "big") + content


def response(correlation_id: int, body: bytes = b"body") -> bytes:
    """Return a response's frame."""
    return (4 + len(body)).to_bytes(4, "big") + struct.pack(">i", correlation_id) + body


def sent(direction: StreamDirection, payload: bytes, kind: EntryKind = EntryKind.DATA) -> SegmentEntry:
    """Return an entry of the connection."""
    return SegmentEntry(0, 0, 1, kind, direction, payload)


CLOSED = sent(TO_BROKER, b"", EntryKind.CLOSE)


def settled(entries: Iterable[SegmentEntry], *, known_start: bool = True) -> list[AssembledPart]:
    """Return all parts of a connection."""
    conversation = StreamAssembler(known_start=known_start)
    parts = [each for entry in entries for each in conversation.feed(entry)]
    return parts + list(conversation.close())


def test_requests_and_responses_are_paired_by_their_id() -> None:
    """Requests may be sent ahead; each exchange has key, version and both frames."""
    parts = settled(
        [
            sent(TO_BROKER, request(1) + request(2, api_key=18, version=4)),
            sent(TO_CLIENT, response(1) + response(2)),
            CLOSED,
        ]
    )
    assert [
        (each.correlation_id, each.api_key, each.version) for each in parts if isinstance(each, Exchange)
    ] == [(1, 3, 12), (2, 18, 4)]
    assert [bytes(each.response.content[4:]) for each in parts if isinstance(each, Exchange)] == [b"body"] * 2
    assert len(parts) == 2


def reasons(parts: list[AssembledPart]) -> list[tuple[str, int | None]]:
    """Return the reasons of unpaired frames."""
    return [(each.reason, each.correlation_id) for each in parts if isinstance(each, UnpairedFrame)]


def test_a_request_without_a_response_is_reported_after_a_later_response() -> None:
    """A Produce with acks 0 has no response: the next response shows that."""
    parts = settled(
        [sent(TO_BROKER, request(1, api_key=0) + request(2)), sent(TO_CLIENT, response(2)), CLOSED]
    )
    assert reasons(parts) == [(UnpairedReason.NO_ANSWER, 1)]
    assert len([each for each in parts if isinstance(each, Exchange)]) == 1


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ([CLOSED], UnpairedReason.NO_ANSWER),
        ([sent(TO_CLIENT, b"", EntryKind.RESET), CLOSED], UnpairedReason.CUT),
        ([sent(TO_BROKER, b"", EntryKind.END)], UnpairedReason.CUT),
        ([], UnpairedReason.CUT),
    ],
)
def test_the_end_of_a_connection_decides_if_a_response_is_missing(
    last: list[SegmentEntry], reason: UnpairedReason
) -> None:
    """An answer is missing only if both sides were seen to their end; otherwise it may have been lost."""
    assert reasons(settled([sent(TO_BROKER, request(1)), *last])) == [(reason, 1)]


def test_a_response_without_a_request_is_named() -> None:
    """Its id was in no request, or was answered before."""
    parts = settled(
        [sent(TO_BROKER, request(1)), sent(TO_CLIENT, response(1) + response(1) + response(9)), CLOSED]
    )
    assert reasons(parts) == [(UnpairedReason.NO_REQUEST, 1), (UnpairedReason.NO_REQUEST, 9)]


def test_frames_too_short_for_their_ids_are_named() -> None:
    """A frame of three bytes has no correlation id."""
    short = b"\0\0\0\3abc"
    parts = settled([sent(TO_BROKER, short), sent(TO_CLIENT, short), CLOSED])
    assert reasons(parts) == [(UnpairedReason.TOO_SHORT, None)] * 2


def handshake(mechanism: str) -> bytes:
    """Return a SaslHandshake, version 0."""
    name = mechanism.encode()
    return request(5, 17, 0, b"\0\3app" + len(name).to_bytes(2, "big") + name)


@pytest.mark.parametrize(("mechanism", "rounds"), [("PLAIN", 1), ("SCRAM-SHA-512", 2)])
def test_tokens_after_an_old_handshake_are_not_requests(mechanism: str, rounds: int) -> None:
    """After a SaslHandshake of version 0 the tokens of the mechanism have a size, and no header."""
    token = b"\0\0\0\5\0user"
    parts = settled(
        [
            sent(TO_BROKER, handshake(mechanism)),
            sent(TO_CLIENT, response(5, b"\0\0\0\0\0\0")),
            *[sent(direction, token) for _ in range(rounds) for direction in StreamDirection],
            sent(TO_BROKER, request(6)),
            sent(TO_CLIENT, response(6)),
            CLOSED,
        ]
    )
    assert [type(each) for each in parts] == [Exchange, *[SaslToken] * 2 * rounds, Exchange]


def test_a_refused_handshake_is_followed_by_requests() -> None:
    """After an error there are no tokens: the client tries another mechanism."""
    parts = settled(
        [
            sent(TO_BROKER, handshake("PLAIN")),
            sent(TO_CLIENT, response(5, b"\0\x21\0\0\0\0")),
            sent(TO_BROKER, request(6)),
            sent(TO_CLIENT, response(6)),
        ]
    )
    assert [type(each) for each in parts] == [Exchange, Exchange]


def test_another_protocol_loses_the_rest_of_its_direction() -> None:
    """All bytes from the first that is not a frame are counted, with the reason."""
    parts = settled([sent(TO_BROKER, request(1) + b"GET / HTTP"), sent(TO_BROKER, b"/1.1\r\n"), CLOSED])
    (lost,) = [each for each in parts if isinstance(each, LostBytes)]
    assert (lost.offset, lost.count, lost.reason) == (len(request(1)), 16, LossReason.FOREIGN)
    assert "HTTP" in lost.detail


def hole(direction: StreamDirection, count: int) -> SegmentEntry:
    """Return an entry of missing bytes."""
    return sent(direction, count.to_bytes(8, "big"), EntryKind.HOLE)


def test_after_a_hole_the_next_frame_is_read() -> None:
    """The frame with the hole is lost; a chunk that begins like a frame is a frame again."""
    parts = settled(
        [
            sent(TO_BROKER, request(1)[:9]),
            hole(TO_BROKER, 4),
            sent(TO_BROKER, b"the end of it"),
            sent(TO_BROKER, request(2)),
            sent(TO_CLIENT, response(2)),
            CLOSED,
        ]
    )
    lost = [(each.offset, each.count, each.reason) for each in parts if isinstance(each, LostBytes)]
    assert lost == [(0, 9, LossReason.HOLE), (13, 13, LossReason.NO_BOUNDARY)]
    (exchange,) = [each for each in parts if isinstance(each, Exchange)]
    assert exchange.request.offset == 26


def test_a_hole_cuts_the_requests_that_wait_for_a_response() -> None:
    """The missing response may be in the hole: the request is reported as cut instead of unanswered."""
    parts = settled(
        [
            sent(TO_BROKER, request(1)),
            hole(TO_CLIENT, 100),
            sent(TO_BROKER, request(2)),
            sent(TO_CLIENT, response(2)),
            CLOSED,
        ]
    )
    assert reasons(parts) == [(UnpairedReason.CUT, 1)]
    assert len([each for each in parts if isinstance(each, Exchange)]) == 1


def test_the_first_frame_after_an_unknown_start_is_found() -> None:
    """The bytes of the frame that had begun before the capture are lost; the next frames are paired."""
    parts = settled(
        [
            sent(TO_CLIENT, b"the middle of something long"),
            sent(TO_BROKER, b"middle"),
            sent(TO_BROKER, request(4)),
            sent(TO_CLIENT, response(4)),
            CLOSED,
        ],
        known_start=False,
    )
    assert [each.reason for each in parts if isinstance(each, LostBytes)] == [LossReason.NO_BOUNDARY] * 2
    assert len([each for each in parts if isinstance(each, Exchange)]) == 1


@given(
    st.lists(
        st.tuples(st.sampled_from(list(StreamDirection)), st.binary(max_size=60), st.booleans()), max_size=20
    )
)
def test_every_byte_is_accounted_for(chunks: list[tuple[StreamDirection, bytes, bool]]) -> None:
    """Frames and lost parts together have each byte once, for any input."""
    entries = [hole(way, len(data)) if gone else sent(way, data) for way, data, gone in chunks]
    counted = dict.fromkeys(StreamDirection, 0)
    for each in settled(entries):
        match each:
            case Exchange():
                counted[TO_BROKER] += len(each.request.data)
                counted[TO_CLIENT] += len(each.response.data)
            case UnpairedFrame() | SaslToken():
                counted[each.direction] += len(each.frame.data)
            case LostBytes():
                counted[each.direction] += each.count
    for direction in StreamDirection:
        seen = sum(len(data) for way, data, gone in chunks if way is direction and not gone)
        assert counted[direction] == seen


def unanswered(count: int) -> list[SegmentEntry]:
    """Return requests without an answer, and as many responses of other requests."""
    asked = [sent(TO_BROKER, request(number)) for number in range(count)]
    return asked + [sent(TO_CLIENT, response(count + number)) for number in range(count)]


def test_twice_the_unanswered_requests_take_twice_the_work() -> None:
    """A response is not compared with each request that waits."""
    few, many = (steps(lambda size=size: settled(unanswered(size))) for size in (500, 1000))  # type: ignore[misc]
    assert many < 2.5 * few
