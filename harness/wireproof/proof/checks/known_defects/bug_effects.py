"""The values that known Kafka bugs affect."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import MessageKind

__all__ = ["exceeds_buffer", "has_tagged_null", "is_at_size_step", "is_nullable_struct"]

_ROOM_BYTES: Final = 182
"""The space for a control message in 256 bytes: the batch takes 61, the record 13."""


def is_nullable_struct(field: FieldLayout) -> bool:
    """Return True for a nullable struct that is not an array."""
    return field.struct is not None and field.nullable and not field.is_array


def has_tagged_null(struct: StructLayout, value: Mapping[str, Any]) -> bool:
    """Return True if a tagged struct is null in the value, and null is not its default."""
    for field in struct.all_fields:
        held = value.get(field.name)
        if field.struct is None:
            continue
        if held is None:
            if _is_tagged_nullable(field) and field.default is not None:
                return True
        elif any(has_tagged_null(field.struct, each) for each in (held if field.is_array else (held,))):
            return True
    return False


def is_at_size_step(layout: MessageLayout, value: Mapping[str, Any] | None) -> bool:
    """Return True if the size prefix of a tagged nullable struct is longer with its marker byte."""
    if value is None:
        return any(_is_tagged_nullable(field) for _, _, field in layout.walk())
    for field, body in _nullable_tagged(layout.root, value):
        assert field.struct is not None
        alone = MessageLayout(field.name, MessageKind.DATA, None, layout.version, field.struct)
        size = interpret_layout(alone).size(body)
        if _varint_bytes(size) != _varint_bytes(size + 1):
            return True
    return False


def _is_tagged_nullable(field: FieldLayout) -> bool:
    return is_nullable_struct(field) and field.tag is not None


def _nullable_tagged(
    struct: StructLayout, value: Mapping[str, Any]
) -> Iterator[tuple[FieldLayout, dict[str, Any]]]:
    """Iterate over the tagged nullable structs that are not null in the value, at any depth."""
    for field in struct.all_fields:
        held = value.get(field.name)
        if field.struct is None or not held:
            continue
        if _is_tagged_nullable(field):
            yield field, held
        for each in held if field.is_array else (held,):
            yield from _nullable_tagged(field.struct, each)


def _varint_bytes(number: int) -> int:
    return max(1, -(-number.bit_length() // 7))


def exceeds_buffer(layout: MessageLayout, value: Mapping[str, Any] | None) -> bool:
    """Return True for a leader's change that does not fit the initial buffer of a control batch."""
    if layout.name != "LeaderChangeMessage" or value is None:
        return False
    return interpret_layout(layout).size(dict(value)) > _ROOM_BYTES
