"""The form of a layout on the wire: two layouts with equal forms have the same bytes for the same parts."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from kafkawire.schema import FieldLayout, MessageLayout, ScalarType, StructLayout

__all__ = ["same_form"]

Form: TypeAlias = tuple[object, ...]

_HALF_OF_UUID: Final = ("int64",)
_TAGS: Final = "tags"


def same_form(one: MessageLayout, other: MessageLayout) -> bool:
    """Return if all bytes of one layout are bytes of the other, part by part.

    Names of fields, and structs without a tag section of their own, leave no trace on the wire.
    """
    return tuple(_struct(one.root)) == tuple(_struct(other.root))


def _struct(struct: StructLayout) -> Iterator[object]:
    for field in struct.fields:
        yield from _field(field)
    if struct.flexible:
        tagged = tuple((each.tag, repr(each.default), tuple(_field(each))) for each in struct.tagged)
        yield _TAGS, tagged, struct.reserved_tags


def _field(field: FieldLayout) -> Iterator[object]:
    if field.is_array:
        yield "array", field.compact, field.nullable, tuple(_one(field))
    elif field.struct is not None and field.nullable:
        yield "nullable", tuple(_struct(field.struct))
    else:
        yield from _one(field)


def _one(field: FieldLayout) -> Iterator[object]:
    """Yield the form of a field, or of an element of its array."""
    if field.struct is not None:
        yield from _struct(field.struct)
    elif field.encoding is not None:
        yield field.encoding
    elif field.scalar is ScalarType.UUID:
        yield from (*_HALF_OF_UUID, *_HALF_OF_UUID)
    elif field.scalar in (ScalarType.BYTES, ScalarType.RECORDS):
        yield "bytes", field.compact, field.nullable and not field.is_array
    elif field.scalar is ScalarType.STRING:
        yield "string", field.compact, field.nullable and not field.is_array
    else:
        yield str(field.scalar)
