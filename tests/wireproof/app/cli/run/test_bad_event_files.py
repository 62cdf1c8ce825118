"""Event files that are cut, damaged, of another form or hostile, as a user gives them to the commands."""

import gzip
import io
import json
import os
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
import pytest

from tests.support.hostile.hostile_texts import HOSTILE, OBEYED, UNSEEN
from tests.support.reports.sample_events import EVENTS, FINISHED, STARTED
from wireproof.app.cli.app import command_line
from wireproof.base.exit_codes import ExitCode
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.run.core.run_events import ForkHeader, RunEvent, RunFooter, RunHeader
from wireproof.verdict.report.events import event_reader
from wireproof.verdict.report.events.event_json import FORMAT_VERSION, EventFile
from wireproof.verdict.report.events.event_reader import read_event_file
from wireproof.verdict.report.output_formats import RUN_FORMATS


def _text(events: Sequence[RunEvent]) -> str:
    stream = io.StringIO()
    for event in events:
        EventFile(stream)(event)
    return stream.getvalue()


TEXT: Final = _text(EVENTS)
LINES: Final = TEXT.splitlines(keepends=True)
READERS: Final = {
    "report": ["report", "{file}", "--markdown", "-"],
    "merge": ["merge", "{file}", "--output", "-"],
    "diff": ["diff", "{file}", "{file}"],
}
"""The commands that read a file, each with its arguments."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "events.ndjson"


def typed(command: str, file: Path) -> int:
    words = [word.format(file=file) for word in READERS[command]]
    return int(command_line(words, standalone_mode=False) or 0)


def refusal(command: str, file: Path) -> str:
    """The error of a command: its exit code is that of a wrong file, and it names the file."""
    with pytest.raises(click.ClickException) as raised:
        typed(command, file)
    assert raised.value.exit_code == ExitCode.USAGE
    assert str(file) in raised.value.format_message()
    return raised.value.format_message()


@pytest.mark.parametrize("cut", range(1, len(LINES)))
def test_a_file_that_ends_after_a_line(cut: int, file: Path, capsys: pytest.CaptureFixture[str]):
    """The report has what is there; without its end a run is never proven."""
    file.write_text("".join(LINES[:cut]))
    codes = {command: typed(command, file) for command in READERS}
    captured = capsys.readouterr()

    assert codes["report"] not in (ExitCode.PROVEN, ExitCode.USAGE)
    assert codes["merge"] == codes["diff"] == ExitCode.PROVEN
    assert "1 event file without an end: the run was killed, or still goes on" in captured.err
    assert f"{file} has no end" in captured.err


@pytest.mark.parametrize("number", range(1, len(LINES)))
def test_a_file_that_ends_within_a_line(number: int, file: Path, capsys: pytest.CaptureFixture[str]):
    """It is read as if the line were not there; of a cut in the header nothing is left."""
    whole, part = "".join(LINES[:number]), LINES[number]
    for length in {1, len(part) // 2, len(part) - 1}:
        file.write_text(whole + part[:length])
        assert list(read_event_file(file)) == list(read_event_file(_written(file, whole)))
    file.write_text(LINES[0][:-1])
    assert "the file is empty, or its run has just begun" in refusal("report", file)


def _written(file: Path, text: str) -> Path:
    other = file.with_name("whole.ndjson")
    other.write_text(text)
    return other


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("version", "words"),
    [
        (FORMAT_VERSION + 1, "Install wireproof 9.8.7 or a newer one to read it."),
        (FORMAT_VERSION - 1, "Prove the codec again, or read the file with wireproof 9.8.7."),
        ("x" * 9999, "Prove the codec again"),
        (True, "Prove the codec again"),
    ],
)
def test_a_file_of_another_format(command: str, version: object, words: str, file: Path):
    """The error has both formats, and what to do: a newer wireproof, or another run."""
    header = {**json.loads(LINES[0]), "format": version, "version": "9.8.7"}
    file.write_text(json.dumps(header) + "\n" + "".join(LINES[1:]))
    error = refusal(command, file)
    assert words in error
    assert f"this wireproof reads format {FORMAT_VERSION}" in error
    assert len(error) < 500


def test_a_file_that_grows_while_it_is_read(file: Path):
    """Every line that is whole when it is reached is read, and no error comes of the last one."""
    file.write_text(LINES[0] + LINES[1][:20])
    events = read_event_file(file)
    assert isinstance(next(events), RunHeader)
    file.write_text("".join(LINES[:4]) + LINES[4][:9])
    assert len(list(events)) <= 3
    file.write_text(TEXT)
    assert isinstance(list(read_event_file(file))[-1], RunFooter)


def test_a_run_in_progress_is_reported_at_any_moment(file: Path, capsys: pytest.CaptureFixture[str]):
    """A writer writes in pieces of a few bytes while reports are made."""
    file.write_text(LINES[0])
    over = threading.Event()

    def write() -> None:
        with file.open("a") as stream:
            for start in range(len(LINES[0]), len(TEXT), 97):
                stream.write(TEXT[start : start + 97])
                stream.flush()
        over.set()

    writer = threading.Thread(target=write)
    writer.start()
    codes = []
    while not over.is_set():
        codes.append(typed("report", file))
    writer.join()
    assert ExitCode.USAGE not in codes
    assert typed("report", file) == ExitCode.DIVERGENCE
    capsys.readouterr()


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\0" * 4096 + b"\n", "line 1: this is not an event of wireproof"),
        (LINES[0].encode() + b"\0\0\0\0\n", "line 2: this is not an event of wireproof"),
        (LINES[0].encode() + b'{"event":"cell\xff\xfe"}\n', "line 2: this is not an event of wireproof"),
        (gzip.compress(TEXT.encode()), "it is compressed with gzip: unpack it first"),
        (b"\x28\xb5\x2f\xfd rest", "it is compressed with zstd: unpack it first"),
        (TEXT.encode("utf-16"), "it is UTF-16: expected UTF-8"),
        (TEXT.encode("utf-8-sig"), "it begins with a byte order mark"),
        (TEXT.encode() * 2, "The file has the events of two runs"),
        (LINES[0].encode() * 2, "line 2: there is a second header"),
        (TEXT.encode() + LINES[1].encode(), "the run ended in the line before"),
        (LINES[1].encode(), "the first event is not a header"),
        (b"[" * 100_000 + b"\n", "it is nested too deeply"),
        (LINES[0].encode() + b'{"event": "x' + b"y" * 9999 + b'"}\n', "no event is named"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else None,
)
def test_a_file_of_another_kind(command: str, content: bytes, words: str, file: Path):
    """The error has the line and the reason, in one line that is not long."""
    file.write_bytes(content)
    error = refusal(command, file)
    assert words in error
    assert len(error) < 700


@pytest.mark.parametrize("command", READERS)
def test_a_path_that_is_not_a_regular_file(command: str, tmp_path: Path):
    """A folder, a FIFO without a writer, a device, and nothing: an error, and no wait."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert "not a regular file" in refusal(command, fifo)
    assert "not a regular file" in refusal(command, Path("/dev/zero"))
    assert "Is a directory" in refusal(command, tmp_path)
    assert "No such file" in refusal(command, tmp_path / "none")


def test_merge_writes_into_a_pipe(file: Path, tmp_path: Path):
    """A file that is not a regular one stays: it is written to, and not replaced."""
    file.write_text(TEXT)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(fifo.read_text()))
    reader.start()
    code = command_line(["merge", str(file), "--output", str(fifo)], standalone_mode=False)
    reader.join()
    assert code == ExitCode.PROVEN
    assert len(received[0].splitlines()) == len(LINES)
    assert fifo.is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.ndjson", "fifo"]


def test_a_line_without_an_end(file: Path, monkeypatch: pytest.MonkeyPatch):
    """It is refused when it is too long, before it is held in memory."""
    monkeypatch.setattr(event_reader, "MOST_CHARACTERS", 1000)
    file.write_text(LINES[0] + "x" * 5000)
    assert "line 2: it is longer than 1,000 characters" in refusal("report", file)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a JSON value, of a list the first."""
    if path:
        yield path
    members: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = list(enumerate(value))[:1]
    for key, inner in members:
        yield from _places(inner, (*path, key))


def _put(value: Any, path: tuple[Any, ...], new: object) -> Any:
    copy = json.loads(json.dumps(value))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return copy


_OTHERS: Final[tuple[object, ...]] = (None, 7, "x", [1], {"a": {}}, 10**400)


def _error_of_report(file: Path) -> str:
    try:
        typed("report", file)
    except click.ClickException as error:
        return error.format_message()
    return ""


@pytest.mark.parametrize("number", range(len(LINES)))
def test_a_value_of_another_type(number: int, file: Path, capsys: pytest.CaptureFixture[str]):
    """Each value of each line in turn: the commands read the file or refuse it, and never crash."""
    line = json.loads(LINES[number])
    refused = 0
    for path in _places(line):
        for new in _OTHERS:
            changed = [*LINES[:number], json.dumps(_put(line, path, new)) + "\n", *LINES[number + 1 :]]
            file.write_text("".join(changed))
            error = _error_of_report(file)
            refused += bool(error)
            assert not error or f"line {number + 1}: " in error
    assert refused > 0
    capsys.readouterr()


def _hostile_line(line: Any, text: str) -> Any:
    """The line with the text added to each free text in it: no name of an event, a check or a phase."""
    if isinstance(line, dict):
        return {
            key: value
            if key in _NAMES
            else {f"{name}{text}": _hostile_line(each, text) for name, each in value.items()}
            if key in _TABLES
            else _hostile_line(value, text)
            for key, value in line.items()
        }
    if isinstance(line, list):
        return [_hostile_line(each, text) for each in line]
    return f"{line}{text}" if isinstance(line, str) else line


_NAMES: Final = {
    "event", "cell", "phase", "phases", "check", "mutations", "whose", "claimed", "exercised", "direction",
    "part", "module", "cases", "verdicts",
}  # fmt: skip
"""The keys of the names that wireproof gives: a file with other ones is refused."""


_TABLES: Final = {
    "corpus", "ended", "enforced", "errata", "jars", "known", "laxities", "ledger", "limits", "retired",
    "skipped", "trust", "unsupported",
}  # fmt: skip
"""The keys of objects whose own keys are free texts."""

_TOTALS: Final = replace(
    FINISHED.totals, errata={"KAFKA-1": 2}, laxities={"tail": 3}, unsupported={"nan": 1}, known={"e": 4},
    trust={"codec": {"written": 1}}, skipped={"no time": 2}, ended={"crash": 1}, claims=4, claims_exercised=3,
    not_asked=3, verdicts={MalformedVerdict.STRICTER: 3, MalformedVerdict.AGREE: 4},
)  # fmt: skip
_HEADER: Final = replace(
    STARTED, testee="./codec", limits={"nan": "no NaN"}, where="a container", enforced={"network": "none"},
    ledger={"e": "bug: x"}, ledger_of="1.2", corpus={"broker": 3}, unsaid=("headers",),
    forks=(ForkHeader("4.4.0+acme", "acme", "ab", ("TracePing",), ("FetchRequest",), "Kafka's generator"),),
)  # fmt: skip
_RICH: Final = [_HEADER, *EVENTS[1:-1], replace(FINISHED, totals=_TOTALS)]
"""Events in which every field has a value."""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_in_every_field(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """No format obeys it: no cursor moves, no line imitates, no command runs, no tag or link appears."""
    file = tmp_path / "events.ndjson"
    hostile = (_hostile_line(json.loads(line), HOSTILE[name]) for line in _text(_RICH).splitlines())
    file.write_text("".join(json.dumps(line) + "\n" for line in hostile))
    written = [form for form in RUN_FORMATS if not form.is_flag]
    options = [word for form in written for word in (form.option, str(tmp_path / form.name))]
    command_line(["report", str(file), "--annotations", *options], standalone_mode=False)
    report = capsys.readouterr()
    command_line(["diff", str(file), str(file)], standalone_mode=False)
    difference = capsys.readouterr()
    command_line(["diff", str(file), str(file), "--format", "markdown"], standalone_mode=False)
    files = {form.name: (tmp_path / form.name).read_text() for form in written}
    shown = {
        "terminal": report.err,
        "annotations": report.out,
        "difference": difference.out,
        "comment": capsys.readouterr().out,
        **files,
    }

    assert "FetchRequest" in report.err
    for form, output in shown.items():
        unseen = set(output) & set(UNSEEN)
        assert not unseen, [form, *[line for line in output.splitlines() if set(line) & unseen][:3]]
        assert not _commands(output), form
        assert form in ("junit", "html") or "\nProven." not in output, form  # these are not read by lines
    for form in ("markdown", "comment"):
        prose = re.sub(r"<code>[^<]*</code>|(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", shown[form])
        assert not re.search(r"<(script|img|/pre|/failure|testcase)", prose)
        assert not re.search(r"(?<!\\)(\]\(http|@all)", prose)
    for form in ("sarif", "code_quality", "badge"):
        json.loads(files[form])


def _commands(output: str) -> list[str]:
    """The lines that a runner obeys, without the annotations of the report itself."""
    found = [
        line for line in output.splitlines() if line.strip().startswith(OBEYED[:-1]) or OBEYED[-1] in line
    ]
    return [line for line in found if not re.fullmatch(r"::(error|warning) title=[^:]*::[^\r]*", line)]
