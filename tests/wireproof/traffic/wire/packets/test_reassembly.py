"""Reassembly of TCP segments to streams of bytes."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.hostile.counted_steps import steps
from wireproof.traffic.wire.packets.reassembly import ConnectionReassembler
from wireproof.traffic.wire.packets.tcp_segments import Endpoint, TcpSegment
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection

CLIENT, BROKER = Endpoint("10.0.0.1", 40000), Endpoint("10.0.0.2", 9092)
TEXT = bytes(range(256)) * 2


def to_broker(sequence: int, data: bytes = b"", **flags: bool | int) -> TcpSegment:
    """Return a segment of the client."""
    return TcpSegment(0, CLIENT, BROKER, sequence % 2**32, data, **flags)  # type: ignore[arg-type]


def to_client(sequence: int, data: bytes = b"", **flags: bool | int) -> TcpSegment:
    """Return a segment of the broker."""
    return TcpSegment(0, BROKER, CLIENT, sequence % 2**32, data, **flags)  # type: ignore[arg-type]


def entries(segments: Iterable[TcpSegment]) -> list[SegmentEntry]:
    """Return all entries of a capture."""
    connections = ConnectionReassembler(lambda endpoint: endpoint.port == 9092)
    made = [entry for segment in segments for entry in connections.feed(segment)]
    return made + list(connections.close())


def reassembled(segments: Iterable[TcpSegment]) -> list[object]:
    """Return the bytes of the client, a number for each hole in them, and the kinds of other entries."""
    out: list[object] = []
    for entry in entries(segments):
        if entry.kind is EntryKind.DATA:
            out.append(entry.payload)
        else:
            out.append(entry.missing if entry.kind is EntryKind.HOLE else entry.kind)
    return out


START = to_broker(999, syn=True)


@pytest.mark.parametrize("origin", [1000, 2**32 - 100])
@given(data=st.data())
def test_any_order_gives_the_stream_once(origin: int, data: st.DataObject) -> None:
    """Segments may be out of order, repeated, overlapping, and around the wrap of the sequence numbers."""
    cuts = sorted(data.draw(st.lists(st.integers(1, len(TEXT) - 1), unique=True, max_size=8)))
    bounds = list(zip([0, *cuts], [*cuts, len(TEXT)], strict=True))
    again = data.draw(
        st.lists(
            st.tuples(st.integers(0, 511), st.integers(1, 200)).map(lambda it: (it[0], sum(it))), max_size=5
        )
    )
    pieces = data.draw(st.permutations(bounds + again))
    segments = [to_broker(origin + start, TEXT[start:end]) for start, end in pieces]
    out = reassembled([to_broker(origin - 1, syn=True), *segments])
    assert out[0] is EntryKind.OPEN
    assert b"".join(each for each in out[1:] if isinstance(each, bytes)) == TEXT
    assert all(isinstance(each, bytes) for each in out[1:])


def test_bytes_that_never_came_are_a_hole() -> None:
    """At the end of the capture, bytes that wait for missing ones come after a hole."""
    assert reassembled([START, to_broker(1000, b"ab"), to_broker(1010, b"kl"), to_broker(1020, b"uv")]) == [
        EntryKind.OPEN,
        b"ab",
        8,
        b"kl",
        8,
        b"uv",
    ]


@given(st.data())
def test_acknowledged_bytes_in_the_capture_are_not_a_hole(data: st.DataObject) -> None:
    """The order and the repetitions do not matter; each byte is acknowledged when all bytes before it have
    come."""
    cuts = sorted(data.draw(st.lists(st.integers(1, len(TEXT) - 1), unique=True, max_size=8)))
    bounds = list(zip([0, *cuts], [*cuts, len(TEXT)], strict=True))
    pieces = data.draw(st.permutations(bounds + data.draw(st.lists(st.sampled_from(bounds), max_size=3))))
    there: set[int] = set()
    segments = [START, to_client(4999, syn=True, acknowledged=1000)]
    for start, end in pieces:
        there.update(range(start, end))
        has = next(each for each in range(len(TEXT) + 1) if each not in there)
        segments += [to_broker(1000 + start, TEXT[start:end]), to_client(5000, acknowledged=1000 + has)]
    out = reassembled(segments)
    assert b"".join(each for each in out[1:] if isinstance(each, bytes)) == TEXT
    assert all(isinstance(each, bytes) for each in out[1:])


AFTER_HOLE = to_broker(1010, b"kl")


@pytest.mark.parametrize(
    "segments",
    [
        [AFTER_HOLE, to_client(5000, b"yes", acknowledged=1012)],
        [AFTER_HOLE, to_client(5000, acknowledged=1010), to_client(5000, b"yes")],
        [to_client(5000, acknowledged=1012), AFTER_HOLE, to_client(5000, b"yes")],
    ],
)
def test_acknowledged_bytes_missing_from_the_capture_are_a_hole(segments: list[TcpSegment]) -> None:
    """The hole comes immediately, before the peer's response. The acknowledgement may come with the response,
    alone, or before the waiting segment."""
    first = to_broker(1000, b"ab")
    assert reassembled([START, first, *segments]) == [EntryKind.OPEN, b"ab", 8, b"kl", b"yes"]


def test_bytes_that_the_peer_lacks_may_still_come() -> None:
    """The peer acknowledged only a part of them, or its own missing byte; the numbers may wrap."""
    start = to_broker(2**32 - 3, syn=True)
    early, late = to_broker(6, b"kl"), to_broker(2**32 - 2, b"abcdefgh")
    for word in (2**32 - 2, 5, None):
        waits = to_client(9, b"", acknowledged=word) if word is not None else to_client(9)
        assert reassembled([start, early, waits, late]) == [EntryKind.OPEN, b"abcdefgh", b"kl"]
    assert reassembled([start, early, to_client(9, acknowledged=6), late]) == [EntryKind.OPEN, 8, b"kl"]


def test_bytes_beyond_the_snap_length_are_a_hole() -> None:
    """A segment that was cut by the snap length counts with its whole length."""
    assert reassembled([START, to_broker(1000, b"abc", lost=7), to_broker(1010, b"kl")]) == [
        EntryKind.OPEN,
        b"abc",
        7,
        b"kl",
    ]


def test_memory_is_bounded() -> None:
    """Thousands of segments after a hole are not kept for ever."""
    connections = ConnectionReassembler(lambda endpoint: endpoint.port == 9092)
    list(connections.feed(START))
    late = (to_broker(1002 + 2 * each, b"xy") for each in range(5000))
    made = [entry for segment in late for entry in connections.feed(segment)]
    assert made[0].missing == 2
    assert sum(len(each.payload) for each in made[1:]) == 10_000


def test_two_fins_end_a_connection() -> None:
    """Two FINs close a connection, whatever the order of bytes and FINs."""
    assert reassembled(
        [
            START,
            to_client(5000, syn=True),
            to_broker(1000, b"ask"),
            to_client(5001, b"answer"),
            to_broker(1005, b"f", fin=True),
            to_broker(1003, b"de"),
            to_client(5007, fin=True),
        ]
    ) == [EntryKind.OPEN, b"ask", b"answer", b"de", b"f", EntryKind.END, EntryKind.END, EntryKind.CLOSE]


def test_a_reset_ends_a_connection() -> None:
    """Waiting bytes come before the end of the connection."""
    assert reassembled([START, to_broker(1004, b"x"), to_client(1, reset=True)]) == [
        EntryKind.OPEN,
        EntryKind.RESET,
        4,
        b"x",
        EntryKind.CLOSE,
    ]


def test_the_same_ports_again_are_another_connection() -> None:
    """A SYN with another sequence number starts a connection; a repeated SYN does not."""
    made = entries(
        [START, START, to_broker(1000, b"a"), to_broker(70_000, syn=True), to_broker(70_001, b"b")]
    )
    assert [(each.connection, each.kind) for each in made] == [
        (1, EntryKind.OPEN),
        (1, EntryKind.DATA),
        (1, EntryKind.CLOSE),
        (2, EntryKind.OPEN),
        (2, EntryKind.DATA),
    ]


def test_acknowledgements_of_an_earlier_connection_are_ignored() -> None:
    """An acknowledgement of the earlier connection makes no hole in the next one."""
    before = [START, to_client(0, acknowledged=80_000)]
    again = [to_broker(70_000, syn=True), to_broker(70_003, b"cd"), to_broker(70_001, b"ab")]
    data = [each.payload for each in entries([*before, *again]) if each.kind is EntryKind.DATA]
    assert data == [b"ab", b"cd"]


def test_an_unknown_start_is_reported() -> None:
    """Without a SYN the ports decide which side is the broker, and the facts say that the start is
    unknown."""
    opened, data = entries([to_client(123, b"middle")])
    assert opened.facts == {"client": str(CLIENT), "broker": str(BROKER), "knownStart": False}
    assert (data.direction, data.payload) == (StreamDirection.TO_CLIENT, b"middle")


def test_connections_of_others_are_counted() -> None:
    """Segments between two endpoints that are not brokers give no entries."""
    connections = ConnectionReassembler(lambda endpoint: endpoint.port == 1)
    assert list(connections.feed(START)) == []
    assert connections.unrelated == 1


def with_gaps(count: int) -> list[TcpSegment]:
    """Return segments of a byte each, every second one of which was lost."""
    return [START, *(to_broker(1000 + 2 * number, b"x") for number in range(1, count + 1))]


def test_twice_the_gaps_take_twice_the_work() -> None:
    """Early segments are kept in order: none is looked at again for each later one."""
    few, many = (steps(lambda size=size: entries(with_gaps(size))) for size in (1000, 2000))  # type: ignore[misc]
    assert many < 2.5 * few


@pytest.mark.parametrize("start", [1000, 3])
def test_an_acknowledgement_before_the_first_bytes_counts(start: int) -> None:
    """The acknowledged bytes before a kept segment are a hole at once, around the wrap, too."""
    heard = [to_client(50, acknowledged=(start - 5) % 2**32), to_broker(start, b"a")]
    later = [to_client(50, acknowledged=start + 9), to_broker(start + 5, b"f")]
    assert reassembled([*heard, *later]) == [EntryKind.OPEN, b"a", 4, b"f"]
