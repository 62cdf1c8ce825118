"""Jobs of the pipeline on small captures: the repository's own, and one in which much is wrong."""

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession
from rich.console import Console

from tests.support.capture.small_capture import METADATA, NAMING, PRODUCE, SmallCapture, brokers, topics
from wireproof.app.assembly.corpus.corpus_add import capture_key, golden_head, segment_files
from wireproof.kafka.releases.release_table import table
from wireproof.pipeline.job.job_progress import JobProgress
from wireproof.pipeline.job.output_folder import open_output
from wireproof.pipeline.job.spark_job import Job, RowCounts, table_folder
from wireproof.pipeline.job_plan import JobPlan, SegmentFile
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.tables import TABLES
from wireproof.traffic.wire.segment_format import StreamDirection

RELEASE = "4.3.1"
SAMPLE = Path(__file__).parents[2] / "corpus" / "sample"
LARGEST = 64 * 1024
QUIET = JobProgress(Console(quiet=True))
FIRST_COMPILER = "-XX:TieredStopAtLevel=1"
SHORT_LIVED = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.codegen.cache.maxEntries": "2000",
    "spark.driver.defaultJavaOptions": f"{FIRST_COMPILER} -XX:+UseSerialGC",
}
"""Of Spark, for small tables and a short life. The classes that it compiles for a job serve the next one; of
100, as by default, none would be left."""


def plan_of(capture: Path, largest: int = LARGEST) -> JobPlan:
    """All that `wireproof pipeline run` would make of a capture."""
    paths = segment_files(capture)
    files = [SegmentFile(str(path), path.name, RELEASE, path.stem.partition("-")[2]) for path in paths]
    about = {
        "tool": "wireproof",
        "files": {file.name: Path(file.path).stat().st_size for file in files},
        "releases": [RELEASE],
        "largest": largest,
    }
    heads = {RELEASE: partial(golden_head, table().find(RELEASE))}
    return JobPlan(files, [], capture_key(paths), largest, heads, {RELEASE: {}}, about)


def run(spark: SparkSession, kafka: KafkaClasses, plan: JobPlan, output: Path) -> tuple[RowCounts, Job]:
    with open_output(output, plan.about):
        job = Job(spark, kafka, plan, output, QUIET)
        return job.run(), job


COUNTS, OUTPUT = "counts.json", "out"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make a folder, and hold it while no other process of the test run does."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def find_output(folder: Path) -> Path | None:
    """Return the output of `run_once` in a folder, or None; wait for a process that makes it."""
    with locked(folder):
        return folder / OUTPUT if (folder / COUNTS).is_file() else None


def run_once(
    spark: SparkSession, kafka: KafkaClasses, folder: Path, make: Callable[[Path], Path] | None = None
) -> tuple[RowCounts, Job, Path]:
    """Run a job in a folder, or take the one that another process of the test run has run there.

    The counts are those that the job returned, and not those of its `job.json`.

    Args:
        make: makes the capture; None for that of the repository.
    """
    output, counts = folder / OUTPUT, folder / COUNTS
    capture = SAMPLE if make is None else folder / "capture"
    with locked(folder):
        if not counts.is_file():
            if make is not None:
                make(capture)
            accounts, job = run(spark, kafka, plan_of(capture), output)
            counts.write_text(json.dumps(asdict(accounts)), "utf-8")
            return accounts, job, output
    job = Job(spark, kafka, plan_of(capture), output, QUIET)
    for each in TABLES:
        job.tables[each.name] = spark.read.schema(each.schema).parquet(str(table_folder(output, each)))
    return RowCounts(**json.loads(counts.read_text("utf-8"))), job, output


def wrong(folder: Path) -> Path:
    """A capture with all that can be wrong in one: one connection each."""
    small = SmallCapture(folder)
    sound = small.talk()
    sound.exchanged(METADATA, 8, topics("t"), brokers("host", "t"))
    sound.closed()
    padded = small.talk()
    codec = NAMING.codec(NAMING.request(PRODUCE, 9))  # type: ignore[arg-type]  # it has a name
    header = {"requestApiKey": PRODUCE, "requestApiVersion": 9, "correlationId": 1, "clientId": "x"}
    whole = codec.encode(header, {"acks": 1, "timeoutMs": 5, "topicData": []})
    body = whole[4:-2] + b"\x81\x00\x00"
    padded.sent(StreamDirection.TO_BROKER, len(body).to_bytes(4, "big") + body)
    answer = NAMING.codec(NAMING.response(PRODUCE, 9))  # type: ignore[arg-type]  # it has a name
    padded.sent(StreamDirection.TO_CLIENT, answer.encode({"correlationId": 1}, {"responses": []}))
    padded.closed()
    for content in (
        b"\x00\x03\x00\x08\x00\x00\x00\x01\x00\x01x\x7f",
        b"\x7f\x00\x00\x00\x00\x00\x00\x02\xff\xff",
    ):
        garbage = small.talk()
        garbage.sent(StreamDirection.TO_BROKER, len(content).to_bytes(4, "big") + content)
        garbage.sent(StreamDirection.TO_CLIENT, b"\x00\x00\x00\x05" + content[4:8] + b"?")
        garbage.closed()
    http = small.talk()
    http.sent(StreamDirection.TO_BROKER, b"GET / HTTP/1.1\r\n\r\n")
    small.close()
    with small.path.open("ab") as file:
        file.write(b"\x00\x00\x10\x00torn")
    return folder
