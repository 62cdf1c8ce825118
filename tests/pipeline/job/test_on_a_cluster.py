"""`wireproof pipeline run` on a cluster: tables and corpus are those of one machine, whatever dies."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as parquet  # type: ignore[import-untyped]

from tests.pipeline.small_jobs import SAMPLE
from tests.support.spark.standalone_spark import SHORT_LIVED_JVMS, StandaloneCluster
from wireproof.pipeline.tables import TABLES


@contextmanager
def job_on(cluster: StandaloneCluster, python: Path, output: Path) -> Iterator["subprocess.Popen[str]"]:
    """The command, as a user types it."""
    words = ["pipeline", "run", "--input", str(SAMPLE), "--output", str(output), "--master", cluster.master]
    with subprocess.Popen(
        [sys.executable, "-m", "wireproof", *words],
        env={**os.environ, **SHORT_LIVED_JVMS, "PYSPARK_PYTHON": str(python), "SPARK_LOCAL_IP": "127.0.0.1"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


def rows(output: Path, name: str) -> list[str]:
    """All rows of a table, in an order that does not depend on who wrote them."""
    return sorted(map(repr, parquet.read_table(output / "tables" / name).to_pylist()))


def held(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_alike(one: Path, other: Path) -> None:
    for table in TABLES:
        assert rows(one, table.name) == rows(other, table.name), table.name
    assert held(one / "corpus") == held(other / "corpus")


def test_a_cluster_makes_what_one_machine_makes(
    sample_output: Path, cluster: StandaloneCluster, strangers_python: Path, tmp_path: Path
) -> None:
    """Two workers of one core, which know nothing of wireproof: every row of every table, and the corpus."""
    with job_on(cluster, strangers_python, tmp_path / "out") as process:
        _, said = process.communicate()
    assert process.returncode == 0, said
    assert_alike(sample_output, tmp_path / "out")


def test_workers_that_die_change_nothing(
    sample_output: Path, cluster: StandaloneCluster, strangers_python: Path, tmp_path: Path
) -> None:
    """One is killed while frames are made, the other while frames are looked at; a new one comes in between.

    What they had is done again.
    """
    with job_on(cluster, strangers_python, tmp_path / "out") as process:
        assert process.stderr is not None
        said, left = "", {"chunks", "frames"}
        for line in process.stderr:
            said += line
            table = line.partition(" ")[0]
            if table in left:  # a slow machine has several lines about one table
                left.remove(table)
                cluster.kill()
                cluster.add(1)
    assert process.returncode == 0, said
    assert not left, said
    assert_alike(sample_output, tmp_path / "out")
