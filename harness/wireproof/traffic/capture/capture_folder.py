"""The folder of a capture.

    capture.json              facts about the capture, its cluster and its outcome
    segments/NODE-LISTENER.wpseg
    broker/NODE.log           the output of each node
    disk/NODE/FOLDER/TOPIC-PARTITION/
                              its record logs; NODE-1, ...: those from before a restart without data

`capture.json` exists from the beginning, with the outcome ``unfinished``, and is replaced atomically at the
end. So a killed capture can be recognised; its segments are readable like any others.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from wireproof.base.files import replace_file
from wireproof.base.text.foreign_text import json_text
from wireproof.traffic.capture.capture_error import CaptureError

FORMAT: Final = 1
_FACTS: Final = "capture.json"


class CaptureFolder:
    """A new or empty folder. Raises CaptureError if the folder is not empty, or cannot be made."""

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
        """Write the facts, in place of earlier ones. Raises CaptureError if the file cannot be written."""
        path = self.path / _FACTS
        text = json_text({"format": FORMAT, **facts}, indent=1)
        try:
            replace_file(path, f"{text}\n", mode=0o600)
        except OSError as error:
            raise CaptureError(f"{path} cannot be written: {error.strerror}", "Make room.") from error
