"""Redaction of frames and their record sets: names of users, machines and clusters are replaced.

A frame is decoded, its values are replaced, and it is encoded again. Strings, bytes, ids and the content of
records become others of the same length; equal values become equal values under the same key. Numbers, times,
structure and the public texts of `pseudonymizer` are kept. Records of internal topics and the bytes of
consumers are messages and are redacted as such. A frame that our codec does not write back unchanged is
quarantined: its content is not understood.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import takewhile
from typing import Any, Final, TypeAlias

from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.records import (
    Batch,
    Compression,
    ControlType,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    control_type,
    decode_records,
    encode_records,
)
from kafkawire.schema import FieldLayout, MessageLayout, ScalarType, StructLayout
from kafkawire.values import TAGS
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer, is_public_field
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.inner_messages import (
    InnerMessage,
    InnerMessageReader,
    InternalLog,
    find_internal_log,
    has_consumer_members,
    has_streams_members,
    is_subscription,
)

_TAIL_BYTES: Final = 17
"""Kept bytes of a cut batch: offset, size, epoch and magic."""
_MARKERS: Final = frozenset({ControlType.ABORT, ControlType.COMMIT})


class NotRedactableError(ValueError):
    """A record set that cannot be redacted. The message quotes none of its bytes."""


RecordRewriter: TypeAlias = Callable[[Record, bool], tuple[bytes | None, bytes | None] | None]
"""(record, is a control record) -> redacted key and value; None where their type is unknown."""


def _unknown_record(record: Record, control: bool) -> None:
    """Treat every record as unknown."""


def redact_records(data: bytes, redactor: Pseudonymizer, rewrite: RecordRewriter = _unknown_record) -> bytes:
    """Return a record set with other keys, values and headers; compressed batches may change their length.

    Raises NotRedactableError if it cannot be decoded, or our codec does not write it back unchanged.
    """
    try:
        held = decode_records(data)
        again = encode_records(held)
        if again != data and (is_uncompressed(held) or decode_records(again) != held):
            raise NotRedactableError("its records are not written again as they were")
        redaction = _Records(redactor, rewrite)
        batches = tuple(map(redaction.batch, held.batches))
        return encode_records(RecordSet(batches, redaction.tail(held.tail)))
    except CodecError as error:
        raise NotRedactableError(f"its records: {describe_fault(error)}") from error


def describe_fault(error: CodecError) -> str:
    """Return fault, path and offset of an error without its message, which may quote the frame."""
    return f"{error.fault}, {error.path}, byte {error.offset}"


@dataclass(frozen=True, slots=True)
class _Records:
    redactor: Pseudonymizer
    rewrite: RecordRewriter

    def batch(self, batch: Batch) -> Batch:
        match batch:
            case RecordBatch(control=True):
                return replace(batch, records=tuple(map(self._control, batch.records)))
            case RecordBatch():
                return replace(batch, records=tuple(map(self._record, batch.records)))
            case MessageSet():
                messages = tuple(map(self._message, batch.messages))
                return replace(batch, messages=messages, key=self._bytes(batch.key))
            case Message():
                return self._message(batch)

    def tail(self, tail: bytes) -> bytes:
        return tail[:_TAIL_BYTES] + self.redactor.data(tail[_TAIL_BYTES:])

    def _record(self, record: Record) -> Record:
        headers = tuple(
            Header(self.redactor.text(each.key), self._bytes(each.value)) for each in record.headers
        )
        known = self.rewrite(record, False)
        key, value = known or (self._bytes(record.key), self._bytes(record.value))
        return record._replace(key=key, value=value, headers=headers)

    def _control(self, record: Record) -> Record:
        """Redact a control record. Its key has no names; a transaction marker's value is an epoch."""
        if control_type(record.key) in _MARKERS:
            return record
        known = self.rewrite(record, True)
        return record._replace(value=known[1] if known else self._bytes(record.value))

    def _message(self, message: Message) -> Message:
        return message._replace(key=self._bytes(message.key), value=self._bytes(message.value))

    def _bytes(self, data: bytes | None) -> bytes | None:
        return None if data is None else self.redactor.data(data)


def is_uncompressed(held: RecordSet) -> bool:
    """Check that nothing is compressed, so that the bytes are determined by the values."""
    return all(
        isinstance(each, Message) or (isinstance(each, RecordBatch) and each.compression is Compression.NONE)
        for each in held.batches
    )


@dataclass(frozen=True, slots=True)
class RedactedInnerMessage:
    """A message inside another, after redaction: its body alone."""

    module: str
    layout: MessageLayout
    data: bytes
    body: Mapping[str, Any]
    replaced: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RedactedFrame:
    """A frame after redaction.

    Attributes:
        data: the frame, with its size.
        header, body: its values.
        replaced: number of replaced values, by field path; paths of the header start with ``header.``.
        inner: the messages in records of internal topics, and in the bytes of consumers.
    """

    data: bytes
    header: Mapping[str, Any]
    body: Mapping[str, Any]
    replaced: Mapping[str, int]
    inner: tuple[RedactedInnerMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class QuarantinedData:
    """Data that must not leave the capture, with the reason."""

    reason: str


RedactionResult: TypeAlias = RedactedFrame | QuarantinedData


@dataclass(frozen=True, slots=True)
class FrameRedactor:
    """Redacts frames of one capture; `naming` and `logs` are those of the frames' release."""

    naming: FrameIdentifier
    logs: InnerMessageReader
    redactor: Pseudonymizer

    def redact(self, named: FrameType, data: bytes) -> RedactionResult:
        """Redact a frame with its size."""
        codec = self.naming.codec(named)
        try:
            header, body = codec.decode(data)
            again = codec.encode(header, body)
        except CodecError as error:
            return QuarantinedData(f"it cannot be decoded: {describe_fault(error)}")
        if again != data:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(again, data, strict=False))
            return QuarantinedData(f"our codec writes it otherwise, from byte {sum(1 for _ in same)} on")
        walk = _Walk(self.redactor, self.logs)
        try:
            header = walk.struct(codec.header.layout.root, header, "header.")
            body = walk.struct(codec.body.layout.root, body, "")
        except NotRedactableError as error:
            return QuarantinedData(str(error))
        replaced = dict(sorted(walk.replaced.items()))
        return RedactedFrame(codec.encode(header, body), header, body, replaced, tuple(walk.inner))

    def redact_log(
        self, topic: str, data: bytes
    ) -> tuple[bytes, list[RedactedInnerMessage]] | QuarantinedData:
        """Redact record batches of a topic, as in a log file; return the messages in its records, too."""
        walk = _Walk(self.redactor, self.logs, log=find_internal_log({"topic": topic}))
        try:
            return walk.records("", data), walk.inner
        except NotRedactableError as error:
            return QuarantinedData(str(error))


@dataclass(slots=True)
class _Walk:
    """One message, field by field.

    Args:
        streams: true for data of a Kafka Streams member.
        log: the internal topic of its records; None if the message names it, or for users' topics.

    Attributes:
        replaced: values by the path of their field.
        inner: inner messages.
    """

    redactor: Pseudonymizer
    logs: InnerMessageReader
    _: KW_ONLY
    streams: bool = False
    log: InternalLog | None = None
    replaced: Counter[str] = field(default_factory=Counter)
    inner: list[RedactedInnerMessage] = field(default_factory=list)
    _consumers: bool = False

    def struct(self, layout: StructLayout, value: Mapping[str, Any], prefix: str) -> dict[str, Any]:
        outside = self.log, self._consumers, self.streams
        self.log = find_internal_log(value) or self.log
        self._consumers = has_consumer_members(value) or self._consumers
        self.streams = has_streams_members(value) or self.streams
        changed = dict(value)
        for each in layout.all_fields:
            if each.name in value:
                changed[each.name] = self._field(each, value[each.name], f"{prefix}{each.name}")
        if value.get(TAGS):
            changed[TAGS] = {
                tag: self._counted(f"{prefix}{TAGS}", data, self.redactor.data(data))
                for tag, data in value[TAGS].items()
            }
        self.log, self._consumers, self.streams = outside
        return changed

    def _field(self, field: FieldLayout, value: Any, path: str) -> Any:
        if value is None:
            return None
        if field.is_array:
            path += "[]"
            return [self._one(field, each, path) for each in value]
        return self._one(field, value, path)

    def _one(self, field: FieldLayout, value: Any, path: str) -> Any:
        if value is None:
            return None
        if field.struct is not None:
            return self.struct(field.struct, value, f"{path}.")
        match field.scalar:
            case ScalarType.STRING:
                return (
                    value if is_public_field(path) else self._counted(path, value, self.redactor.text(value))
                )
            case ScalarType.BYTES:
                return self._counted(path, value, self._blob(self._inside(field.name, value), value))
            case ScalarType.UUID:
                return self._counted(path, value, self.redactor.id(value))
            case ScalarType.RECORDS:
                return self._counted(path, value, self.records(path, value))
            case _:
                return value

    def _inside(self, field: str, data: bytes) -> InnerMessage | None:
        """Return the message in a bytes field, if its context names one."""
        if self._consumers:
            return self.logs.of_member(field, data)
        return self.logs.of_streams(field, data) if self.streams else None

    def records(self, path: str, data: bytes) -> bytes:
        """Redact record batches of a field or a file."""
        try:
            return redact_records(data, self.redactor, self._rewrite)
        except NotRedactableError:
            if path.endswith("unalignedRecords"):  # a piece of a snapshot, cut at any byte
                return self.redactor.data(data)
            raise

    def _rewrite(self, record: Record, control: bool) -> tuple[bytes | None, bytes | None] | None:
        """Redact key and value of an internal record; None for users' records and unreadable ones."""
        found: tuple[InnerMessage | None, InnerMessage | None]
        if control:
            found = None, self.logs.control(record)
        elif self.log is not None:
            found = self.logs.key_and_value(self.log, record)
        else:
            return None
        if found == (None, None):
            return None
        return self._blob(found[0], record.key), self._blob(found[1], record.value)

    def _blob(self, inner: InnerMessage | None, data: bytes | None) -> bytes | None:
        if inner is None:
            return None if data is None else self.redactor.data(data)
        walk = _Walk(self.redactor, self.logs, streams=self.streams and is_subscription(inner))
        value = walk.struct(inner.layout.root, inner.value, "")
        self.inner.extend(walk.inner)
        body = fastest_codec(inner.layout).encode(value)
        replaced = dict(sorted(walk.replaced.items()))
        self.inner.append(RedactedInnerMessage(inner.module, inner.layout, body, value, replaced))
        return inner.label + body

    def _counted(self, path: str, before: Any, after: Any) -> Any:
        if before != after:
            self.replaced[path] += 1
        return after
