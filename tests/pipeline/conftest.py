"""One Spark session for all tests of the folder, as a process has one JVM; and two jobs for all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.pipeline.bare_python import bare_python
from tests.pipeline.small_jobs import SAMPLE, SHORT_LIVED, plan_of, run, wrong
from tests.support.spark.standalone_spark import SHORT_LIVED_JVMS, StandaloneCluster, standalone_cluster
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.pipeline.job.spark_job import Job, RowCounts
from wireproof.pipeline.runtime.artifacts import JobArtifacts, load_artifacts
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.spark_session import start


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
def sample(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path_factory: pytest.TempPathFactory
) -> tuple[RowCounts, Job, Path]:
    """The capture that the repository holds."""
    output = tmp_path_factory.mktemp("sample") / "out"
    return (*run(spark, kafka_classes, plan_of(SAMPLE), output), output)


@pytest.fixture(scope="session")
def odd(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path_factory: pytest.TempPathFactory
) -> tuple[RowCounts, Job]:
    """The job of a capture in which much is wrong."""
    folder = tmp_path_factory.mktemp("odd")
    return run(spark, kafka_classes, plan_of(wrong(folder / "capture")), folder / "out")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    """A master and two workers of one core each."""
    with standalone_cluster(tmp_path_factory.mktemp("cluster"), environ=SHORT_LIVED_JVMS) as running:
        yield running


@pytest.fixture(scope="session")
def strangers_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python without wireproof, for the cluster's workers."""
    return bare_python(tmp_path_factory.mktemp("python"))
