"""Nodes as processes, and their data folders: nothing is left, however this process ends."""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from wireproof.base.files.own_folders import sweep
from wireproof.traffic.capture.brokers.processes.node_process import NodeProcess, log_excerpt
from wireproof.traffic.capture.capture_error import CaptureError

WAIT_S = 30.0
FOR_EVER = "import signal; print('up', flush=True); signal.pause()"

OWNER = """
import os, sys, tempfile
from pathlib import Path
from wireproof.traffic.capture.brokers.processes.node_process import NodeProcess
from wireproof.base.files.own_folders import OwnFolder
space = OwnFolder("brokers")
node = NodeProcess([sys.executable, "-c", sys.argv[1]], space.path / "log")
while b"up" not in node.log.read_bytes():
    pass
print(node.pid, space.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own folder to sweep."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def test_a_node_ends_with_its_owner() -> None:
    """After kill -9 of the owner the node ends, and the next capture removes the folder."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, FOR_EVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with owner:
        assert owner.stdout is not None
        pid, folder = owner.stdout.readline().split()
        node = psutil.Process(int(pid))
        sweep("brokers", Path(tempfile.gettempdir()))
        assert Path(folder).is_dir(), "it is in use"
        owner.kill()
        owner.wait()
        _, alive = psutil.wait_procs([node], WAIT_S)
    assert alive == []
    sweep("brokers", Path(tempfile.gettempdir()))
    assert not Path(folder).exists()


def test_java_starts_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the locale C the name of the working folder would end it with an exception."""
    folder = tmp_path / "a \u00fc space"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LC_ALL", "C")
    print_locale = "import os; print(os.environ['LC_ALL'], os.getcwd())"
    node = NodeProcess([sys.executable, "-I", "-c", print_locale], tmp_path / "log")
    assert node.wait(WAIT_S)
    assert (tmp_path / "log").read_text("utf-8") == f"C.UTF-8 {folder}\n"


def test_the_end_of_a_node_is_reported(tmp_path: Path) -> None:
    """There is no report while it runs; afterwards it has the signal or exit code."""
    node = NodeProcess([sys.executable, "-c", FOR_EVER], tmp_path / "log")
    assert node.ended == ""
    node.kill()
    assert node.ended == f"killed by {signal.SIGKILL.name}"
    other = NodeProcess([sys.executable, "-c", "raise SystemExit(3)"], tmp_path / "log")
    assert other.wait(WAIT_S)
    assert other.ended == "exit code 3"


def test_a_node_can_be_asked_to_stop(tmp_path: Path) -> None:
    """It gets SIGTERM, and may write a last line."""
    program = "import signal\ntry:\n signal.signal(15, lambda *_: exit('bye'))\n print('up', flush=True)\n"
    node = NodeProcess([sys.executable, "-c", f"{program} signal.pause()\nfinally: pass"], tmp_path / "log")
    while "up" not in node.log.read_text():
        assert node.ended == ""
    node.ask_to_stop()
    assert node.wait(WAIT_S)
    assert "bye" in log_excerpt(node.log)


def test_a_missing_program_is_reported(tmp_path: Path) -> None:
    """The log names the program."""
    node = NodeProcess(["/no/such/program"], tmp_path / "log")
    assert node.wait(WAIT_S)
    assert "cannot start /no/such/program" in log_excerpt(node.log)


def test_a_log_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """The error comes before anything is started."""
    with pytest.raises(CaptureError, match="no-folder"):
        NodeProcess([sys.executable], tmp_path / "no-folder" / "log")


def test_the_last_lines_of_a_log_are_shown(tmp_path: Path) -> None:
    """The number of lines is limited, and any bytes are shown; an empty or missing log is reported."""
    log = tmp_path / "log"
    assert "cannot be read" in log_excerpt(log)
    log.write_bytes(b"")
    assert "is empty" in log_excerpt(log)
    log.write_bytes(b"one\ntwo\n\xff\n")
    assert log_excerpt(log, 2) == "  two\n  \ufffd"


def test_the_first_error_of_a_node_is_shown_too(tmp_path: Path) -> None:
    """A failing node first gives the reason, and then writes much about its shutdown."""
    log = tmp_path / "log"
    log.write_text("up\njava.io.IOException: no room\ndown 1\ndown 2\n")
    assert log_excerpt(log, 1) == "  java.io.IOException: no room\n  ...\n  down 2"


def test_the_capture_of_a_killed_judge_is_swept() -> None:
    """`judge` writes a temporary capture into a workspace; after a kill the next run removes it."""
    program = (
        "import contextlib, os, signal\n"
        "from wireproof.base.files.own_folders import temporary_folder\n"
        "stack = contextlib.ExitStack()\n"
        "folder = stack.enter_context(temporary_folder('capture')) / 'capture'\n"
        "folder.mkdir()\n"
        "print(folder, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    folder = Path(done.stdout.strip())
    assert folder.is_dir()
    sweep("capture", Path(tempfile.gettempdir()))
    assert not folder.exists()
