"""Every `wireproof schema` command with bad files: an error with file, line and rule, and no wait."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError

PING: dict[str, Any] = {
    "apiKey": 901,
    "type": "request",
    "name": "PingRequest",
    "validVersions": "0-2",
    "flexibleVersions": "1+",
    "fields": [{"name": "Count", "type": "int32", "versions": "0+"}],
}

JSON_READERS: Final[dict[str, Callable[[str], list[str]]]] = {
    "check old": lambda path: ["check", path, "4.4"],
    "check new": lambda path: ["check", "4.4", path],
    "try": lambda path: ["try", "--no-java", path],
    "sizes": lambda path: ["sizes", path],
    "convert": lambda path: ["convert", "--to", "krammar", path],
}
"""The commands that read Kafka's JSON, with the arguments for one file."""

OTHERS: Final = {"downgrade", "krammar", "fuzz"}
"""The commands without a file of Kafka's JSON, or with tests of their own."""

EACH_READER = pytest.mark.parametrize("reader", JSON_READERS)


def refused(reader: str, path: Path) -> list[str]:
    """The lines of the error; the exit code is that of a mistake in the input."""
    error = CliRunner().invoke(command, JSON_READERS[reader](str(path)), standalone_mode=False).exception
    assert isinstance(error, FatalError), repr(error)
    assert error.exit_code == ExitCode.USAGE
    return error.message.splitlines()


def field(**changes: Any) -> dict[str, Any]:
    return {"name": "Count", "type": "int32", "versions": "0+", **changes}


def test_every_command_is_here() -> None:
    """A new one has to be added to a table."""
    known = {name.split()[0] for name in JSON_READERS}
    assert set(command.commands) <= known | OTHERS


@EACH_READER
@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ("", 1, "json-syntax"),
        ('{\n  "name": "Ping", // a comment\n  "type" "request"\n}', 3, "json-syntax"),
        ('{\n  /* not closed\n  "name": "Ping" }', 2, "json-syntax"),
        ("[" * 10_000, 1, "json-syntax"),
        (json.dumps({**PING, "colour": "red"}, indent=1), 14, "unknown-key"),
        (json.dumps({**PING, "type": "reqest"}, indent=1), 3, "message-type-unknown"),
        (json.dumps({**PING, "fields": [field(type="int24")]}, indent=1), 10, "field-type-unknown"),
        (json.dumps({**PING, "validVersions": "0-2+"}, indent=1), 5, "versions-syntax"),
        (json.dumps({**PING, "validVersions": "0+"}, indent=1), 5, "valid-versions-open"),
        (json.dumps({**PING, "fields": [field(versions="0", nullableVersions="2+")]}, indent=1), 8, ""),
        (
            json.dumps({**PING, "fields": [field(taggedVersions="0+", tag=0)]}, indent=1),
            8,
            "tagged-not-flexible",
        ),
        (
            json.dumps(
                {
                    **PING,
                    "fields": [field(type="A")],
                    "commonStructs": [
                        {"name": "A", "versions": "0+", "fields": [field(type="[]B")]},
                        {"name": "B", "versions": "0+", "fields": [field(type="[]A")]},
                    ],
                },
                indent=1,
            ),
            15,
            "struct-cycle",
        ),
    ],
    ids=[
        *("empty", "comment", "open-comment", "deep", "key", "message-type", "field-type", "range"),
        *("open-range", "nullable", "tagged", "cycle"),
    ],
)
def test_a_file_with_an_error(reader: str, text: str, line: int, rule: str, tmp_path: Path) -> None:
    """The first line of the error has the file, the line of the mistake, and the rule."""
    path = tmp_path / "PingRequest.json"
    path.write_text(text)
    first = refused(reader, path)[0]
    found = re.fullmatch(rf"{re.escape(str(path))}:(\d+): error: .+ \[([a-z-]+)\]", first)
    assert found is not None, first
    assert int(found[1]) == line, first
    assert rule in ("", found[2]), first


@EACH_READER
def test_all_errors_at_once(reader: str, tmp_path: Path) -> None:
    """A file of 10,000 fields with as many errors: twenty are listed, the others counted."""
    path = tmp_path / "PingRequest.json"
    fields = [field(name=f"F{number}", type="int24") for number in range(10_000)]
    path.write_text(json.dumps({**PING, "fields": fields}))
    lines = refused(reader, path)
    assert len(lines) == 21
    assert lines[-1] == "and 9980 more"


@EACH_READER
@pytest.mark.parametrize("kind", ["fifo", "device", "loop", "long", "utf-16", "latin-1", "gone"])
def test_a_file_that_is_no_text(reader: str, kind: str, tmp_path: Path) -> None:
    """Neither a FIFO nor a device nor 100 MB make a command wait."""
    path = tmp_path / "PingRequest.json"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "loop":
            path.symlink_to(path)
        case "long":
            with path.open("wb") as file:
                file.truncate(100 << 20)
        case "utf-16":
            path.write_text(json.dumps(PING), encoding="utf-16")
        case "latin-1":
            path.write_bytes(json.dumps(PING).encode().replace(b"Count", b"Z\xe4hler"))
        case _:
            pass
    (line,) = refused(reader, path)
    assert str(path) in line
    if kind != "gone":
        assert line.startswith(f"{path}:1: error: ")


@pytest.mark.parametrize("reader", sorted(JSON_READERS.keys() - {"try", "sizes"}))
def test_a_folder_with_two_messages_of_one_name(reader: str, tmp_path: Path) -> None:
    """The error names both files; `try` and `sizes` take one file."""
    for name in ("A.json", "B.json"):
        (tmp_path / name).write_text(json.dumps(PING))
    (line,) = refused(reader, tmp_path)
    assert line.startswith(f"{tmp_path / 'B.json'}:1: error: PingRequest is defined in {tmp_path / 'A.json'}")
    assert line.endswith("[message-twice]")


def test_memory_and_time_are_bounded(tmp_path: Path) -> None:
    """A process with 400 MB and 60 s of processor time ends with an error for each of the worst files."""
    doubling = [
        {
            "name": f"S{number}",
            "versions": "0+",
            "fields": [field(name=each, type=f"S{number + 1}" if number < 40 else "int8") for each in "AB"],
        }
        for number in range(41)
    ]
    worst = {
        "doubling": {**PING, "fields": [field(type="S0")], "commonStructs": doubling},
        "arrays": {**PING, "fields": [field(type="[]" * 50_000)]},
        "number": {**PING, "apiKey": 10**4_000},
    }
    for name, document in worst.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    (tmp_path / "open.json").write_text("/*" * 4_000_000)
    (tmp_path / "quotes.json").write_text('"' + '\\"' * 4_000_000)
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (60, 60))\n"
        "resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))\n"
        "from wireproof.app.cli.app import main\n"
        "main()\n"
    )
    for path in sorted(tmp_path.glob("*.json")):
        words = [sys.executable, "-c", script, "schema", "check", str(path), str(path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == ExitCode.USAGE, (path.name, done.stderr[-500:])
        assert done.stderr.startswith(f"Error: {path}:1: error: "), done.stderr[:300]
