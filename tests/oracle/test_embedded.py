"""Facts of Kafka's framings that a run does not report separately, each on its own release."""

from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.embedded.hand_written import hand_written_specs
from kafkawire.embedded.label import Label
from kafkawire.embedded.prefixes import VersionPrefixed
from kafkawire.schema import MessageLayout, resolve
from tests.support.oracles.kafka_classes import LINES, kafka
from wireproof.model.cell import EMBEDDED_MODULE, Cell
from wireproof.model.embedding import EmbeddedBlob, OracleBlob
from wireproof.model.oracle import Refusal


def cell_of(release: str, message: str, version: int) -> tuple[Cell, MessageLayout]:
    if message in hand_written_specs():
        cell = Cell(release, EMBEDDED_MODULE, message, version)
        return cell, resolve(hand_written_specs()[message], version)
    return kafka(release).cell(message, version)


def read(release: str, message: str, version: int, form: str, blob: EmbeddedBlob) -> OracleBlob | Refusal:
    (reply,) = kafka(release).oracle.read_blobs(*cell_of(release, message, version), form, [blob])
    return reply


def written(release: str, message: str, version: int, form: str, value: dict[str, Any]) -> EmbeddedBlob:
    cell, layout = cell_of(release, message, version)
    binary = canonical(layout).to_binary(value)
    (reply,) = kafka(release).oracle.write_blobs(cell, layout, form, [binary])
    assert isinstance(reply, OracleBlob), reply
    return reply.blob


@pytest.mark.parametrize(
    ("release", "key"), [("2.8.2", "00000003"), ("3.0.2", "00000002"), ("4.4.0", "00000002")]
)
def test_a_leader_change_had_another_type_in_2_8(release: str, key: str) -> None:
    """2.8 had a type before it that 3.0 removed."""
    blob = written(release, "LeaderChangeMessage", 0, "control-record", {})
    assert blob.key is not None
    assert blob.key.hex() == key


@pytest.mark.parametrize(("release", "frame"), [("2.8.2", 0), ("3.0.2", 1), ("4.4.0", 1)])
def test_the_preview_of_the_metadata_log_had_another_frame(release: str, frame: int) -> None:
    """The frame version of 2.8 is 0."""
    assert written(release, "TopicRecord", 0, "metadata-record", {}).data[0] == frame


@pytest.mark.parametrize("release", ["2.8.2", "3.9.2", "4.4.0"])
def test_the_version_of_a_metadata_record_is_not_checked(release: str) -> None:
    """Kafka reads a record even if its class does not have the version."""
    blob = written(release, "FenceBrokerRecord", 0, "metadata-record", {})
    reply = read(
        release,
        "FenceBrokerRecord",
        0,
        "metadata-record",
        EmbeddedBlob(blob.data[:2] + b"\x63" + blob.data[3:]),
    )
    assert isinstance(reply, OracleBlob)
    assert reply.blob.data[2] == 0x63


@pytest.mark.parametrize(("release", "reads"), [("3.6.2", True), ("3.9.2", True), ("4.0.2", False)])
def test_the_version_of_a_coordinators_value_is_checked_from_4_0_on(release: str, reads: bool) -> None:
    """The tested value is an offset of a future version."""
    value = b"\x00\x63" + interpret_layout(cell_of(release, "OffsetCommitValue", 3)[1]).encode({})
    key = b"\x00\x01" + interpret_layout(cell_of(release, "OffsetCommitKey", 1)[1]).encode({})
    newest = kafka(release).schemas.find("OffsetCommitValue")[1].valid_versions.highest
    body = interpret_layout(cell_of(release, "OffsetCommitValue", newest)[1]).encode({})
    reply = read(
        release, "OffsetCommitValue", newest, "coordinator-value", EmbeddedBlob(value[:2] + body, key)
    )
    assert isinstance(reply, OracleBlob) == reads


@pytest.mark.parametrize("release", [line for line in LINES if line != "4.4.0"])
def test_a_worker_holds_its_assignment(release: str) -> None:
    """The allocation of Connect's workers is an assignment in its own framing: Kafka reads our nested
    bytes."""
    _, layout = cell_of(release, "ConnectAssignment", 1)
    codec = VersionPrefixed({Label(1): interpret_layout(layout)})
    tasks = {"assignment": [{"connector": "c", "tasks": [0, 1]}], "revoked": [], "delay": 5}
    inner = codec.encode(Label(1), {"leader": "l", "leaderUrl": "u", "configOffset": 7, **tasks})
    _, state = cell_of(release, "ConnectWorkerState", 1)
    outer = VersionPrefixed({Label(1): interpret_layout(state)})
    blob = outer.encode(Label(1), {"url": "u", "configOffset": 7, "allocation": inner})
    reply = read(release, "ConnectWorkerState", 1, "connect-metadata", EmbeddedBlob(blob))
    assert isinstance(reply, OracleBlob), reply
    _, again = outer.decode(reply.blob.data)
    assert codec.decode(again["allocation"])[1]["assignment"] == tasks["assignment"]


def test_kafka_reads_a_sticky_assignment_of_either_version() -> None:
    """The versions differ only in whether the generation follows."""
    for version, data in ((0, "00000000"), (1, "0000000000000007")):
        assert isinstance(
            read("4.4.0", "StickyAssignorUserData", version, "sticky", EmbeddedBlob(bytes.fromhex(data))),
            OracleBlob,
        )
