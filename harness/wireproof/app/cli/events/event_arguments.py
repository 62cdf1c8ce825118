"""The event files on a command line: the runs that they hold."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from wireproof.base.fatal import FatalError
from wireproof.base.text.wording import counted
from wireproof.proof.run import ExitCode, RunEvent
from wireproof.verdict.report.events.event_reader import EventFileError
from wireproof.verdict.report.events.merged_runs import MergeError, RunFiles
from wireproof.verdict.report.run_summary import RunSummary

event_files = click.argument(
    "events", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="EVENTS..."
)
"""The files of one run: `wireproof run --events FILE` writes one."""


@contextmanager
def misread_events() -> Iterator[None]:
    """Turn the errors of event files into those of a command line.

    Raises:
        FatalError: a file cannot be read, or the files are not of one run.
    """
    try:
        yield
    except OSError as error:
        raise FatalError(f"cannot read {error.filename}: {error.strerror}", "", ExitCode.USAGE) from error
    except (EventFileError, MergeError) as error:
        advice = error.advice or "`wireproof run --events FILE` writes an event file."
        raise FatalError(str(error), advice, ExitCode.USAGE) from error


def summarize(
    files: RunFiles, summary: RunSummary, listeners: Iterable[Callable[[RunEvent], None]] = ()
) -> None:
    """Read the event files of a run into its summary.

    Args:
        listeners: called with each event, too.

    Raises:
        FatalError: a file cannot be read, or the files are not of one run.
    """
    with misread_events():
        for event in files.events():
            summary(event)
            for listener in listeners:
                listener(event)
    if files.unfinished:
        names = ", ".join(map(str, files.unfinished))
        number = counted(len(files.unfinished), "event file")
        summary.stopped = f"{number} without an end: the run was killed, or still goes on: {names}"
