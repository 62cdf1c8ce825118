"""Captures made by hand: segment files of a few exchanges, as the proxy would have written them."""

from pathlib import Path
from typing import Any

from kafkawire.headers import FrameCodec
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.segment_format import EntryKind, SegmentWriter, StreamDirection

RELEASE = "4.3.1"
NAMING = FrameIdentifier(load_snapshot(table().find(RELEASE)))
API_VERSIONS, METADATA, PRODUCE = 18, 3, 0
START_NS = 1_800_000_000_000_000_000


class RecordedConnection:
    """One connection, written as it goes on.

    Args:
        client_id: in the header of each request.
    """

    def __init__(self, capture: "SmallCapture", number: int, client_id: str) -> None:
        self._capture, self._number, self._client_id = capture, number, client_id
        self._correlation_id = 0

    def asked(self, api_key: int, version: int, body: dict[str, Any]) -> None:
        """A request."""
        self._correlation_id += 1
        header = {
            "requestApiKey": api_key,
            "requestApiVersion": version,
            "correlationId": self._correlation_id,
            "clientId": self._client_id,
        }
        self.sent(StreamDirection.TO_BROKER, _codec(NAMING.request(api_key, version)).encode(header, body))

    def answered(self, api_key: int, version: int, body: dict[str, Any]) -> None:
        """The response to the latest request."""
        codec = _codec(NAMING.response(api_key, version))
        self.sent(StreamDirection.TO_CLIENT, codec.encode({"correlationId": self._correlation_id}, body))

    def exchanged(self, api_key: int, version: int, asked: dict[str, Any], answered: dict[str, Any]) -> None:
        """A request and its response."""
        self.asked(api_key, version, asked)
        self.answered(api_key, version, answered)

    def sent(self, direction: StreamDirection, data: bytes) -> None:
        """Any bytes."""
        self._capture.add(EntryKind.DATA, self._number, direction, data)

    def closed(self) -> None:
        """The connection ends in order."""
        self._capture.add(EntryKind.END, self._number, StreamDirection.TO_BROKER)
        self._capture.add(EntryKind.END, self._number, StreamDirection.TO_CLIENT)
        self._capture.add(EntryKind.CLOSE, self._number)


class SmallCapture:
    """A folder with one segment file.

    Args:
        facts: of the file, beside listener and node.
    """

    def __init__(self, folder: Path, **facts: str) -> None:
        self.folder = folder
        self.path = folder / "segments" / "1-CLIENT.wpseg"
        self.path.parent.mkdir(parents=True)
        self._file = self.path.open("xb", buffering=0)
        said = {"release": RELEASE, "node": 1, "listener": "CLIENT", **facts}
        self._writer = SegmentWriter(self._file, bytes(range(16)), said, START_NS)
        self._time_ns = START_NS
        self._talks = 0

    def talk(self, client_id: str = "some-app") -> RecordedConnection:
        """A new connection."""
        self._talks += 1
        opened = {"client": "10.0.0.1:5", "broker": "10.0.0.2:9092", "knownStart": True}
        self._writer.open(self._talks, self._tick(), opened)
        return RecordedConnection(self, self._talks, client_id)

    def add(
        self,
        kind: EntryKind,
        number: int,
        direction: StreamDirection = StreamDirection.TO_BROKER,
        data: bytes = b"",
    ) -> None:
        """Add an entry, a millisecond after the one before."""
        self._writer.add(kind, self._tick(), number, direction, data)

    def close(self) -> Path:
        """The folder; nothing more is written."""
        self._file.close()
        return self.folder

    def _tick(self) -> int:
        self._time_ns += 1_000_000
        return self._time_ns


def _codec(named: object) -> FrameCodec:
    assert isinstance(named, FrameType)
    return NAMING.codec(named)


def topics(*names: str) -> dict[str, Any]:
    """The body of a Metadata request of version 8."""
    return {"topics": [{"name": name} for name in names]}


def brokers(host: str, *names: str, error: int = 0) -> dict[str, Any]:
    """The body of a Metadata response of version 8: one broker, topics without partitions."""
    return {
        "brokers": [{"nodeId": 1, "host": host, "port": 9092, "rack": None}],
        "topics": [{"errorCode": error, "name": name, "partitions": []} for name in names],
    }
