"""The folder of a capture.

    capture.json              what was captured, of which cluster, and what became of it
    segments/NODE-LISTENER.wpseg
    broker/NODE.log           what each node said
    disk/NODE/FOLDER/TOPIC-PARTITION/
                              the logs that it kept; NODE-1, ...: those from before it began anew

`capture.json` is there from the beginning, with the outcome ``unfinished``, and is replaced in one step at
the end: a capture that was killed is known as one, and its segments can be read like any others.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from wireproof.capture.capture_error import CaptureError
from wireproof.foreign_text import json_text

__all__ = ["CaptureFolder"]

FORMAT: Final = 1
_FACTS: Final = "capture.json"


class CaptureFolder:
    """A new folder, or one with nothing in it.

    Raises:
        CaptureError: there is something in it, or it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            taken = any(path.iterdir())
        except OSError as error:
            raise CaptureError(f"{path} cannot be made: {error.strerror}") from error
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
        return self.path / "segments"

    def write(self, facts: Mapping[str, Any]) -> None:
        """Put the facts there, in place of those that are.

        Raises:
            CaptureError: that cannot be.
        """
        place = self.path / _FACTS
        text = json_text({"format": FORMAT, **facts}, indent=1)
        arriving = place.with_suffix(".new")
        try:
            arriving.write_text(f"{text}\n", encoding="utf-8")
            os.replace(arriving, place)
        except OSError as error:
            arriving.unlink(missing_ok=True)
            raise CaptureError(f"{place} cannot be written: {error.strerror}", "Make room.") from error
