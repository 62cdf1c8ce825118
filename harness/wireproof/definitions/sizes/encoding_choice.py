"""A layout with other encodings of its integers (KIP-625)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from kafkawire.schema import FieldLayout, IntegerEncoding, MessageLayout, ScalarType, StructLayout
from wireproof.definitions.sizes.size_request import SizeRequestError, matching_paths

__all__ = ["choose_encodings", "with_encodings", "without_encodings"]

_BITS: Final = {ScalarType.INT16: 16, ScalarType.INT32: 32, ScalarType.INT64: 64}
_NAME: Final = re.compile(r"(fixed|packed|upacked)(16|32|64)?")


def choose_encodings(layout: MessageLayout, choices: Sequence[str]) -> dict[str, IntegerEncoding]:
    """Return the encodings that choices such as ``leaderId=packed32`` give to fields, by path.

    Args:
        choices: ``FIELD=NAME``; `matching_paths` explains FIELD. Without a width in NAME each field has the
            width of its type. A later choice overrides an earlier one.

    Raises:
        SizeRequestError: no such field or encoding, or one that the field cannot have.
    """
    fields = {path: field for path, _, field in layout.walk() if field.scalar in _BITS}
    found: dict[str, IntegerEncoding] = {}
    for choice in choices:
        selector, separator, name = choice.rpartition("=")
        if not separator or _NAME.fullmatch(name) is None:
            known = "fixed, packed or upacked, with 16, 32 or 64 or without: leaderId=packed32, int32=upacked"
            raise SizeRequestError(f"{choice!r} is not FIELD=ENCODING", f"Encodings are {known}.")
        for path in matching_paths(layout, selector, fields):
            found[path] = _encoding(path, fields[path], name)
    return found


def _encoding(path: str, field: FieldLayout, name: str) -> IntegerEncoding:
    assert field.scalar is not None
    bits = _BITS[field.scalar]
    encoding = IntegerEncoding(name if name[-1].isdigit() else f"{name}{bits}")
    if encoding.bits > bits:
        raise SizeRequestError(f"{path}: {encoding} is wider than {field.type}", f"Use {bits} bits or fewer.")
    half = 1 << (encoding.bits - 1)
    if isinstance(field.default, int) and not -half <= field.default < half:
        raise SizeRequestError(f"{path}: the default {field.default} does not fit {encoding}")
    return encoding


def with_encodings(layout: MessageLayout, encodings: Mapping[str, IntegerEncoding]) -> MessageLayout:
    """Return the layout with these encodings, by path; other fields keep theirs."""
    return replace(layout, root=_in_struct("", layout.root, encodings))


def without_encodings(layout: MessageLayout) -> MessageLayout:
    """Return the layout with every integer at the full width of its type, as in Kafka."""
    full = {
        path: IntegerEncoding(f"fixed{_BITS[field.scalar]}")
        for path, _, field in layout.walk()
        if field.scalar in _BITS
    }
    return with_encodings(layout, full)


def _in_struct(prefix: str, struct: StructLayout, encodings: Mapping[str, IntegerEncoding]) -> StructLayout:
    fields = tuple(_in_field(prefix, field, encodings) for field in struct.fields)
    tagged = tuple(_in_field(prefix, field, encodings) for field in struct.tagged)
    return replace(struct, fields=fields, tagged=tagged)


def _in_field(prefix: str, field: FieldLayout, encodings: Mapping[str, IntegerEncoding]) -> FieldLayout:
    path = f"{prefix}{field.name}"
    if field.struct is not None:
        inner = f"{path}[]." if field.is_array else f"{path}."
        return replace(field, struct=_in_struct(inner, field.struct, encodings))
    if path not in encodings:
        return field
    chosen = encodings[path]
    own = chosen.is_fixed and chosen.integer_type is field.scalar
    return replace(field, encoding=None if own else chosen)
