"""Reading event files back: each line becomes the event that it was written from.

A file may be cut short, still be written to, or come from another program. A line is held at a time, so that
the memory does not grow with the file.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from wireproof.parsing import MISSHAPEN, parse_json
from wireproof.report.events.event_file import FORMAT_VERSION
from wireproof.report.events.parsed_events import cell_id_of, event_of
from wireproof.run import (
    ReportedEvent,
)

__all__ = ["EventFileError", "read_event_file", "read_event_lines"]

MOST_CHARACTERS: Final = 64 << 20
"""Of one line. The longest that a run writes holds a value of a few MiB."""


class EventFileError(ValueError):
    """A text is not an event file of this wireproof.

    Attributes:
        line: the line, from 1.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


def read_event_file(path: Path) -> Iterator[ReportedEvent]:
    """Yield the events of a file; see `read_event_lines`.

    Raises:
        EventFileError: the text is not an event file of this wireproof.
        OSError: the file cannot be read.
    """
    with path.open(encoding="utf-8", errors="surrogateescape") as stream:
        yield from read_event_lines(_bounded_lines(stream.readline))


def read_event_lines(lines: Iterable[str]) -> Iterator[ReportedEvent]:
    """Yield the events of an event file's lines.

    A last line without its line feed was cut short, or is still being written: it is left out.

    Raises:
        EventFileError: a line is not an event, the first is not a header, or the format is another one.
    """
    begun = False
    modules: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.endswith("\n"):
            break
        try:
            parsed = parse_json(line)
            if number == 1:
                _check_header(parsed)
                begun = True
            elif parsed["event"] == "failed":
                modules[parsed["cell"]] = parsed["module"]
            elif parsed["event"] == "shrunk":
                # The line has no module: it is that of the failure before.
                parsed["module"] = modules.get(cell_id_of(parsed["case"]), "")
            yield event_of(parsed)
        except EventFileError:
            raise
        except MISSHAPEN as error:
            raise EventFileError(number, f"this is not an event of wireproof: {error!r}") from error
    if not begun:
        raise EventFileError(1, "there is no event: the file is empty, or its run has just begun")


def _bounded_lines(read_line: Callable[[int], str]) -> Iterator[str]:
    for number in range(1, sys.maxsize):
        line = read_line(MOST_CHARACTERS)
        if len(line) == MOST_CHARACTERS:
            raise EventFileError(number, f"it is longer than {MOST_CHARACTERS:,} characters")
        if not line:
            return
        yield line


def _check_header(parsed: Any) -> None:
    if parsed["event"] != "header":
        raise EventFileError(1, "the first event is not a header: this is not the beginning of an event file")
    if parsed["format"] != FORMAT_VERSION:
        found = f"the file has format {parsed['format']!r} of wireproof {parsed.get('version', '?')}"
        raise EventFileError(1, f"{found}; this wireproof reads format {FORMAT_VERSION}")
