"""A redacted segment file has the same connections without the secrets."""

import io
import struct
from collections.abc import Iterable

from tests.support.schemas import real_layouts
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer
from wireproof.traffic.redaction.segment_redactor import SegmentRedactor
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.inner_messages import InnerMessageReader
from wireproof.traffic.wire.request_matcher import Exchange
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, SegmentWriter, StreamDirection
from wireproof.traffic.wire.segment_reader import read_segment
from wireproof.traffic.wire.stream_assembler import AssembledPart, StreamAssembler

NAMING = FrameIdentifier(real_layouts.schemas())
LOGS = InnerMessageReader(real_layouts.schemas())
TO_BROKER, TO_CLIENT = StreamDirection.TO_BROKER, StreamDirection.TO_CLIENT
SECRET = "secret-topic"
OPENED = {"client": "10.1.2.3:50000", "broker": "kafka.corp.example:9092", "knownStart": True}

Line = tuple[EntryKind, StreamDirection, bytes]


def frame(kind: str, version: int, correlation_id: int, body: dict[str, object]) -> bytes:
    named = NAMING.request(3, version) if kind == "request" else NAMING.response(3, version)
    assert isinstance(named, FrameType)
    header: dict[str, object] = {"correlationId": correlation_id}
    if kind == "request":
        header |= {"requestApiKey": 3, "requestApiVersion": version, "clientId": "secret-client"}
    return NAMING.codec(named).encode(header, body)


REQUEST = frame("request", 9, 7, {"topics": [{"name": SECRET}]})
RESPONSE = frame("response", 9, 7, {"topics": [{"name": SECRET}], "clusterId": "secret-cluster"})


def redacted(lines: Iterable[Line]) -> tuple[list[SegmentEntry], SegmentRedactor]:
    """Return the entries after the facts, of a file with one connection."""
    source, target = io.BytesIO(), io.BytesIO()
    writer = SegmentWriter(source, bytes(16), {}, 0)
    writer.open(1, 1, OPENED)
    for time, (kind, direction, payload) in enumerate(lines, 2):
        writer.add(kind, time, 1, direction, payload)
    redaction = SegmentRedactor(NAMING, LOGS, Pseudonymizer(b"key"))
    redaction.write(source, SegmentWriter(target, bytes(16), {}, 0))
    assert b"secret" not in target.getvalue()
    assert b"corp" not in target.getvalue()
    return [part for part in read_segment(target) if isinstance(part, SegmentEntry)][1:], redaction


def settled(entries: Iterable[SegmentEntry]) -> list[AssembledPart]:
    talk = StreamAssembler()
    return [*(each for entry in entries for each in talk.feed(entry)), *talk.close()]


def data(direction: StreamDirection, payload: bytes) -> Line:
    return EntryKind.DATA, direction, payload


def test_the_conversation_is_the_same() -> None:
    """Frames that came in pieces are whole, at the time of their last piece, with their old length."""
    entries, redaction = redacted(
        [
            data(TO_BROKER, REQUEST[:9]),
            data(TO_BROKER, REQUEST[9:]),
            data(TO_CLIENT, RESPONSE[:-1]),
            data(TO_CLIENT, RESPONSE[-1:]),
            (EntryKind.END, TO_BROKER, b""),
            (EntryKind.END, TO_CLIENT, b""),
            (EntryKind.CLOSE, TO_BROKER, b""),
        ]
    )
    assert " ".join(each.kind.name for each in entries) == "OPEN DATA DATA END END CLOSE"
    assert [each.time_ns for each in entries] == [1, 3, 5, 6, 7, 8]
    assert [len(each.payload) for each in entries[1:3]] == [len(REQUEST), len(RESPONSE)]
    (exchange,) = settled(entries)
    assert isinstance(exchange, Exchange)
    assert (exchange.api_key, exchange.version, exchange.correlation_id) == (3, 9, 7)
    assert redaction.frames == 2
    assert not redaction.lost


def test_addresses_are_replaced_and_ports_kept() -> None:
    """Ports distinguish connections, and do not identify a host."""
    entries, _ = redacted([])
    assert entries[0].facts == {
        "client": "198.51.100.1:50000",
        "broker": "203.0.113.1:9092",
        "knownStart": True,
    }


def test_bytes_that_are_not_a_frame_become_a_hole() -> None:
    """Half a frame, an unreadable frame and a frame of an unknown api become holes; the rest stays."""
    strange = struct.pack(">ihhi", 8 + 6, 999, 0, 8) + b"secret"
    broken = struct.pack(">ihhih", 10 + 6, 3, 9, 9, -1) + b"secret"
    entries, redaction = redacted(
        [data(TO_BROKER, strange + broken + REQUEST + REQUEST[:20]), (EntryKind.END, TO_BROKER, b"")]
    )
    holes = [each.missing for each in entries if each.kind is EntryKind.HOLE]
    assert holes == [len(strange), len(broken), 20]
    assert [len(each.payload) for each in entries if each.kind is EntryKind.DATA] == [len(REQUEST)]
    assert sum(redaction.lost.values()) == sum(holes)
    assert entries[-1].kind is EntryKind.END


def test_another_protocol_becomes_a_hole() -> None:
    """All bytes of the other protocol belong to the hole."""
    entries, redaction = redacted(
        [data(TO_BROKER, b"GET /secret HTTP/1.1\r\n\r\n"), (EntryKind.RESET, TO_CLIENT, b"10.1.2.3 said no")]
    )
    assert redaction.frames == 0
    assert [each.missing for each in entries if each.kind is EntryKind.HOLE] == [24]
    assert entries[-1].payload == b"reset"


def test_tokens_of_sasl_are_replaced() -> None:
    """They have no format of Kafka's: they become as many other bytes after the same size."""
    named, answer = NAMING.request(17, 0), NAMING.response(17, 0)
    assert isinstance(named, FrameType)
    assert isinstance(answer, FrameType)
    header = {"requestApiKey": 17, "requestApiVersion": 0, "correlationId": 1}
    ask = NAMING.codec(named).encode(header, {"mechanism": "PLAIN"})
    reply = NAMING.codec(answer).encode({"correlationId": 1}, {"mechanisms": ["PLAIN"]})
    token = struct.pack(">i", 14) + b"\0user\0secret-x"
    entries, redaction = redacted(
        [data(TO_BROKER, ask), data(TO_CLIENT, reply), data(TO_BROKER, token), data(TO_CLIENT, bytes(4))]
    )
    last = [each.payload for each in entries if each.kind is EntryKind.DATA and each.direction is TO_BROKER][
        -1
    ]
    assert (last[:4], len(last)) == (token[:4], len(token))
    assert redaction.frames == 4


def test_a_hole_of_the_capture_stays_a_hole() -> None:
    """The hole includes the unfinished frame before it."""
    entries, redaction = redacted(
        [
            data(TO_BROKER, REQUEST + REQUEST[:10]),
            (EntryKind.HOLE, TO_BROKER, (len(REQUEST) - 10).to_bytes(8, "big")),
            data(TO_BROKER, REQUEST),
        ]
    )
    assert sum(each.missing for each in entries if each.kind is EntryKind.HOLE) == len(REQUEST)
    assert redaction.frames == 2


def test_the_same_key_gives_the_same_replacements() -> None:
    """Another key gives other replacements."""
    outputs = []
    for key in (b"one", b"one", b"two"):
        source, target = io.BytesIO(), io.BytesIO()
        writer = SegmentWriter(source, bytes(16), {}, 0)
        writer.open(1, 1, OPENED)
        writer.add(EntryKind.DATA, 2, 1, TO_BROKER, REQUEST)
        SegmentRedactor(NAMING, LOGS, Pseudonymizer(key)).write(
            source, SegmentWriter(target, bytes(16), {}, 0)
        )
        outputs.append(target.getvalue())
    assert outputs[0] == outputs[1] != outputs[2]
