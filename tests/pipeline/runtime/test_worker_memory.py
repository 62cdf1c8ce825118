"""The memory of a job is bounded, however large frames and tables are."""

import os
import subprocess
import sys
from pathlib import Path

from wireproof.pipeline.tables.stages.readings_table import TOO_LARGE

JOB = Path(__file__).with_name("large_frames.py")
GREEDY = """
from wireproof.pipeline.runtime.worker_limits import bound_memory
bound_memory(256)
bound_memory()
try:
    bytes(512 << 20)
except MemoryError:
    print("refused")
print(len(bytes(16 << 20)))
"""
MANY_TOPICS = """
import pyarrow
from wireproof.pipeline.tables.stages import readings_table
from wireproof.pipeline.runtime.worker_limits import bound_memory

def frame(topics):
    content = bytes.fromhex("0003 0000 00000001 0001 78") + topics.to_bytes(4, "big") + b"\\0\\1t" * topics
    return len(content).to_bytes(4, "big") + content

def row(topics):
    whole = dict.fromkeys(readings_table._READ.names)
    return whole | {"release": "4.3.1", "direction": 0, "api_key": 3, "version": 0, "data": frame(topics)}

read = readings_table._reading(bytes(32), isolated=False)
columns = [name for name in readings_table._READ.names if name not in readings_table._MADE] + ["data"]
batch = pyarrow.RecordBatch.from_pylist([row(n) for n in (1, 600_000, 2)]).select(columns)
bound_memory(64)
for rows in read(iter([batch])):
    print(*rows.column("fault").to_pylist(), sep="\\n")
"""


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    """A Python program, to its end."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run([sys.executable, *command], env=env, capture_output=True, text=True, check=False)


def test_a_worker_that_asks_for_more_is_refused() -> None:
    """It gets a MemoryError and goes on; a later, wider bound does not widen the first."""
    assert run("-c", GREEDY).stdout.split() == ["refused", str(16 << 20)]


def test_a_frame_of_too_many_values_is_held_up() -> None:
    """Other frames of its task are read, before it and after it."""
    done = run("-c", MANY_TOPICS)
    assert done.stdout.splitlines() == ["None", TOO_LARGE, "None"], done.stderr


def test_a_table_larger_than_the_heap(tmp_path: Path) -> None:
    """800 MiB of frames of 4 MiB are written, read and sent through Python by a JVM of 640 MiB.

    As Spark comes, it holds 4096 rows when it reads, and writes 100 before it looks at their size.
    """
    done = run(str(JOB), str(tmp_path / "table"), "200", "4", "640")
    assert done.stdout == "838861290\n", done.stderr
