"""The table of a layout's canonical binary, for the native module's writer: nested tuples of plain objects.

A struct is ``(flexible, fields, tags that unknown fields cannot have)``. A field is ``(name, array, kind,
nullable, marked, default)``; `kind` is ``text``, ``blob``, a `struct` code or a struct.
"""

from sys import intern
from typing import Any, Final

from kafkawire.canonical._writing import default_of, may_be_null
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.wire import FIXED_CODES

_KINDS: Final = {**FIXED_CODES, "string": "text", "bytes": "blob", "records": "blob"}


def native_table(struct: StructLayout) -> tuple[Any, ...]:
    tags = [*(field.tag for field in struct.tagged), *(field.tag for field in struct.absent)]
    return (
        struct.flexible,
        [_row(field) for field in struct.all_fields],
        [tag for tag in tags if tag is not None],
    )


def _row(field: FieldLayout) -> tuple[Any, ...]:
    if field.struct is not None:
        kind: object = native_table(field.struct)
    else:
        assert field.scalar is not None
        kind = _KINDS[field.scalar.value]
    marked = field.struct is not None and not field.is_array and field.nullable
    return intern(field.name), field.is_array, kind, may_be_null(field), marked, default_of(field)
