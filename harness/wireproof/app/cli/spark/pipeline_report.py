"""``wireproof pipeline report``: the results of a job, for people and for programs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.base.fatal import FatalError, as_fatal
from wireproof.base.files import write_output
from wireproof.base.text.foreign_text import json_text
from wireproof.base.text.output import document
from wireproof.proof.run import ExitCode

if TYPE_CHECKING:
    from wireproof.pipeline.report.report_data import ReportData

_STANDARD_OUTPUT = "-"


@click.command("report", cls=DocumentedCommand, exit_codes={ExitCode.PROVEN: "The report is written."})
@click.argument("output", type=click.Path(path_type=Path), metavar="OUTPUT")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write a page with plots, which loads nothing from elsewhere; - is standard output.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write the counts and the tables of answers as JSON; - is standard output.",
)
def report_command(output: Path, html: str | None, json_file: str | None) -> int:
    """Report the results of a job. OUTPUT is the folder that `wireproof pipeline run` wrote.

    The report has coverage by message and version, clients and their versions, bytes by message and field
    with the savings of KIP-625, disagreements by cause, and the frames in quarantine. Spark is not started:
    the tables of answers are small.

    \b
    wireproof pipeline report out
    wireproof pipeline report out --html report.html
    wireproof pipeline report out --json - | jq .counts
    """
    from wireproof.pipeline.job_plan import OutputError
    from wireproof.pipeline.report.report_data import read_report_data

    if html == json_file == _STANDARD_OUTPUT:
        raise FatalError(
            "--html and --json both write to standard output", "Name a file for one of them.", ExitCode.USAGE
        )
    with as_fatal(OutputError, exit_code=ExitCode.USAGE):
        answers = read_report_data(output)
    if html is not None:
        write_page(answers, html)
    if json_file is not None:
        _write(json_file, json_text(answers.as_json(), indent=1) + "\n")
    if html is json_file is None:
        _print(answers)
    return int(ExitCode.PROVEN)


def write_page(answers: "ReportData", place: str) -> None:
    """Write the page of a job.

    Raises:
        FatalError: the file cannot be written.
    """
    from wireproof.pipeline.report.html_page import report_page

    _write(place, report_page(answers))


def _print(answers: "ReportData") -> None:
    from rich.console import Console

    from wireproof.pipeline.report.job_terminal import report_lines

    console = Console(stderr=True)
    for each in report_lines(answers):
        console.print(each)


def _write(place: str, text: str) -> None:
    if place == _STANDARD_OUTPUT:
        document(text)
        return
    try:
        write_output(Path(place), text)
    except OSError as error:
        raise FatalError(f"cannot write {place}: {error.strerror}", "", ExitCode.USAGE) from error
