"""The options of `wireproof judge` and `wireproof proxy`, and the outputs of a judgement."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from wireproof.app.cli.event_loop import opened
from wireproof.app.cli.options import format_option, jar_options, option_group, run_option
from wireproof.app.cli.run.report_files import report_options, written_reports
from wireproof.base.accepted_findings import NOTHING_ACCEPTED, AcceptedFindings, read_accepted
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import document, echo, json_text
from wireproof.proof.client_judge.sent_requests import RequestFault, RequestFinding
from wireproof.traffic.capture.variations.answer import Family
from wireproof.traffic.capture.variations.variation_table import CATALOGUE
from wireproof.verdict.report.client_judge.client_summary import (
    ClientEventWriter,
    ClientProgressLine,
    ClientSummary,
    ClientTerminalReport,
    client_summary_json,
)
from wireproof.verdict.report.output_formats import CLIENT_FORMATS, client_renderer


class _Seconds(click.FloatRange):
    """A time that sockets and processes can wait: up to some days, and a number (no "nan")."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return float(seconds)


SECONDS: Final = _Seconds(min=0, min_open=True, max=1_000_000)

judgement_options: Final = option_group(
    click.option(
        "--accepted",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A TOML file of findings that do not fail: a table [[accepted]] for each, with message, field, "
        "rule (the fault), reason and date. An entry that matches no finding fails.",
    ),
    format_option("json", details="json: also write the summary and all causes to standard output."),
    run_option("events"),
    report_options(CLIENT_FORMATS),
    jar_options,
)
"""The options of every judgement, the last in the help."""


def judgement_reports(options: Mapping[str, Any], account: ClientSummary) -> AbstractContextManager[None]:
    """Return the context that writes the requested reports; see `written_reports`."""
    printed = options["form"] == "json"
    return written_reports(
        options["events"], options, account, CLIENT_FORMATS, client_renderer, printed=printed
    )


def accepted_of(options: Mapping[str, Any], *rules: str) -> AcceptedFindings:
    """Read the file that the option names; without one nothing is accepted.

    Args:
        rules: the rules of the command, besides the faults of requests.
    """
    path = options["accepted"]
    known = [each.value for each in RequestFault] + [str(each) for each in rules]
    return read_accepted(path, known) if path else NOTHING_ACCEPTED


_FILE_WIDTH: Final = 160


def wide_console() -> Console:
    """A console for standard error. In a file, no table is cut at the edge."""
    console = Console(stderr=True)
    return console if console.is_terminal else Console(stderr=True, width=_FILE_WIDTH)


class JudgementOutput:
    """The terminal, the events and the JSON of a judgement. Each finding is written when it is made."""

    def __init__(self, stack: ExitStack, account: ClientSummary, options: Mapping[str, Any]) -> None:
        self._account = account
        self._is_json = options["form"] == "json"
        console = wide_console()
        self.report = ClientTerminalReport(console)
        self.progress = ClientProgressLine(console)
        path = options["events"]
        self._events = None if path is None else ClientEventWriter(stack.enter_context(opened(path)), account)

    def __call__(self, findings: Sequence[RequestFinding]) -> None:
        self.report(findings)
        if self._events is not None:
            self._events(findings)

    def end(self) -> None:
        """Write the summary, and the end of the events."""
        account = self._account
        self.report.summary(account)
        if self._events is not None:
            self._events.end(account)
        if self._is_json:
            document(json_text(client_summary_json(account), indent=1) + "\n")
        if account.ended:
            echo(f"{account.program[0]} {account.ended}", err=True)


def exit_code_of(account: ClientSummary, *, ran_nothing: bool) -> ExitCode:
    """The exit code of a judgement that no signal ended."""
    if ran_nothing:
        return ExitCode.NOTHING_RAN
    if account.statistics.causes or account.unmatched:
        return ExitCode.DIVERGENCE
    return ExitCode.BELOW_FLOOR if account.ended else ExitCode.PROVEN


def replay_words(options: Mapping[str, Any], usual: Mapping[str, object]) -> Iterator[str]:
    """Yield the words of the options whose values differ from those in `usual`."""
    for name, value in usual.items():
        given = options[name.replace("-", "_")]
        if given not in (None, value):
            yield from (f"--{name}", f"{given:g}" if isinstance(given, float) else str(given))


_ERRORS: Final = "errors"
VARY_HELP: Final = (
    "Vary the answers of the broker, only as the protocol allows; the program must end as without. "
    "--vary errors: answer with each retriable error once."
)
_ONLY_VARIED: Final = (
    *("list_them", "only", "seed", "versions", "maxfail", "without", "run_limit", "compares", "jobs"),
)

only_options: Final = option_group(
    click.option(
        "--only",
        multiple=True,
        metavar="ID[@MESSAGE[#N[-M]]]",
        help="Use only this variation, on the answers of MESSAGE, on the Nth (to Mth), from 0. Repeatable: "
        "several are tried together.",
    ),
    click.option(
        "--seed", type=int, metavar="NUMBER", help="Draw other bytes, places and orders. Default: 0."
    ),
)
"""The options that choose variations, without those of a judgement."""
vary_options: Final = option_group(
    click.option(
        "--vary", is_flag=False, flag_value="all", type=click.Choice(["all", _ERRORS]), help=VARY_HELP
    ),
    click.option("--list", "list_them", is_flag=True, help="List the variations, with the source of each."),
    only_options,
    click.option("--without", multiple=True, metavar="ID", help="Leave out this variation. Repeatable."),
    click.option(
        "--versions",
        type=click.Choice(["edges", "each", "none"]),
        help="Offer the oldest and the newest version of each API alone, or each, or none. Default: edges.",
    ),
    click.option("--maxfail", type=click.IntRange(min=1), metavar="COUNT", help="End after COUNT findings."),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="COUNT",
        help="Run the program COUNT times at once, if it ends so as alone. Default: 3.",
    ),
    click.option(
        "--run-limit",
        type=SECONDS,
        metavar="SECONDS",
        help="End a varied run after SECONDS. Default: 15 and three times as long as without variations.",
    ),
    click.option(
        "--compare-output", "compares", is_flag=True, help="The program's stdout must be the same, too."
    ),
)
"""All options that concern variations."""


def check_vary_options(options: Mapping[str, Any]) -> None:
    """Check that the options fit each other; `FatalError` if they do not."""
    given = [name for name in _ONLY_VARIED if options[name] not in (None, False, ())]
    if options["vary"] is None and given:
        words = {"list_them": "list", "compares": "compare-output", "run_limit": "run-limit"}
        name = words.get(given[0], given[0])
        raise FatalError(f"--{name} needs --vary", "Add --vary before it.")
    ignored = [name for name in ("without", "versions") if options[name]]
    if options["only"] and ignored:
        raise FatalError(f"--{ignored[0]} and --only exclude each other: --only names all that is tried", "")
    if options["vary"] == _ERRORS and options["versions"]:
        raise FatalError("--versions: --vary errors offers no versions", "Write --vary --versions.")


def list_variations(errors: bool) -> ExitCode:
    """Print the catalogue: id, sentence and source of each variation."""
    rows = [each for each in CATALOGUE if (each.family is Family.ERRORS) == errors]
    document("".join(f"{each.id}\n  {each.sentence}\n  {each.source}\n" for each in rows))
    return ExitCode.PROVEN
