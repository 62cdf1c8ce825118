"""The jars of Kafka's message generator."""

import pytest

from wireproof.kafka.releases.broker_classpath import broker_jars, broker_releases
from wireproof.kafka.releases.jar_store import generator_jars, generator_releases
from wireproof.kafka.releases.release_table import ReleaseError, table


@pytest.mark.parametrize("version", generator_releases())
def test_generator_and_clients_are_of_one_release(version: str) -> None:
    """The generator comes with Jackson, which reads the schemas, and with the clients of its own release."""
    program, clients = generator_jars(version)
    assert (clients.artifact, clients.version) == ("kafka-clients", version)
    names = {jar.artifact for jar in program}
    assert {"generator", "argparse4j", "jackson-databind", "jackson-datatype-jdk8"} <= names
    assert {jar.version for jar in program if jar.artifact == "generator"} == {version}


def test_all_tables_pin_the_same_files() -> None:
    """A jar that another table has too has the same digest there."""
    pinned = [jar for version in generator_releases() for jar in (*generator_jars(version)[0],)]
    pinned += [generator_jars(version)[1] for version in generator_releases()]
    others = {jar.file_name: jar for release in table() for jar in release.jars}
    others |= {jar.file_name: jar for each in broker_releases() for jar in broker_jars(table().find(each))}
    shared = [jar for jar in pinned if jar.file_name in others]
    assert len(shared) > 5
    assert all(others[jar.file_name] == jar for jar in shared)


def test_an_unknown_release_names_those_that_are_pinned() -> None:
    """No generator of 4.4.0 is published: the error names the releases that have one."""
    with pytest.raises(ReleaseError, match=r"generator of Kafka 4\.4\.0") as caught:
        generator_jars("4.4.0")
    assert caught.value.advice == "Known are: 4.3.1, 3.9.1."
