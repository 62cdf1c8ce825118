"""The contents of segment files, for tests of captures."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from kafkawire.values import StructValue
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import Exchange
from wireproof.traffic.wire.segment_format import EntryKind, SegmentDamage, SegmentEntry, StreamDirection
from wireproof.traffic.wire.segment_reader import read_segment
from wireproof.traffic.wire.stream_assembler import StreamAssembler


def settled_exchanges(segment: Path) -> Iterator[Exchange]:
    """Every exchange of a segment file that is whole, in the order in which they were answered."""
    talks: dict[int, StreamAssembler] = {}
    with segment.open("rb") as file:
        for entry in read_segment(file):
            assert isinstance(entry, SegmentEntry), "a whole capture has no damage"
            if entry.kind is not EntryKind.FACTS:
                talk = talks.setdefault(entry.connection, StreamAssembler())
                yield from (each for each in talk.feed(entry) if isinstance(each, Exchange))


def exchanges(segment: Path, naming: FrameIdentifier) -> Counter[tuple[str, int]]:
    """Count the answers to each request in a segment file; decode every response."""
    found: Counter[tuple[str, int]] = Counter()
    for exchange in settled_exchanges(segment):
        names = naming.exchange(exchange)
        assert isinstance(names.response, FrameType)
        naming.codec(names.response).decode(exchange.response.data)
        if isinstance(names.request, FrameType):
            found[names.request.message, names.request.version] += 1
    return found


def answers(segment: Path, naming: FrameIdentifier, message: str) -> Iterator[StructValue]:
    """The bodies of all responses of a name in a segment file, in their order."""
    for exchange in settled_exchanges(segment):
        response = naming.exchange(exchange).response
        if isinstance(response, FrameType) and response.message == message:
            yield naming.codec(response).decode(exchange.response.data)[1]


def streams(segment: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The bytes to and from each client, by its address, of a file that may have been cut off in the middle
    of its last entry; any other damage fails."""
    clients: dict[int, str] = {}
    found: dict[StreamDirection, dict[str, bytes]] = {each: defaultdict(bytes) for each in StreamDirection}
    with segment.open("rb") as file:
        for part in read_segment(file):
            match part:
                case SegmentDamage(torn=torn):
                    assert torn
                case SegmentEntry(kind=EntryKind.OPEN):
                    clients[part.connection] = part.facts["client"]
                case SegmentEntry(kind=EntryKind.DATA):
                    found[part.direction][clients[part.connection]] += part.payload
    return found[StreamDirection.TO_CLIENT], found[StreamDirection.TO_BROKER]
