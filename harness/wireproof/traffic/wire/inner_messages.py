"""Messages inside messages: in records of Kafka's internal topics, and in the fields of group members.

The topic's name, or the id of the metadata topic, identifies the internal topic; the protocol type of a group
identifies the members' bytes. Bytes are never decoded as a guess: a user's record that looks like one of
these would reveal its numbers.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from kafkawire.compiler import fastest_codec
from kafkawire.embedded.control_record import CONTROL_BODY_VERSION, CONTROL_MESSAGES
from kafkawire.embedded.control_record import PREVIEW_LEADER_CHANGE as PREVIEW
from kafkawire.embedded.record_frame import PREVIEW_FRAME, RECORD_FRAME
from kafkawire.errors import CodecError
from kafkawire.records import Record, control_type
from kafkawire.schema import MessageKind, MessageLayout, MessageSpec, SchemaSet, resolve
from kafkawire.wire import read_int16, read_uvarint
from wireproof.model.kafka.releases import ReleaseFeature

_METADATA_ID: Final = UUID(int=1)
_PREVIEW_NAME: Final = "@metadata"
"""The metadata topic's name in 2.8."""
_CONSUMER: Final = "consumer"
"""The type of protocol whose bytes are subscriptions and assignments (kafka-clients: `ConsumerProtocol`)."""
_STREAMS: Final = "stream"
"""The assignor name of members that run Kafka Streams (`StreamsPartitionAssignor`)."""
_STREAMS_SUBSCRIPTION: Final = "SubscriptionInfoData"
_SUBSCRIPTION: Final = "ConsumerProtocolSubscription"
_MEMBERS: Final = {
    "metadata": _SUBSCRIPTION,
    "memberMetadata": _SUBSCRIPTION,
    "subscription": _SUBSCRIPTION,
    "assignment": "ConsumerProtocolAssignment",
    "memberAssignment": "ConsumerProtocolAssignment",
}
"""Fields below a type of protocol, and the message in them."""
_GROUPS_TALK: Final = frozenset(
    {
        "JoinGroupRequest",
        "JoinGroupResponse",
        "SyncGroupRequest",
        "SyncGroupResponse",
        "DescribeGroupsResponse",
    }
)
_TOPIC_LISTS: Final = {"FetchResponse": ("responses",), "FetchSnapshotResponse": ("topics",)}
"""The lists of topics in responses that carry records."""


class InternalLog(StrEnum):
    """A topic of Kafka's own; the value is its name."""

    METADATA = "__cluster_metadata"
    OFFSETS = "__consumer_offsets"
    TRANSACTIONS = "__transaction_state"
    SHARE = "__share_group_state"


def find_internal_log(topic: Mapping[str, Any]) -> InternalLog | None:
    """Return the internal topic that a topic struct names; None for users' topics."""
    if topic.get("topicId") == _METADATA_ID:
        return InternalLog.METADATA
    name = topic.get("topic") or topic.get("name")
    return (
        InternalLog.METADATA
        if name == _PREVIEW_NAME
        else InternalLog(name)
        if name in tuple(InternalLog)
        else None
    )


def has_consumer_members(struct: Mapping[str, Any]) -> bool:
    """Check that a struct's members are consumers, whose bytes are messages."""
    return struct.get("protocolType") == _CONSUMER


def has_streams_members(struct: Mapping[str, Any]) -> bool:
    """Check that a struct's members run Kafka Streams, whose user data are messages."""
    return _STREAMS in (struct.get("name"), struct.get("protocolName"), struct.get("protocolData"))


def can_have_inner_messages(layout: MessageLayout) -> bool:
    """Check that bodies of this layout can satisfy `has_inner_messages`."""
    return layout.name in _GROUPS_TALK or layout.name in _TOPIC_LISTS


def has_inner_messages(layout: MessageLayout, body: Mapping[str, Any]) -> bool:
    """Check for a message of a group, or a response with records of an internal topic."""
    if layout.name in _GROUPS_TALK:
        return True
    lists = [body.get(name) or () for name in _TOPIC_LISTS.get(layout.name, ())]
    return any(find_internal_log(topic) is not None for topics in lists for topic in topics)


@dataclass(frozen=True, slots=True)
class InnerMessage:
    """A message in a key or a value.

    Attributes:
        label: the bytes before the body that identify it; empty if the record's key identifies it.
        body: the bytes of the message; our codec writes the value as exactly these bytes.
    """

    module: str
    layout: MessageLayout
    label: bytes
    body: bytes
    value: Mapping[str, Any]


def is_subscription(inner: InnerMessage) -> bool:
    """Check for a member's subscription, to which assignors add user data."""
    return inner.layout.name == _SUBSCRIPTION


class InnerMessageReader:
    """Reads inner messages by the schemas of one release."""

    def __init__(self, schemas: SchemaSet) -> None:
        preview = not ReleaseFeature.METADATA_RECORD_FRAME_1.is_in(schemas.release)
        self._frame = PREVIEW_FRAME if preview else RECORD_FRAME
        self._metadata: dict[int, tuple[str, MessageSpec]] = {}
        self._control: dict[int, tuple[str, MessageSpec]] = {}
        self._keys: dict[InternalLog, dict[int, tuple[str, MessageSpec, int]]] = {
            log: {} for log in InternalLog
        }
        self._values: dict[str, tuple[str, MessageSpec]] = {}
        self._layouts: dict[tuple[str, str, int], MessageLayout] = {}
        for module, spec in schemas:
            if spec.kind is MessageKind.METADATA and module == "metadata" and spec.api_key is not None:
                self._metadata[spec.api_key] = module, spec
            elif spec.name in CONTROL_MESSAGES:
                self._control[PREVIEW if preview else CONTROL_MESSAGES[spec.name]] = module, spec
            elif spec.name in _MEMBERS.values() or spec.name == _STREAMS_SUBSCRIPTION:
                self._values[spec.name] = module, spec
            elif module in _COORDINATORS:
                self._coordinator(module, spec)

    def key_and_value(
        self, log: InternalLog, record: Record
    ) -> tuple[InnerMessage | None, InnerMessage | None]:
        """Read the messages in a record; None for null and for unreadable bytes."""
        if log is InternalLog.METADATA:
            return None, self._framed(record.value)
        found = self._key(log, record.key)
        if found is None:
            return None, None
        return found, self._versioned(f"{found.layout.name.removesuffix('Key')}Value", record.value)

    def of_member(self, field: str, data: bytes) -> InnerMessage | None:
        """Read the message in a consumer's field; None for other fields and unreadable bytes."""
        name = _MEMBERS.get(field)
        return None if name is None else self._versioned(name, data)

    def of_streams(self, field: str, data: bytes) -> InnerMessage | None:
        """Read the user data of a Kafka Streams member; its first field is the version."""
        found = self._values.get(_STREAMS_SUBSCRIPTION)
        if field != "userData" or found is None or len(data) < _VERSION_BYTES:
            return None
        return self._inner(*found, int.from_bytes(data[:_VERSION_BYTES], "big", signed=True), b"", data)

    def control(self, record: Record) -> InnerMessage | None:
        """Read the message in a control record's value; None if there is none, or it is unreadable."""
        try:
            module, spec = self._control[control_type(record.key)]
        except (KeyError, CodecError):
            return None
        return self._inner(module, spec, CONTROL_BODY_VERSION, b"", record.value or b"")

    def _coordinator(self, module: str, spec: MessageSpec) -> None:
        if spec.name.endswith("Value"):
            self._values[spec.name] = module, spec
            return
        log = next((log for start, log in _COORDINATORS[module] if spec.name.startswith(start)), None)
        if log is None:
            return
        for version in spec.valid_versions:
            number = spec.api_key if spec.kind is MessageKind.COORDINATOR_KEY else version
            self._keys[log][version if number is None else number] = module, spec, version

    def _framed(self, data: bytes | None) -> InnerMessage | None:
        """Read a metadata record: frame version, type and version as varints, then the body."""
        try:
            numbers, pos = [], 0
            for _ in range(3):
                number, pos = read_uvarint(data or b"", pos)
                numbers.append(number)
        except CodecError:
            return None
        frame, kind, version = numbers
        if data is None or frame != self._frame or kind not in self._metadata:
            return None
        module, spec = self._metadata[kind]
        return self._inner(module, spec, version, data[:pos], data[pos:])

    def _key(self, log: InternalLog, data: bytes | None) -> InnerMessage | None:
        if data is None or len(data) < _LABEL_BYTES:
            return None
        found = self._keys[log].get(read_int16(data, 0)[0])
        if found is None:
            return None
        module, spec, version = found
        return self._inner(module, spec, version, data[:_LABEL_BYTES], data[_LABEL_BYTES:])

    def _versioned(self, name: str, data: bytes | None) -> InnerMessage | None:
        """Read a message after its version of two bytes."""
        found = self._values.get(name)
        if found is None or data is None or len(data) < _LABEL_BYTES:
            return None
        return self._inner(*found, read_int16(data, 0)[0], data[:_LABEL_BYTES], data[_LABEL_BYTES:])

    def _inner(
        self, module: str, spec: MessageSpec, version: int, label: bytes, body: bytes
    ) -> InnerMessage | None:
        """Read a message; None unless our codec writes it back unchanged."""
        if version not in spec.valid_versions:
            return None
        # A layout that is the same object is found in caches without a look at its content.
        key = module, spec.name, version
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = resolve(spec, version)
        codec = fastest_codec(layout)
        try:
            value = codec.decode(body)
            same = codec.encode(value) == body
        except CodecError:
            return None
        return InnerMessage(module, layout, label, body, value) if same else None


_LABEL_BYTES: Final = 2
_VERSION_BYTES: Final = 4
_GROUPS: Final = tuple(
    (start, InternalLog.OFFSETS)
    for start in ("GroupMetadata", "Offset", "LegacyOffset", "ConsumerGroup", "ShareGroup", "StreamsGroup")
)
_COORDINATORS: Final = {
    "core": (*_GROUPS, ("Transaction", InternalLog.TRANSACTIONS)),
    "group-coordinator": _GROUPS,
    "transaction-coordinator": (("Transaction", InternalLog.TRANSACTIONS),),
    "share-coordinator": (("Share", InternalLog.SHARE),),
}
"""The internal topic of messages, by the start of their names: 2.8 has two topics in one module."""


_HEAD: Final = struct.Struct(">qi")
"""The head of a batch of any magic: offset, and number of bytes that follow."""
_LEAST_BYTES: Final = 14
"""The least number of bytes that follow: no batch and no message of any magic is shorter."""


def log_batches(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each whole batch with the offset of its first byte."""
    start = 0
    while start + _HEAD.size <= len(data):
        _, size = _HEAD.unpack_from(data, start)
        end = start + _HEAD.size + size
        if size < _LEAST_BYTES or end > len(data):
            return
        yield start, data[start:end]
        start = end


def parse_topic(folder: str) -> str:
    """Return the topic of a partition's folder: ``__consumer_offsets`` of ``__consumer_offsets-0``."""
    return folder.rpartition("-")[0]
