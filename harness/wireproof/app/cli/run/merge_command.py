"""``wireproof merge``."""

import contextlib
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import click

from wireproof.app.cli.events.event_arguments import event_files, misread_events
from wireproof.app.cli.events.event_loop import opened
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.files import replacing
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted


@click.command(
    "merge",
    cls=DocumentedCommand,
    exit_codes={ExitCode.PROVEN: "The file is written. `wireproof report` shows the verdict."},
)
@event_files
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write the events of the whole run to this file; - is standard output.",
)
def command(events: tuple[Path, ...], output: str) -> int:
    """Merge the event files of a run's shards into one.

    The shards must be of one run: the same wireproof, codec, seed and phases, and no cell in two of them. The
    totals of the whole run are added up, and its verdict is derived again.

    \b
    wireproof run --shard 1/2 --events 1.ndjson
    wireproof run --shard 2/2 --events 2.ndjson
    wireproof merge 1.ndjson 2.ndjson --output run.ndjson
    """
    from wireproof.verdict.report import EventFile
    from wireproof.verdict.report.events.merged_runs import RunFiles

    if output != "-" and Path(output).resolve() in {path.resolve() for path in events}:
        raise FatalError(f"{output} is one of the files to merge", "Name another file.", ExitCode.USAGE)
    files = RunFiles(events)
    with _written(output) as stream, misread_events():
        write = EventFile(stream)
        for event in files.events():
            write(event)
    for path in files.unfinished:
        echo(f"{path} has no end: the run was killed, or still goes on", err=True)
    echo(f"merged {counted(len(events), 'event file')}", err=True)
    return 0


@contextlib.contextmanager
def _written(output: str) -> Iterator[TextIO]:
    """Open the output. A file replaces an older one only when it is whole; a device is written to."""
    if output == "-":
        yield sys.stdout
        return
    path = Path(output).resolve()
    if path.exists() and not path.is_file():
        with contextlib.ExitStack() as stack:
            yield opened(stack, output)
        return
    try:
        with replacing(path) as file, TextIOWrapper(file, "utf-8") as stream:
            yield stream
    except OSError as error:
        if error.filename is None:
            raise
        raise FatalError(f"cannot write {output}: {error.strerror}", "", ExitCode.USAGE) from error
