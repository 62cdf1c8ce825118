"""A fork: definitions that are laid over those of a release."""

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from kafkawire.schema import SchemaSet, read_message
from tests.support.schemas.fork import ACME
from wireproof.kafka.releases.release_table import Release, ReleaseError, table
from wireproof.kafka.releases.snapshots import forked, headers_of, load_snapshot
from wireproof.model.kafka.releases import release_line, release_number

NEWEST = table().find("newest")

PING: dict[str, Any] = {
    "apiKey": 901,
    "type": "request",
    "name": "PingRequest",
    "validVersions": "0-2",
    "flexibleVersions": "1+",
    "fields": [{"name": "Count", "type": "int32", "versions": "0+"}],
}
PONG = {**PING, "type": "response", "name": "PingResponse"}


def write(folder: Path, *documents: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for each in documents:
        (folder / f"{each['name']}.json").write_text(json.dumps(each))
    return folder


def refused(folder: Path, release: Release = NEWEST) -> str:
    with pytest.raises(ReleaseError) as error:
        forked(release, folder)
    return error.value.message


def without(schemas: SchemaSet, names: tuple[str, ...]) -> dict[str, dict[str, object]]:
    return {
        module: {name: spec for name, spec in messages.items() if name not in names}
        for module, messages in schemas.modules.items()
    }


def test_the_release_with_the_fork_over_it() -> None:
    """New messages are in the module of their kind, changed ones in their own; the others are Kafka's."""
    fork = forked(NEWEST, ACME)
    assert fork.version == f"{NEWEST.version}+acme"
    schemas, released = load_snapshot(fork), load_snapshot(NEWEST)
    assert schemas.release == fork.version
    assert fork.fork is not None
    assert schemas.find("TracePingRequest")[0] == "clients"
    assert schemas.find("TraceRecord")[0] == "metadata"
    assert fork.fork.changed == ("HeartbeatRequest", "HeartbeatResponse")
    assert schemas.find("HeartbeatRequest")[1].valid_versions.highest == 5
    assert without(schemas, fork.fork.messages) == without(released, fork.fork.messages)
    assert fork.original == NEWEST


@pytest.mark.parametrize("release", list(table()), ids=str)
def test_the_headers_are_those_of_kafkas_rule(release: Release, tmp_path: Path) -> None:
    """Definitions of a release that are laid over it as a fork get the header versions that Kafka's classes
    have, though their files do not name them."""
    released = load_snapshot(release)
    documents = {}
    for _, spec in released:
        if spec.header_versions:
            flexible = str(spec.flexible_versions)
            documents[spec.name] = {
                "apiKey": spec.api_key,
                "type": spec.kind.value,
                "name": spec.name,
                "validVersions": str(spec.valid_versions),
                "flexibleVersions": flexible,
            }
    headers = headers_of(load_snapshot(forked(release, write(tmp_path / "all", *documents.values()))))
    for name, ranges in headers_of(released).items():
        for version in released.find(name)[1].valid_versions:
            (expected,) = [header for versions, header in ranges if version in versions]
            assert [header for versions, header in headers[name] if version in versions] == [expected], name
    assert len(documents) > 100


def test_headers_that_the_file_names(tmp_path: Path) -> None:
    """KIP-1313 puts them into the file."""
    named = {**PING, "headerVersions": {"0": 1, "1": 2, "2+": 3}}
    schemas = load_snapshot(forked(NEWEST, write(tmp_path, named, PONG)))
    assert [str(versions) for versions, _ in headers_of(schemas)["PingRequest"]] == ["0", "1", "2+"]
    assert [header for _, header in headers_of(schemas)["PingRequest"]] == [1, 2, 3]


def test_a_message_without_versions_is_removed(tmp_path: Path) -> None:
    """The fork has no cells of it."""
    gone = [{**each, "apiKey": 12, "validVersions": "none"} for each in (PING, PONG)]
    gone[0]["name"], gone[1]["name"] = "HeartbeatRequest", "HeartbeatResponse"
    assert load_snapshot(forked(NEWEST, write(tmp_path, *gone))).find("HeartbeatRequest")[1].retired


def test_a_coordinator_record_needs_the_folder_of_its_module(tmp_path: Path) -> None:
    """There are four coordinators, so the kind does not name the writer."""
    record = {**PING, "type": "coordinator-value", "name": "PingValue", "flexibleVersions": "0+"}
    key = {
        **PING,
        "type": "coordinator-key",
        "name": "PingKey",
        "validVersions": "0",
        "flexibleVersions": "none",
    }
    assert f"{tmp_path}/a/PingKey.json:1: error: the module of the new coordinator-key" in refused(
        write(tmp_path / "a", key, record)
    )
    write(tmp_path / "b" / "group-coordinator", key, record)
    assert load_snapshot(forked(NEWEST, tmp_path / "b")).find("PingValue")[0] == "group-coordinator"


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ([PING], "PingRequest.json:1: error: PingRequest: there is no response with apiKey 901"),
        ([{**PING, "apiKey": 12}, {**PONG, "apiKey": 12}], "the apiKey 12 is "),
        ([{**PING, "name": "Ping"}, PONG], "Ping.json:1: error: Ping: the name of a request ends in Request"),
        ([{**PING, "validVersions": "x"}, PONG], "PingRequest.json:1: error: "),
    ],
    ids=["no-response", "key-of-kafka", "suffix", "broken"],
)
def test_definitions_that_do_not_fit(documents: list[dict[str, Any]], words: str, tmp_path: Path) -> None:
    """The error has the file and the line; a conflict with a message of Kafka is one, too."""
    message = refused(write(tmp_path / "fork", *documents))
    assert words in message
    assert "/fork" in message.partition(" error: ")[0]


def test_the_digest_is_of_the_definitions_alone(tmp_path: Path) -> None:
    """Comments and documentation do not change it, and a field does."""

    def digest(folder: Path) -> str:
        fork = forked(NEWEST, folder).fork
        assert fork is not None
        return fork.sha256

    first = digest(write(tmp_path / "a", PING, PONG))
    (write(tmp_path / "b", PING, PONG) / "PingRequest.json").write_text(f"// a comment\n{json.dumps(PING)}\n")
    assert digest(tmp_path / "b") == first
    wider = {**PING, "fields": [{"name": "Count", "type": "int64", "versions": "0+"}]}
    assert digest(write(tmp_path / "c", wider, PONG)) != first


def test_a_fork_travels_and_is_no_release_of_the_table(tmp_path: Path) -> None:
    """Worker processes get it as data; the word for it needs the definitions."""
    fork = forked(NEWEST, ACME)
    assert pickle.loads(pickle.dumps(fork)) == fork
    assert release_number(fork.version) == release_number(NEWEST.version)
    assert release_line(fork.version) == release_line(NEWEST.version)
    with pytest.raises(ReleaseError, match="is a fork of") as error:
        table().find(fork.version)
    assert "--schemas DIR" in error.value.advice


def test_the_name_of_a_folder_becomes_part_of_an_id(tmp_path: Path) -> None:
    """Characters that a cell's id cannot hold are replaced."""
    folder = tmp_path / "our schemas, v2/"
    shutil.copytree(ACME, folder)
    assert forked(NEWEST, folder).version == f"{NEWEST.version}+our-schemas-v2"


def test_an_old_release_reads_its_own_dialect(tmp_path: Path) -> None:
    """2.8 lets flexibleVersions be missing; the newest does not."""
    old = [{key: value for key, value in each.items() if key != "flexibleVersions"} for each in (PING, PONG)]
    folder = write(tmp_path, *old)
    assert forked(table().find("2.8"), folder).fork is not None
    assert "flexibleVersions is missing" in refused(folder)


def test_the_test_fork_is_what_it_says() -> None:
    """It has tagged fields, a nullable struct, a nullable array and records."""
    text = (ACME / "TracePingRequest.json").read_text()
    spec, problems = read_message(text, "TracePingRequest.json")
    assert problems == []
    assert spec is not None
    fields = {field.name: field for field in spec.fields}
    assert str(fields["Payload"].type) == "records"
    assert not fields["Origin"].nullable_versions.empty
    assert sum(field.tag is not None for field in spec.fields) == 2
