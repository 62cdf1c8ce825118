"""Frames of megabytes through a table and a Python worker, in a JVM that could not hold the table.

    python large_frames.py FOLDER FRAMES MEGABYTES HEAP_MB [SETTING=VALUE ...]

It writes the bytes that came out to standard output.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.functions import expr, length
from pyspark.sql.functions import sum as total

from wireproof.pipeline.runtime.spark_session import start
from wireproof.pipeline.runtime.worker_limits import bound_memory

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]


def through_python(batches: "Iterator[pyarrow.RecordBatch]") -> "Iterator[pyarrow.RecordBatch]":
    """Every frame to a worker and back."""
    bound_memory()
    yield from batches


def main(folder: Path, frames: int, megabytes: int, heap_mb: int, *more: str) -> None:
    """Write the table, read it."""
    settings = {"spark.driver.memory": f"{heap_mb}m", "spark.ui.enabled": "false"}
    settings |= dict(each.split("=") for each in more)
    spark = start("local[1]", settings=settings)
    frame = expr(f"cast(concat(repeat('ab', {megabytes << 19}), cast(id as string)) as binary) AS frame")
    spark.range(0, frames, 1, 1).select(frame).write.parquet(str(folder))
    read = spark.read.parquet(str(folder)).mapInArrow(through_python, "frame binary")
    summary = read.agg(total(length("frame")).alias("bytes")).first()
    assert summary is not None
    sys.stdout.write(f"{summary.bytes}\n")
    spark.stop()


if __name__ == "__main__":
    numbers: Any = map(int, sys.argv[2:5])
    main(Path(sys.argv[1]), *numbers, *sys.argv[5:])
