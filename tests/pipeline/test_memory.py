"""What a job holds at a time is bounded, however large frames and tables are."""

import os
import subprocess
import sys
from pathlib import Path

JOB = Path(__file__).parents[1] / "large_frames.py"
GREEDY = """
from wireproof.pipeline.memory import bound_memory
bound_memory(256)
bound_memory()
try:
    bytes(512 << 20)
except MemoryError:
    print("refused")
print(len(bytes(16 << 20)))
"""


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    """A Python program, to its end."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run([sys.executable, *command], env=env, capture_output=True, text=True, check=False)


def test_a_worker_that_asks_for_more_is_refused() -> None:
    """It gets a MemoryError and goes on; a later, wider bound does not widen the first."""
    assert run("-c", GREEDY).stdout.split() == ["refused", str(16 << 20)]


def test_a_table_larger_than_the_heap(tmp_path: Path) -> None:
    """800 MiB of frames of 4 MiB are written, read and sent through Python by a JVM of 640 MiB.

    As Spark comes, it holds 4096 rows when it reads, and writes 100 before it looks at their size.
    """
    done = run(str(JOB), str(tmp_path / "table"), "200", "4", "640")
    assert done.stdout == "838861290\n", done.stderr
