"""The folder of a capture.

    capture.json              facts about the capture, its cluster and its outcome
    segments/NODE-LISTENER.wpseg
    broker/NODE.log           the output of each node
    disk/NODE/FOLDER/TOPIC-PARTITION/
                              its record logs; NODE-1, ...: the logs before a restart without data

`capture.json` exists from the beginning, with the outcome ``unfinished``, and is replaced atomically at the
end. So a killed capture can be recognised; its segments are readable like any others.
"""

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from wireproof.base.files.replacement import open_private, replace_file
from wireproof.base.text.wording import json_text
from wireproof.traffic.capture.capture_error import CaptureError, as_capture_error
from wireproof.traffic.wire.segment_format import (
    MARKER_BYTES,
    SEGMENT_SUFFIX,
    SEGMENTS,
    EntryKind,
    SegmentEntry,
    SegmentWriter,
)

FORMAT: Final = 1
_FACTS: Final = "capture.json"


class CaptureFolder:
    """A new or empty folder. Raises CaptureError if the folder is not empty, or cannot be made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with as_capture_error(f"{path} cannot be made"):
            path.mkdir(parents=True, exist_ok=True)
            taken = any(path.iterdir())
        if taken:
            raise CaptureError(f"{path} is not empty", "Give each capture a folder of its own.")

    @property
    def logs(self) -> Path:
        return self.path / "broker"

    @property
    def disk(self) -> Path:
        return self.path / "disk"

    @property
    def segments(self) -> Path:
        return self.path / SEGMENTS

    def write(self, facts: Mapping[str, Any]) -> None:
        """Write the facts, in place of earlier ones. Raises CaptureError if the file cannot be written."""
        path = self.path / _FACTS
        text = json_text({"format": FORMAT, **facts}, indent=1)
        with as_capture_error(f"{path} cannot be written", "Make room."):
            replace_file(path, f"{text}\n", mode=0o600)


IMPORTED: Final = "IMPORTED"
"""The listener's name of imported segments: packets do not hold the real one."""


class ImportedCapture:
    """A writer of one segment file for each broker; brokers are numbered in order of appearance.

    Args:
        folder: the folder of the capture; it must not exist. The first entry creates it.
        facts: facts for the header of each file.

    Attributes:
        data_bytes: the bytes of all connections.
        missing_bytes: bytes that were sent according to the packets, but are not in them.
        brokers: the addresses of the brokers; the node of a broker is its position, from 1.

    Raises:
        CaptureError: the folder exists.
    """

    def __init__(self, folder: Path, facts: Mapping[str, Any]) -> None:
        self.connections = 0
        self.data_bytes = 0
        self.missing_bytes = 0
        self.brokers: list[str] = []
        self._facts = facts
        self._folder = folder / SEGMENTS
        self._files = contextlib.ExitStack()
        self._writers: dict[str, SegmentWriter] = {}
        self._of_connection: dict[int, SegmentWriter] = {}
        if folder.exists():
            raise CaptureError(f"{folder} is there already", "Give each capture a folder of its own.")

    def __enter__(self) -> "ImportedCapture":
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def add(self, entries: Iterable[SegmentEntry]) -> None:
        """Write the entries of a packet.

        Raises CaptureError if they cannot be written; the entries before are complete.
        """
        with as_capture_error(f"{self._folder} cannot be written"):
            for entry in entries:
                self._add(entry)

    def _add(self, entry: SegmentEntry) -> None:
        match entry.kind:
            case EntryKind.OPEN:
                self.connections += 1
                self._of_connection[entry.connection] = self._writer(entry)
            case EntryKind.DATA:
                self.data_bytes += len(entry.payload)
            case EntryKind.HOLE:
                self.missing_bytes += entry.missing
            case _:
                pass
        writer = self._of_connection[entry.connection]
        writer.add(entry.kind, entry.time_ns, entry.connection, entry.direction, entry.payload)
        if entry.kind is EntryKind.CLOSE:
            del self._of_connection[entry.connection]

    def _writer(self, opened: SegmentEntry) -> SegmentWriter:
        """Return the writer of the connection's broker; begin a file for a new broker."""
        broker = opened.facts["broker"]
        if broker not in self._writers:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.brokers.append(broker)
            node = len(self.brokers)
            path = self._folder / f"{node}-{IMPORTED}{SEGMENT_SUFFIX}"
            file = self._files.enter_context(open_private(path, "xb"))
            facts = {**self._facts, "node": node, "listener": IMPORTED, "broker": broker}
            self._writers[broker] = SegmentWriter(file, os.urandom(MARKER_BYTES), facts, opened.time_ns)
        return self._writers[broker]
