"""The message of a job when Spark fails: the cause alone, in a line."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from wireproof.pipeline.runtime.code_distribution import SPARK_ERRORS, cause_of
from wireproof.pipeline.runtime.worker_limits import bound_memory

EXECUTOR_LOST = """An error occurred while calling o51.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 3.0 failed 4 times, \
most recent failure: Lost task 0.3 in stage 3.0 (TID 9) (10.0.0.1 executor 7): ExecutorLostFailure (executor \
7 exited caused by one of the running tasks) Reason: Command exited with code 52
Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:1)
"""
DISK_FULL = """An error occurred while calling o51.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:1)
Caused by: java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
Caused by: java.io.EOFException
\t... 25 more
"""

Batches = Iterator[Any]

# Workers have no modules of tests: what they are to do is sent to them whole.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def killed(batches: Batches) -> Batches:
    """As by the system when memory is used up."""
    os.kill(os.getpid(), signal.SIGKILL)
    yield from batches


def crashed(batches: Batches) -> Batches:
    """As by a library in C."""
    os.kill(os.getpid(), signal.SIGSEGV)
    yield from batches


def greedy(batches: Batches) -> Batches:
    """More than a worker may take."""
    bound_memory(64)
    bytes(1 << 30)
    yield from batches


def wrong(batches: Batches) -> Batches:
    """A mistake in Python, in two lines."""
    raise LookupError("no such thing\nas this")
    yield from batches  # type: ignore[unreachable]  # Spark calls a generator


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (killed, "a Python worker ended in the middle of its work: it crashed, or was killed"),
        (crashed, "a Python worker ended in the middle of its work: it crashed, or was killed"),
        (greedy, "a Python worker asked for more memory than the 1,024 MiB"),
        (wrong, "LookupError: no such thing as this"),
    ],
)
def test_what_befell_a_worker(spark: SparkSession, work: Callable[[Batches], Batches], words: str) -> None:
    """Its own words where it has said any, without calls and packages; the next job runs."""
    table = spark.range(0, 10, 1, 1)
    with pytest.raises(SPARK_ERRORS) as caught:
        table.mapInArrow(work, "id long").write.format("noop").mode("overwrite").save()
    assert cause_of(caught.value).startswith(words)
    assert table.count() == 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            EXECUTOR_LOST,
            "Lost task 0.3 in stage 3.0 (TID 9) (10.0.0.1 executor 7): ExecutorLostFailure (executor 7 "
            "exited caused by one of the running tasks) Reason: Command exited with code 52",
        ),
        (DISK_FULL, "IOException: No space left on device"),
    ],
)
def test_what_java_says(text: str, words: str) -> None:
    """The innermost cause that says anything; an executor that is lost has none below it."""
    assert cause_of(Exception(text)) == words
