"""Failures as files: what was found is on disk at once, and can be tried again from there."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from wireproof.base.files import ignore_folder, replace_file
from wireproof.base.text.foreign_text import json_text
from wireproof.base.text.parsing import parse_json, read_text
from wireproof.proof.run import FailedCase, RunEvent, ShrunkCase
from wireproof.verdict.report.events.event_file import as_json

__all__ = ["FailureFiles", "read_failure"]


class FailureFiles:
    """Writes each failure to a file of its own, and a smaller instance to the same when there is one.

    Args:
        folder: made when there is something to write.
        testee: what names the codec under test; empty for our own.
        source: the folder, ``schemas``, and the jars, ``schemasJar``, of a fork's definitions, which the
            record holds for the replay; None for Kafka's own releases.
    """

    def __init__(self, folder: Path, testee: str = "", source: Mapping[str, Any] | None = None) -> None:
        self._folder = folder
        self._testee = testee
        self._source = source or {}

    def __call__(self, event: RunEvent) -> None:
        if isinstance(event, FailedCase):
            self._write(event.case_id, {**as_json(event), "testee": self._testee, **self._source})
        elif isinstance(event, ShrunkCase):
            content = read_failure(self.place(event.case_id))
            self._write(event.case_id, {**content, "shrunk": as_json(event)})

    def place(self, case_id: str) -> Path:
        """Return the path of the file of a case's failure, whether it exists or not."""
        text = f"{self._testee}\n{case_id}" if self._testee else case_id
        return self._folder / f"{sha256(text.encode()).hexdigest()[:16]}.json"

    def _write(self, case_id: str, content: dict[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._folder.parent.name == ".wireproof":
            ignore_folder(self._folder.parent)
        replace_file(self.place(case_id), json_text(content, indent=1) + "\n")


def read_failure(path: Path) -> dict[str, Any]:
    """The failure in a file.

    Raises:
        OSError: there is no such file.
        ValueError: it holds something else.
    """
    content = parse_json(read_text(path))
    if not isinstance(content, dict) or "case" not in content:
        raise ValueError(f"{path} holds no failure of wireproof")
    return content
