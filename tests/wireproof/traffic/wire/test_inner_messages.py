"""Records of Kafka's own logs are read and redacted as messages; users' records never are."""

from functools import cache
from typing import Any
from uuid import UUID

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.records import ControlType, Record, RecordBatch, control_key, decode_records, encode_records
from kafkawire.schema import MessageLayout, SchemaSet, resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.redaction.frame_redactor import FrameRedactor, RedactedFrame
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.inner_messages import (
    InnerMessageReader,
    InternalLog,
    find_internal_log,
    has_inner_messages,
)

METADATA_TOPIC = UUID(int=1)
FETCH = 1


@cache
def schemas(release: str) -> SchemaSet:
    return load_snapshot(table().find(release))


@cache
def logs(release: str) -> InnerMessageReader:
    return InnerMessageReader(schemas(release))


def layout(release: str, name: str, version: int) -> MessageLayout:
    return resolve(next(spec for _, spec in schemas(release) if spec.name == name), version)


def body(release: str, name: str, version: int, value: dict[str, Any]) -> bytes:
    return compile_layout(layout(release, name, version)).encode(value)


def topic_record(name: str) -> bytes:
    """Return a record as in the metadata log: frame 1, type 2, version 0."""
    return b"\x01\x02\x00" + body("4.3.1", "TopicRecord", 0, {"name": name, "topicId": UUID(int=1000)})


def fetched(
    version: int, topic: dict[str, Any], *records: Record, **batch: Any
) -> tuple[FrameType, bytes, Any]:
    """Return a Fetch response of 4.3.1 with these records: its name, bytes and body."""
    naming = FrameIdentifier(schemas("4.3.1"))
    named = naming.response(FETCH, version)
    assert isinstance(named, FrameType)
    data = encode_records((RecordBatch.of(records, **batch),))
    partitions = [{"partitionIndex": 0, "highWatermark": 9, "records": data}]
    value = {"responses": [{**topic, "partitions": partitions}]}
    return named, naming.codec(named).encode({"correlationId": 1}, value), value


def redacted(named: FrameType, data: bytes) -> RedactedFrame:
    found = FrameRedactor(FrameIdentifier(schemas("4.3.1")), logs("4.3.1"), Pseudonymizer(b"key")).redact(
        named, data
    )
    assert isinstance(found, RedactedFrame)
    return found


def records_of(found: RedactedFrame) -> list[Record]:
    """Return the records in a redacted Fetch response."""
    data = found.body["responses"][0]["partitions"][0]["records"]
    (batch,) = decode_records(data, strict=True).batches
    assert isinstance(batch, RecordBatch)
    return list(batch.records)


@pytest.mark.parametrize(
    ("version", "topic"), [(12, {"topic": "__cluster_metadata"}), (13, {"topicId": METADATA_TOPIC})]
)
def test_the_metadata_log_stays_readable_after_redaction(version: int, topic: dict[str, Any]) -> None:
    """Its records stay messages; equal names get equal replacements in all places."""
    named, data, value = fetched(version, topic, Record(0, 0, None, topic_record("orders-of-alice")))
    assert has_inner_messages(named.layout, value)
    found = redacted(named, data)
    (record,) = records_of(found)
    (inner,) = found.inner
    assert (inner.module, inner.layout.name, inner.layout.version) == ("metadata", "TopicRecord", 0)
    assert inner.body["name"] == Pseudonymizer(b"key").text("orders-of-alice")
    assert inner.replaced == {"name": 1, "topicId": 1}
    assert record.value == b"\x01\x02\x00" + inner.data
    assert b"alice" not in found.data


def test_a_users_record_is_never_a_message() -> None:
    """All its bytes are replaced, numbers too, even if they can be read as a message."""
    value = topic_record("orders")
    named, data, body = fetched(12, {"topic": "mine"}, Record(0, 0, None, value))
    assert not has_inner_messages(named.layout, body)
    found = redacted(named, data)
    assert found.inner == ()
    assert records_of(found)[0].value == Pseudonymizer(b"key").data(value)


@pytest.mark.parametrize("value", [b"", b"\x01", b"\x00\x02\x00a", b"\x01\x7f\x00a", b"\x01\x02\x00cut"])
def test_an_unreadable_record_of_a_log_is_replaced_as_bytes(value: bytes) -> None:
    """The record is too short, or has another frame, an unknown type, or a cut body."""
    named, data, _ = fetched(12, {"topic": "__cluster_metadata"}, Record(0, 0, None, value))
    found = redacted(named, data)
    assert found.inner == ()
    assert records_of(found)[0].value == Pseudonymizer(b"key").data(value)


def test_control_records_are_messages_in_any_topic() -> None:
    """Hosts of voters are redacted, and the rest of the message stays."""
    endpoint = {"name": "CONTROLLER", "host": "db7.example.com", "port": 9093}
    features = {"minSupportedVersion": 0, "maxSupportedVersion": 1}
    voter = {"voterId": 1, "endpoints": [endpoint], "kRaftVersionFeature": features}
    value = body("4.3.1", "VotersRecord", 0, {"voters": [voter]})
    key = control_key(ControlType.KRAFT_VOTERS)
    found = redacted(*fetched(13, {"topicId": METADATA_TOPIC}, Record(0, 0, key, value), control=True)[:2])
    (inner,) = found.inner
    got = inner.body["voters"][0]["endpoints"][0]
    assert (got["name"], got["port"]) == ("CONTROLLER", 9093)
    assert got["host"] == Pseudonymizer(b"key").text("db7.example.com")
    assert records_of(found)[0] == Record(0, 0, key, inner.data)


@pytest.mark.parametrize(
    ("release", "number", "value_version"), [("4.3.1", 1, 4), ("3.9.2", 1, 4), ("2.8.2", 1, 3)]
)
def test_keys_and_values_of_coordinators_are_messages(release: str, number: int, value_version: int) -> None:
    """The first two bytes of a key are its type from 4.0 on, and its version before; the key gives the type
    of the value."""
    key_version = 0 if release == "4.3.1" else number
    key = body(release, "OffsetCommitKey", key_version, {"group": "g", "topic": "t", "partition": 3})
    value = body(release, "OffsetCommitValue", value_version, {"offset": 5, "metadata": "m"})
    record = Record(0, 0, number.to_bytes(2) + key, value_version.to_bytes(2) + value)
    first, second = logs(release).key_and_value(InternalLog.OFFSETS, record)
    assert first is not None
    assert second is not None
    assert (first.layout.name, first.value["partition"], first.label) == ("OffsetCommitKey", 3, b"\0\x01")
    assert (second.layout.name, second.layout.version) == ("OffsetCommitValue", value_version)
    assert second.value["offset"] == 5
    assert logs(release).key_and_value(InternalLog.TRANSACTIONS, record) == (None, None)


@pytest.mark.parametrize("release", ["4.3.1", "2.8.2"])
def test_a_transaction_is_not_a_group(release: str) -> None:
    """The number 0 is a key in both logs, so the topic decides."""
    key = b"\0\0" + body(release, "TransactionLogKey", 0, {"transactionalId": "x"})
    found, nothing = logs(release).key_and_value(InternalLog.TRANSACTIONS, Record(0, 0, key, None))
    assert nothing is None
    assert found is not None
    assert found.layout.name == "TransactionLogKey"


def joining(protocol_type: str, metadata: bytes, protocol: str = "range") -> tuple[FrameType, bytes]:
    """Return a JoinGroup request with these bytes of a member."""
    naming = FrameIdentifier(schemas("4.3.1"))
    named = naming.request(11, 5)
    assert isinstance(named, FrameType)
    header = {"requestApiKey": 11, "requestApiVersion": 5, "correlationId": 1, "clientId": None}
    value = {"protocolType": protocol_type, "protocols": [{"name": protocol, "metadata": metadata}]}
    return named, naming.codec(named).encode(header, value)


def test_the_subscription_of_a_consumer_stays_readable_after_redaction() -> None:
    """A subscription stays a subscription: topics get the same replacements as elsewhere, and user data get
    other bytes."""
    subscription = {"topics": ["orders-of-alice"], "userData": b"where alice lives"}
    value = b"\0\1" + body("4.3.1", "ConsumerProtocolSubscription", 1, subscription)
    found = redacted(*joining("consumer", value))
    (inner,) = found.inner
    assert (inner.module, inner.layout.name, inner.layout.version) == (
        "clients",
        "ConsumerProtocolSubscription",
        1,
    )
    assert inner.body["topics"] == [Pseudonymizer(b"key").text("orders-of-alice")]
    assert found.body["protocols"][0]["metadata"] == b"\0\1" + inner.data
    assert b"alice" not in found.data


def streams_subscription() -> tuple[bytes, bytes]:
    """Return the user data of a Kafka Streams application, and the subscription around them."""
    user_data = {"version": 11, "processId": UUID(int=1 << 100), "userEndPoint": b"alice:80"}
    inside = body("4.3.1", "SubscriptionInfoData", 11, user_data)
    around = {"topics": ["orders"], "userData": inside}
    return inside, b"\0\1" + body("4.3.1", "ConsumerProtocolSubscription", 1, around)


def test_the_user_data_of_streams_stay_readable_after_redaction() -> None:
    """The message is inside the subscription: both are reported, the inner message first."""
    _, value = streams_subscription()
    found = redacted(*joining("consumer", value, "stream"))
    inside, around = found.inner
    assert (inside.module, inside.layout.name, inside.layout.version) == (
        "streams",
        "SubscriptionInfoData",
        11,
    )
    assert inside.body["userEndPoint"] == Pseudonymizer(b"key").data(b"alice:80")
    assert around.body["userData"] == inside.data
    assert b"alice" not in found.data


def test_user_data_of_other_assignors_are_bytes() -> None:
    """The name of the protocol decides instead of the bytes."""
    inside, value = streams_subscription()
    (around,) = redacted(*joining("consumer", value, "range")).inner
    assert around.body["userData"] == Pseudonymizer(b"key").data(inside)


@pytest.mark.parametrize(("protocol_type", "version"), [("mine", b"\0\1"), ("consumer", b"\0\x63")])
def test_an_unknown_subscription_is_bytes(protocol_type: str, version: bytes) -> None:
    """The protocol has another type, or the release does not have the version."""
    value = version + body("4.3.1", "ConsumerProtocolSubscription", 1, {"topics": ["alice"]})
    found = redacted(*joining(protocol_type, value))
    assert found.inner == ()
    assert found.body["protocols"][0]["metadata"] == Pseudonymizer(b"key").data(value)


@pytest.mark.parametrize(
    ("topic", "log"),
    [
        ({"topic": "__consumer_offsets"}, InternalLog.OFFSETS),
        ({"name": "__share_group_state"}, InternalLog.SHARE),
        ({"topicId": METADATA_TOPIC}, InternalLog.METADATA),
        ({"topic": "@metadata"}, InternalLog.METADATA),
        ({"topicId": UUID(int=2)}, None),
        ({"topic": "__consumer_offsets2"}, None),
        ({"topic": None}, None),
        ({}, None),
    ],
)
def test_the_topic_identifies_the_log(topic: dict[str, Any], log: InternalLog | None) -> None:
    """The topic is known by its name, or by the id of the metadata log."""
    assert find_internal_log(topic) is log
