"""Writing of segment files; `segment_format` describes them."""

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

from kafkawire.records import crc32c
from wireproof.traffic.wire.segment_format import (
    CHECKED,
    MAGIC,
    MARKER_BYTES,
    MAX_PAYLOAD_BYTES,
    SYNC_BYTES,
    EntryKind,
    StreamDirection,
)


class SegmentWriter:
    """Appends entries to a file.

    Args:
        file: unbuffered, at its end. Every entry is one `write`: it survives the end of this process once
            `add` returns.
        marker: `MARKER_BYTES` random bytes.
        facts: about the capture.
        time_ns: of the first entry.
    """

    def __init__(self, file: BinaryIO, marker: bytes, facts: Mapping[str, Any], time_ns: int) -> None:
        if len(marker) != MARKER_BYTES:
            raise ValueError(f"a marker has {MARKER_BYTES} bytes, not {len(marker)}")
        self._file = file
        self._marker = marker
        self._since_sync = 0
        self.position = 0
        self._put(MAGIC + marker)
        self.add(EntryKind.FACTS, time_ns, payload=_json(facts))

    def add(
        self,
        kind: EntryKind,
        time_ns: int,
        connection: int = 0,
        direction: StreamDirection = StreamDirection.TO_BROKER,
        payload: bytes | bytearray | memoryview = b"",
    ) -> None:
        """Write an entry; a long DATA payload becomes several entries.

        Raises:
            OSError: the entry is not, or not wholly, written.
            ValueError: a payload above `MAX_PAYLOAD_BYTES` of another kind than DATA.
        """
        view = memoryview(payload)
        if len(view) > MAX_PAYLOAD_BYTES and kind is not EntryKind.DATA:
            raise ValueError(f"{kind.name} of {len(view)} bytes; {MAX_PAYLOAD_BYTES} at most")
        for start in range(0, len(view) or 1, MAX_PAYLOAD_BYTES):
            self._entry(kind, time_ns, connection, direction, view[start : start + MAX_PAYLOAD_BYTES])

    def open(self, connection: int, time_ns: int, facts: Mapping[str, Any]) -> None:
        """Write the start of a connection."""
        self.add(EntryKind.OPEN, time_ns, connection, payload=_json(facts))

    def _entry(
        self, kind: EntryKind, time_ns: int, connection: int, direction: StreamDirection, payload: memoryview
    ) -> None:
        if self._since_sync >= SYNC_BYTES:
            self._put(_packed(EntryKind.SYNC, time_ns, 0, StreamDirection.TO_BROKER, self._marker))
            self._since_sync = 0
        self._put(_packed(kind, time_ns, connection, direction, payload))

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = self._file.write(rest)
            rest = rest[written:]
        self.position += len(data)
        self._since_sync += len(data)


def _json(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _packed(
    kind: EntryKind, time_ns: int, connection: int, direction: StreamDirection, payload: bytes | memoryview
) -> bytes:
    checked = CHECKED.pack(time_ns, connection, kind, direction) + payload
    return struct.pack(">II", len(payload), crc32c()(checked)) + checked
