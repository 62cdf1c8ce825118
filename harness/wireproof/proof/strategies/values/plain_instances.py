"""Plain instances of a layout: each field has a value of its own that any codec handles.

A value that is altered, lost or put into another field differs in at least one of them.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any, Final
from uuid import UUID

from kafkawire.records import Record, RecordBatch, RecordSet, encode_records
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import StructValue
from wireproof.proof.strategies.values.whole_instances import nulls

__all__ = ["plain_instances"]

_ROUNDS: Final = 3
"""Instances: the bools of a struct are numbered, and the n-th instance has bit n of each number."""

_NUMBERS: Final = 100
"""Integers are below it, so an int8 and most enumerations can hold them."""


def plain_instances(layout: MessageLayout) -> Iterator[tuple[str, StructValue]]:
    """Yield named instances: all fields with values of their own, and null in each field that takes it."""
    for turn in range(_ROUNDS):
        yield f"plain-{turn}", _Numbered(turn).struct(layout.root)
    if any(field.nullable for _, _, field in layout.walk()):
        yield "nulls", nulls(layout.root, leaves=False)


class _Numbered:
    """One instance: its values are made of numbers that go up from field to field."""

    def __init__(self, turn: int) -> None:
        self._turn = turn
        self._numbers = count(1 + turn)

    def struct(self, struct: StructLayout) -> StructValue:
        bools = [field.name for field in struct.all_fields if field.type is ScalarType.BOOL]
        value: StructValue = {}
        for field in struct.all_fields:
            if field.name in bools:
                value[field.name] = bool((bools.index(field.name) + 1) >> self._turn & 1)
            else:
                value[field.name] = self._field(field)
        return value

    def _field(self, field: FieldLayout) -> Any:
        if field.is_array:
            return [self._element(field), self._element(field)]
        return self._element(field)

    def _element(self, field: FieldLayout) -> Any:
        if field.struct is not None:
            return self.struct(field.struct)
        return _scalar(field.scalar, next(self._numbers))


def _scalar(scalar: ScalarType | None, number: int) -> Any:
    match scalar:
        case ScalarType.BOOL:
            return number % 2 == 1
        case ScalarType.FLOAT64:
            return number + 0.5
        case ScalarType.UUID:
            return UUID(int=number + (number << 64))
        case ScalarType.STRING:
            return f"plain-{number}"
        case ScalarType.BYTES:
            return b"plain-%d" % number
        case ScalarType.RECORDS:
            record = Record(0, 0, b"key", b"plain-%d" % number)
            return encode_records(RecordSet((RecordBatch.of([record], base_timestamp=0),)))
    return number % _NUMBERS
