"""One Spark session for all tests of the folder, as a process has one JVM, and two jobs for all of them.

A JVM is slow until it has loaded and compiled what a job needs. So the tests that share the session run in
one process of `pytest --dist loadfile`, those that share the cluster in one, and others file by file.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from xdist.scheduler import LoadFileScheduling

from tests.pipeline.bare_python import bare_python
from tests.pipeline.small_jobs import FIRST_COMPILER, SHORT_LIVED, find_output, run_once, wrong
from tests.support.spark.standalone_spark import SHORT_LIVED_JVMS, StandaloneCluster, standalone_cluster
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.pipeline.job.spark_job import Job, RowCounts
from wireproof.pipeline.runtime.artifacts import JobArtifacts, load_artifacts
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.spark_session import start

CLUSTER = ("test_campaign_on_a_cluster.py", "test_on_a_cluster.py", "test_standalone.py")
"""Files of tests that share the cluster."""

ALONE = (
    "test_campaign_command.py",
    "test_full_disk.py",
    "test_interrupted_job.py",
    "test_interrupts.py",
    "test_sessions_in_turn.py",
    "test_worker_memory.py",
)
"""Files of tests that share nothing: they start commands and programs."""


class ByJvm(LoadFileScheduling):  # type: ignore[misc]  # a class of a library without types
    """Sends all files of tests that share the session or the cluster to one process."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        name = file.rpartition("/")[2]
        return "cluster" if name in CLUSTER else file if name in ALONE else "session"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Divide tests with `--dist loadfile`."""
    return ByJvm(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session", autouse=True)
def short_lived_jvms() -> Iterator[None]:
    """Commands of the tests start JVMs that live too short for Java's second compiler."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_SUBMIT_OPTS", FIRST_COMPILER)
        yield


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Spark on two cores of this machine, for small tables and a short life."""
    session = start("local[2]", settings=SHORT_LIVED)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def artifacts() -> JobArtifacts:
    """Those that the corpus has most of."""
    return load_artifacts([table().find("4.3.1"), table().find("3.9.2")], JarStore())


@pytest.fixture(scope="session")
def kafka_classes(spark: SparkSession, artifacts: JobArtifacts) -> KafkaClasses:
    """Their classes, shipped."""
    return KafkaClasses.distribute(spark, artifacts)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of the test run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def sample(
    spark: SparkSession, kafka_classes: KafkaClasses, shared_folder: Path
) -> tuple[RowCounts, Job, Path]:
    """The job of the capture that the repository holds."""
    return run_once(spark, kafka_classes, shared_folder / "sample")


@pytest.fixture(scope="session")
def sample_output(shared_folder: Path, request: pytest.FixtureRequest) -> Path:
    """The folder of that job. No session is started where another process runs the job, or has run it."""
    output: Path = find_output(shared_folder / "sample") or request.getfixturevalue("sample")[2]
    return output


@pytest.fixture(scope="session")
def odd(spark: SparkSession, kafka_classes: KafkaClasses, shared_folder: Path) -> tuple[RowCounts, Job]:
    """The job of a capture in which much is wrong."""
    return run_once(spark, kafka_classes, shared_folder / "odd", wrong)[:2]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    """A master and two workers of one core each."""
    with standalone_cluster(tmp_path_factory.mktemp("cluster"), environ=SHORT_LIVED_JVMS) as running:
        yield running


@pytest.fixture(scope="session")
def strangers_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python without wireproof, for the cluster's workers."""
    return bare_python(tmp_path_factory.mktemp("python"))
