"""Whether two layouts are one to our codec: shown by the code that comes of them, not by trying values."""

from typing import TypeAlias

from kafkawire.compiler import compile_layout
from kafkawire.schema import AbsentField, FieldLayout, MessageLayout, StructLayout

__all__ = ["same_effect"]

_Shown: TypeAlias = tuple[object, ...]


def same_effect(one: MessageLayout, other: MessageLayout) -> bool:
    """Whether the codec does the same with both, whatever the bytes and the value.

    It does where the header version is one, the generated text is one, and so is what completes a value: the
    only thing the text takes for granted that depends on the layout (`kafkawire.compiler.defaults`).
    """
    if one == other:
        return True
    if one.header_version != other.header_version or _completions(one.root) != _completions(other.root):
        return False
    return compile_layout(one).source == compile_layout(other).source


def _completions(struct: StructLayout) -> _Shown:
    fields = tuple((field.name, field.tag, repr(field.default)) for field in struct.all_fields)
    inner = tuple(_completions(field.struct) for field in struct.all_fields if field.struct is not None)
    return struct.flexible, fields, tuple(map(_absent, struct.absent)), inner


def _absent(field: AbsentField) -> _Shown:
    return (*_default(field), field.ignorable, field.tag)


def _default(field: FieldLayout | AbsentField) -> _Shown:
    """What tells the field's default: for a struct that of each of its fields; that of an array is empty."""
    is_array = str(field.type).startswith("[]")
    inner: _Shown = ()
    if field.struct is not None and not is_array:
        fields: tuple[FieldLayout | AbsentField, ...] = (*field.struct.all_fields, *field.struct.absent)
        inner = tuple(map(_default, fields))
    return field.name, is_array, field.struct is not None, repr(field.default), inner
