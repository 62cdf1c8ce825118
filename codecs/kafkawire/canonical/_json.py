"""Canonical JSON: a lossless text form for exchange between languages.

int64 and uint32 are decimal strings. Bytes and records are lower-case hex; uuids have dashes. NaN, infinities
and -0.0 are ``"0x"`` and the 16 hex digits of the bits; other doubles are the shortest decimal. Unknown tags
are under ``"_tags"`` as ``{"7": "hex"}``. Keys are in the layout's order; there is no white space.
"""

import json
import math
import re
import struct
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from kafkawire.canonical._writing import (
    HIGHEST_TAG,
    WRITERS,
    Filling,
    default_of,
    may_be_null,
    refuse_null,
    text_bytes,
)
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import describe, raw_bytes


class StructJson:
    """The text form of a struct's values. The layout is read only once.

    Attributes:
        fields: the fields of the version, in order.
    """

    __slots__ = ("_filling", "_layout", "_names", "fields")

    def __init__(self, layout: StructLayout) -> None:
        self._layout = layout
        self._filling = Filling(layout)
        self.fields = tuple(_FieldForm(field) for field in layout.all_fields)
        self._names = {TAGS, *(field.name for field in self.fields)}

    def to_json(self, value: Value) -> str:
        """A value as text.

        Raises:
            EncodeError: it is not a value of the struct.
        """
        return json.dumps(self.to_tree(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def from_json(self, text: str) -> StructValue:
        """A value from its text; absent keys get their defaults.

        Raises:
            DecodeError: the text is not canonical JSON of a value of the struct. The offset is the place of
                a syntax error in the text, else None.
        """
        try:
            tree = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            raise DecodeError(Fault.TYPE, "", f"no JSON: {error.msg}", error.pos) from None
        except (ValueError, RecursionError) as error:
            if isinstance(error, DecodeError):
                raise
            raise DecodeError(
                Fault.TYPE, "", "no canonical JSON: a number or the nesting is too long"
            ) from None
        return self.from_tree(tree)

    def to_tree(self, value: Value) -> dict[str, Any]:
        """A value as a tree of JSON objects, before it becomes text.

        Raises:
            EncodeError: it is not a value of the struct.
        """
        out: dict[str, Any] = {}
        filled, tags = self._filling(value)
        for field in self.fields:
            try:
                out[field.name] = field.to_tree(filled[field.name])
            except EncodeError as error:
                raise error.within(field.name) from None
        if tags:
            out[TAGS] = {str(tag): data.hex() for tag, data in tags}
        return out

    def from_tree(self, tree: Any) -> StructValue:
        """A value from parsed JSON; absent keys get their defaults.

        Raises:
            DecodeError: it is not canonical JSON of a value of the struct.
        """
        if type(tree) is not dict:
            raise _no(tree, "object")
        for key in tree:
            if key not in self._names:
                raise DecodeError(Fault.UNKNOWN_FIELD, key, "this version has no such field")
        value: StructValue = {}
        for field in self.fields:
            try:
                value[field.name] = field.from_tree(tree)
            except DecodeError as error:
                raise error.within(field.name) from None
        if tree.get(TAGS, {}) != {}:
            value[TAGS] = _tags_in(self._layout, tree[TAGS])
        return value


class _FieldForm:
    """The text form of a field's values.

    Attributes:
        item_out, item_in: the conversions of the field's value, or of an element if it is an array.
    """

    __slots__ = ("_field", "_is_array", "_is_struct", "item_in", "item_out", "name")

    def __init__(self, field: FieldLayout) -> None:
        self.name = field.name
        self._field = field
        self._is_array = field.is_array
        self._is_struct = field.struct is not None
        self.item_out: Callable[[Value], Any]
        self.item_in: Callable[[Any], Value]
        if field.struct is not None:
            form = StructJson(field.struct)
            self.item_out, self.item_in = form.to_tree, form.from_tree
        else:
            assert field.scalar is not None
            check = WRITERS.get(field.scalar, refuse_null)
            self.item_out = partial(_scalar_out, check, _WRITE[field.scalar])
            self.item_in = partial(_scalar_in, _READ[field.scalar], _CHECKS.get(field.scalar))

    def to_tree(self, value: Value) -> Any:
        if value is None and may_be_null(self._field):
            return None
        if self._is_array:
            if type(value) is not list:
                fault = Fault.NULL if value is None else Fault.TYPE
                raise EncodeError(fault, "", f"{describe(value)} is not a list")
            return self._elements_out(value)
        if value is None and self._is_struct:
            raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
        return self.item_out(value)

    def _elements_out(self, value: list[Value]) -> list[Any]:
        items: list[Any] = []
        try:
            for element in value:
                items.append(self.item_out(element))  # noqa: PERF401 - its length is the index in an error
        except EncodeError as error:
            raise error.within(f"[{len(items)}]") from None
        return items

    def from_tree(self, tree: dict[str, Any]) -> Value:
        """The field's value from the struct's JSON."""
        if self.name not in tree:
            return default_of(self._field)
        item = tree[self.name]
        if item is None:
            if may_be_null(self._field):
                return None
            raise DecodeError(Fault.NULL, "", "null is not allowed in this version")
        if not self._is_array:
            return self.item_in(item)
        if type(item) is not list:
            raise _no(item, "array")
        items: list[Value] = []
        try:
            for element in item:
                items.append(self.item_in(element))  # noqa: PERF401 - its length is the index in an error
        except DecodeError as error:
            raise error.within(f"[{len(items)}]") from None
        return items


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise DecodeError(Fault.TYPE, "", "an object with a key twice")
    return found


def _no_constant(name: str) -> Any:
    raise DecodeError(Fault.TYPE, "", f"{name} is not canonical JSON: expected the bits in hex")


_CHECKS: dict[ScalarType, Callable[[Value], object]] = {**WRITERS, ScalarType.STRING: text_bytes}
"""The checks of a value that is not null."""


_SMALL_INTEGERS = (ScalarType.INT8, ScalarType.INT16, ScalarType.UINT16, ScalarType.INT32)
"""The integers that are numbers in JSON."""


def _scalar_out(check: Callable[[Value], object], write: Callable[[Any], Any], value: Value) -> Any:
    check(value)
    return write(value)


def _same(item: Any) -> Any:
    return item


def _long_out(value: Any) -> str:
    return str(int(value))


def _string_out(value: Any) -> str:
    return text_bytes(value).decode()


def _hex_out(value: Any) -> str:
    return raw_bytes(value).hex()


def _double_out(number: Any) -> float | str:
    value = float(number)
    if math.isfinite(value) and (value != 0 or math.copysign(1, value) > 0):
        return value
    return "0x" + struct.pack(">d", value).hex()


_WRITE: dict[ScalarType, Callable[[Any], Any]] = {
    ScalarType.BOOL: _same,
    **dict.fromkeys((ScalarType.INT64, ScalarType.UINT32), _long_out),
    **dict.fromkeys(_SMALL_INTEGERS, int),
    ScalarType.FLOAT64: _double_out,
    ScalarType.UUID: str,
    ScalarType.STRING: _string_out,
    **dict.fromkeys((ScalarType.BYTES, ScalarType.RECORDS), _hex_out),
}


def _scalar_in(read: Callable[[Any], Value], check: Callable[[Value], object] | None, item: Any) -> Value:
    value = read(item)
    if check is not None:  # check it by its type, as encoding does
        try:
            check(value)
        except EncodeError as error:
            raise DecodeError(error.fault, "", error.detail) from None
    return value


def _integer_in(scalar: ScalarType, item: Any) -> int:
    if type(item) is not int:
        raise _no(item, str(scalar))
    return item


def _long_in(item: Any) -> int:
    return int(_text(item, r"-?[0-9]{1,99}"))  # beyond the type is `range`, not `wrong-type`


def _uuid_in(item: Any) -> UUID:
    return UUID(_text(item, r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))


def _string_in(item: Any) -> str:
    if type(item) is not str:
        raise _no(item, "text")
    return item


def _text(item: Any, pattern: str) -> str:
    if type(item) is not str or re.fullmatch(pattern, item, re.ASCII) is None:
        raise _no(item, f"text of the form {pattern}")
    return item


def _hex_in(item: Any) -> bytes:
    """Lower-case hex without separators: only the written form is accepted. There may be megabytes, and this
    check is many times faster than a pattern."""
    if type(item) is str:
        try:
            data = bytes.fromhex(item)
        except ValueError:
            data = b""
        if data.hex() == item:
            return data
    raise _no(item, "text of the form ([0-9a-f]{2})*")


def _double_in(item: Any) -> float:
    if type(item) is str:
        bits = bytes.fromhex(_text(item, "0x[0-9a-f]{16}")[2:])
        number: float = struct.unpack(">d", bits)[0]
        return number
    if type(item) not in (int, float):
        raise _no(item, "float64")
    try:
        return float(item)
    except OverflowError:
        raise DecodeError(Fault.RANGE, "", f"{describe(item)} is beyond float64") from None


_READ: dict[ScalarType, Callable[[Any], Value]] = {
    ScalarType.BOOL: _same,
    **dict.fromkeys((ScalarType.INT64, ScalarType.UINT32), _long_in),
    **{each: partial(_integer_in, each) for each in _SMALL_INTEGERS},
    ScalarType.FLOAT64: _double_in,
    ScalarType.UUID: _uuid_in,
    ScalarType.STRING: _string_in,
    **dict.fromkeys((ScalarType.BYTES, ScalarType.RECORDS), _hex_in),
}


def _tags_in(layout: StructLayout, tree: Any) -> dict[int, bytes]:
    if type(tree) is not dict:
        raise _no(tree, "object").within(TAGS)
    defined = {field.tag for field in layout.tagged} | {field.tag for field in layout.absent}
    tags: dict[int, bytes] = {}
    for key, item in tree.items():
        tag = int(key) if re.fullmatch("[0-9]{1,10}", key, re.ASCII) else -1
        if not layout.flexible or tag in defined or not 0 <= tag <= HIGHEST_TAG:
            raise DecodeError(Fault.TAG, f"{TAGS}[{key}]", "no tag for an unknown field here")
        try:
            tags[tag] = _hex_in(item)
        except DecodeError as error:
            raise error.within(f"{TAGS}[{key}]") from None
    return dict(sorted(tags.items()))


def _no(item: Any, wanted: str) -> DecodeError:
    return DecodeError(Fault.TYPE, "", f"expected {wanted}, not {describe(item)}")
