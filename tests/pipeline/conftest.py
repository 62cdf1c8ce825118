"""One Spark session for all tests of the folder: a start takes seconds, and a process has one JVM."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bare_python import bare_python
from standalone_spark import StandaloneCluster, standalone_cluster
from wireproof.pipeline.cargo import Cargo, load_cargo
from wireproof.pipeline.kafka import KafkaClasses
from wireproof.pipeline.session import start
from wireproof.releases import JarStore, table


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Spark on two cores of this machine."""
    session = start("local[2]", settings={"spark.ui.enabled": "false"})
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cargo() -> Cargo:
    """Those that the corpus has most of."""
    return load_cargo([table().find("4.3.1"), table().find("3.9.2")], JarStore())


@pytest.fixture(scope="session")
def kafka_classes(spark: SparkSession, cargo: Cargo) -> KafkaClasses:
    """Their classes, shipped."""
    return KafkaClasses.ship(spark, cargo)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    """A master and two workers of one core each."""
    with standalone_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="session")
def strangers_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python without wireproof, for the cluster's workers."""
    return bare_python(tmp_path_factory.mktemp("python"))
