"""``wireproof report``."""

from pathlib import Path
from typing import Any

import click

from wireproof.app.cli.events.event_arguments import event_files, summarize
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.run.report_files import report_options, written_reports
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.output import echo
from wireproof.verdict.report.events.merged_runs import RunFiles
from wireproof.verdict.report.output_formats import RUN_FORMATS, run_renderer
from wireproof.verdict.report.run_summary import RunSummary


@click.command(
    "report",
    cls=DocumentedCommand,
    exit_codes={
        **dict.fromkeys(ExitCode, ""),
        ExitCode.BELOW_FLOOR: "A file has no end, or the run that it holds was incomplete.",
    },
)
@event_files
@report_options()
def command(events: tuple[Path, ...], **wanted: Any) -> int:
    """Report a run from its event files.

    EVENTS are the files of one run: one file, or those of its shards. The reports are those that
    `wireproof run` writes. The exit code is that of the run; of shards it is that of all their cells. A run
    that was killed, or still goes on, is reported as far as it got.

    \b
    wireproof report events.ndjson
    wireproof report events.ndjson --markdown - --junit report.xml
    wireproof report shard-*.ndjson --annotations
    """
    from rich.console import Console

    from wireproof.verdict.report.run.terminal_report import TerminalReport

    summary = RunSummary()
    terminal = TerminalReport(Console(stderr=True), live=False)
    with written_reports(None, wanted, summary, RUN_FORMATS, run_renderer):
        summarize(RunFiles(events), summary, [terminal])
    if summary.stopped:
        echo(summary.stopped, err=True)
    assert summary.finished is not None  # the last event of `RunFiles.events`
    return int(summary.finished.exit_code)
