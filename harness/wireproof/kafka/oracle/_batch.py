"""Batches between Python and Java: inputs packed, replies read (java: Replies, ProbeReport, SchemaReport)."""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

from wireproof.model.embedding import EmbeddedBlob, OracleBlob
from wireproof.model.oracle import (
    EqualityBreach,
    FieldProbe,
    OracleFrame,
    OracleReply,
    OracleValue,
    Refusal,
    SchemaField,
    VersionAnswer,
)

_Answer = TypeVar("_Answer")

BATCH_BYTES: Final = 8 << 20
"""A batch ends with the input that reaches this size: replies are larger, and the heap is limited."""

STAGES: Final = ("read", "value", "build", "size", "write")
NULLS: Final = ("accepted", "refused", "primitive")
OTHERS: Final = ("written", "dropped", "refused")

_LENGTH = struct.Struct(">i")
_VALUE = struct.Struct(">Biiiii")
_REFUSAL = struct.Struct(">Bi")
_FIELD_TAIL = struct.Struct(">ib")
_COUNT = struct.Struct(">H")
_BOUNDS = struct.Struct(">hhB")


def split(inputs: Sequence[bytes], limit: int = BATCH_BYTES) -> Iterator[Sequence[bytes]]:
    """The inputs in order, cut into batches of about `limit` bytes; at least one input in each."""
    start = size = 0
    for end, data in enumerate(inputs, 1):
        size += len(data)
        if size >= limit:
            yield inputs[start:end]
            start, size = end, 0
    if start < len(inputs):
        yield inputs[start:]


def pack(inputs: Iterable[bytes]) -> bytes:
    """Join the inputs, each after its length (int32)."""
    return b"".join(chain.from_iterable((_LENGTH.pack(len(data)), data) for data in inputs))


def pack_blob(blob: EmbeddedBlob) -> bytes:
    """Join the length of the key (int32, -1 null), the key, and the data."""
    head = _LENGTH.pack(-1) if blob.key is None else _LENGTH.pack(len(blob.key)) + blob.key
    return head + blob.data


def as_blob(reply: OracleReply) -> OracleBlob | Refusal:
    """Read the packed blob in a reply."""
    if isinstance(reply, Refusal):
        return reply
    (length,) = _LENGTH.unpack_from(reply.written)
    end = _LENGTH.size + max(length, 0)
    key = None if length < 0 else reply.written[_LENGTH.size : end]
    return OracleBlob(EmbeddedBlob(reply.written[end:], key), reply.value)


def read_replies(data: bytes) -> list[OracleReply]:
    """Replies to `reread`, `write` and `instances`."""
    return list(_replies(data, _read_value))


def read_frames(data: bytes) -> list[OracleFrame | Refusal]:
    """Replies to `reframe`."""
    return list(_replies(data, _read_frame))


def _replies(data: bytes, read: Callable[[bytes, int], tuple[_Answer, int]]) -> Iterator[_Answer | Refusal]:
    offset = 0
    while offset < len(data):
        reply, offset = _refusal(data, offset) if data[offset] else read(data, offset)
        yield reply


def _read_value(data: bytes, offset: int) -> tuple[OracleValue, int]:
    _, predicted, consumed, written, value, absent = _VALUE.unpack_from(data, offset)
    start = offset + _VALUE.size
    middle = start + written
    end = middle + value
    names, after = _texts(data, end, absent)
    return OracleValue(data[start:middle], predicted, consumed, data[middle:end], names), after


def _read_frame(data: bytes, offset: int) -> tuple[OracleFrame, int]:
    _, version, consumed, written, header, body = _VALUE.unpack_from(data, offset)
    start = offset + _VALUE.size
    first = start + written
    second = first + header
    end = second + body
    return OracleFrame(version, data[start:first], data[first:second], data[second:end], consumed), end


def read_probes(data: bytes) -> list[FieldProbe]:
    """The probes of each field of the class."""
    probes: list[FieldProbe] = []
    offset = 0
    while offset < len(data):
        path, offset = _text(data, offset)
        null, other = data[offset], data[offset + 1]
        default, offset = _block(data, offset + 2)
        java_type, offset = _text(data, offset)
        probes.append(FieldProbe(path, NULLS[null], OTHERS[other], default, java_type))
    return probes


def read_breaches(data: bytes) -> list[EqualityBreach]:
    """Breaches of the law of equality."""
    breaches: list[EqualityBreach] = []
    offset = 0
    while offset < len(data):
        (path, what), offset = _texts(data, offset, 2)
        breaches.append(EqualityBreach(path, what))
    return breaches


def read_bounds(data: bytes) -> VersionAnswer:
    """The outcome of a version."""
    lowest, highest, described = _BOUNDS.unpack_from(data)
    (write, request), _ = _texts(data, _BOUNDS.size, 2)
    return VersionAnswer(lowest, highest, bool(described), write, request)


def read_schema(data: bytes) -> tuple[SchemaField, ...]:
    """The class's own schema."""
    return _schema_fields(data, 0)[0]


def _schema_fields(data: bytes, offset: int) -> tuple[tuple[SchemaField, ...], int]:
    (count,) = _COUNT.unpack_from(data, offset)
    offset += _COUNT.size
    fields: list[SchemaField] = []
    for _ in range(count):
        (name, type_, element), offset = _texts(data, offset, 3)
        tag, flexible = _FIELD_TAIL.unpack_from(data, offset)
        inner, offset = _schema_fields(data, offset + _FIELD_TAIL.size)
        fields.append(SchemaField(name, type_, element, None if tag < 0 else tag, inner, bool(flexible)))
    return tuple(fields), offset


def _refusal(data: bytes, offset: int) -> tuple[Refusal, int]:
    status, consumed = _REFUSAL.unpack_from(data, offset)
    (error, message), offset = _texts(data, offset + _REFUSAL.size, 2)
    return Refusal(STAGES[status - 1], error, message, consumed), offset


def _texts(data: bytes, offset: int, count: int) -> tuple[tuple[str, ...], int]:
    texts: list[str] = []
    for _ in range(count):
        text, offset = _text(data, offset)
        texts.append(text)
    return tuple(texts), offset


def _text(data: bytes, offset: int) -> tuple[str, int]:
    block, offset = _block(data, offset)
    return block.decode("utf-8"), offset


def _block(data: bytes, offset: int) -> tuple[bytes, int]:
    (length,) = _LENGTH.unpack_from(data, offset)
    start = offset + _LENGTH.size
    return data[start : start + length], start + length
