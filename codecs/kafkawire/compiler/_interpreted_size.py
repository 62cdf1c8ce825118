"""The interpreted size: like the encoder, with numbers of bytes instead of bytes."""

import struct
from collections.abc import Callable
from typing import TypeAlias

from kafkawire.compiler.defaults import Completion, is_default
from kafkawire.errors import EncodeError, Fault
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import StructValue, Value
from kafkawire.wire import FIXED_CODES, INTEGER_FORMS, describe, raw_bytes, size_prefix, size_tags, utf8

Sizer: TypeAlias = Callable[[Value], int]


class StructSizer:
    """Adds up the fields in place, then the tag section if the struct is flexible."""

    def __init__(self, struct: StructLayout) -> None:
        self._flexible = struct.flexible
        self._complete = Completion(struct)
        self._fields = [(field.name, _field_sizer(field)) for field in struct.fields]
        self._tagged = [(field, _field_sizer(field)) for field in struct.tagged]

    def __call__(self, value: StructValue) -> int:
        full, unknown = self._complete(value)
        total = 0
        for name, size in self._fields:
            try:
                total += size(full[name])
            except EncodeError as error:
                raise error.within(name) from None
        if self._flexible:
            sizes = {tag: len(data) for tag, data in (unknown or {}).items()}
            total += size_tags(sizes | self._known_tags(full))
        return total

    def _known_tags(self, full: StructValue) -> dict[int, int]:
        known: dict[int, int] = {}
        for field, size in self._tagged:
            try:
                if field.tag is not None and not is_default(field, full[field.name]):
                    known[field.tag] = size(full[field.name])
            except EncodeError as error:
                raise error.within(field.name) from None
        return known


def _field_sizer(field: FieldLayout) -> Sizer:
    if field.is_array:
        return _array_sizer(field)
    if field.struct is not None:
        return _struct_sizer(field.struct, field.nullable)
    assert isinstance(field.type, ScalarType)
    return _scalar_sizer(field, field.type, nullable=field.nullable)


def _array_sizer(field: FieldLayout) -> Sizer:
    compact, nullable = field.compact, field.nullable
    if field.struct is not None:
        size_element: Sizer = StructSizer(field.struct)
    else:
        assert field.scalar is not None
        size_element = _scalar_sizer(field, field.scalar, nullable=False)

    def size(value: Value) -> int:
        if value is None and nullable:
            return size_prefix(-1, compact, 4)
        if type(value) is not list:
            fault = Fault.NULL if value is None else Fault.TYPE
            raise EncodeError(fault, "", f"{describe(value)} is not a list")
        total, index = size_prefix(len(value), compact, 4), 0
        try:
            for index, item in enumerate(value):  # noqa: B007 - the index is for an error's path
                total += size_element(item)
        except EncodeError as error:
            raise error.within(f"[{index}]") from None
        return total

    return size


def _struct_sizer(struct: StructLayout, nullable: bool) -> Sizer:
    size = StructSizer(struct)

    def size_nullable(value: Value) -> int:
        if value is not None:
            return size(value) + nullable
        if not nullable:
            raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
        return 1

    return size_nullable


def _scalar_sizer(field: FieldLayout, scalar: ScalarType, *, nullable: bool) -> Sizer:
    """The sizer of a field without structure, or of an array's elements, which are never null."""
    compact = field.compact
    if field.encoding is not None:
        return INTEGER_FORMS[field.encoding].size
    if scalar.value in FIXED_CODES:
        width = struct.calcsize(">" + FIXED_CODES[scalar.value])
        return lambda value: width
    measure: Callable[[Value], bytes] = utf8 if scalar is ScalarType.STRING else raw_bytes
    prefix = 2 if scalar is ScalarType.STRING else 4

    def size(value: Value) -> int:
        if value is None:
            if not nullable:
                raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
            return size_prefix(-1, compact, prefix)
        length = len(measure(value))
        return size_prefix(length, compact, prefix) + length

    return size
