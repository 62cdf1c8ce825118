"""`wireproof judge broker` as a process."""

import subprocess
import sys
from pathlib import Path


def judge_broker(address: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Judge what listens at an address by the classes of 4.3.1; standard output has the summary as JSON."""
    command = [sys.executable, "-m", "wireproof", "judge", "broker", "--release", "4.3.1", "--format", "json"]
    return subprocess.run(
        [*command, *words, address], cwd=folder, capture_output=True, text=True, check=False
    )
