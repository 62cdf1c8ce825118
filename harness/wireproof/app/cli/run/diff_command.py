"""``wireproof diff``."""

from pathlib import Path
from typing import Final

import click

from wireproof.app.cli.events.event_arguments import summarize
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.options import format_option
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.output import document, echo
from wireproof.verdict.report.comparison.run_difference import compare_runs
from wireproof.verdict.report.comparison.run_difference_text import (
    difference_json,
    difference_lines,
    difference_markdown,
    summary_line,
)
from wireproof.verdict.report.events.merged_runs import RunFiles
from wireproof.verdict.report.run_summary import RunSummary

_FILE: Final = click.Path(path_type=Path)


@click.command(
    "diff",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "The run AFTER has no new finding, and lost no cell.",
        ExitCode.DIVERGENCE: "The run AFTER has a new finding, or a cell lost its verdict.",
    },
)
@click.argument("before", type=_FILE, metavar="BEFORE")
@click.argument("after", type=_FILE, metavar="AFTER")
@format_option("markdown", "json")
def command(before: Path, after: Path, form: str) -> int:
    """Compare two runs by their event files.

    A finding is a message, a check, a field and a kind of difference. It is new if the run AFTER shows it in
    a cell in which the run BEFORE did not. It is gone if AFTER judged the cell and does not show it. The
    comparison lists the causes that are gone or new, then the findings, the cells whose state changed,
    coverage, the ledger's entries, and the time.

    \b
    wireproof diff main.ndjson pull-request.ndjson
    wireproof diff main.ndjson pull-request.ndjson --format markdown
    """
    runs = []
    for path in (before, after):
        summary = RunSummary()
        summarize(RunFiles([path]), summary)
        if summary.stopped:
            echo(f"{path}: {summary.stopped}", err=True)
        runs.append(summary)
    difference = compare_runs(*runs)
    if form == "json":
        document(difference_json(difference))
    elif form == "markdown":
        document(difference_markdown(difference))
    else:
        for line in difference_lines(difference):
            echo(line)
    echo(summary_line(difference), err=True)
    return ExitCode.DIVERGENCE if difference.regressed else ExitCode.PROVEN
