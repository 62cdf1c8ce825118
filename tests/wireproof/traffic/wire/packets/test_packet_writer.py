"""A written packet capture is read back as the entries that it was made of."""

import io
import json
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireproof.traffic.wire.packets.packet_writer import PacketWriter
from wireproof.traffic.wire.packets.reassembly import ConnectionReassembler
from wireproof.traffic.wire.packets.tcp_segments import Endpoint, TcpSegment, read_packets
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection

CLIENT, BROKER = "127.0.0.1:50000", "127.0.0.1:39092"


def entry(
    kind: EntryKind, direction: StreamDirection, payload: bytes = b"", connection: int = 1
) -> SegmentEntry:
    return SegmentEntry(0, 1_700_000_000_123_456_789, connection, kind, direction, payload)


def opened(
    client: str = CLIENT, broker: str = BROKER, connection: int = 1, *, known: bool = True
) -> SegmentEntry:
    facts = {"client": client, "broker": broker, "knownStart": known}
    return entry(EntryKind.OPEN, StreamDirection.TO_BROKER, json.dumps(facts).encode(), connection)


def written(entries: list[SegmentEntry], broker_port: int | None = None) -> bytes:
    file = io.BytesIO()
    writer = PacketWriter(file, "a test", broker_port)
    for each in entries:
        writer.feed("1-CLIENT", each)
    return file.getvalue()


def read(data: bytes, broker_port: int = 39092) -> list[SegmentEntry]:
    """Return the entries that the reader of captures makes of a file."""
    connections = ConnectionReassembler(lambda end: end.port == broker_port)
    entries = [each for segment in read_packets(io.BytesIO(data)) for each in connections.feed(segment)]
    return [*entries, *connections.close()]


def streams(entries: list[SegmentEntry]) -> dict[tuple[int, StreamDirection], bytes]:
    """Return the bytes that each side of each connection sent."""
    sent: dict[tuple[int, StreamDirection], bytes] = {}
    for each in entries:
        if each.kind is EntryKind.DATA:
            key = (each.connection, each.direction)
            sent[key] = sent.get(key, b"") + each.payload
    return sent


chunks = st.lists(
    st.tuples(st.sampled_from(StreamDirection), st.binary(min_size=1, max_size=70_000)), max_size=6
)


@given(chunks)
def test_bytes_are_read_back(sent: list[tuple[StreamDirection, bytes]]) -> None:
    """Each direction has its bytes in order; a chunk longer than a packet is split."""
    entries = [opened(), *(entry(EntryKind.DATA, *each) for each in sent)]
    assert streams(read(written(entries))) == streams(entries)


@pytest.mark.parametrize(
    ("client", "broker", "seen"),
    [
        ("10.1.2.3", "127.0.0.1", ("10.1.2.3", "127.0.0.1")),
        ("[::1]", "[2001:db8::7]", ("::1", "2001:db8::7")),
        ("10.1.2.3", "[::1]", ("::ffff:10.1.2.3", "::1")),
        ("laptop", "broker.example", ("192.0.2.1", "192.0.2.2")),
    ],
)
def test_addresses_are_read_back(client: str, broker: str, seen: tuple[str, str]) -> None:
    """Addresses may be of both IP versions, and names: two names are two addresses."""
    first = next(iter(read_packets(io.BytesIO(written([opened(f"{client}:50000", f"{broker}:39092")])))))
    assert (first.source.port, first.target.port) == (50000, 39092)
    assert tuple(map(ip_address, seen)) == tuple(
        ip_address(end.address) for end in (first.source, first.target)
    )


def test_a_whole_connection_has_handshake_and_end() -> None:
    """Each side sends SYN, data and FIN; the reader sees start and end."""
    data = written(
        [
            opened(),
            entry(EntryKind.DATA, StreamDirection.TO_BROKER, b"ask"),
            entry(EntryKind.DATA, StreamDirection.TO_CLIENT, b"answer"),
            entry(EntryKind.END, StreamDirection.TO_BROKER),
            entry(EntryKind.END, StreamDirection.TO_CLIENT),
            entry(EntryKind.CLOSE, StreamDirection.TO_BROKER),
        ]
    )
    segments = list(read_packets(io.BytesIO(data)))
    assert [(each.syn, each.fin, each.data) for each in segments] == [
        (True, False, b""),
        (True, False, b""),
        (False, False, b""),
        (False, False, b"ask"),
        (False, False, b"answer"),
        (False, True, b""),
        (False, True, b""),
    ]
    kinds = [each.kind for each in read(data)]
    assert kinds == [
        EntryKind.OPEN,
        EntryKind.DATA,
        EntryKind.DATA,
        EntryKind.END,
        EntryKind.END,
        EntryKind.CLOSE,
    ]
    assert {each.time_ns for each in segments} == {1_700_000_000_123_456_789}


def test_an_unknown_start_and_a_hole_are_kept() -> None:
    """No SYN is invented, and missing bytes are a gap in the sequence numbers."""
    data = written(
        [
            opened(known=False),
            entry(EntryKind.DATA, StreamDirection.TO_BROKER, b"before"),
            entry(EntryKind.HOLE, StreamDirection.TO_BROKER, (1000).to_bytes(8, "big")),
            entry(EntryKind.DATA, StreamDirection.TO_BROKER, b"behind"),
        ]
    )
    back = read(data)
    assert not back[0].facts["knownStart"]
    assert [each.missing for each in back if each.kind is EntryKind.HOLE] == [1000]


def test_a_reset_is_read_back() -> None:
    """The reset is read back."""
    back = read(written([opened(), entry(EntryKind.RESET, StreamDirection.TO_CLIENT, b"refused")]))
    assert [(each.kind, each.direction) for each in back if each.kind is EntryKind.RESET] == [
        (EntryKind.RESET, StreamDirection.TO_CLIENT)
    ]


def test_two_connections_between_the_same_ports_stay_separate() -> None:
    """The reader separates them, although the end of the first one was not seen."""
    back = read(
        written(
            [
                opened(),
                entry(EntryKind.DATA, StreamDirection.TO_BROKER, b"one"),
                opened(connection=2),
                entry(EntryKind.DATA, StreamDirection.TO_BROKER, b"two", connection=2),
            ]
        )
    )
    assert streams(back) == {(1, StreamDirection.TO_BROKER): b"one", (2, StreamDirection.TO_BROKER): b"two"}


def test_the_port_of_brokers_can_be_replaced() -> None:
    """Only the brokers' port is replaced."""
    segments: list[TcpSegment] = list(read_packets(io.BytesIO(written([opened()], broker_port=9092))))
    assert segments[0].source == Endpoint("127.0.0.1", 50000)
    assert segments[0].target == Endpoint("127.0.0.1", 9092)


def test_two_brokers_of_a_host_stay_separate_at_one_port() -> None:
    """A client's port may be the same for both: the second broker gets another address."""
    entries = [opened(), opened(broker="127.0.0.1:39094", connection=2), opened(connection=3)]
    data = written(entries, broker_port=9092)
    targets = [
        each.target for each in read_packets(io.BytesIO(data)) if each.syn and each.target.port == 9092
    ]
    assert [each.address for each in targets] == ["127.0.0.1", "192.0.2.1", "127.0.0.1"]


def test_data_of_an_unopened_connection_is_an_error() -> None:
    """The caller made a mistake."""
    with pytest.raises(KeyError):
        written([entry(EntryKind.DATA, StreamDirection.TO_BROKER, b"x")])
