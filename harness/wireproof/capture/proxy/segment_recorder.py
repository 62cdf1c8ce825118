"""The segment file of one route, while it is written."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wireproof.capture.capture_error import CaptureError
from wireproof.wire import EntryKind, SegmentWriter, StreamDirection

__all__ = ["SegmentRecorder", "RecordingError"]


class RecordingError(CaptureError):
    """What passes can no longer be written, so nothing may pass. All that was written before is whole."""


class SegmentRecorder:
    """Writes what passes one route. Each call returns when the system has it: a kill loses nothing of it.

    Args:
        path: of the file, which must not exist yet.
        facts: of the capture and the route.

    Attributes:
        connections: how many were opened.
        data_bytes: how many were sent, in both directions.

    Raises:
        CaptureError: the file cannot be made.
        RecordingError: it cannot be begun.
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
        """A connection began; its number, counted from 1."""
        number = self.connections + 1
        self._written(lambda: self._segment().open(number, time.time_ns(), facts))
        self.connections = number
        return number

    def data(self, connection: int, direction: StreamDirection, data: bytes) -> None:
        """One side sent bytes."""
        self._add(EntryKind.DATA, connection, direction, data)
        self.data_bytes += len(data)

    def end(self, connection: int, direction: StreamDirection) -> None:
        """One side has sent all that it will."""
        self._add(EntryKind.END, connection, direction)

    def reset(self, connection: int, direction: StreamDirection, reason: str) -> None:
        """The connection broke; `direction` is that of who broke it."""
        self._add(EntryKind.RESET, connection, direction, reason.encode())

    def over(self, connection: int) -> None:
        """The connection is over on both sides."""
        self._add(EntryKind.CLOSE, connection, StreamDirection.TO_BROKER)

    def close(self) -> None:
        """No more will be written."""
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
        """Write; where that fails take away what was written of an entry that is not whole.

        Raises:
            RecordingError: it failed, such as for want of space, now or before: behind bytes that are missing
                nothing may stand.
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
