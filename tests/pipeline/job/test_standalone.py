"""Jobs on a standalone cluster of real processes, whose machines know nothing of wireproof."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.spark.standalone_spark import StandaloneCluster
from wireproof.pipeline.runtime.artifacts import spark_home

JOB = Path(__file__).with_name("cluster_job.py")


def test_the_stranger_has_no_wireproof(strangers_python: Path) -> None:
    """The workers' Python has all packages but ours."""
    done = subprocess.run(
        [str(strangers_python), "-c", "import pyarrow, pyspark\nimport wireproof"],
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "No module named 'wireproof'" in done.stderr


@pytest.mark.parametrize("way", ["python", "spark-submit"])
def test_all_that_a_job_needs_arrives(way: str, cluster: StandaloneCluster, strangers_python: Path) -> None:
    """Code, layouts and jars come with the job: both executors decode, ask Kafka's classes, and agree.

    Standard output has what the program says and nothing of Spark's.
    """
    program = (
        [sys.executable] if way == "python" else [str(spark_home() / "bin" / way), "--master", cluster.master]
    )
    address = [cluster.master] if way == "python" else []
    done = subprocess.run(
        [*program, str(JOB), *address],
        env={
            **os.environ,
            "PYSPARK_PYTHON": str(strangers_python),
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["rows"] == summary["agreed"] > 100
    assert len(summary["executors"]) == 2
    (home,) = summary["homes"]
    assert home.startswith("./wireproof-code-")
    assert home.endswith(".zip/wireproof/__init__.py")
    if way == "python":
        assert done.stderr.splitlines() == ["WARNING: Using incubator modules: jdk.incubator.vector"]
