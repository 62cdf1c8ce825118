"""Descriptions by the classes themselves (`SCHEMAS`), and by probes."""

from collections.abc import Mapping

import pytest

from tests.support.oracles.kafka_classes import RELEASES, kafka
from wireproof.model.oracle import FieldProbe, OracleError, SchemaField

each_release = pytest.mark.parametrize("version", RELEASES)


def probes(version: str, message: str, message_version: int) -> Mapping[str, FieldProbe]:
    release = kafka(version)
    return {probe.path: probe for probe in release.oracle.probe(*release.cell(message, message_version))}


def schema(version: str, message: str, message_version: int) -> dict[str, SchemaField]:
    release = kafka(version)
    return {field.name: field for field in release.oracle.schema(release.cell(message, message_version)[0])}


def partition_schema(version: str) -> dict[str, SchemaField]:
    """Return the partitions of FetchResponse 12."""
    topics = schema(version, "FetchResponse", 12)["responses"]
    partitions = next(field for field in topics.fields if field.name == "partitions")
    return {field.name: field for field in partitions.fields}


@each_release
def test_a_nullable_string_is_found(version: str) -> None:
    """ClusterId of MetadataResponse is null by default and nullable."""
    probe = probes(version, "MetadataResponse", 12)["clusterId"]
    assert probe == FieldProbe("clusterId", "accepted", "written", b"\xff\xff\xff\xff", "String")


@each_release
def test_a_field_may_be_nullable_from_a_version_on(version: str) -> None:
    """The topics of MetadataRequest are nullable from version 1 on."""
    assert probes(version, "MetadataRequest", 0)["topics"].null == "refused"
    assert probes(version, "MetadataRequest", 1)["topics"].null == "accepted"


@each_release
def test_fields_of_other_versions_are_ignorable_or_not(version: str) -> None:
    """RackId is ignorable, ForgottenTopicsData is not; their inner fields are not probed."""
    found = probes(version, "FetchRequest", 4)
    assert found["rackId"].other == "dropped"
    assert found["forgottenTopicsData"].other == "refused"
    assert not any(path.startswith("forgottenTopicsData[]") for path in found)
    assert probes(version, "FetchRequest", 11)["forgottenTopicsData[].topic"].other == "written"


@each_release
def test_the_default_of_a_number_is_found(version: str) -> None:
    """MaxBytes has a hexadecimal default."""
    assert probes(version, "FetchRequest", 4)["maxBytes"].default == b"\x7f\xff\xff\xff"


@each_release
def test_a_default_has_the_width_of_its_type(version: str) -> None:
    """A uint16 is an int in Java; its default is given in its own width."""
    probe = probes(version, "BrokerRegistrationRequest", 0)["listeners[].port"]
    assert (probe.default, probe.java_type, probe.null) == (b"\0\0", "int", "primitive")


@each_release
def test_a_tagged_nullable_struct_has_an_empty_default(version: str) -> None:
    """The only tagged nullable struct has the empty struct as its default."""
    found = probes(version, "ConsumerGroupMemberMetadataValue", 0)
    probe = found["classicMemberMetadata"]
    assert (probe.null, probe.other, probe.default[0]) == ("accepted", "written", 1)
    assert found["classicMemberMetadata.supportedProtocols[].metadata"].java_type == "byte[]"


@each_release
def test_records_that_are_not_nullable_are_probed(version: str) -> None:
    """UnalignedRecords is null by default although null is refused: the probe sets it first."""
    probe = probes(version, "FetchSnapshotResponse", 0)["topics[].partitions[].unalignedRecords"]
    assert (probe.null, probe.other, probe.default) == ("refused", "written", b"\xff\xff\xff\xff")


@each_release
def test_java_types_are_described(version: str) -> None:
    """Lists give the type of their elements; zero-copy bytes are buffers."""
    assert (
        probes(version, "MetadataResponse", 1)["topics[].partitions[].replicaNodes"].java_type
        == "List<Integer>"
    )
    assert probes(version, "EnvelopeRequest", 0)["requestData"].java_type == "ByteBuffer"
    assert probes(version, "MetadataResponse", 10)["topics[].topicId"].java_type == "Uuid"


@each_release
def test_a_schema_describes_its_fields(version: str) -> None:
    """Names, types, elements, tags and flexibility are those of `SCHEMAS`."""
    fields = schema(version, "ApiVersionsResponse", 3)
    assert list(fields) == [
        "error_code",
        "api_keys",
        "throttle_time_ms",
        "supported_features",
        "finalized_features_epoch",
        "finalized_features",
        "zk_migration_ready",
    ]
    assert fields["error_code"] == SchemaField("error_code", "INT16")
    keys = fields["api_keys"]
    assert (keys.type, keys.element, keys.tag, keys.flexible) == ("COMPACT_ARRAY", "STRUCT", None, True)
    assert [field.name for field in keys.fields] == ["api_key", "min_version", "max_version"]
    assert [field.tag for field in fields.values()] == [None, None, None, 0, 1, 2, 3]


@each_release
def test_schema_types_have_nullability_and_compactness(version: str) -> None:
    """The texts for nullability and compactness."""
    assert schema(version, "MetadataRequest", 1)["topics"].type == "NULLABLE_ARRAY"
    assert schema(version, "MetadataRequest", 9)["topics"].type == "COMPACT_NULLABLE_ARRAY"
    assert schema(version, "MetadataResponse", 2)["cluster_id"].type == "NULLABLE_STRING"
    assert schema(version, "MetadataResponse", 9)["cluster_id"].type == "COMPACT_NULLABLE_STRING"
    assert schema(version, "RequestHeader", 2)["client_id"].type == "NULLABLE_STRING"
    leader = partition_schema(version)["current_leader"]
    assert (leader.type, leader.tag, leader.flexible) == ("STRUCT", 1, True)


@pytest.mark.parametrize(
    ("version", "type_"), [("4.4.0", "COMPACT_NULLABLE_RECORDS"), ("3.9.2", "COMPACT_RECORDS")]
)
def test_old_schemas_of_nullable_records_are_wrong(version: str, type_: str) -> None:
    """A known Kafka bug: the older schemas have no type for nullable records."""
    assert partition_schema(version)["records"].type == type_
    assert probes(version, "FetchResponse", 12)["responses[].partitions[].records"].null == "accepted"


@pytest.mark.parametrize(("version", "type_"), [("4.4.0", "NULLABLE_STRUCT"), ("3.9.2", "STRUCT")])
def test_old_schemas_of_a_nullable_struct_are_wrong(version: str, type_: str) -> None:
    """A known Kafka bug (KAFKA-19634): before its fix the schema has a plain struct for a nullable one."""
    assert schema(version, "ConsumerGroupHeartbeatResponse", 0)["assignment"].type == type_
    assert probes(version, "ConsumerGroupHeartbeatResponse", 0)["assignment"].null == "accepted"


@each_release
def test_a_schema_of_an_unknown_version_is_an_error(version: str) -> None:
    """A version that the class lacks is an error of the caller."""
    release = kafka(version)
    cell, layout = release.cell("FetchRequest", 4)
    with pytest.raises(OracleError, match="no schema of version 99"):
        release.oracle.schema(type(cell)(cell.release, cell.module, cell.message, 99))
    assert layout.version == 4
