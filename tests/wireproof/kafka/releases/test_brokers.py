"""The jars that brokers run on: the project's table, invalid tables, and adding a release."""

from pathlib import Path

import pytest

from wireproof.kafka.releases import broker_classpath as brokers
from wireproof.kafka.releases.broker_classpath import (
    broker_jars,
    broker_releases,
    coordinator_jars,
    pin_brokers,
)
from wireproof.kafka.releases.release_table import Jar, ReleaseError, table
from wireproof.model.kafka.releases import release_number

DIGEST = "ab" * 32
ONE = f"""
[release."1.0.0"]
"org.example:server:1.0.0" = {{ bytes = 3, sha256 = "{DIGEST}" }}
"""


@pytest.mark.parametrize("version", broker_releases())
def test_a_broker_has_its_server_clients_and_a_logger(version: str) -> None:
    """Server and clients are of the release itself; a failing broker needs a logger to report the reason."""
    jars = {(jar.artifact, jar.version) for jar in broker_jars(table().find(version))}
    assert {("kafka_2.13", version), ("kafka-clients", version)} <= jars
    api, logger = ({v for name, v in jars if name == want} for want in ("slf4j-api", "slf4j-simple"))
    assert api == logger
    assert len(api) == 1


@pytest.mark.parametrize("version", broker_releases())
def test_both_tables_pin_the_same_files(version: str) -> None:
    """A jar in both tables has the same digest."""
    release = table().find(version)
    known = {jar.file_name: jar for jar in release.jars}
    shared = [jar for jar in broker_jars(release) if jar.file_name in known]
    assert len(shared) > 3
    assert all(known[jar.file_name] == jar for jar in shared)


@pytest.mark.parametrize("version", [release.version for release in table()])
def test_the_readers_of_coordinators_are_the_files_of_the_other_tables(version: str) -> None:
    """A jar in two tables has the same digest; up to 4.2 the readers need Scala."""
    release = table().find(version)
    jars = coordinator_jars(release)
    others = [*release.jars, *(jar for each in broker_releases() for jar in broker_jars(table().find(each)))]
    known = {jar.file_name: jar for jar in others}
    assert all(known.get(jar.file_name, jar) == jar for jar in jars)
    assert ("scala-library" in {jar.artifact for jar in jars}) == (release_number(version) < (4, 3))


def test_a_release_without_pinned_jars_names_those_that_have() -> None:
    """4.4.0 is not complete in the registry: the error names the releases that are."""
    with pytest.raises(ReleaseError, match=r"4\.4\.0") as caught:
        broker_jars(table().find("4.4.0"))
    assert "4.3.1" in caught.value.advice


@pytest.mark.parametrize("text", ["[release", "", '[release."1.0.0"]\n"org.example:server" = 1'])
def test_an_invalid_table_is_refused(text: str) -> None:
    """The text is not TOML, has no releases, or names no version."""
    with pytest.raises(ReleaseError, match="table of brokers"):
        brokers.read_broker_table(text)


def test_two_jars_cannot_be_one_file() -> None:
    """The cache is flat: equal file names must be equal files."""
    other = ONE.replace('1.0.0"]', '2.0.0"]').replace("org.example", "org.elsewhere")
    with pytest.raises(ReleaseError, match=r"server-1\.0\.0\.jar"):
        brokers.read_broker_table(ONE + other)


def test_pinning_keeps_what_is_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a new release only files that no other release has are fetched; the newest release comes first."""

    fetched: list[str] = []

    class Registry:
        def fetch(self, jar: Jar, folder: Path, progress: object) -> Path:
            fetched.append(jar.file_name)
            (folder / jar.file_name).write_bytes(b"abc")
            return folder / jar.file_name

    needed = {("org.example", "server", "1.0.0"), ("org.slf4j", "slf4j-api", "1.7.36")}
    monkeypatch.setattr(brokers, "resolve_dependencies", lambda *_: needed)
    place = tmp_path / "brokers.toml"
    place.write_text(ONE)
    pin_brokers([table().find("2.8"), table().find("4.3")], place, lambda jar, there: None, Registry())
    found = brokers.read_broker_table(place.read_text())
    assert list(found) == ["4.3.1", "2.8.2", "1.0.0"]
    assert sorted(fetched) == ["slf4j-api-1.7.36.jar", "slf4j-simple-1.7.36.jar"]
    assert {jar.sha256 for jar in found["4.3.1"] if jar.artifact == "server"} == {DIGEST}
