"""Instances that Java makes of its own classes, without our layouts."""

import math
from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.values import TAGS
from tests.support.oracles.kafka_classes import RELEASES, accepted, kafka
from wireproof.model.oracle import OracleReply

each_release = pytest.mark.parametrize("version", RELEASES)


def instances(
    version: str, message: str, message_version: int, count: int = 0, seed: int = 0
) -> list[OracleReply]:
    release = kafka(version)
    return release.oracle.instances(*release.cell(message, message_version), count, seed)


def values(version: str, message: str, message_version: int, count: int = 0) -> list[dict[str, Any]]:
    _, layout = kafka(version).cell(message, message_version)
    found = instances(version, message, message_version, count)
    return [canonical(layout).from_binary(accepted(reply).value) for reply in found]


@each_release
@pytest.mark.parametrize(
    ("message", "message_version"),
    [
        ("FetchRequest", 4),
        ("FetchRequest", 17),
        ("FetchResponse", 16),
        ("FetchSnapshotResponse", 1),
        ("ConsumerGroupHeartbeatResponse", 0),
        ("ConsumerGroupMemberMetadataValue", 0),
        ("AlterClientQuotasRequest", 1),
        ("BrokerRegistrationRequest", 4),
        ("EnvelopeResponse", 0),
        ("RequestHeader", 2),
    ],
)
def test_our_codec_agrees(version: str, message: str, message_version: int) -> None:
    """Our decoder gives the value of Java's instance, and our encoder writes Java's bytes."""
    _, layout = kafka(version).cell(message, message_version)
    codec = compile_layout(layout)
    for reply in instances(version, message, message_version, count=50):
        instance = accepted(reply)
        value = codec.decode(instance.written)
        assert canonical(layout).to_binary(value) == instance.value
        assert codec.encode(value) == instance.written
        assert instance.predicted_bytes == instance.consumed_bytes == len(instance.written)
        assert instance.absent_set == ()


@each_release
def test_the_first_instance_is_the_default(version: str) -> None:
    """The default instance comes first."""
    _, layout = kafka(version).cell("FetchRequest", 12)
    assert accepted(instances(version, "FetchRequest", 12)[0]).value == canonical(layout).to_binary({})


@each_release
def test_strings_and_arrays_take_boundary_lengths(version: str) -> None:
    """Strings and arrays are null, empty, of length one, and of the lengths at which the varint grows."""
    found = values(version, "MetadataRequest", 12)
    topics = [value["topics"] for value in found]
    assert None in topics
    assert {0, 1, 2, 128} <= {len(each) for each in topics if each is not None}
    names = [topic["name"] for each in topics for topic in each or []]
    assert None in names
    lengths = {len(name.encode()) for name in names if name is not None}
    assert {0, 1, 126, 127, 128} <= lengths
    assert any(len(name.encode()) > len(name) for name in names if name)
    assert any(ord(character) > 0xFFFF for name in names for character in name or "")


@each_release
@pytest.mark.parametrize(
    ("message", "message_version", "field", "edges"),
    [
        ("ApiVersionsResponse", 3, "errorCode", {-32768, -1, 0, 1, 32767}),
        ("FetchRequest", 4, "maxWaitMs", {-(2**31), -1, 0, 1, 2**31 - 1}),
        ("FetchRequest", 4, "isolationLevel", {-128, -1, 0, 1, 127}),
        ("ApiVersionsResponse", 3, "finalizedFeaturesEpoch", {-(2**63), -1, 0, 1, 2**31, 2**63 - 1}),
    ],
)
def test_integers_take_boundary_values(
    version: str, message: str, message_version: int, field: str, edges: set[int]
) -> None:
    """Each integer takes its boundary values."""
    assert edges <= {value[field] for value in values(version, message, message_version)}


@each_release
def test_unsigned_integers_take_their_whole_range(version: str) -> None:
    """A uint16 takes the upper half of its range, and no value that its setter refuses."""
    found = values(version, "BrokerRegistrationRequest", 0)
    ports = {listener["port"] for value in found for listener in value["listeners"]}
    assert {0, 1, 32768, 65535} <= ports
    assert max(ports) == 65535
    assert min(ports) == 0


@each_release
def test_doubles_take_special_values(version: str) -> None:
    """Doubles are NaN, infinities and minus zero."""
    found = values(version, "AlterClientQuotasRequest", 0)
    doubles = [op["value"] for value in found for entry in value["entries"] for op in entry["ops"]]
    assert any(math.isnan(each) for each in doubles)
    assert {math.inf, -math.inf} <= set(doubles)
    assert any(each == 0 and math.copysign(1, each) < 0 for each in doubles)


@each_release
def test_unknown_tags_are_at_each_level(version: str) -> None:
    """Each flexible struct has unknown tags in some instance; a version without tags never does."""
    found = values(version, "FetchRequest", 12)
    assert any(TAGS in value for value in found)
    assert any(TAGS in topic for value in found for topic in value["topics"])
    assert any(TAGS in part for value in found for topic in value["topics"] for part in topic["partitions"])
    assert not any(TAGS in value for value in values(version, "FetchRequest", 11))


@each_release
def test_random_instances_are_seeded(version: str) -> None:
    """`count` random instances come last, equal for equal seeds."""
    fixed = instances(version, "FetchResponse", 12)
    one = instances(version, "FetchResponse", 12, count=30, seed=5)
    assert one[: len(fixed)] == fixed
    assert len(one) == len(fixed) + 30
    assert instances(version, "FetchResponse", 12, count=30, seed=5) == one
    assert instances(version, "FetchResponse", 12, count=30, seed=6) != one
