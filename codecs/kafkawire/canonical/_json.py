"""Canonical JSON: for crossing languages as text, losing nothing.

int64 and uint32 are decimal strings; bytes and records lower-case hex; uuid with dashes; NaN, infinities
and -0.0 are ``"0x"`` and the 16 hex digits of the bits, other doubles the shortest decimal; unknown tags
are under ``"_tags"`` as ``{"7": "hex"}``; keys in the layout's order; no white space.
"""

import json
import math
import re
import struct
from collections.abc import Callable
from typing import Any
from uuid import UUID

from kafkawire.canonical._completion import HIGHEST_TAG, Filling, default_of, may_be_null
from kafkawire.canonical._writing import text_bytes
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import (
    describe,
    raw_bytes,
    write_bool,
    write_float64,
    write_int8,
    write_int16,
    write_int32,
    write_int64,
    write_uint16,
    write_uint32,
    write_uuid,
)


def to_json(root: StructLayout, value: Value) -> str:
    """A value as text.

    Raises:
        EncodeError: it is not a value of the struct.
    """
    return json.dumps(_struct_out(root, value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_json(root: StructLayout, text: str) -> StructValue:
    """A value out of its text; absent keys get their defaults.

    Raises:
        DecodeError: the text is not canonical JSON of a value of the struct. The offset is that of a
            syntax error in the text, else None.
    """
    try:
        tree = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise DecodeError(Fault.TYPE, "", f"no JSON: {error.msg}", error.pos) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, DecodeError):
            raise
        raise DecodeError(Fault.TYPE, "", "no canonical JSON: a number or the nesting is too long") from None
    return from_tree(root, tree)


def from_tree(root: StructLayout, tree: object) -> StructValue:
    """A value out of parsed JSON; absent keys get their defaults.

    Raises:
        DecodeError: it is not canonical JSON of a value of the struct.
    """
    return _struct_in(root, tree)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise DecodeError(Fault.TYPE, "", "an object with a key twice")
    return found


def _no_constant(name: str) -> Any:
    raise DecodeError(Fault.TYPE, "", f"{name} is not canonical JSON: expected the bits in hex")


def _struct_out(layout: StructLayout, value: Value) -> dict[str, Any]:
    out: dict[str, Any] = {}
    filled, tags = Filling(layout)(value)
    for field in layout.all_fields:
        try:
            out[field.name] = _field_out(field, filled[field.name])
        except EncodeError as error:
            raise error.within(field.name) from None
    if tags:
        out[TAGS] = {str(tag): data.hex() for tag, data in tags}
    return out


def _field_out(field: FieldLayout, value: Value) -> Any:
    if value is None and may_be_null(field):
        return None
    if field.is_array:
        if type(value) is not list:
            fault = Fault.NULL if value is None else Fault.TYPE
            raise EncodeError(fault, "", f"{describe(value)} is not a list")
        return [_element_out(field, index, item) for index, item in enumerate(value)]
    if value is None and field.struct is not None:
        raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
    return _item_out(field, value)


def _element_out(field: FieldLayout, index: int, value: Value) -> Any:
    try:
        return _item_out(field, value)
    except EncodeError as error:
        raise error.within(f"[{index}]") from None


def _item_out(field: FieldLayout, value: Value) -> Any:
    if field.struct is not None:
        return _struct_out(field.struct, value)
    assert field.scalar is not None
    if value is None and field.scalar not in _FIXED:
        raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
    return _scalar_out(field.scalar, value)


_FIXED: dict[ScalarType, Callable[[Value], bytes]] = {
    ScalarType.BOOL: write_bool,
    ScalarType.INT8: write_int8,
    ScalarType.INT16: write_int16,
    ScalarType.UINT16: write_uint16,
    ScalarType.INT32: write_int32,
    ScalarType.UINT32: write_uint32,
    ScalarType.INT64: write_int64,
    ScalarType.FLOAT64: write_float64,
    ScalarType.UUID: write_uuid,
}
"""The checks of a value's type and range."""


def _scalar_out(scalar: ScalarType, value: Value) -> Any:
    if scalar in _FIXED:
        _FIXED[scalar](value)
    match scalar:
        case ScalarType.BOOL:
            return value
        case ScalarType.INT64 | ScalarType.UINT32:
            return str(int(value))
        case ScalarType.INT8 | ScalarType.INT16 | ScalarType.UINT16 | ScalarType.INT32:
            return int(value)
        case ScalarType.FLOAT64:
            return _double_out(float(value))
        case ScalarType.UUID:
            return str(value)
        case ScalarType.STRING:
            return text_bytes(value).decode()
        case ScalarType.BYTES | ScalarType.RECORDS:
            return raw_bytes(value).hex()


def _double_out(value: float) -> float | str:
    if math.isfinite(value) and (value != 0 or math.copysign(1, value) > 0):
        return value
    return "0x" + struct.pack(">d", value).hex()


def _struct_in(layout: StructLayout, tree: Any) -> StructValue:
    if type(tree) is not dict:
        raise _no(tree, "object")
    names = {field.name for field in layout.all_fields}
    for key in tree:
        if key not in names and key != TAGS:
            raise DecodeError(Fault.UNKNOWN_FIELD, key, "this version has no such field")
    value: StructValue = {}
    for field in layout.all_fields:
        try:
            value[field.name] = _field_in(field, tree)
        except DecodeError as error:
            raise error.within(field.name) from None
    if tree.get(TAGS, {}) != {}:
        value[TAGS] = _tags_in(layout, tree[TAGS])
    return value


def _field_in(field: FieldLayout, tree: dict[str, Any]) -> Value:
    if field.name not in tree:
        return default_of(field)
    item = tree[field.name]
    if item is None:
        if may_be_null(field):
            return None
        raise DecodeError(Fault.NULL, "", "null is not allowed in this version")
    if not field.is_array:
        return _item_in(field, item)
    if type(item) is not list:
        raise _no(item, "array")
    items: list[Value] = []
    try:
        for element in item:
            items.append(_item_in(field, element))  # noqa: PERF401 - its length is the index in an error
    except DecodeError as error:
        raise error.within(f"[{len(items)}]") from None
    return items


def _item_in(field: FieldLayout, item: Any) -> Value:
    if field.struct is not None:
        return _struct_in(field.struct, item)
    assert field.scalar is not None
    return _scalar_in(field.scalar, item)


def _scalar_in(scalar: ScalarType, item: Any) -> Value:
    match scalar:
        case ScalarType.BOOL:
            value = item
        case ScalarType.INT64 | ScalarType.UINT32:
            value = int(_text(item, r"-?[0-9]{1,99}"))  # beyond the type is `range`, not `wrong-type`
        case ScalarType.INT8 | ScalarType.INT16 | ScalarType.UINT16 | ScalarType.INT32:
            if type(item) is not int:
                raise _no(item, str(scalar))
            value = item
        case ScalarType.FLOAT64:
            value = _double_in(item)
        case ScalarType.UUID:
            value = UUID(_text(item, r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))
        case ScalarType.STRING:
            if type(item) is not str:
                raise _no(item, "text")
            value = item
        case ScalarType.BYTES | ScalarType.RECORDS:
            value = _bytes_in(item)
    _check(scalar, value)
    return value


def _check(scalar: ScalarType, value: Value) -> None:
    """Hold a value against its type, as encoding does."""
    try:
        if scalar in _FIXED:
            _FIXED[scalar](value)
        elif scalar is ScalarType.STRING:
            text_bytes(value)
    except EncodeError as error:
        raise DecodeError(error.fault, "", error.detail) from None


def _text(item: Any, pattern: str) -> str:
    if type(item) is not str or re.fullmatch(pattern, item, re.ASCII) is None:
        raise _no(item, f"text of the form {pattern}")
    return item


def _bytes_in(item: Any) -> bytes:
    """Lower-case hex, and nothing between: what is read must be what is written. Many times as fast as a
    pattern, and there may be megabytes."""
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
            tags[tag] = _bytes_in(item)
        except DecodeError as error:
            raise error.within(f"{TAGS}[{key}]") from None
    return dict(sorted(tags.items()))


def _no(item: Any, wanted: str) -> DecodeError:
    return DecodeError(Fault.TYPE, "", f"expected {wanted}, not {describe(item)}")
