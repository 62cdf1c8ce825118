"""The event file: one JSON object a line, written as it happens.

Each line is on disk before the next event is taken, so a killed run keeps what it found; a file
without its footer was cut short.
"""

from typing import TextIO

from wireproof.base.text.foreign_text import json_text
from wireproof.proof.run import CellProgress, RunEvent
from wireproof.verdict.report.events.event_json import as_json


class EventFile:
    """Writes each event as a line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: RunEvent) -> None:
        if isinstance(event, CellProgress):
            return  # for those who watch: it is all in the cell's own event later, or in the footer
        line = json_text(as_json(event))
        self._stream.write(f"{line}\n")
        self._stream.flush()
