"""Files that somebody wrote to do harm: each costs one line and a documented exit code, and no traceback."""

import io
import json
import os
import struct
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.environments.ledgers import TEXT, cause
from tests.support.hostile.hostile_texts import HOSTILE, UNSEEN
from wireproof.app.cli import app
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Cell, Phase
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.run_events import RunFooter, RunHeader, Totals
from wireproof.traffic.wire.segment_format import EntryKind, SegmentWriter, StreamDirection
from wireproof.verdict.report.events.event_json import EventFile

Run = Callable[..., tuple[int, str]]

DEEP = 100_000
LEVELS = "[" * DEEP
SHALLOWER = "[" * 2_000 + "]" * 2_000
"""Parsers in C read it; code in Python that walks it would end in a RecursionError."""
MANIFEST = 'name = "own"\nlanguage = "python"\nversion = "1"\nrun = ["true"]\n'


def manifest(**changes: str) -> str:
    """A testee.toml with other values, written as TOML."""
    settings = {"name": '"own"', "language": '"python"', "version": '"1"', "run": '["true"]', **changes}
    return "".join(f"{key} = {value}\n" for key, value in settings.items())


MANIFESTS: dict[str, tuple[str | bytes, str]] = {
    "version-climbs": (manifest(version='"../../.."'), "version has to be one part of a path"),
    "version-absolute": (manifest(version='"/etc"'), "version has to be one part of a path"),
    "version-is-an-option": (manifest(version='"--target=/"'), "version has to be one part of a path"),
    "version-has-a-null": (manifest(version='"1\\u0000"'), "version has to be one part of a path"),
    "version-has-a-line": (manifest(version='"1\\n::error::x"'), "version has to be one part of a path"),
    "version-is-a-number": (manifest(version="1"), "version has to be a text"),
    "name-climbs": (manifest(name='"../x"'), "name has to be one part of a path"),
    "name-is-hidden": (manifest(name='".."'), "name has to be one part of a path"),
    "name-colours": (manifest(name='"\\u001b[31mred"'), "name has to be one part of a path"),
    "key-colours": (manifest(**{'"\\u001b[2J"': "1"}), "\\x1b[2J is not a key of it"),
    "key-commands": (manifest(**{'"::error::x"': "1"}), "::error::x is not a key of it"),
    "memory-infinite": (manifest(limits="{memory_mib = inf}"), "limits.memory_mib has to be"),
    "memory-no-number": (manifest(limits="{memory_mib = nan}"), "limits.memory_mib has to be"),
    "time-huge": (manifest(limits="{cpu_s = 1e300}"), "limits.cpu_s has to be a number above 0"),
    "processes-negative": (manifest(limits="{processes = -1}"), "limits.processes has to be"),
    "limits-no-table": (manifest(limits="[1]"), "limits has to be a table"),
    "deep-array": (manifest(run=LEVELS), "nested too deeply"),
    "deep-enough-to-parse": (manifest(run="[" * 200 + "]" * 200), "nested too deeply"),
    "deep-keys": (MANIFEST + ".".join("a" * 50_000) + " = 1\n", "a name of more than 32 parts"),
    "deep-header": (MANIFEST + f"[{'.'.join('a' * 50_000)}]\n", "a name of more than 32 parts"),
    "huge-number": (manifest(run="0x" + "f" * 100_000), "an integer of 400000 bits"),
    "no-utf8": (b'name = "\xff"\n', "cannot read"),
    "no-toml": ("\x1b]0;owned\x07", "cannot read"),
    "run-no-list": (manifest(run='"rm -rf /"'), "run has to be a list of texts"),
    "run-empty": (manifest(run="[]"), "run has to be a list of texts"),
}
LEDGERS: dict[str, tuple[str | bytes, str]] = {
    "deep-array": (f"entry = {LEVELS}", "nested too deeply"),
    "deep-enough-to-parse": ("entry = " + "[" * 200 + "]" * 200, "nested too deeply"),
    "deep-keys": (".".join("a" * 50_000) + " = 1\n", "a name of more than 32 parts"),
    "long-keys": ("".join(f"{each * 100_000} = 1\n" for each in "abcdefgh"), "characters in all"),
    "huge-hexadecimal-number": ("format = 0x" + "f" * 100_000 + "\n", "an integer of 400000 bits"),
    "no-toml": ("\x1b[31m::error::", "not valid TOML"),
    "newer-format": ("format = 99999\n", "format"),
    "entries-no-list": ("format = 7\nentry = 3\n", "entry"),
    "entry-no-table": ("format = 7\nentry = [3]\n", "entry"),
    "deviations-no-list": ("format = 7\ndeviation = 3\n", "write [[deviation]]"),
    "deviation-no-table": ("format = 7\ndeviation = [3]\n", "deviation 1: it is not a table"),
    "deviation-empty": ("format = 7\n[[deviation]]\nreason = 'r'\n", "no causes and no entries"),
    "deviation-key": ("format = 7\n[[deviation]]\nid = 'r'\n", "unknown key 'id'"),
    "rows-no-list": ("format = 7\n[[deviation]]\ncauses = 3\n", "write causes = [{ id = ... }]"),
    "row-no-table": ("format = 7\n[[deviation]]\nentries = [3]\n", "it is not a table: write { id"),
    "key-colours": (TEXT + '"\\u001b[31m" = 1\n', "\\x1b[31m"),
    "huge-number": ("format = " + "9" * 5_000 + "\n", ""),
    "no-utf8": (b"format = 7\n# \xff\n", "not UTF-8 text"),
}
EVENTS: dict[str, str] = {
    "deep-array": LEVELS,
    "deep-enough-to-parse": SHALLOWER,
    "no-json": "\x1b[31m",
    "no-object": "[]",
    "no-event": '{"cell":"1/X/2"}',
    "cell-no-text": '{"event":"cell","cell":7}',
    "cell-without-parts": '{"event":"cell","cell":"x"}',
    "version-no-number": '{"event":"cell","cell":"1/X/y","module":"m"}',
    "causes-no-list": '{"event":"cell","cell":"1/X/2","module":"m","causes":5}',
    "cause-no-object": '{"event":"cell","cell":"1/X/2","module":"m","causes":[5]}',
    "lone-surrogate": '{"event":"\\udcff"}{',
}
HEAD = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
PACKETS: dict[str, tuple[bytes, int, str]] = {
    "zeros": (bytes(1 << 20), ExitCode.USAGE, "neither pcap nor pcapng"),
    "empty": (b"", ExitCode.USAGE, "neither pcap nor pcapng"),
    "head-then-zeros": (HEAD + bytes(1 << 20), ExitCode.NOTHING_RAN, "ends within the packet at byte 24"),
    "head-cut": (HEAD[:20], ExitCode.NOTHING_RAN, "ends within the packet"),
    "huge-packet": (HEAD + struct.pack("<IIII", 1, 0, 1 << 31, 1), ExitCode.USAGE, "2147483648 bytes"),
    "empty-packets": (HEAD + struct.pack("<IIII", 1, 0, 0, 0) * 999, ExitCode.NOTHING_RAN, "999 packets"),
    "zero-block": (b"\x0a\x0d\x0d\x0a" + bytes(100), ExitCode.USAGE, "no byte order"),
    "block-shorter-than-its-head": (
        b"\x0a\x0d\x0d\x0a" + struct.pack("<II", 4, 0x1A2B3C4D), ExitCode.USAGE, "is of 4 bytes",
    ),
}  # fmt: skip


def ended(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, str]:
    """The exit code of a command and all that it wrote."""
    monkeypatch.setattr(sys, "argv", ["wireproof", *words])
    with pytest.raises(SystemExit) as raised:
        app.main()
    written = capsys.readouterr()
    return int(raised.value.code or 0), written.out + written.err


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str]]:
    """Run a command that must blame the file, in few lines that a terminal only shows."""

    def blamed(*words: object) -> tuple[int, str]:
        code, written = ended([str(word) for word in words], capsys, monkeypatch)
        assert "Traceback" not in written
        assert "wireproof itself failed" not in written
        assert not set(UNSEEN) & set(written)
        assert not [line for line in written.splitlines() if line.strip().startswith("::")]
        assert len(written) < 3_000
        return code, written

    return blamed


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_testee_toml(name: str, tmp_path: Path, run: Run) -> None:
    """It is refused before anything is built, and nothing is made beside the cache."""
    content, words = MANIFESTS[name]
    put(tmp_path / "testee.toml", content)
    code, written = run("testee", "check", tmp_path)
    assert (code, words in written) == (ExitCode.USAGE, True), written
    assert [path.name for path in tmp_path.iterdir()] == ["testee.toml"]


@pytest.mark.parametrize("name", LEDGERS)
def test_a_ledger(name: str, tmp_path: Path, run: Run) -> None:
    """It explains nothing, and the line names the file."""
    content, words = LEDGERS[name]
    path = put(tmp_path / "known.toml", content)
    code, written = run("ledger", "list", "--ledger", path)
    assert code == ExitCode.LEDGER
    assert words in written
    assert "known.toml" in written


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_file(name: str, tmp_path: Path, run: Run) -> None:
    """No entry is made of it."""
    path = put(tmp_path / "events.ndjson", EVENTS[name] + "\n")
    made = tmp_path / "new.toml"
    code, written = run(
        "ledger", "accept", "--from", path, "--reason-kind", "bug", "--owner", "me", "--ledger", made
    )
    assert code != 0
    assert "line 1 is not an event" in written
    assert not made.exists()


@pytest.mark.parametrize("name", PACKETS)
def test_a_packet_file(name: str, tmp_path: Path, run: Run) -> None:
    """What cannot be read is named with its place; nothing is made of it."""
    content, wanted, words = PACKETS[name]
    code, written = run("pcap", "import", put(tmp_path / "seen.pcap", content), "--output", tmp_path / "out")
    assert (code, words in written) == (wanted, True), written
    assert not (tmp_path / "out").exists()


OPENINGS: dict[str, object] = {
    "deep": json.loads("[" * 500 + "]" * 500),
    "list": [],
    "number": 7,
    "null": None,
    "names-no-texts": {"client": {}, "broker": [], "knownStart": "no"},
    "colours": {"client": "\x1b[31m", "broker": "::error::x", "knownStart": True},
}


@pytest.mark.parametrize("name", OPENINGS)
def test_a_capture(name: str, tmp_path: Path, run: Run) -> None:
    """A segment file whose facts are not those of a capture: damage, or nothing to add."""
    folder = tmp_path / "capture"
    (folder / "segments").mkdir(parents=True)
    with (folder / "segments" / "1-CLIENT.wpseg").open("xb", buffering=0) as file:
        writer = SegmentWriter(file, bytes(16), {"node": 1, "listener": "CLIENT"}, 5)
        writer.add(EntryKind.OPEN, 6, 1, StreamDirection.TO_BROKER, json.dumps(OPENINGS[name]).encode())
        writer.add(EntryKind.DATA, 7, 1, StreamDirection.TO_BROKER, b"\0\0\0\5hello")
        writer.add(EntryKind.CLOSE, 9, 1)
    code, written = run("corpus", "add", folder, "--release", "4.3.1", "--output", tmp_path / "corpus")
    assert code != ExitCode.BROKEN, written


@pytest.mark.parametrize(
    "name", ["lone-surrogate", "null", "bidirectional", "stop-commands", "false-verdict"]
)
def test_an_event_file_with_a_hostile_text(name: str, tmp_path: Path, run: Run) -> None:
    """Whatever wrote it: an entry with such a kind is not written."""
    text = HOSTILE[name]
    stream = io.StringIO()
    events = EventFile(stream)
    events(RunHeader("1", (text,), 0, ("4.4.0",), {}, (text,), (Phase.ENUMERATED,), 1, {}, testee=text))
    found = replace(cause(4), summary=text, kind=f"refused:{text}", subject=text, case_id=text)
    events(
        CellResult(
            Cell("4.4.0", "clients", "FetchRequest", 4), {Phase.ENUMERATED: 1}, 0, 1, 0.0, causes=(found,)
        )
    )
    events(RunFooter(Totals(), 1.0, ExitCode.DIVERGENCE))
    path, made = put(tmp_path / "events.ndjson", stream.getvalue()), tmp_path / "new.toml"
    code, written = run(
        "ledger", "accept", "--from", path, "--reason-kind", "bug", "--owner", text, "--ledger", made
    )
    assert code == ExitCode.LEDGER, written
    assert "is not valid: expected a word such as differs, or refused:CLASS" in written
    assert not [line for line in written.splitlines() if line.startswith("Proven.")]
    assert not made.exists()


@pytest.mark.parametrize(
    "words", [("run", "--no-java", "-"), ("corpus", "fmt", "-")], ids=["run", "corpus fmt"]
)
def test_random_bytes_on_standard_input(
    words: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says that they are not text, and the advice follows."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bytes(range(256)) * 5000)))
    code, written = run(*words)
    assert code in (ExitCode.USAGE, ExitCode.DIVERGENCE), written
    assert "not UTF-8 text" in written


@pytest.mark.parametrize("text", ["", "a\n" * 20, "\x7fELF\n", "format = 7\n[[entry]]\n"])
def test_text_that_is_not_a_corpus(text: str, tmp_path: Path, run: Run) -> None:
    """A run without Java refuses it in one line, as a mistake of the command line."""
    place = put(tmp_path / "corpus.txt", text)
    code, written = run("run", "--no-java", place, "--testee", "python-kafka-python")
    assert code in (ExitCode.USAGE, ExitCode.NOTHING_RAN), written
    assert len(written.splitlines()) <= 2, written


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("folder", ExitCode.USAGE),
        ("pipe", ExitCode.USAGE),
        ("loop", ExitCode.USAGE),
        ("gone", ExitCode.USAGE),
        ("zeros", ExitCode.LEDGER),
        ("nothing", ExitCode.LEDGER),
    ],
)
def test_a_ledger_that_is_no_file(name: str, code: ExitCode, tmp_path: Path, run: Run) -> None:
    """A pipe without a writer is not waited for, a device without an end is not read, a loop is no fault of
    wireproof."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for link, target in (
        ("loop", "loop"),
        ("gone", "away"),
        ("zeros", "/dev/zero"),
        ("nothing", "/dev/null"),
    ):
        (tmp_path / link).symlink_to(target)
    assert run("ledger", "list", "--ledger", tmp_path / name)[0] == code
