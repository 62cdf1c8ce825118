"""Reading event files back: each line becomes the event that it was written from.

A file may be cut short, still be written to, or come from another program. A line is held at a time, so that
the memory does not grow with the file.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from wireproof.base.text.parsing import MISSHAPEN, parse_json
from wireproof.proof.run import ReportedEvent, RunFooter
from wireproof.verdict.report.events.event_json import cell_id_of, event_of
from wireproof.verdict.report.events.event_lines import EventFileError, check_header, event_lines

_ONE_RUN: Final = "The file has the events of two runs: each needs a file of its own"
_WIDTH: Final = 300
"""Characters of an error about a line."""


def read_event_file(path: Path) -> Iterator[ReportedEvent]:
    """Yield the events of a file; see `read_event_lines`.

    Raises:
        EventFileError: the text is not an event file of this wireproof.
        OSError: the file cannot be read.
    """
    yield from read_event_lines(event_lines(path))


def read_event_lines(lines: Iterable[str]) -> Iterator[ReportedEvent]:
    """Yield the events of an event file's lines.

    A last line without its line feed was cut short, or is still being written: it is left out. Raises
    EventFileError if a line is not an event, the first is not a header, or the format is another one.
    """
    begun = ended = False
    modules: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.endswith("\n"):
            break
        if ended:
            raise EventFileError(number, f"the run ended in the line before. {_ONE_RUN}")
        event = _event_of_line(number, line, modules)
        begun, ended = True, isinstance(event, RunFooter)
        yield event
    if not begun:
        raise EventFileError(1, "there is no event: the file is empty, or its run has just begun")


def _event_of_line(number: int, line: str, modules: dict[str, str]) -> ReportedEvent:
    """Return the event of a line; one without a module gets that of a cell that failed so far."""
    try:
        parsed = parse_json(line)
        if number == 1:
            check_header(parsed)
        elif parsed["event"] == "header":
            raise EventFileError(number, f"there is a second header. {_ONE_RUN}")
        elif parsed["event"] == "failed":
            modules[parsed["cell"]] = parsed["module"]
        elif parsed["event"] == "shrunk":
            # The line has no module: it is that of the failure before.
            parsed["module"] = modules.get(cell_id_of(parsed["case"]), "")
        event = event_of(parsed)
    except EventFileError:
        raise
    except MISSHAPEN as error:
        reason = repr(error)
        shown = reason if len(reason) <= _WIDTH else f"{reason[:_WIDTH]}..."
        raise EventFileError(number, f"this is not an event of wireproof: {shown}") from error
    return event
