"""A job that a signal ends says what is left to do, and the same command finishes it."""

import io
import signal
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import pytest
from rich.console import Console

from tests.pipeline.small_jobs import QUIET, SAMPLE
from wireproof.app.cli.spark.pipeline_command import _digest, plan_job
from wireproof.base.exit_codes import ExitCode
from wireproof.pipeline.job import job_progress
from wireproof.pipeline.job.job_progress import JobProgress
from wireproof.pipeline.job.output_folder import open_output
from wireproof.pipeline.job_plan import OutputError


def job(output: Path) -> list[str]:
    words = ["pipeline", "run", "--input", str(SAMPLE), "--output", str(output)]
    return [sys.executable, "-c", "from wireproof.app.cli import main; main()", *words]


def interrupted(output: Path, table: str, number: signal.Signals) -> list[str]:
    """Send a signal to a job when it has made a table; return the lines that the job printed."""
    printed = []
    with subprocess.Popen(job(output), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            printed.append(line.strip())
            if line.startswith(table) and line.strip().endswith(" s"):
                process.send_signal(number)
    assert process.returncode == ExitCode.INTERRUPTED, printed
    return printed


def test_a_signal_ends_a_job_and_the_same_command_continues_it(tmp_path: Path) -> None:
    """SIGTERM and Ctrl-C leave no traceback, and a table that was made is not made again."""
    first = interrupted(tmp_path / "out", "chunks", signal.SIGTERM)
    second = interrupted(tmp_path / "out", "frames", signal.SIGINT)
    for printed in (first, second):
        assert "Interrupted. The tables above are whole. To continue, type the same again." in printed
        assert not any("Traceback" in line or "py4j" in line for line in printed), printed
    assert any(line.startswith("chunks") and line.endswith("made before") for line in second), second


def test_another_file_of_the_same_name_and_size_is_another_job(tmp_path: Path) -> None:
    """An input is known by its digest."""
    segment = next(path for path in sorted(SAMPLE.glob("segments/*")) if path.is_file())
    copy = tmp_path / segment.name
    content = bytearray(segment.read_bytes())
    copy.write_bytes(content)
    plan, _ = plan_job([copy], "4.3.1", [], 65_536, QUIET)
    with open_output(tmp_path / "out", plan.about):
        pass
    content[-1] ^= 1
    copy.write_bytes(content)
    other, _ = plan_job([copy], "4.3.1", [], 65_536, QUIET)
    with (
        pytest.raises(OutputError, match="broken off: it has other digests"),
        open_output(tmp_path / "out", other.about),
    ):
        pass


class Terminal(io.StringIO):
    """Standard error; it sets an event when a text was written."""

    def __init__(self, wanted: str, *, terminal: bool) -> None:
        super().__init__()
        self.wanted, self.terminal, self.seen = wanted, terminal, threading.Event()

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        done = super().write(text)
        if self.wanted in self.getvalue():
            self.seen.set()
        return done


@pytest.mark.parametrize("terminal", [True, False])
def test_the_digests_of_large_inputs_are_not_made_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    """The progress says how much is read, from the first chunk on."""
    for name in ("_LOOK_S", "_LINE_S"):
        monkeypatch.setattr(job_progress, name, 0.001)
    screen = Terminal("digests           1.5 of 3.0 GB", terminal=terminal)
    progress = JobProgress(Console(file=screen, force_terminal=terminal))
    with progress.reading(3_000_000_000) as read:
        read(500_000_000)
        read(1_000_000_000)
        assert screen.seen.wait(60)
    large = tmp_path / "large.seg"
    large.write_bytes(bytes(3 << 20))
    chunks: list[int] = []
    assert _digest(large, chunks.append) == sha256(bytes(3 << 20)).hexdigest()
    assert chunks == [1 << 20] * 3
