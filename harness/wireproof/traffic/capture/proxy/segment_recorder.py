"""The writer of one route's segment file."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.wire import EntryKind, SegmentWriter, StreamDirection


class RecordingError(CaptureError):
    """The proxy can no longer record, so it relays nothing. The entries written before are complete."""


class SegmentRecorder:
    """A recorder of one route. Each call returns after the write, so a kill of the process loses no entry.

    Args:
        path: the path of the file, which must not exist.
        facts: facts about the capture and the route.

    Attributes:
        connections: the number of opened connections.
        data_bytes: the bytes sent in both directions.

    Raises:
        CaptureError: the file cannot be made.
        RecordingError: its header cannot be written.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self.path = path
        self.connections = 0
        self.data_bytes = 0
        try:
            self._descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        except FileExistsError as error:
            raise CaptureError(
                f"{path} is there already", "Give each capture a folder of its own."
            ) from error
        except OSError as error:
            raise CaptureError(f"{path} cannot be made: {error.strerror}") from error
        self._file = os.fdopen(self._descriptor, "wb", buffering=0)
        self._whole = 0
        self._failure: RecordingError | None = None
        self._writer: SegmentWriter | None = None
        self._written(lambda: self._begin(facts))

    def open(self, facts: Mapping[str, Any]) -> int:
        """Record a new connection; return its number, from 1."""
        number = self.connections + 1
        self._written(lambda: self._segment().open(number, time.time_ns(), facts))
        self.connections = number
        return number

    def data(self, connection: int, direction: StreamDirection, data: bytes) -> None:
        """Record bytes that one side sent."""
        self._add(EntryKind.DATA, connection, direction, data)
        self.data_bytes += len(data)

    def end(self, connection: int, direction: StreamDirection) -> None:
        """Record the end of one direction."""
        self._add(EntryKind.END, connection, direction)

    def reset(self, connection: int, direction: StreamDirection, reason: str) -> None:
        """Record a reset; `direction` is that of the side that reset the connection."""
        self._add(EntryKind.RESET, connection, direction, reason.encode())

    def over(self, connection: int) -> None:
        """Record the close of both sides."""
        self._add(EntryKind.CLOSE, connection, StreamDirection.TO_BROKER)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _begin(self, facts: Mapping[str, Any]) -> None:
        self._writer = SegmentWriter(self._file, os.urandom(16), facts, time.time_ns())

    def _segment(self) -> SegmentWriter:
        assert self._writer is not None
        return self._writer

    def _add(
        self, kind: EntryKind, connection: int, direction: StreamDirection, payload: bytes = b""
    ) -> None:
        self._written(lambda: self._segment().add(kind, time.time_ns(), connection, direction, payload))

    def _written(self, write: Callable[[], None]) -> None:
        """Write an entry; remove a partly written one.

        Raises RecordingError if this write failed, such as for lack of space, or an earlier one did: no entry
        may follow missing bytes.
        """
        if self._failure is not None:
            raise self._failure
        try:
            write()
        except OSError as error:
            os.ftruncate(self._descriptor, self._whole)
            self._failure = RecordingError(
                f"recording stopped: {self.path}: {error.strerror}; the {self._whole} bytes before are whole",
                "Make room, or give a folder on another disk.",
            )
            raise self._failure from error
        self._whole = self._segment().position
