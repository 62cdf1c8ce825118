"""`wireproof run --watch` from the outside: a testee that is edited, keys on a terminal, Ctrl-C."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.wireproof.app.cli.run.watch.watched_process import WAIT_S, WatchedProcess, watched
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.testees.build.scaffold import start_testee

CORPUS: Final = Path(__file__).parents[6] / "corpus" / "golden" / "4.3.1"
WORDS: Final = (
    "--testee", "my-codec", "--no-java", str(CORPUS), "--jobs", "1", "--message-version", "2-3",
    "--events", "my-codec/events.ndjson",
)  # fmt: skip
RIGHT: Final = "for text in (self.client_software_name, self.client_software_version)"
WRONG: Final = "for text in (self.client_software_version, self.client_software_name)"
ENDLESS: Final = "        import time\n        while True:\n            time.sleep(1)\n"
WAITING: Final = "watching "
CLEARED: Final = "\x1b[2J"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A new testee, whose builds take little time."""
    start_testee(tmp_path / "my-codec", "python")
    described = tmp_path / "my-codec" / "testee.toml"
    text = described.read_text(encoding="utf-8")
    assert '"venv", "env"' in text
    described.write_text(text.replace('"venv", "env"', '"venv", "--without-pip", "env"'), encoding="utf-8")
    return tmp_path


@pytest.fixture
def codec(folder: Path) -> Path:
    return folder / "my-codec" / "codec.py"


@pytest.fixture
def run(folder: Path) -> Iterator[WatchedProcess]:
    with watched(folder, WORDS, WIREPROOF_CACHE=str(folder / "cache")) as process:
        yield process


def test_edits_keys_and_the_end(run: WatchedProcess, codec: Path):
    """A bug is found, its repair is seen, a syntax error is shown, keys choose the cells, and q ends it."""
    right = codec.read_text(encoding="utf-8")
    shown = run.wait_for(WAITING)
    assert "2 of 2 cells" in shown
    assert "since the last round" not in shown

    codec.write_text(right.replace(RIGHT, WRONG), encoding="utf-8")
    shown = run.wait_for(WAITING)
    assert "changed: codec.py" in shown
    assert "since the last round: 1 new finding, 0 gone, 0 unchanged" in shown
    assert "new   ApiVersionsRequest version 3: [bytes] clientSoftwareName" in shown

    run.type(b"f")
    shown = run.wait_for(WAITING)
    assert "--last-failed: 1 cell failed last" in shown
    assert "1 of 1 cells" in shown
    assert "0 new findings, 0 gone, 1 unchanged" in shown
    run.type(b"a")
    shown = run.wait_for(WAITING)
    assert shown.index("of 1 cell that failed last, 1 still fails") < shown.index("2 of 2 cells")

    codec.write_text("def broken(:\n", encoding="utf-8")
    shown = run.wait_for(WAITING)
    assert "SyntaxError: invalid syntax" in shown
    assert "cells," not in shown

    codec.write_text(right, encoding="utf-8")
    shown = run.wait_for(WAITING)
    assert "2 of 2 cells" in shown
    assert "0 new findings, 1 gone, 0 unchanged" in shown

    assert CLEARED in run.raw
    run.type(b"q")
    assert run.ended() == ExitCode.PROVEN


def test_a_change_ends_a_run_under_way(run: WatchedProcess, codec: Path):
    """A codec that never returns is replaced: its process and its worker end, and the new one is judged."""
    right = codec.read_text(encoding="utf-8")
    run.wait_for(WAITING)
    codec.write_text(right.replace("        _check_version(version)\n", ENDLESS), encoding="utf-8")
    run.wait_for("0/2 cells")
    before = _until_two(run)
    codec.write_text(right, encoding="utf-8")
    shown = run.wait_for(WAITING)
    assert "2 of 2 cells" in shown
    assert "interrupted" not in shown.lower()
    assert psutil.wait_procs(before, WAIT_S)[1] == []


def _until_two(run: WatchedProcess) -> list[psutil.Process]:
    """Return the worker and its testee.

    The server that workers are forked off is a child of the run. It has no module of the user, and stays.
    """
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        servers = [each for each in run.children() if "multiprocessing.forkserver" in _command(each)]
        found = [each for each in run.descendants() if "resource_tracker" not in _command(each)]
        found = [each for each in found if each not in servers]
        if len(found) >= 2:
            return found
        time.sleep(0.05)
    raise AssertionError("no worker and testee")


def _command(process: psutil.Process) -> str:
    """Return the process's command; nothing if it ended since."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return "resource_tracker"


def test_ctrl_c_ends_it_while_it_waits(run: WatchedProcess):
    """The key on the terminal: exit code 130, and no process is left."""
    run.wait_for(WAITING)
    below = run.descendants()
    run.type(b"\x03")
    assert run.ended() == ExitCode.INTERRUPTED
    assert psutil.wait_procs(below, WAIT_S)[1] == []
    assert "Traceback" not in run.raw


def test_a_signal_ends_it_while_a_codec_hangs(run: WatchedProcess, codec: Path):
    """The report has the finished part; the worker and its testee end, too."""
    right = codec.read_text(encoding="utf-8")
    run.wait_for(WAITING)
    codec.write_text(right.replace("        _check_version(version)\n", ENDLESS), encoding="utf-8")
    run.wait_for("0/2 cells")
    below = _until_two(run)
    run.process.send_signal(signal.SIGTERM)
    run.wait_for("Interrupted.")
    assert run.ended() == ExitCode.INTERRUPTED
    assert psutil.wait_procs(below, WAIT_S)[1] == []
    assert "Traceback" not in run.raw
