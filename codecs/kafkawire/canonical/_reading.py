"""The canonical binary, read back by walking the layout (the format is in `_writing`)."""

from typing import Final

from kafkawire.canonical._writing import may_be_null
from kafkawire.errors import DecodeError, Fault
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import FIXED_READERS, read_bytes, read_int8, read_int32, read_uint32

_READERS: Final = {each: FIXED_READERS[each.value] for each in ScalarType if each.value in FIXED_READERS}


def read_struct(struct: StructLayout, data: bytes, pos: int) -> tuple[StructValue, int]:
    """A struct and the position after it.

    Raises:
        DecodeError: the bytes are not the canonical form of a struct of this layout.
    """
    value: StructValue = {}
    for field in struct.all_fields:
        try:
            value[field.name], pos = _read_field(field, data, pos)
        except DecodeError as error:
            raise error.within(field.name) from None
    if struct.flexible:
        try:
            tags, pos = _read_tags(data, pos)
        except DecodeError as error:
            raise error.within(TAGS) from None
        if tags:
            value[TAGS] = tags
    return value, pos


def _read_field(field: FieldLayout, data: bytes, pos: int) -> tuple[Value, int]:
    if field.is_array:
        return _read_array(field, data, pos)
    if field.struct is None:
        assert isinstance(field.type, ScalarType)
        return _read_scalar(field.type, data, pos, may_be_null(field))
    if field.nullable:
        marker, end = read_int8(data, pos)
        if marker not in (0, 1):
            raise DecodeError(Fault.MARKER, "", f"marker {marker}; want 0 or 1", pos)
        if marker == 0:
            return None, end
        pos = end
    return read_struct(field.struct, data, pos)


def _read_array(field: FieldLayout, data: bytes, pos: int) -> tuple[list[Value] | None, int]:
    count = _read_count(data, pos, may_be_null(field))
    pos += 4
    if count is None:
        return None, pos
    items: list[Value] = []
    try:
        for _ in range(count):
            if field.struct is not None:
                item, pos = read_struct(field.struct, data, pos)
            else:
                assert field.scalar is not None
                item, pos = _read_scalar(field.scalar, data, pos, False)
            items.append(item)
    except DecodeError as error:
        raise error.within(f"[{len(items)}]") from None
    return items, pos


def _read_scalar(scalar: ScalarType, data: bytes, pos: int, nullable: bool) -> tuple[Value, int]:
    read = _READERS.get(scalar)
    if read is not None:
        return read(data, pos)
    raw, end = read_bytes(data, pos, compact=False, nullable=nullable)
    if raw is None or scalar is not ScalarType.STRING:
        return raw, end
    try:
        return raw.decode(), end
    except UnicodeDecodeError as error:
        raise DecodeError(Fault.UTF8, "", error.reason, pos) from None


def _read_tags(data: bytes, pos: int) -> tuple[dict[int, bytes], int]:
    tags: dict[int, bytes] = {}
    previous = -1
    count = _read_count(data, pos, False) or 0
    pos += 4
    for _ in range(count):
        tag, start = read_uint32(data, pos)
        if tag <= previous:
            raise DecodeError(Fault.TAG_ORDER, "", f"tag {tag} after tag {previous}", pos)
        raw, pos = read_bytes(data, start, compact=False, nullable=False)
        tags[tag] = raw or b""
        previous = tag
    return tags, pos


def _read_count(data: bytes, pos: int, nullable: bool) -> int | None:
    count, start = read_int32(data, pos)
    if count == -1 and nullable:
        return None
    if count < 0:
        fault = Fault.NULL if count == -1 else Fault.LENGTH
        raise DecodeError(fault, "", f"a count of {count}", pos)
    if count > len(data) - start:
        raise DecodeError(Fault.TRUNCATED, "", f"{count} elements, {len(data) - start} bytes left", pos)
    return count
