"""The commands that read event files: ``wireproof report``, ``diff``, ``trend`` and ``merge``."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar

import click
from rich.console import Console

from wireproof.app.cli.event_loop import opened
from wireproof.app.cli.options import documented_command, format_option
from wireproof.app.cli.run.report_files import report_options, written_reports
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.files.replacement import replacing
from wireproof.base.text.wording import counted, document, echo, echo_lines, printable
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.client_judge.client_difference import JudgementDifference, read_judgement
from wireproof.verdict.report.comparison.run_difference import compare_runs
from wireproof.verdict.report.comparison.run_difference_text import (
    difference_json,
    difference_lines,
    difference_markdown,
    summary_line,
)
from wireproof.verdict.report.comparison.run_overview import (
    HEADS,
    TrendRow,
    TrendTable,
    trend_json,
    trend_markdown,
)
from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.events.event_reader import EventFileError, MergeError, RunFiles
from wireproof.verdict.report.output_formats import RUN_FORMATS, run_renderer
from wireproof.verdict.report.run.terminal_report import TerminalReport
from wireproof.verdict.report.run_summary import RunSummary

event_files = click.argument(
    "events", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="EVENTS..."
)
"""The files of one run: `wireproof run --events FILE` writes one."""


@contextmanager
def misread_events() -> Iterator[None]:
    """Turn the errors of event files into those of a command line."""
    try:
        yield
    except OSError as error:
        raise FatalError(f"cannot read {error.filename}: {error.strerror}") from error
    except (EventFileError, MergeError) as error:
        advice = error.advice or "`wireproof run --events FILE` writes an event file."
        raise FatalError(str(error), advice) from error


def summarize(
    files: RunFiles, summary: RunSummary, listeners: Iterable[Callable[[RunEvent], None]] = ()
) -> None:
    """Read the event files of a run into its summary."""
    with misread_events():
        for event in files.events():
            summary(event)
            for listener in listeners:
                listener(event)
    if files.unfinished:
        names = ", ".join(map(str, files.unfinished))
        number = counted(len(files.unfinished), "event file")
        summary.stopped = f"{number} without an end: the run was killed, or still goes on: {names}"


@documented_command(
    "report",
    {
        **dict.fromkeys(ExitCode, ""),
        ExitCode.BELOW_FLOOR: "A file has no end, or the run that it holds was incomplete.",
    },
)
@event_files
@report_options()
def report(events: tuple[Path, ...], **wanted: Any) -> int:
    """Report a run from its event files.

    EVENTS are the files of one run: one file, or those of its shards. The reports are those that
    `wireproof run` writes. The exit code is that of the run; of shards it is that of all their cells. A run
    that was killed, or still goes on, is reported as far as it got.

    \b
    wireproof report events.ndjson
    wireproof report events.ndjson --markdown - --junit report.xml
    wireproof report shard-*.ndjson --annotations
    """

    summary = RunSummary()
    terminal = TerminalReport(Console(stderr=True), live=False)
    with written_reports(None, wanted, summary, RUN_FORMATS, run_renderer):
        summarize(RunFiles(events), summary, [terminal])
    if summary.stopped:
        echo(summary.stopped, err=True)
    assert summary.finished is not None  # the last event of `RunFiles.events`
    return int(summary.finished.exit_code)


_Found = TypeVar("_Found")
_EVENTS: Final = click.Path(path_type=Path)


@documented_command(
    "diff",
    {
        ExitCode.PROVEN: "AFTER has no new finding, and lost no cell.",
        ExitCode.DIVERGENCE: "AFTER has a new finding, or a cell lost its verdict.",
    },
)
@click.argument("before", type=_EVENTS, metavar="BEFORE")
@click.argument("after", type=_EVENTS, metavar="AFTER")
@format_option("markdown", "json")
def diff(before: Path, after: Path, form: str) -> int:
    """Compare two runs by their event files.

    A finding is a message, a check, a field and a kind of difference. It is new if the run AFTER shows it in
    a cell in which the run BEFORE did not. It is gone if AFTER judged the cell and does not show it. The
    comparison lists the causes that are gone or new, then the findings, the cells whose state changed,
    coverage, the ledger's entries, and the time.

    \b
    wireproof diff main.ndjson pull-request.ndjson
    wireproof diff main.ndjson pull-request.ndjson --format markdown

    The files of `wireproof judge` and `wireproof judge broker` can be compared, too, by message, field and
    fault.
    """
    with misread_events():
        judged = [read_judgement(path) for path in (before, after)]
    if judged[0] is not None and judged[1] is not None:
        kind = JudgementDifference
        change = kind(judged[0], judged[1])
        _print(form, change, kind.json, kind.markdown, kind.lines)
        echo(change.summary_line, err=True)
        return ExitCode.DIVERGENCE if change.regressed else ExitCode.PROVEN
    if judged != [None, None]:
        advice = "Compare two files of `wireproof run`, or two of `wireproof judge`."
        raise FatalError("one file is of a run, the other of a judgement", advice)
    runs = []
    for path in (before, after):
        summary = RunSummary()
        summarize(RunFiles([path]), summary)
        if summary.stopped:
            echo(f"{path}: {summary.stopped}", err=True)
        runs.append(summary)
    difference = compare_runs(*runs)
    _print(form, difference, difference_json, difference_markdown, difference_lines)
    echo(summary_line(difference), err=True)
    return ExitCode.DIVERGENCE if difference.regressed else ExitCode.PROVEN


def _print(
    form: str,
    found: _Found,
    as_json: Callable[[_Found], str],
    as_markdown: Callable[[_Found], str],
    as_lines: Callable[[_Found], Iterable[str]],
) -> None:
    if form == "json":
        document(as_json(found))
    elif form == "markdown":
        document(as_markdown(found))
    else:
        echo_lines(as_lines(found))


@documented_command(
    "trend",
    {
        ExitCode.PROVEN: "At least one event file was read.",
        ExitCode.NOTHING_RAN: "The folder has no event file.",
    },
)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="FOLDER")
@format_option("markdown", "json")
def trend(folder: Path, form: str) -> int:
    """Show how a codec changed over the runs in a folder.

    FOLDER has an event file for each run, with a name that ends in .ndjson. The runs are in the order of
    their names, so let a name begin with a date or a build number. Each row has the verdict, the causes, the
    findings, those that are new or gone since the run before, coverage and time. A file that is not an event
    file is named on standard error and left out.

    \b
    wireproof run --testee python-kafka-python --events runs/2026-11-23.ndjson
    wireproof trend runs
    """
    found = sorted(folder.glob("*.ndjson"))
    trend = TrendTable()
    for path in found:
        summary = RunSummary()
        try:
            summarize(RunFiles([path]), summary)
        except FatalError as error:
            echo(f"left out: {error.message}", err=True)
            continue
        trend.add(path.stem, summary)
    if not trend.rows:
        advice = "`wireproof run --events FOLDER/NAME.ndjson` writes one."
        raise FatalError(f"{folder} has no event file", advice, ExitCode.NOTHING_RAN)
    _print(form, trend.rows, trend_json, trend_markdown, _trend_lines)
    return ExitCode.PROVEN


def _trend_lines(rows: list[TrendRow]) -> Iterator[str]:
    columns = list(zip(HEADS, *(tuple(map(printable, row.columns)) for row in rows), strict=True))
    widths = [max(map(len, column)) for column in columns]
    for line in zip(*columns, strict=True):
        texts = zip(line, widths, strict=True)
        padded = [f"{text:{width}}" if n < 2 else f"{text:>{width}}" for n, (text, width) in enumerate(texts)]
        yield "  ".join(padded).rstrip()


@documented_command("merge", {ExitCode.PROVEN: "The file is written. `wireproof report` shows the verdict."})
@event_files
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write the events of the whole run to this file; - is standard output.",
)
def merge(events: tuple[Path, ...], output: str) -> int:
    """Merge the event files of a run's shards into one.

    The shards must be of one run: the same wireproof, codec, seed and phases, and no cell in two of them. The
    totals of the whole run are added up, and its verdict is derived again.

    \b
    wireproof run --shard 1/2 --events 1.ndjson
    wireproof run --shard 2/2 --events 2.ndjson
    wireproof merge 1.ndjson 2.ndjson --output run.ndjson
    """
    if output != "-" and Path(output).resolve() in {path.resolve() for path in events}:
        raise FatalError(f"{output} is one of the files to merge", "Name another file.")
    files = RunFiles(events)
    with _written(output) as stream, misread_events():
        write = EventFile(stream)
        for event in files.events():
            write(event)
    for path in files.unfinished:
        echo(f"{path} has no end: the run was killed, or still goes on", err=True)
    echo(f"merged {counted(len(events), 'event file')}", err=True)
    return 0


@contextmanager
def _written(output: str) -> Iterator[TextIO]:
    """Open the output. A file replaces an older one only when complete; a device is written directly."""
    path = Path(output).resolve()
    if output == "-" or (path.exists() and not path.is_file()):
        with opened(output) as stream:
            yield stream
        return
    try:
        with replacing(path) as file, TextIOWrapper(file, "utf-8") as stream:
            yield stream
    except OSError as error:
        if error.filename is None:
            raise
        raise FatalError(f"cannot write {output}: {error.strerror}") from error
