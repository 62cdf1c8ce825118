"""A job whose disk is full: what it says, and what it comes to when there is room again.

    unshare --map-root-user --mount python full_disk.py CAPTURE FOLDER

The disk is a file system in memory, in a mount namespace of this process, which needs no root rights. To
standard output go what the job said, what it advised, and the number of entries when there was room.
"""

import subprocess
import sys
from pathlib import Path

from tests.pipeline.small_jobs import RELEASE, SHORT_LIVED, plan_of, run
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.pipeline.job_plan import StageError
from wireproof.pipeline.runtime.artifacts import load_artifacts
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.spark_session import start


def mount(folder: Path, options: str) -> None:
    """A disk of a size, or another size of it."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)


def main(capture: Path, folder: Path) -> None:
    """The same job twice: with 64 KiB, and with room."""
    mount(folder, "size=64k")
    spark = start("local[1]", settings=SHORT_LIVED)
    kafka = KafkaClasses.distribute(spark, load_artifacts([table().find(RELEASE)], JarStore()))
    plan, output = plan_of(capture), folder / "out"
    try:
        run(spark, kafka, plan, output)
    except StageError as error:
        sys.stdout.write(f"{error.message}\n{error.advice}\n")
    mount(folder, "remount,size=64m")
    accounts, _ = run(spark, kafka, plan, output)
    sys.stdout.write(f"{accounts.entries}\n")
    spark.stop()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
