"""Text of testees, clients, captures and files is harmless in all output of wireproof."""

import ast
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from tests.support.hostile.hostile_texts import HOSTILE, OBEYED, UNSEEN
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import escaped_json, json_text, one_line, printable
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell, Phase
from wireproof.model.codec_ends import CodecEnd
from wireproof.model.divergence import Divergence, FaultAttribution, FaultOwner
from wireproof.model.repertoire import ClaimProblem
from wireproof.proof.client_judge.sent_requests import RequestFault, RequestFinding
from wireproof.proof.run.core.cell_events import EndedCodec, FailedCase, LostCase
from wireproof.proof.run.core.run_events import (
    BrokenRun,
    ClaimFinding,
    LedgerFinding,
    RunEvent,
    RunFooter,
    RunHeader,
    Totals,
)
from wireproof.verdict.report.client_judge.client_issues import render_client_annotations
from wireproof.verdict.report.client_judge.client_junit import render_client_junit
from wireproof.verdict.report.client_judge.client_markdown import render_client_markdown
from wireproof.verdict.report.client_judge.client_summary import (
    ClientEventWriter,
    ClientSummary,
    ClientTerminalReport,
)
from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.run.annotations_report import render_annotations
from wireproof.verdict.report.run.junit_report import render_junit
from wireproof.verdict.report.run.markdown_report import render_markdown
from wireproof.verdict.report.run.terminal_report import TerminalReport
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import marked

CELL = Cell("4.4.0", "clients", "FetchRequest", 12)
COMMANDS = Path(__file__).parents[4] / "harness/wireproof/app/cli"

every_text = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


def events_with(text: str) -> list[RunEvent]:
    """Return the events of a run whose testee, ledger and machine put the text in every possible field."""
    found = Divergence("bytes", text, text, f"topics[0].{text}", text, 3, text, text, text, text)
    claim = ClaimProblem(text, "FetchRequest", "4", "decode", text, text, text)
    return [
        RunHeader(
            "0.1.0", ("wireproof", text), 7, ("4.4.0",), {}, (text,), (Phase.SHAPE,), 1, {}, testee=text,
            where=text, enforced={"network": text}, limits={text: text}, ledger={text: text},
        ),
        EndedCodec(CELL, f"{CELL.id}/{text}", CodecEnd(text, "process", text, text, text, 3.0)),
        FailedCase(
            CELL,
            Phase.SHAPE,
            f"{CELL.id}/{text}",
            (found,),
            text,
            blame=FaultAttribution(FaultOwner.CODEC, text),
        ),
        LostCase(CELL, f"{CELL.id}/{text}", text),
        LedgerFinding(LedgerProblem(text, "passed", text, text)),
        ClaimFinding(claim),
        BrokenRun(text, text, ExitCode.BROKEN),
        RunFooter(Totals(1, 1, known={text: 1}, unsupported={text: 1}), 1.5, ExitCode.DIVERGENCE),
    ]  # fmt: skip


def summary_with(text: str) -> RunSummary:
    summary = RunSummary()
    for event in events_with(text):
        summary(event)
    return summary


def terminal(text: str) -> str:
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=100, no_color=True))
    for event in events_with(text):
        report(event)
    return stream.getvalue()


def event_file(text: str) -> str:
    stream = io.StringIO()
    file = EventFile(stream)
    for event in events_with(text):
        file(event)
    return stream.getvalue()


def traffic_with(text: str) -> tuple[ClientSummary, RequestFinding]:
    divergence = Divergence("bytes", "the client", text, text, text, 3, text, text, kind=text)
    found = RequestFinding(
        RequestFault.NOT_KAFKA, "1-CLIENT", 2, 40, text, b"", "", None, divergence=divergence, client=text
    )
    summary = ClientSummary("0.1.0", ("wireproof", text), (text,), text, "4.3.1")
    summary.statistics.loose(found)
    summary.statistics.software[text] += 1
    summary.ended = summary.stopped = text
    summary.exit_code = ExitCode.DIVERGENCE
    return summary, found


def traffic_terminal(text: str) -> str:
    stream = io.StringIO()
    summary, found = traffic_with(text)
    report = ClientTerminalReport(Console(file=stream, width=100, no_color=True))
    report([found])
    report.summary(summary)
    return stream.getvalue()


def traffic_events(text: str) -> str:
    stream = io.StringIO()
    summary, found = traffic_with(text)
    events = ClientEventWriter(stream, summary)
    events([found])
    events.end(summary)
    return stream.getvalue()


REPORTS: dict[str, Callable[[str], str]] = {
    "terminal": terminal,
    "events": event_file,
    "junit": lambda text: render_junit(summary_with(text)),
    "markdown": lambda text: render_markdown(summary_with(text)),
    "annotations": lambda text: render_annotations(summary_with(text)),
    "traffic-terminal": traffic_terminal,
    "traffic-events": traffic_events,
    "traffic-junit": lambda text: render_client_junit(traffic_with(text)[0]),
    "traffic-markdown": lambda text: render_client_markdown(traffic_with(text)[0]),
    "traffic-annotations": lambda text: render_client_annotations(traffic_with(text)[0]),
}
OWN_COMMANDS = ("::error title=wireproof", "::warning title=wireproof")


def obeyed(written: str) -> list[str]:
    """Return the lines that a CI runner takes for a command and that are not wireproof's own."""
    lines = (line.strip() for line in written.splitlines())
    return [
        line
        for line in lines
        if (line.startswith("::") and not line.startswith(OWN_COMMANDS)) or "##[" in line
    ]


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@every_text
def test_a_report_shows_a_hostile_text_without_effect(report: Callable[[str], str], text: str) -> None:
    """The report has no control character and no command of a runner, and can be encoded in any encoding."""
    written = report(text)

    assert not set(UNSEEN) & set(written)
    assert obeyed(written) == []
    assert written.encode("utf-8")


@pytest.mark.parametrize("report", [terminal, traffic_terminal])
def test_a_line_break_does_not_make_a_line_of_wireproof(report: Callable[[str], str]) -> None:
    """The text after a line break in a foreign text has a margin."""
    lines = report(HOSTILE["false-verdict"]).splitlines()
    assert not [line for line in lines if line.startswith("Proven. Every")]


@every_text
def test_markup_shows_the_text(text: str) -> None:
    """No part of the text is read as markup: no colour, no link."""
    assert Text.from_markup(f"[bold]{marked(text, '')}[/]", emoji=False).plain == printable(text)


@every_text
def test_json_holds_the_text_itself(text: str) -> None:
    """JSON's own escapes are used, so a program that reads the report gets the text unchanged."""
    written = json_text({"text": text})
    assert json.loads(written) == {"text": text}
    assert written.isascii()
    raw = json.dumps(text, ensure_ascii=False)
    assert json.loads(escaped_json(raw)) == text


def test_printable_text_is_not_changed() -> None:
    """Letters of every script, line breaks and tabs are printed; `std::bad_alloc` is not a command."""
    text = "naïve 日本語 🎉\tx\n  std::bad_alloc at [0]"
    assert printable(text) == text
    assert one_line(" a\n b ") == "a b"


@every_text
def test_printing_twice_changes_nothing(text: str) -> None:
    """A text that passes two writers is escaped once."""
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize("path", sorted(COMMANDS.rglob("*.py")), ids=lambda path: path.name)
def test_each_command_writes_through_the_output_module(path: Path) -> None:
    """Commands write with `wireproof.base.text.wording`, never with `click.echo` or `click.secho`."""
    tree = ast.parse(path.read_text("utf-8"))
    calls = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("echo", "secho")
    ]
    assert calls == []


def test_a_lone_surrogate_in_an_error_ends_in_a_line() -> None:
    """An argument whose bytes are not UTF-8 has one; the error shows it as an escape."""
    arguments: list[str | bytes] = [sys.executable, "-m", "wireproof", b"\xff\x1b[2J"]
    done = subprocess.run(arguments, capture_output=True, check=False, env={"PYTHONIOENCODING": "utf-8"})
    assert done.returncode == ExitCode.USAGE
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stderr
    assert b"\\udcff" in done.stderr


def test_the_check_for_commands_finds_each_command() -> None:
    """The check above recognizes each text with a command in it."""
    bad = [text for text in HOSTILE.values() if any(word in text for word in OBEYED)]
    assert len(bad) >= 5
    assert all(map(obeyed, bad))
