"""Small frames known from a Kafka client of another version, and their values in Java."""

from typing import Any

import pytest

from kafkawire.canonical import canonical
from tests.support.oracles.kafka_classes import RELEASES, accepted, kafka, refused

PRODUCE = "ffff 0001 00000000 00000001 0001 74 00000001 00000000"

VECTORS: list[tuple[str, int, str, dict[str, Any]]] = [
    ("ApiVersionsResponse", 3, "0000 01 00000000 00", {"finalizedFeaturesEpoch": -1}),
    (
        "ApiVersionsResponse",
        3,
        "0000 01 00000000 02 01 08 0000000000000007 09 01 aa",
        {"finalizedFeaturesEpoch": 7, "_tags": {9: b"\xaa"}},
    ),
    (
        "ApiVersionsResponse",
        0,
        "0000 00000002 0001 0000 0001 0001 0000 0009",
        {
            "apiKeys": [
                {"apiKey": 1, "minVersion": 0, "maxVersion": 1},
                {"apiKey": 1, "minVersion": 0, "maxVersion": 9},
            ]
        },
    ),
    (
        "RequestHeader",
        2,
        "0012 0003 00000001 0001 61 00",
        {"requestApiKey": 18, "requestApiVersion": 3, "correlationId": 1, "clientId": "a"},
    ),
    ("MetadataRequest", 1, "ffffffff", {"topics": None}),
    ("ProduceRequest", 3, PRODUCE + "ffffffff", {}),
    ("ProduceRequest", 3, PRODUCE + "00000000", {}),
    ("ProduceRequest", 3, PRODUCE + "00000003 010203", {}),
]


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize(("message", "message_version", "body", "holds"), VECTORS)
def test_known_bytes_have_their_value(
    version: str, message: str, message_version: int, body: str, holds: dict[str, Any]
) -> None:
    """The bytes are read and written unchanged; the value is complete."""
    release = kafka(version)
    reply = accepted(release.reread(message, message_version, body))
    size = len(bytes.fromhex(body))
    assert reply.written == bytes.fromhex(body)
    assert (reply.predicted_bytes, reply.consumed_bytes, reply.absent_set) == (size, size, ())
    _, layout = release.cell(message, message_version)
    value = canonical(layout).from_binary(reply.value)
    assert {key: value.get(key) for key in holds} == holds
    assert accepted(release.write(message, message_version, value)).written == bytes.fromhex(body)


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize(
    ("marker", "records"), [("ffffffff", None), ("00000000", b""), ("00000001 ee", b"\xee")]
)
def test_records_keep_null_empty_and_garbage(version: str, marker: str, records: bytes | None) -> None:
    """Null records, empty ones and garbage are three different values."""
    release = kafka(version)
    _, layout = release.cell("ProduceRequest", 3)
    reply = accepted(release.reread("ProduceRequest", 3, PRODUCE + marker))
    value = canonical(layout).from_binary(reply.value)
    assert value["topicData"][0]["partitionData"][0]["records"] == records


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize(
    "bits", ["7ff8000000000000", "7ff8000000000001", "fff0000000000123", "8000000000000000"]
)
def test_a_double_keeps_its_bits(version: str, bits: str) -> None:
    """NaN payloads and the sign of zero are kept in reading, in writing and in the reported value."""
    release = kafka(version)
    body = f"00000001 00000000 00000001 0001 61 {bits} 00 01"
    reply = accepted(release.reread("AlterClientQuotasRequest", 0, body))
    assert reply.written == bytes.fromhex(body)
    assert bytes.fromhex(bits) in reply.value
    cell, layout = release.cell("AlterClientQuotasRequest", 0)
    assert accepted(release.oracle.write(cell, layout, [reply.value])[0]).written == bytes.fromhex(body)


@pytest.mark.parametrize("version", RELEASES)
def test_a_leniency_shows_in_the_bytes(version: str) -> None:
    """A non-minimal varint is accepted and written minimal: bytes and consumption show it, and there is no
    verdict."""
    reply = accepted(kafka(version).reread("ApiVersionsResponse", 3, "0000 8100 00000000 00 ffff"))
    assert reply.written == bytes.fromhex("0000 01 00000000 00")
    assert reply.consumed_bytes == 9


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize(
    ("body", "error", "consumed"),
    [
        ("", "BufferUnderflowException", 0),
        ("0000 01 0000", "BufferUnderflowException", 3),
        ("0000 00 00000000 00", "RuntimeException", 3),
        ("0000 ffffffff07 00000000 00", "RuntimeException", 7),
        ("0000 ffffffffff", "IllegalArgumentException", 7),
        ("0000 01 00000000 01 63 ffffffff0f", "NegativeArraySizeException", 14),
    ],
    ids=["nothing", "cut", "null array", "count beyond the bytes", "varint too long", "negative tag size"],
)
def test_a_refusal_while_reading_has_its_class_and_offset(
    version: str, body: str, error: str, consumed: int
) -> None:
    """The reply has the class of the failure, and the offset that Java had reached."""
    reply = refused(kafka(version).reread("ApiVersionsResponse", 3, body))
    assert reply.stage == "read"
    assert (reply.error, reply.consumed_bytes) == (error, consumed)
