"""A layout in the binary form that the Java side binds to a class (java: StructPlan)."""

import struct
from typing import Final

from kafkawire.schema.layout import AbsentField, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ArrayType, FieldType, ScalarType

__all__ = ["encode_plan"]

_KINDS: Final = {
    ScalarType.BOOL: 0,
    ScalarType.INT8: 1,
    ScalarType.INT16: 2,
    ScalarType.UINT16: 3,
    ScalarType.INT32: 4,
    ScalarType.UINT32: 5,
    ScalarType.INT64: 6,
    ScalarType.FLOAT64: 7,
    ScalarType.UUID: 8,
    ScalarType.STRING: 9,
    ScalarType.BYTES: 10,
    ScalarType.RECORDS: 11,
}
_STRUCT: Final = 12
_ARRAY: Final = 0x20
_NULLABLE: Final = 0x40
_ABSENT: Final = 0x80

_NO_FIELDS: Final = StructLayout(name="", flexible=False, fields=())


def encode_plan(layout: MessageLayout) -> bytes:
    """The layout's fields, names and types; what Java finds out by itself is left out."""
    return _struct(layout.root)


def _struct(layout: StructLayout) -> bytes:
    fields = [_field(field) for field in layout.all_fields] + [_absent(field) for field in layout.absent]
    return struct.pack(">BH", layout.flexible, len(fields)) + b"".join(fields)


def _field(field: FieldLayout) -> bytes:
    flags = _NULLABLE if field.nullable else 0
    return _entry(field.name, field.type, flags, field.struct)


def _absent(field: AbsentField) -> bytes:
    return _entry(field.name, field.type, _ABSENT, field.struct)


def _entry(name: str, type_: FieldType, flags: int, inner: StructLayout | None) -> bytes:
    element = type_.element if isinstance(type_, ArrayType) else type_
    if isinstance(type_, ArrayType):
        flags |= _ARRAY
    encoded = name.encode("ascii")
    if isinstance(element, ScalarType):
        return bytes((_KINDS[element] | flags, len(encoded))) + encoded
    return bytes((_STRUCT | flags, len(encoded))) + encoded + _struct(inner or _NO_FIELDS)
