"""A frame that ends the process of its reader is found, and all others are read."""

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.pipeline.small_jobs import plan_of, run
from tests.support.capture.small_capture import METADATA, SmallCapture, brokers, topics
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.worker_limits import MOST_DEATHS, CrashIsolation
from wireproof.pipeline.tables.stages.readings_table import ENDED

DEADLY = b"deadly"
CRASHES = f"""
import os, signal
from kafkawire.headers import FrameCodec

sound = FrameCodec.decode

def decode(self, data):
    if {DEADLY!r} in bytes(data):
        os.kill(os.getpid(), signal.SIGSEGV)
    return sound(self, data)

FrameCodec.decode = decode
"""
"""The start of a worker's Python: a codec with a library in C that one frame crashes."""


def crashing_reader(inputs: Sequence[int]) -> list[int]:
    """Add 1 to each input; a negative one ends the process."""
    if min(inputs) < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return [each + 1 for each in inputs]


def test_only_what_ends_the_process_goes_under() -> None:
    """Inputs beside it are not affected."""
    apart = CrashIsolation(crashing_reader, lambda each: each * 100)
    assert apart([1, 2, 3]) == [2, 3, 4]
    assert apart([1, -2, 3, 4, -5]) == [2, -200, 4, 5, -500]
    assert apart([-7]) == [-700]
    assert apart([8]) == [9]


def test_where_all_end_it_none_is_to_blame() -> None:
    """As where memory is used up: it is said, and no longer tried."""
    with pytest.raises(ChildProcessError):
        CrashIsolation(crashing_reader, lambda each: each)([-1] * (MOST_DEATHS + 1))


@pytest.fixture
def crashing(spark: SparkSession, tmp_path: Path) -> Iterator[None]:
    """Workers whose codec crashes of one frame."""
    place = tmp_path / "python"
    place.mkdir()
    (place / "sitecustomize.py").write_text(CRASHES, encoding="utf-8")
    environment = spark.sparkContext.environment
    environment["PYTHONPATH"] = str(place)
    yield
    del environment["PYTHONPATH"]


@pytest.mark.usefixtures("crashing")
def test_a_frame_that_crashes_a_codec(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path: Path
) -> None:
    """It is a divergence with its reason, in quarantine with its bytes, and of the sizes the part that is not
    read; the exchanges before and after it become entries as if it were not there."""
    small = SmallCapture(tmp_path / "capture")
    talk = small.talk()
    for name in ("before", DEADLY.decode(), "beyond"):
        talk.exchanged(METADATA, 8, topics(name), brokers("host", "t"))
    talk.closed()
    small.close()
    accounts, job = run(spark, kafka_classes, plan_of(tmp_path / "capture"), tmp_path / "out")
    assert (accounts.readings, accounts.agreed, accounts.faults, accounts.divergences) == (6, 5, 1, 1)
    (divergence,) = job.tables["divergences"].collect()
    assert DEADLY in divergence.data
    assert (divergence.verdict, divergence.summary) == ("refused by our codec", f"our codec: {ENDED}")
    (held,) = job.tables["quarantine"].where("stage = 'readings'").collect()
    assert (held.reason, held.data) == (ENDED, divergence.data)
    (unread,) = job.tables["sizes"].where("part = 'unread'").collect()
    assert (unread.message, unread.values, unread.bytes) == ("MetadataRequest", 1, len(divergence.data))
    assert accounts.entries == 2
