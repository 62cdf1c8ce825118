"""Equivalence of two layouts for our codec, proven by the generated code and not by trying values."""

from typing import TypeAlias

from kafkawire.compiler import compile_layout
from kafkawire.schema import AbsentField, FieldLayout, MessageLayout, StructLayout

__all__ = ["same_effect"]

_Facts: TypeAlias = tuple[object, ...]


def same_effect(one: MessageLayout, other: MessageLayout) -> bool:
    """Test if the codec does the same with both layouts, for all bytes and all values.

    It does if the header version, the generated text and the completion of values are equal. The completion
    is the only input of the text that depends on the layout (`kafkawire.compiler.defaults`).
    """
    if one == other:
        return True
    if one.header_version != other.header_version or _completions(one.root) != _completions(other.root):
        return False
    return compile_layout(one).source == compile_layout(other).source


def _completions(struct: StructLayout) -> _Facts:
    fields = tuple((field.name, field.tag, repr(field.default)) for field in struct.all_fields)
    inner = tuple(_completions(field.struct) for field in struct.all_fields if field.struct is not None)
    return struct.flexible, fields, tuple(map(_absent, struct.absent)), inner


def _absent(field: AbsentField) -> _Facts:
    return (*_default(field), field.ignorable, field.tag)


def _default(field: FieldLayout | AbsentField) -> _Facts:
    """The parts of a field's default: for a struct those of its fields; for an array none."""
    is_array = str(field.type).startswith("[]")
    inner: _Facts = ()
    if field.struct is not None and not is_array:
        fields: tuple[FieldLayout | AbsentField, ...] = (*field.struct.all_fields, *field.struct.absent)
        inner = tuple(map(_default, fields))
    return field.name, is_array, field.struct is not None, repr(field.default), inner
