"""Bytes of Kafka's own classes, in both codecs (kafka-internals, appendix A and 2.5-2.8)."""

from collections.abc import Callable
from typing import Any

import pytest

from kafkawire.compiler import MessageCodec, compile_layout, interpret_layout
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.schema import MessageLayout, read_message, resolve
from tests.support.schemas.kitchen_sink import message
from tests.support.schemas.real_layouts import real

both_codecs = pytest.mark.parametrize("make", [compile_layout, interpret_layout])
Make = Callable[[MessageLayout], MessageCodec]

API_VERSIONS = {"apiKey": 1, "minVersion": 0, "maxVersion": 1}

VECTORS: list[tuple[str, int, dict[str, Any], str]] = [
    ("ApiVersionsResponse", 3, {}, "0000 01 00000000 00"),
    (
        "ApiVersionsResponse",
        3,
        {"_tags": {9: b"\xaa"}, "finalizedFeaturesEpoch": 7},
        "0000 01 00000000 02 01 08 0000000000000007 09 01 aa",
    ),
    (
        "ApiVersionsResponse",
        0,
        {"apiKeys": [API_VERSIONS, {**API_VERSIONS, "maxVersion": 9}]},
        "0000 00000002 0001 0000 0001 0001 0000 0009",
    ),
    (
        "RequestHeader",
        2,
        {"requestApiKey": 18, "requestApiVersion": 3, "correlationId": 1, "clientId": "a"},
        "0012 0003 00000001 0001 61 00",
    ),
    (
        "FetchRequest",
        4,
        {"rackId": "r", "maxBytes": 2**31 - 1, "replicaId": -1},
        "ffffffff 00000000 00000000 7fffffff 00 00000000",
    ),
    ("MetadataRequest", 1, {"topics": None}, "ffffffff"),
]


def produced(records: bytes | None) -> dict[str, Any]:
    partitions = [{"index": 0, "records": records}]
    return {"acks": 1, "transactionalId": None, "topicData": [{"name": "t", "partitionData": partitions}]}


PRODUCED = "ffff 0001 00000000 00000001 0001 74 00000001 00000000"
VECTORS += [
    ("ProduceRequest", 3, produced(None), PRODUCED + "ffffffff"),
    ("ProduceRequest", 3, produced(b""), PRODUCED + "00000000"),
    ("ProduceRequest", 3, produced(b"\1\2\3"), PRODUCED + "00000003 010203"),
]

NESTED = message(
    '{"name": "Plain", "type": "Inner", "versions": "0+", "nullableVersions": "0+", '
    '"taggedVersions": "0+", "tag": 0, "default": "null", "fields": ['
    '{"name": "Text", "type": "string", "versions": "0+"}]},'
    '{"name": "Full", "type": "Other", "versions": "0+", "nullableVersions": "0+", '
    '"taggedVersions": "0+", "tag": 1, "fields": [{"name": "Text", "type": "string", "versions": "0+"}]}'
)
DOUBLE = message(
    '{"name": "MyFloat64", "type": "float64", "versions": "0+", "taggedVersions": "0+", "tag": 0, '
    '"default": "12.34"}'
)


@both_codecs
@pytest.mark.parametrize(("name", "version", "value", "data"), VECTORS)
def test_messages_of_a_release_have_kafkas_bytes(
    make: Make, name: str, version: int, value: dict[str, Any], data: str
) -> None:
    """Kafka's class writes these bytes, and the given value is in the decoded one."""
    codec, raw = make(real(name, version)), bytes.fromhex(data)
    assert codec.encode(value) == raw
    assert codec.size(value) == len(raw)
    decoded = codec.decode(raw)
    assert codec.encode(decoded) == raw
    assert set(decoded) >= {field.name for field in codec.layout.root.all_fields}


@both_codecs
def test_null_of_a_tagged_struct_is_written(make: Make) -> None:
    """NullableStructMessage: a struct at its default is written as size 1 and byte 0; the null default is
    left out."""
    codec = make(NESTED)
    assert codec.encode({"full": None}) == bytes.fromhex("01 01 01 00")
    assert codec.decode(bytes.fromhex("01 01 01 00")) == {"plain": None, "full": None}
    assert codec.encode({"plain": {}, "full": {}}) == bytes.fromhex("01 00 03 01 01 00")
    assert codec.decode(b"\0") == {"plain": None, "full": {"text": ""}}


@both_codecs
@pytest.mark.parametrize("length", [120, 121, 122, 123, 124, 125, 126, 127, 128])
def test_the_size_of_a_tagged_struct_covers_its_marker(make: Make, length: int) -> None:
    """KAFKA-18199: the size covers the marker and the body, also where it grows to two bytes."""
    codec = make(NESTED)
    data = codec.encode({"full": {"text": "a" * length}})
    assert len(data) == codec.size({"full": {"text": "a" * length}})
    assert codec.decode(data)["full"] == {"text": "a" * length}


@both_codecs
@pytest.mark.parametrize(
    ("number", "data"),
    [(float("nan"), "01 00 08 7ff8000000000000"), (-0.0, "01 00 08 8000000000000000"), (12.34, "00")],
)
def test_tagged_doubles_are_compared_by_bits(make: Make, number: float, data: str) -> None:
    """SimpleExampleMessage: NaN and -0.0 differ from the default 12.34, which is left out."""
    codec = make(DOUBLE)
    assert codec.encode({"myFloat64": number}) == bytes.fromhex(data)
    assert codec.encode(codec.decode(bytes.fromhex(data))) == bytes.fromhex(data)


@both_codecs
@pytest.mark.parametrize(
    ("name", "version", "data", "fault", "path", "offset"),
    [
        ("MetadataRequest", 1, "fffffffe", Fault.LENGTH, "topics", 0),
        ("ApiVersionsResponse", 0, "0000 ffffffff", Fault.NULL, "apiKeys", 2),
        ("ApiVersionsResponse", 0, "0000 00000005 00", Fault.TRUNCATED, "apiKeys", 2),
        (
            "ApiVersionsResponse",
            0,
            "0000 00000001 0001 0000 00",
            Fault.TRUNCATED,
            "apiKeys[0].maxVersion",
            10,
        ),
        ("ApiVersionsResponse", 0, "0000 00000000 00", Fault.TRAILING, "", 6),
        ("ApiVersionsRequest", 3, "818002" + "61" * 32768, Fault.LENGTH, "clientSoftwareName", 0),
        ("ApiVersionsRequest", 3, "01 0361", Fault.TRUNCATED, "clientSoftwareVersion", 1),
        ("ApiVersionsRequest", 3, "01 01 8080808080", Fault.VARINT, "_tags", 2),
        ("ApiVersionsRequest", 3, "01 01 02 09 00 09 00", Fault.TAG_ORDER, "_tags", 5),
        ("ApiVersionsRequest", 3, "01 01 01 07 ffffffff0f", Fault.TRUNCATED, "_tags[7]", 4),
        (
            "ApiVersionsResponse",
            3,
            "0000 01 00000000 01 01 03 00000000000007",
            Fault.TRUNCATED,
            "finalizedFeaturesEpoch",
            10,
        ),
        (
            "ApiVersionsResponse",
            3,
            "0000 01 00000000 01 01 09 000000000000000700",
            Fault.TAG_SIZE,
            "finalizedFeaturesEpoch",
            9,
        ),
        ("FetchRequest", 12, "ffffffff", Fault.TRUNCATED, "maxWaitMs", 4),
    ],
)
def test_invalid_bytes_are_refused(
    make: Make, name: str, version: int, data: str, fault: Fault, path: str, offset: int
) -> None:
    """The error has the fault, the field and the byte."""
    with pytest.raises(DecodeError) as caught:
        make(real(name, version)).decode(bytes.fromhex(data))
    error = caught.value
    assert (error.fault, error.path, error.offset) == (fault, path, offset)


@both_codecs
def test_a_tag_of_another_version_is_refused(make: Make) -> None:
    """FetchRequest's ReplicaState, tag 1, exists from version 15 on: version 12 refuses it by the field's
    name."""
    codec = make(real("FetchRequest", 12))
    plain = codec.encode({"replicaId": -1})
    with pytest.raises(DecodeError) as caught:
        codec.decode(plain[:-1] + bytes.fromhex("01 01 00"))
    assert (caught.value.fault, caught.value.path) == (Fault.TAG_VERSION, "replicaState")


@both_codecs
def test_a_tag_of_a_field_in_place_is_refused(make: Make) -> None:
    """Version 0 has the field A in place, version 1 under tag 0: both ways version 0 refuses the tag."""
    text = """{ "name": "T", "type": "data", "validVersions": "0-1", "flexibleVersions": "0+", "fields": [
        { "name": "A", "type": "int8", "versions": "0+", "taggedVersions": "1+", "tag": 0 } ] }"""
    spec, _ = read_message(text, "text")
    assert spec is not None
    codec = make(resolve(spec, 0))
    with pytest.raises(DecodeError) as read:
        codec.decode(bytes.fromhex("05 01 00 01 06"))
    assert (read.value.fault, read.value.path) == (Fault.TAG_VERSION, "a")
    with pytest.raises(EncodeError) as written:
        codec.encode({"a": 5, "_tags": {0: b"\6"}})
    assert (written.value.fault, written.value.path) == (Fault.TAG, "_tags[0]")
    assert codec.decode(codec.encode({"a": 5, "_tags": {1: b"\6"}})) == {"a": 5, "_tags": {1: b"\6"}}


@both_codecs
def test_unusual_bytes_are_accepted(make: Make) -> None:
    """A non-minimal length, a bool of 2 and a tagged default are read, and written in the usual form."""
    codec = make(
        message(
            '{"name": "On", "type": "bool", "versions": "0+"}, '
            '{"name": "Names", "type": "[]string", "versions": "0+"}, '
            '{"name": "Level", "type": "int8", "versions": "0+", "taggedVersions": "0+", "tag": 0}'
        )
    )
    value = codec.decode(bytes.fromhex("02 8200 8200 61 8100 8000 8100 00"))
    assert value == {"on": True, "names": ["a"], "level": 0}
    assert codec.encode(value) == bytes.fromhex("01 02 0261 00")


@both_codecs
@pytest.mark.parametrize(
    ("value", "fault", "path"),
    [
        (
            {"topics": [{"partitions": [{}, {"fetchOffset": "x"}]}]},
            Fault.TYPE,
            "topics[0].partitions[1].fetchOffset",
        ),
        ({"maxWaitMs": 2**31}, Fault.RANGE, "maxWaitMs"),
        ({"topics": None}, Fault.NULL, "topics"),
        ({"topics": ()}, Fault.TYPE, "topics"),
        ({"topics": [None]}, Fault.TYPE, "topics[0]"),
        ({"rackId": "a" * 32768}, Fault.TOO_LONG, "rackId"),
        ({"rackId": "\udc80"}, Fault.UTF8, "rackId"),
        ({"bogus": 1}, Fault.UNKNOWN_FIELD, "bogus"),
        ({"topics": [{"bogus": 1}]}, Fault.UNKNOWN_FIELD, "topics[0].bogus"),
        ({"replicaState": {"replicaId": 1}}, Fault.NOT_IN_VERSION, "replicaState"),
        ({"_tags": {0: b""}}, Fault.TAG, "_tags[0]"),
        ({"_tags": {1: b""}}, Fault.TAG, "_tags[1]"),
        ({"_tags": {2**31 - 1: b""}}, Fault.TAG, "_tags"),
        ({"_tags": {5: "x"}}, Fault.TYPE, "_tags[5]"),
        ([], Fault.TYPE, ""),
    ],
)
def test_invalid_values_are_refused(make: Make, value: Any, fault: Fault, path: str) -> None:
    """The error has the fault and the field."""
    with pytest.raises(EncodeError) as caught:
        make(real("FetchRequest", 12)).encode(value)
    assert (caught.value.fault, caught.value.path, caught.value.offset) == (fault, path, None)


@both_codecs
def test_a_field_of_another_version_at_its_default_is_dropped(make: Make) -> None:
    """The value may have the field, which is dropped."""
    codec = make(real("FetchRequest", 12))
    assert (
        codec.encode({"replicaState": {}})
        == codec.encode({"replicaState": {"replicaId": -1}})
        == codec.encode({})
    )


@both_codecs
def test_an_ignorable_field_of_another_version_is_dropped(make: Make) -> None:
    """Any value of it is dropped: FetchRequest's TopicId exists from version 13 on, and is ignorable."""
    codec = make(real("FetchRequest", 12))
    assert codec.encode({"topics": [{"topicId": 7}]}) == codec.encode({"topics": [{}]})


@both_codecs
def test_tags_in_a_version_without_them_are_refused(make: Make) -> None:
    """They are refused unless the section is empty."""
    codec = make(real("FetchRequest", 4))
    assert codec.encode({"_tags": {}}) == codec.encode({})
    with pytest.raises(EncodeError) as caught:
        codec.encode({"_tags": {3: b""}})
    assert (caught.value.fault, caught.value.path) == (Fault.TAG, "_tags[3]")
