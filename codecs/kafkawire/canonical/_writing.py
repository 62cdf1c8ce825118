"""The canonical binary, written by walking the layout. It is also what says where a value is wrong.

All numbers big-endian. Every field is written in place, tagged ones after the others, default or not:

- bool to float64, uuid: at their width;
- string, bytes, records: int32 length in bytes, -1 for null, then the bytes;
- array: int32 count, -1 for null, then the elements;
- struct: its fields; where this version lets it be null, int8 1 before them, or int8 0 in their place;
- after the fields of a flexible struct: int32 count of the unknown tagged fields, then for each, by
  ascending tag: uint32 tag, int32 size, data.
"""

from collections.abc import Callable, Iterator

from kafkawire.canonical._completion import Filling, may_be_null
from kafkawire.errors import EncodeError, Fault
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import Value
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

_NULL = b"\xff\xff\xff\xff"

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


def write_struct(struct: StructLayout, value: Value) -> Iterator[bytes]:
    """The bytes of a struct, in pieces.

    Raises:
        EncodeError: the value is not a value of the struct.
    """
    filled, tags = Filling(struct)(value)
    for field in struct.all_fields:
        try:
            yield from _write_field(field, filled[field.name])
        except EncodeError as error:
            raise error.within(field.name) from None
    if struct.flexible:
        yield write_int32(len(tags))
        for tag, data in tags:
            yield from (write_uint32(tag), write_int32(len(data)), data)


def _write_field(field: FieldLayout, value: Value) -> Iterator[bytes]:
    if value is None and may_be_null(field):
        yield b"\0" if field.struct is not None and not field.is_array else _NULL
    elif field.is_array:
        yield from _write_array(field, value)
    elif field.struct is not None:
        _refuse_null(value)
        if field.nullable:
            yield b"\1"
        yield from write_struct(field.struct, value)
    elif field.scalar is not None:
        yield from _write_scalar(field.scalar, value)


def _write_array(field: FieldLayout, value: Value) -> Iterator[bytes]:
    _refuse_null(value)
    if type(value) is not list:
        raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a list")
    yield write_int32(len(value))
    for index, item in enumerate(value):
        try:
            if field.struct is not None:
                yield from write_struct(field.struct, item)
            elif field.scalar is not None:
                yield from _write_scalar(field.scalar, item)
        except EncodeError as error:
            raise error.within(f"[{index}]") from None


def _write_scalar(scalar: ScalarType, value: Value) -> Iterator[bytes]:
    if scalar in _FIXED:
        yield _FIXED[scalar](value)
        return
    _refuse_null(value)
    data = text_bytes(value) if scalar is ScalarType.STRING else raw_bytes(value)
    yield write_int32(len(data))
    yield data


def text_bytes(value: str) -> bytes:
    """The UTF-8 form, of any length.

    Raises:
        EncodeError: TYPE; UTF8 for a lone surrogate.
    """
    if not isinstance(value, str):
        raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a str")
    try:
        return str.encode(value)
    except UnicodeEncodeError as error:
        raise EncodeError(Fault.UTF8, "", f"{error.reason} at character {error.start}") from None


def _refuse_null(value: Value) -> None:
    if value is None:
        raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
