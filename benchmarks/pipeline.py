"""The pipeline on Spark: frames a second, by stage; one core against two; how it grows; memory and shuffle.

    python benchmarks/pipeline.py [--frames N ...] [--masters local[2] one-core ...] [--keep FOLDER]

Captures of those sizes are made first (`varied_capture.py`). Each job is a process of its own, one after the
other, on the same capture. `one-core` is local[1] with all its processes held to one core; `standalone` a
master and two workers of one core each on this machine. Times are those of the tables, without the start of
Spark; `judged` is all up to the fingerprints: read, split, pair, name, decode, Kafka's classes, compare,
fingerprint, deduplicate.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from varied_capture import make

JUDGED = ("chunks", "frames", "readings", "fingerprints")
MEGABYTE = 1e6
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, nargs="+", default=[600_000])
    parser.add_argument("--masters", nargs="+", default=["local[2]", "one-core"])
    parser.add_argument("--keep", type=Path, help="for the captures, so that they are made once")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        run_job(json.loads(options.job))
        return
    with tempfile.TemporaryDirectory(prefix="wireproof-benchmark-") as scratch:
        folder = options.keep or Path(scratch)
        for frames in options.frames:
            capture = folder / f"varied-{frames}"
            make(Path("corpus/sample"), capture, frames)
            compare(capture, frames, options.masters, Path(scratch))


def compare(capture: Path, frames: int, masters: list[str], scratch: Path) -> None:
    """One capture on each master."""
    print(
        f"{frames:,} frames, {json.loads((capture / 'capture.json').read_text())['bytes'] / MEGABYTE:,.0f} MB"
    )
    rates: dict[str, float] = {}
    for master in masters:
        found = measured(capture, master, scratch)
        judged = sum(found["stages"][name] for name in JUDGED)
        whole = sum(found["stages"].values())
        rates[master] = frames / judged
        print(
            f"  {master}: judged {frames / judged:,.0f} frames/s, all tables {frames / whole:,.0f} frames/s"
        )
        for name, seconds in found["stages"].items():
            shuffled = found["shuffled"].get(name, 0)
            print(f"    {name:12} {seconds:8.1f} s  {shuffled / frames:8.1f} bytes shuffled a frame")
        print(
            f"    most memory: Spark {found['jvm_mb']:,.0f} MB, a Python worker {found['python_mb']:,.0f} MB"
        )
    first, *others = masters
    for master in others:
        print(f"  {first} is {rates[first] / rates[master]:.2f} of {master}")


def measured(capture: Path, master: str, scratch: Path) -> Mapping[str, Any]:
    """A job in a process of its own."""
    output = scratch / "out"
    shutil.rmtree(output, ignore_errors=True)
    if master == "standalone":
        sys.path.append(str(Path(__file__).parents[1]))
        from tests.support.spark.standalone_spark import standalone_cluster

        place = scratch / "cluster"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        with standalone_cluster(place) as cluster:
            return done(capture, cluster.master, output, [])
    pinned = ["taskset", "-c", "0"] if master == "one-core" else []
    return done(capture, "local[1]" if pinned else master, output, pinned)


def done(capture: Path, master: str, output: Path, before: list[str]) -> Mapping[str, Any]:
    """Run a job; return the members that it printed, and the memory that it took."""
    job = {"capture": str(capture), "master": master, "output": str(output)}
    command = [*before, sys.executable, __file__, "--job", json.dumps(job)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with process, watched() as peaks:
        printed, _ = process.communicate()
    if process.returncode:
        sys.exit(f"the job ended with {process.returncode}")
    shutil.rmtree(output, ignore_errors=True)
    return {**json.loads(printed), **peaks}


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """The most memory that a JVM and a Python worker below this process take."""
    peaks = {"jvm_mb": 0.0, "python_mb": 0.0}
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.5):
            for each in psutil.Process().children(recursive=True):
                try:
                    size, command = each.memory_info().rss / MEGABYTE, each.cmdline()
                except psutil.Error:
                    continue
                kind = "jvm_mb" if command and command[0].endswith("java") else "python_mb"
                peaks[kind] = max(peaks[kind], size)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield peaks
    finally:
        over.set()
        watcher.join()


def run_job(job: Mapping[str, str]) -> None:
    """Make the tables, and say on standard output how long each took."""
    from functools import partial

    from rich.console import Console

    from wireproof.app.assembly.corpus.corpus_add import capture_key, golden_head, segment_files
    from wireproof.app.assembly.prerequisites import open_store
    from wireproof.kafka.releases.release_table import table
    from wireproof.pipeline.job.job_progress import JobProgress
    from wireproof.pipeline.job.output_folder import open_output
    from wireproof.pipeline.job.spark_job import Job
    from wireproof.pipeline.job_plan import JobPlan, SegmentFile
    from wireproof.pipeline.runtime.artifacts import load_artifacts
    from wireproof.pipeline.runtime.code_distribution import distribute_code
    from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
    from wireproof.pipeline.runtime.spark_session import start

    stages: dict[str, float] = {}

    class Timed(JobProgress):
        @contextmanager
        def making(self, spark: Any, name: str) -> Iterator[list[int]]:
            started = time.monotonic()
            with super().making(spark, name) as rows:
                yield rows
            stages[name] = time.monotonic() - started

    release = table().find("4.3.1")
    paths = segment_files(Path(job["capture"]))
    files = [SegmentFile(str(path.resolve()), path.name, release.version, "CLIENT") for path in paths]
    heads = {release.version: partial(golden_head, release)}
    plan = JobPlan(files, [], capture_key(paths), 64 * 1024, heads, {release.version: {}}, {})
    output = Path(job["output"])
    with open_output(output, plan.about):
        spark = start(job["master"], event_log=output / "events", settings=SETTINGS)
        store = open_store(None, False)
        distribute_code(spark, store.cache_dir / "pipeline")
        classes = KafkaClasses.distribute(spark, load_artifacts([release], store))
        Job(spark, classes, plan, output, Timed(Console(stderr=True))).run()
        spark.stop()
    print(json.dumps({"stages": stages, "shuffled": shuffled(output / "events")}))


def shuffled(log: Path) -> Mapping[str, int]:
    """Bytes written for shuffles, by the table that was made, out of Spark's event log."""
    tables: dict[int, str] = {}
    found: dict[str, int] = {}
    for path in sorted(each for each in log.rglob("*") if each.is_file()):
        for line in path.read_text("utf-8").splitlines():
            if not line.startswith("{"):
                continue
            event = json.loads(line)
            if event["Event"] == "SparkListenerJobStart":
                name = event.get("Properties", {}).get("wireproof.table", "")
                tables.update(dict.fromkeys(event["Stage IDs"], name))
            elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                name = tables.get(event["Stage ID"], "")
                size = event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                found[name] = found.get(name, 0) + size
    return found


if __name__ == "__main__":
    main()
