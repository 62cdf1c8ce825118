"""``wireproof trend``."""

from pathlib import Path

import click

from wireproof.app.cli.events.event_arguments import summarize
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.options import format_option
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.foreign_text import printable
from wireproof.base.text.output import document, echo
from wireproof.verdict.report.comparison.run_overview import (
    HEADS,
    TrendRow,
    TrendTable,
    trend_json,
    trend_markdown,
)
from wireproof.verdict.report.events.merged_runs import RunFiles
from wireproof.verdict.report.run_summary import RunSummary


@click.command(
    "trend",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "At least one event file was read.",
        ExitCode.NOTHING_RAN: "The folder has no event file.",
    },
)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="FOLDER")
@format_option("markdown", "json")
def command(folder: Path, form: str) -> int:
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
    if form == "json":
        document(trend_json(trend.rows))
    elif form == "markdown":
        document(trend_markdown(trend.rows))
    else:
        _print(trend.rows)
    return ExitCode.PROVEN


def _print(rows: list[TrendRow]) -> None:
    columns = list(zip(HEADS, *(tuple(map(printable, row.columns)) for row in rows), strict=True))
    widths = [max(map(len, column)) for column in columns]
    for line in zip(*columns, strict=True):
        texts = zip(line, widths, strict=True)
        padded = [f"{text:{width}}" if n < 2 else f"{text:>{width}}" for n, (text, width) in enumerate(texts)]
        echo("  ".join(padded).rstrip())
