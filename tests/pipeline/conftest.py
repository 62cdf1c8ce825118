"""One Spark session for all tests of the folder: a start takes seconds, and a process has one JVM."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

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
