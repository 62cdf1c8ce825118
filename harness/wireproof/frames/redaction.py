"""Redaction: what users, machines and clusters are called is replaced, by decoding and encoding again.

Texts, bytes, ids and the content of records become others of the same length; the same one becomes the same
one wherever it stands, under the same key. What stays is numbers, times, structure, and what `public` lists.
A frame that our codec does not write again as it was captured is not touched: it is quarantined, since of a
frame that is not understood nobody knows what is in it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import shake_256
from itertools import takewhile
from typing import Any, Final, TypeAlias
from uuid import UUID

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
from kafkawire.schema import FieldLayout, ScalarType, StructLayout
from kafkawire.values import TAGS
from wireproof.frames.naming import Named, Naming
from wireproof.frames.public import PUBLIC_WORDS, is_public_field

__all__ = ["FrameRedaction", "Quarantined", "Redacted", "Redaction", "Redactor"]

_ALPHABET: Final = bytes.maketrans(bytes(range(256)), b"abcdefghijklmnopqrstuvwxyz234567" * 8)
_PREFIXES: Final = ("User:", "Group:", "/")
"""Beginnings of principals, paths and addresses: they stay, so that a user has one new name everywhere."""
_SHORT_BYTES: Final = 8
"""Texts up to this length are kept apart from each other by a table; beyond it chance does that."""
_TRIES: Final = 64
_RESERVED_IDS: Final = 100
"""Kafka gives ids below it a meaning: none, the metadata topic, a directory that is lost."""
_TAIL_BYTES: Final = 17
"""Of a batch that is cut off: offset, size, epoch and magic."""
_MARKERS: Final = frozenset({ControlType.ABORT, ControlType.COMMIT})


class _NotUnderstoodError(ValueError):
    """A record set that cannot be redacted."""


class Redactor:
    """Replaces values. The same key gives the same replacements, in the same order of questions.

    Args:
        key: without it a short secret could be found by trying; who has the capture has it anyway.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._texts: dict[str, str] = {}
        self._taken: set[str] = set()

    def text(self, text: str) -> str:
        """Another text of as many bytes: lower-case letters and digits."""
        if not text or text in PUBLIC_WORDS:
            return text
        for prefix in _PREFIXES:
            if text.startswith(prefix):
                return prefix + self.text(text[len(prefix) :])
        if text not in self._texts:
            self._texts[text] = self._fresh(text)
        return self._texts[text]

    def data(self, data: bytes) -> bytes:
        """Other bytes, as many."""
        return self._stream(b"bytes", data, len(data))

    def id(self, value: UUID) -> UUID:
        """Another id; those with a meaning of their own stay."""
        if value.int < _RESERVED_IDS:
            return value
        return UUID(bytes=self._stream(b"id", value.bytes, 16))

    def records(self, data: bytes) -> bytes:
        """A record set with other keys, values and headers, its checksums computed anew; compressed batches
        may become longer or shorter.

        Raises:
            _NotUnderstoodError: it cannot be decoded, or not be written again as it was.
        """
        try:
            held = decode_records(data)
            again = encode_records(held)
            if again != data and (_plain(held) or decode_records(again) != held):
                raise _NotUnderstoodError("its records are not written again as they were")
            batches = tuple(map(self._batch, held.batches))
            return encode_records(RecordSet(batches, self._tail(held.tail)))
        except CodecError as error:
            raise _NotUnderstoodError(f"its records: {_told(error)}") from error

    def _fresh(self, text: str) -> str:
        data = text.encode()
        for number in range(_TRIES):
            found = self._stream(b"text%d" % number, data, len(data)).translate(_ALPHABET).decode()
            if found != text and (len(data) > _SHORT_BYTES or found not in self._taken):
                break
        self._taken.add(found)
        return found

    def _stream(self, purpose: bytes, data: bytes, length: int) -> bytes:
        head = b"%d:%s:%s:" % (len(self._key), self._key, purpose)
        return shake_256(head + data).digest(length)

    def _batch(self, batch: Batch) -> Batch:
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

    def _record(self, record: Record) -> Record:
        headers = tuple(Header(self.text(each.key), self._bytes(each.value)) for each in record.headers)
        return record._replace(key=self._bytes(record.key), value=self._bytes(record.value), headers=headers)

    def _control(self, record: Record) -> Record:
        """Its key is Kafka's; the value of a transaction's marker is an epoch, others name nodes."""
        value = record.value if control_type(record.key) in _MARKERS else self._bytes(record.value)
        return record._replace(value=value)

    def _message(self, message: Message) -> Message:
        return message._replace(key=self._bytes(message.key), value=self._bytes(message.value))

    def _bytes(self, data: bytes | None) -> bytes | None:
        return None if data is None else self.data(data)

    def _tail(self, tail: bytes) -> bytes:
        return tail[:_TAIL_BYTES] + self.data(tail[_TAIL_BYTES:])


def _told(error: CodecError) -> str:
    """What is wrong and where, without the words, in which there may be a piece of the frame."""
    return f"{error.fault}, {error.path}, byte {error.offset}"


def _plain(held: RecordSet) -> bool:
    """Whether nothing in it is compressed, so that there is one way to write it."""
    return all(
        isinstance(each, Message) or (isinstance(each, RecordBatch) and each.compression is Compression.NONE)
        for each in held.batches
    )


@dataclass(frozen=True, slots=True)
class Redacted:
    """A frame after redaction.

    Attributes:
        data: the frame, its size included.
        header, body: its values.
        replaced: how many values were replaced, by the path of their field; those of the header begin with
            ``header.``.
    """

    data: bytes
    header: Mapping[str, Any]
    body: Mapping[str, Any]
    replaced: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A frame that must not leave the capture, and why."""

    reason: str


Redaction: TypeAlias = Redacted | Quarantined


class FrameRedaction:
    """Redacts frames of one capture.

    Args:
        naming: of the release that the frames are of.
    """

    def __init__(self, naming: Naming, redactor: Redactor) -> None:
        self._naming = naming
        self._redactor = redactor

    def redact(self, named: Named, data: bytes) -> Redaction:
        """A frame, its size included, without what it tells of whom it is from."""
        codec = self._naming.codec(named)
        try:
            header, body = codec.decode(data)
            again = codec.encode(header, body)
        except CodecError as error:
            return Quarantined(f"it cannot be decoded: {_told(error)}")
        if again != data:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(again, data, strict=False))
            return Quarantined(f"our codec writes it otherwise, from byte {sum(1 for _ in same)} on")
        walk = _Walk(self._redactor)
        try:
            header = walk.struct(codec.header.layout.root, header, "header.")
            body = walk.struct(codec.body.layout.root, body, "")
            return Redacted(codec.encode(header, body), header, body, dict(sorted(walk.replaced.items())))
        except _NotUnderstoodError as error:
            return Quarantined(str(error))


class _Walk:
    """One message, field by field."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.replaced: Counter[str] = Counter()

    def struct(self, layout: StructLayout, value: Mapping[str, Any], prefix: str) -> dict[str, Any]:
        changed = dict(value)
        for field in layout.all_fields:
            if field.name in value:
                changed[field.name] = self._field(field, value[field.name], f"{prefix}{field.name}")
        if value.get(TAGS):
            path = f"{prefix}{TAGS}"
            changed[TAGS] = {
                tag: self._kept(path, data, self._redactor.data(data)) for tag, data in value[TAGS].items()
            }
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
                return value if is_public_field(path) else self._kept(path, value, self._redactor.text(value))
            case ScalarType.BYTES:
                return self._kept(path, value, self._redactor.data(value))
            case ScalarType.UUID:
                return self._kept(path, value, self._redactor.id(value))
            case ScalarType.RECORDS:
                return self._kept(path, value, self._records(path, value))
            case _:
                return value

    def _records(self, path: str, data: bytes) -> bytes:
        try:
            return self._redactor.records(data)
        except _NotUnderstoodError:
            if path.endswith("unalignedRecords"):  # a piece of a snapshot, cut at any byte
                return self._redactor.data(data)
            raise

    def _kept(self, path: str, before: Any, after: Any) -> Any:
        if before != after:
            self.replaced[path] += 1
        return after
