"""The release table: the project's own table, and invalid tables."""

import configparser
import re
from pathlib import Path

import pytest

from wireproof.kafka.releases.release_table import ReleaseError, read_table, table

MODULES = {
    "clients",
    "metadata",
    "raft",
    "storage",
    "group-coordinator",
    "transaction-coordinator",
    "share-coordinator",
    "streams",
    "core",
}
EXTRAS = {"server-common", "coordinator-common", "storage-api", "connect-runtime"}
ALL_RELEASES = [release.version for release in table()]

SMALL = """
newest = "2.0.0"
[module]
clients = { artifact = "org.example:clients", package = "org.example", prefix = "message/" }
raft = { artifact = "org.example:raft", package = "org.example.raft", prefix = "message/" }
[release."1.9.1".jars]
clients = { messages = 1, cells = 2, bytes = 3, sha256 = "DIGEST" }
[release."1.9.1".absent]
raft = "came with 2.0"
[release."1.10.0".jars]
clients = { messages = 1, cells = 2, bytes = 3, sha256 = "DIGEST" }
raft = { messages = 1, cells = 2, bytes = 3, sha256 = "DIGEST" }
[release."1.10.0".absent]
[release."2.0.0".jars]
clients = { messages = 1, cells = 2, bytes = 3, sha256 = "DIGEST" }
raft = { messages = 4, cells = 5, bytes = 3, sha256 = "DIGEST" }
[release."2.0.0".absent]
[support]
[tools]
""".replace("DIGEST", "ab" * 32)


@pytest.mark.parametrize("version", ALL_RELEASES)
def test_every_module_is_named(version: str) -> None:
    """A release names each of the nine modules and four extra jars, as a jar or as absent with a reason."""
    release = table().find(version)
    there = [part.name for part in release.modules] + [part.name for part in release.extras]
    named = there + [gone.name for gone in release.absent]
    assert sorted(named) == sorted(MODULES | EXTRAS)
    assert all(gone.reason for gone in release.absent)


@pytest.mark.parametrize("version", ALL_RELEASES)
def test_every_jar_is_pinned(version: str) -> None:
    """Each jar has its own digest and a file name with the version in it."""
    jars = table().find(version).jars
    assert len({jar.sha256 for jar in jars}) == len(jars)
    assert all(re.fullmatch("[0-9a-f]{64}", jar.sha256) for jar in jars)
    assert all(jar.file_name.endswith(f"-{version}.jar") for jar in jars)


def test_every_line_has_a_release() -> None:
    """Every line that Kafka released from 2.8 to 4.4 is there, with one patch release."""
    lines = [f"4.{minor}" for minor in range(4, -1, -1)] + [f"3.{minor}" for minor in range(9, -1, -1)]
    assert [release.line for release in table()] == [*lines, "2.8"]


@pytest.mark.parametrize(
    ("version", "messages", "cells", "clients_cells"),
    [("4.4.0", 286, 744, 640), ("4.3.1", 281, 739, 625), ("3.9.2", 241, 751, 666), ("2.8.2", 158, 536, 499)],
)
def test_the_counts_add_up(version: str, messages: int, cells: int, clients_cells: int) -> None:
    """These are the sums that a run of everything must reach."""
    release = table().find(version)
    assert (release.messages, release.cells) == (messages, cells)
    assert release.module("clients").cells == clients_cells


@pytest.mark.parametrize(
    ("word", "version"), [("4.4.0", "4.4.0"), ("4.4", "4.4.0"), ("newest", "4.4.0"), ("3.9", "3.9.2")]
)
def test_a_release_has_several_names(word: str, version: str) -> None:
    """A release is named by its number, by its line, or as the newest."""
    assert table().find(word).version == version


def test_all_means_every_release() -> None:
    """`all` means every release; any other word means one release."""
    assert table().choose("all") == table().releases
    assert table().choose("3.9") == (table().find("3.9.2"),)
    with pytest.raises(ReleaseError, match="unknown release"):
        table().choose("All")


@pytest.mark.parametrize("word", ["4", "4.4.1", "v4.4.0", "", "Newest", "4.4."])
def test_an_unknown_name_is_an_error(word: str) -> None:
    """Any other word is refused, and the error lists the valid words."""
    with pytest.raises(ReleaseError, match="unknown release") as caught:
        table().find(word)
    assert "4.4.0, 4.3.1, 4.2.2" in caught.value.advice


def test_an_absent_module_has_a_reason() -> None:
    """The error has the reason of a module that a release does not offer."""
    with pytest.raises(ReleaseError, match=r"4\.4\.0 does not offer module streams: the registry has no"):
        table().find("4.4.0").module("streams")


def test_small_modules_are_proven_completely() -> None:
    """The environment `lines` names every module but clients, of which it proves a shard."""
    environments = configparser.ConfigParser(interpolation=None)
    environments.read(Path(__file__).parents[4] / "tox.ini")
    named = re.findall(r"--module ([a-z-]+)", environments["testenv:lines"]["commands"])
    assert sorted(named) == sorted(MODULES - {"clients"})


def test_an_unknown_module_is_an_error() -> None:
    """A word that is not a module has another error than an absent module."""
    with pytest.raises(ReleaseError, match="there is no module 'stream'"):
        table().find("4.4.0").module("stream")


def test_support_jars_and_tools_are_pinned() -> None:
    """The shared loader has a silent slf4j, Jackson in one version, and the compressions."""
    artifacts = [jar.artifact for jar in table().support]
    jackson = ["jackson-annotations", "jackson-core", "jackson-databind"]
    assert sorted(artifacts) == [*jackson, "lz4-java", "slf4j-api", "slf4j-nop", "snappy-java", "zstd-jni"]
    for group in ("org.slf4j", "com.fasterxml.jackson.core"):
        assert len({jar.version for jar in table().support if jar.group == group}) == 1
    assert table().tools["ecj"].artifact == "ecj"


def test_releases_of_known_bugs_cannot_be_selected() -> None:
    """They are pinned like the others, and no word of the command line selects them."""
    assert [release.version for release in table().errata] == ["2.8.0", "3.2.1", "3.9.0"]
    for release in table().errata:
        assert release.version not in {known.version for known in table()}
        with pytest.raises(ReleaseError):
            table().find(release.version)


def test_releases_come_newest_first() -> None:
    """The order is by number instead of text: 1.10 is newer than 1.9."""
    assert [release.version for release in read_table(SMALL)] == ["2.0.0", "1.10.0", "1.9.1"]


def test_a_jar_has_two_names() -> None:
    """A jar has a flat name and a Maven name."""
    jar = table().find("4.4.0").module("clients").jar
    assert jar.file_name == "kafka-clients-4.4.0.jar"
    assert str(jar.maven_path) == "org/apache/kafka/kafka-clients/4.4.0/kafka-clients-4.4.0.jar"
    assert str(jar) == "org.apache.kafka:kafka-clients:4.4.0"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('newest = "2.0.0"', 'newest = "3.0.0"', "unknown release 'newest'"),
        ('newest = "2.0.0"', "", "lacks 'newest'"),
        ('raft = "came with 2.0"', "", "1.9.1's modules wrongly: raft"),
        ('raft = "came with 2.0"', 'raft = "no"\nclients = "no"', "1.9.1's modules wrongly: clients"),
        ('raft = "came with 2.0"', 'raft = "no"\nshare = "no"', "1.9.1's modules wrongly: share"),
        ("messages = 4,", "", "lacks 'messages'"),
        ("ab" * 32, "abab", "bad artifact or digest"),
        ("org.example:raft", "raft", "bad artifact or digest"),
        ("[support]", "[support", "cannot be read"),
    ],
)
def test_an_invalid_table_is_refused(old: str, new: str, message: str) -> None:
    """A table with a missing or a wrong value is refused as a whole."""
    assert old in SMALL
    with pytest.raises(ReleaseError, match=message):
        read_table(SMALL.replace(old, new))
