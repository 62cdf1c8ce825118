"""Record sets, single primitives and messages in their framing: subjects with bytes of their own."""

from collections.abc import Callable
from typing import Any, Final

from kafkawire.errors import CodecError
from kafkawire.records import crc32c, decode_records, to_value
from kafkawire.schema import FieldLayout, MessageLayout, ScalarType
from wireproof.power.testees.operator import (
    REFUSED,
    AnsweredQuestion,
    AnswerOperator,
    FieldOperator,
    Scope,
    bug,
    tree_of,
)
from wireproof.power.testees.operators._answers import READS, WRITES, consumes, writes
from wireproof.proof.deviations.value_changes import VALUE_CHANGES, is_single
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.session.testee_session import FailedAnswer, OkAnswer, ProtocolAnswer

_MAGIC_AT: Final = 16
_CRC_AT: Final = 17
_AFTER_CRC: Final = 21
"""The offset of the first byte after the checksum, from the first byte of a batch of magic 2."""


def _named(*names: str) -> Callable[[FieldLayout], bool]:
    return lambda field: field.name in names


def _null_named(name: str) -> Callable[[FieldLayout], bool]:
    return lambda field: field.name == name and field.nullable


def _plus_one(value: Any, field: FieldLayout) -> Any:
    return value + 1 if 0 <= value < 1000 else value


def _zero(value: Any, field: FieldLayout) -> Any:
    return type(value)()


def _null_as_empty(value: Any, field: FieldLayout) -> Any:
    return b"" if value is None else value


def _last_lost(value: Any, field: FieldLayout) -> Any:
    return value[:-1]


def _doubles_lost(value: Any, field: FieldLayout) -> Any:
    return list({each["key"]: each for each in value}.values())


def _is_batch(layout: MessageLayout) -> bool:
    return layout.version == 2


def _wrong_crc(data: bytes, layout: MessageLayout) -> bytes:
    if len(data) <= _AFTER_CRC or data[_MAGIC_AT] != 2:
        return data
    return data[:_CRC_AT] + bytes([data[_CRC_AT] ^ 1]) + data[_CRC_AT + 1 :]


def _crc_unchecked(exchange: AnsweredQuestion) -> ProtocolAnswer:
    """Return the answer of a decoder that reads a first batch of magic 2 despite its wrong checksum."""
    data = exchange.question.data
    if not isinstance(exchange.answer, FailedAnswer) or len(data) <= _AFTER_CRC or data[_MAGIC_AT] != 2:
        return exchange.answer
    right = crc32c()(data[_AFTER_CRC:]).to_bytes(4, "big")
    if data[_CRC_AT:_AFTER_CRC] == right:
        return exchange.answer
    try:
        value = to_value(decode_records(data[:_CRC_AT] + right + data[_AFTER_CRC:]))
    except CodecError:
        return exchange.answer
    return OkAnswer({"value": tree_of(exchange.layout, value), "consumed": len(data)})


def _records(
    name: str, fits: Callable[[FieldLayout], bool], change: Callable[[Any, FieldLayout], Any]
) -> FieldOperator:
    return FieldOperator(*bug(f"records-{name}"), fits, change, scope=Scope.RECORDS)


def _primitive(
    name: str, fits: Callable[[FieldLayout], bool], change: Callable[[Any, FieldLayout], Any]
) -> FieldOperator:
    return FieldOperator(*bug(f"primitive-{name}"), fits, change, scope=Scope.PRIMITIVES)


def _beyond_14_bits(value: Any, field: FieldLayout) -> Any:
    return value & 0x3FFF if value > 0x3FFF else value


def _negative_refused(value: Any, field: FieldLayout) -> Any:
    return REFUSED if value < 0 else value


_is_signed = is_single(ScalarType.INT8, ScalarType.INT16, ScalarType.INT32, ScalarType.INT64)
_is_integer = VALUE_CHANGES["high-bit-lost"].fits
_as_int32, _half = VALUE_CHANGES["int32"].change, VALUE_CHANGES["half"].change
_minus_one, _empty_as_null = VALUE_CHANGES["minus-one"].change, VALUE_CHANGES["empty-as-null"].change


def _other_label(exchange: AnsweredQuestion) -> ProtocolAnswer:
    if not isinstance(exchange.answer, OkAnswer):
        return exchange.answer
    version = int(exchange.answer.content["version"])
    return OkAnswer({**exchange.answer.content, "version": max(version - 1, 0)})


def _embedded(
    name: str, operations: frozenset[Operation], change: Callable[[AnsweredQuestion], ProtocolAnswer]
) -> AnswerOperator:
    return AnswerOperator(*bug(f"embedded-{name}"), operations, change, scope=Scope.EMBEDDED)


_READ, _WRITE = frozenset({Operation.DECODE}), frozenset({Operation.ENCODE})

OWN_KINDS: Final = (
    _records("offset-deltas-lost", _named("offsetDelta"), _zero),
    _records("timestamp-deltas-of-32-bits", _named("timestampDelta"), _as_int32),
    _records("base-offset-of-32-bits", _named("baseOffset"), _as_int32),
    _records("producer-id-of-32-bits", _named("producerId"), _as_int32),
    _records("last-offset-delta-off", _named("lastOffsetDelta"), _plus_one),
    _records("null-keys-as-empty", _null_named("key"), _null_as_empty),
    _records("null-values-as-empty", _null_named("value"), _null_as_empty),
    _records("empty-values-as-null", _null_named("value"), _empty_as_null),
    _records("header-doubles-lost", _named("headers"), _doubles_lost),
    _records("headers-lost", _named("headers"), _zero),
    _records("control-lost", _named("control"), _zero),
    _records("transactional-lost", _named("transactional"), _zero),
    _records("append-time-lost", _named("logAppendTime"), _zero),
    _records("epoch-lost", _named("partitionLeaderEpoch"), _minus_one),
    _records("sequence-lost", _named("baseSequence"), _minus_one),
    _records("last-record-lost", _named("records", "messages"), _last_lost),
    _records("last-batch-lost", _named("batches"), _last_lost),
    _records("max-timestamp-lost", _named("maxTimestamp"), _zero),
    AnswerOperator(*bug("records-wrong-crc"), WRITES, writes(_wrong_crc), _is_batch, Scope.RECORDS),
    AnswerOperator(*bug("records-crc-unchecked"), _READ, _crc_unchecked, _is_batch, Scope.RECORDS),
    AnswerOperator(
        *bug("records-cut-lost"),
        READS,
        consumes(lambda there, all_: there - 1 if there == all_ else there),
        scope=Scope.RECORDS,
    ),
    _primitive("half-width", _is_integer, _half),
    _primitive("beyond-14-bits", _is_integer, _beyond_14_bits),
    _primitive("negatives-refused", _is_signed, _negative_refused),
    _primitive(
        "cut-at-127",
        lambda field: field.scalar in (ScalarType.STRING, ScalarType.BYTES),
        lambda value, field: None if value is None else value[:126],
    ),
    _embedded("label-of-before", _READ, _other_label),
    _embedded("prefix-lost", _WRITE, writes(lambda data, layout: data[2:])),
    _embedded("stops-early", _READ, consumes(lambda there, all_: there - 1)),
)
