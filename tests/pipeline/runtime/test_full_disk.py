"""A job whose disk is full says so, and goes on when there is room."""

import os
import subprocess
import sys
from pathlib import Path

from tests.pipeline.small_jobs import wrong

FULL_DISK = Path(__file__).with_name("full_disk.py")


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """The table that did not fit is named, with what to do; done so, the job goes on to its end."""
    capture, disk = wrong(tmp_path / "capture"), tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", sys.executable, str(FULL_DISK), str(capture), str(disk)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said, advice, entries = done.stdout.splitlines()
    assert said.startswith("the table ")
    assert said.endswith(" cannot be made: IOException: No space left on device")
    assert "type the same again" in advice
    assert int(entries) == 3
