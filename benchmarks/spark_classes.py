"""Kafka's classes as functions of Spark: frames a second, against reading the same table without them.

    python benchmarks/spark_classes.py [--frames N] [--cores N]

Two tables: one response of Metadata again and again, and the exchanges of `corpus/sample`. Beside wall time
stands the processor time of Spark's JVM, which other programs of the machine do not lengthen.
"""

import argparse
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import avg, col, count, length

from wireproof.kafka.releases import JarStore, load_snapshot, table
from wireproof.pipeline.runtime.artifacts import load_artifacts
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.spark_session import start
from wireproof.traffic.wire import (
    Exchange,
    FrameIdentifier,
    FrameType,
    SegmentEntry,
    StreamAssembler,
    UnknownFrameType,
    read_segment,
)

RELEASE = "4.3.1"
SAMPLE = Path(__file__).parents[1] / "corpus" / "sample" / "segments"
NAMES = ("release", "module", "message", "version", "header_version", "data")
SCHEMA = "release string, module string, message string, version int, header_version int, data binary"
Row = tuple[str, str, str, int, int | None, bytes]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    artifacts = load_artifacts([table().find(RELEASE)], JarStore())
    spark = start(f"local[{options.cores}]", settings={"spark.ui.enabled": "false"})
    kafka = KafkaClasses.distribute(spark, artifacts)
    mix = list(sample())
    responses = [row for row in mix if row[2] == "MetadataResponse"]
    one = min(responses, key=lambda row: abs(len(row[-1]) - 550))
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in (("one response of Metadata", [one]), ("the sample", mix)):
            frames = written(spark, rows, options.frames, f"{folder}/{len(rows)}")
            size = frames.agg(count("*").alias("rows"), avg(length("data")).alias("bytes")).first()
            assert size is not None
            print(f"{name}: {size.rows:,} frames of {size.bytes:.0f} bytes on average")
            asked = kafka.reframe(*map(col, NAMES))
            whole = kafka.reframe(*map(col, NAMES), whole=True)
            measure(spark, "Kafka's classes, warming up", frames.withColumn("kafka", asked), size.rows)
            for way, selected in (
                ("the table alone", frames),
                ("Kafka's classes", frames.withColumn("kafka", asked)),
                ("with bytes and values", frames.withColumn("kafka", whole)),
            ):
                measure(spark, way, selected, size.rows)
    print(f"the most memory of the JVM: {most_memory_mb(spark)} MiB")
    spark.stop()


def sample() -> Iterator[Row]:
    """Both frames of each exchange of the sample."""
    naming = FrameIdentifier(load_snapshot(table().find(RELEASE)))
    for path in sorted(SAMPLE.iterdir()):
        talks: dict[int, StreamAssembler] = {}
        with path.open("rb") as file:
            for part in read_segment(file):
                if not isinstance(part, SegmentEntry):
                    continue
                for settled in talks.setdefault(part.connection, StreamAssembler()).feed(part):
                    if isinstance(settled, Exchange):
                        names = naming.exchange(settled)
                        yield from row(names.request, settled.request.data)
                        yield from row(names.response, settled.response.data)


def row(name: FrameType | UnknownFrameType, frame: bytes) -> Iterator[Row]:
    """A frame that has a name."""
    if isinstance(name, FrameType):
        header = name.layout.header_version
        yield RELEASE, name.module, name.message, name.version, header, frame


def written(spark: SparkSession, rows: list[Row], frames: int, folder: str) -> DataFrame:
    """A table of about so many frames: each row again and again."""
    times = max(1, frames // len(rows))
    base = spark.createDataFrame(rows, SCHEMA)
    base.crossJoin(spark.range(times).withColumnRenamed("id", "time")).repartition(8).write.parquet(folder)
    return spark.read.parquet(folder)


def measure(spark: SparkSession, way: str, selected: DataFrame, frames: int) -> None:
    """Every column of every row is made, and kept nowhere."""
    before, start = jvm(spark).cpu_times(), time.perf_counter()
    selected.write.format("noop").mode("overwrite").save()
    wall, after = time.perf_counter() - start, jvm(spark).cpu_times()
    busy = after.user + after.system - before.user - before.system
    print(f"  {way:28} {frames / wall:10,.0f} frames/s  {frames / busy:10,.0f} in a second of processor")


def jvm(spark: SparkSession) -> psutil.Process:
    """Spark's own process."""
    return psutil.Process(spark.sparkContext._gateway.proc.pid)


def most_memory_mb(spark: SparkSession) -> int:
    """The most that its process held at once (VmHWM)."""
    status = Path(f"/proc/{jvm(spark).pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) >> 10


if __name__ == "__main__":
    main()
