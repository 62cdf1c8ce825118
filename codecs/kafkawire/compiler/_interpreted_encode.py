"""The interpreted encoder: each field of a layout gets a writer; a struct calls its fields' writers in order.

Writers take a value and return its bytes. An error gets its path while it propagates.
"""

from collections.abc import Callable
from typing import TypeAlias

from kafkawire.compiler.defaults import Completion, is_default
from kafkawire.errors import EncodeError, Fault
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import StructValue, Value
from kafkawire.wire import (
    FIXED_WRITERS,
    INTEGER_FORMS,
    describe,
    write_bytes,
    write_count,
    write_marker,
    write_string,
    write_tagged_marker,
    write_tags,
)

Writer: TypeAlias = Callable[[Value], bytes]


class StructWriter:
    """Writes the fields in place, then the tag section if the struct is flexible."""

    def __init__(self, struct: StructLayout) -> None:
        self._flexible = struct.flexible
        self._complete = Completion(struct)
        self._fields = [(field.name, field_writer(field)) for field in struct.fields]
        self._tagged = [(field, field_writer(field)) for field in struct.tagged]

    def __call__(self, value: StructValue) -> bytes:
        full, unknown = self._complete(value)
        chunks = []
        for name, write in self._fields:
            try:
                chunks.append(write(full[name]))
            except EncodeError as error:
                raise error.within(name) from None
        if self._flexible:
            chunks.append(write_tags({**self._known_tags(full), **(unknown or {})}))
        return b"".join(chunks)

    def _known_tags(self, full: StructValue) -> dict[int, bytes]:
        """The data of the tagged fields that are not at their defaults."""
        known: dict[int, bytes] = {}
        for field, write in self._tagged:
            try:
                data = write(full[field.name])
            except EncodeError as error:
                raise error.within(field.name) from None
            if field.tag is not None and not is_default(field, full[field.name]):
                known[field.tag] = data
        return known


def field_writer(field: FieldLayout) -> Writer:
    """Return the writer of one field's values, without its tag."""
    if field.is_array:
        return _array_writer(field)
    if field.struct is not None:
        return _struct_writer(field.struct, field.nullable, field.tag is not None)
    assert isinstance(field.type, ScalarType)
    return _scalar_writer(field, field.type, nullable=field.nullable)


def _array_writer(field: FieldLayout) -> Writer:
    compact, nullable = field.compact, field.nullable
    if field.struct is not None:
        write_element: Writer = StructWriter(field.struct)
    else:
        assert field.scalar is not None
        write_element = _scalar_writer(field, field.scalar, nullable=False)

    def write(value: Value) -> bytes:
        if value is None and nullable:
            return write_count(None, compact)
        if type(value) is not list:
            fault = Fault.NULL if value is None else Fault.TYPE
            raise EncodeError(fault, "", f"{describe(value)} is not a list")
        chunks = [write_count(len(value), compact)]
        try:
            for item in value:
                chunks.append(write_element(item))  # noqa: PERF401 - its length is the index in an error
        except EncodeError as error:
            raise error.within(f"[{len(chunks) - 1}]") from None
        return b"".join(chunks)

    return write


def _struct_writer(struct: StructLayout, nullable: bool, tagged: bool) -> Writer:
    write = StructWriter(struct)
    write_presence = write_tagged_marker if tagged else write_marker

    def write_nullable(value: Value) -> bytes:
        if value is None:
            if not nullable:
                raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
            return write_presence(False)
        return write_presence(True) + write(value) if nullable else write(value)

    return write_nullable


def _scalar_writer(field: FieldLayout, scalar: ScalarType, *, nullable: bool) -> Writer:
    """The writer of a field without structure, or of an array's elements, which are never null."""
    compact = field.compact
    if field.encoding is not None:
        return INTEGER_FORMS[field.encoding].write
    match scalar:
        case ScalarType.STRING:
            return lambda value: write_string(value, compact, nullable)
        case ScalarType.BYTES | ScalarType.RECORDS:
            return lambda value: write_bytes(value, compact, nullable)
        case _:
            return FIXED_WRITERS[scalar.value]
