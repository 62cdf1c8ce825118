"""The canonical binary, written by walking the layout of a completed value. An error has its exact place.

All numbers big-endian. Every field is written in place, tagged ones after the others, default or not:

- bool to float64, uuid: at their width;
- string, bytes, records: int32 length in bytes, -1 for null, then the bytes;
- array: int32 count, -1 for null, then the elements;
- struct: its fields; where this version lets it be null, int8 1 before them, or int8 0 in their place;
- after the fields of a flexible struct: int32 count of the unknown tagged fields, then for each, by
  ascending tag: uint32 tag, int32 size, data.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from kafkawire.errors import EncodeError, Fault
from kafkawire.schema.layout import EMPTY, AbsentField, FieldLayout, StructLayout
from kafkawire.schema.model import ArrayType, ScalarType
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import FIXED_WRITERS, describe, raw_bytes, write_int32, write_uint32

HIGHEST_TAG: Final = 2**32 - 1
"""The highest number that a tag's varint can hold. Codecs may not write a tag above 2^31 - 2 (`wire.tags`).
Some, such as Kafka's classes, read and keep any tag, and the canonical forms hold every tag that was read."""


def may_be_null(field: FieldLayout) -> bool:
    """Return whether null has a canonical form: if the version allows null, or if null is the default.

    The latter is for `records`: Kafka leaves null in such fields even if they are not nullable.
    """
    return field.nullable or field.default is None


def default_of(field: FieldLayout) -> Value:
    """Make the value of an absent key."""
    if field.default is not EMPTY:
        return field.default
    if field.struct is None or isinstance(field.type, ArrayType):
        return []
    return {inner.name: default_of(inner) for inner in field.struct.all_fields}


class Filling:
    """Completes a struct's value; drops fields of other versions if they may be dropped."""

    def __init__(self, struct: StructLayout) -> None:
        self._defaults = {field.name: default_of(field) for field in struct.all_fields}
        self._absent = {field.name: field for field in struct.absent}
        self._defined = {field.tag for field in struct.tagged} | {field.tag for field in struct.absent}
        self._flexible = struct.flexible

    def __call__(self, value: Value) -> tuple[StructValue, Sequence[tuple[int, bytes]]]:
        """All fields by name, and the unknown tagged fields by ascending tag. The defaults are shared.

        Raises:
            EncodeError: TYPE, UNKNOWN_FIELD, NOT_IN_VERSION, TAG.
        """
        if type(value) is not dict:
            raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a dict")
        filled = self._defaults | value
        if len(filled) == len(self._defaults):
            return filled, ()
        for name in value:
            if name not in self._defaults and name != TAGS:
                self._check_absent(name, value[name])
        return filled, self._unknown_tags(value.get(TAGS, {}))

    def _check_absent(self, name: object, value: Value) -> None:
        field = self._absent.get(name) if isinstance(name, str) else None
        if field is None:
            path = str(name) if isinstance(name, str) else ""
            raise EncodeError(Fault.UNKNOWN_FIELD, path, f"no version has the field {describe(name)}")
        if not field.ignorable and not _at_default(field, value):
            raise EncodeError(Fault.NOT_IN_VERSION, field.name, f"a field of versions {field.versions}")

    def _unknown_tags(self, tags: Value) -> list[tuple[int, bytes]]:
        if type(tags) is not dict or any(type(tag) is not int for tag in tags):
            raise EncodeError(Fault.TYPE, TAGS, f"{describe(tags)} is not a dict from tag to bytes")
        found = []
        for tag in sorted(tags):
            if tag in self._defined or not self._flexible or not 0 <= tag <= HIGHEST_TAG:
                raise EncodeError(Fault.TAG, f"{TAGS}[{describe(tag)}]", "no tag for an unknown field here")
            try:
                found.append((tag, raw_bytes(tags[tag])))
            except EncodeError as error:
                raise error.within(f"{TAGS}[{tag}]") from None
        return found


def _at_default(field: AbsentField | FieldLayout, value: Value) -> bool:
    if field.default is not EMPTY:
        return type(value) is type(field.default) and bool(value == field.default)
    if field.struct is None or isinstance(field.type, ArrayType):
        return type(value) is list and not value
    if type(value) is not dict:
        return False
    inner: dict[str, AbsentField | FieldLayout] = {known.name: known for known in field.struct.all_fields}
    inner |= {known.name: known for known in field.struct.absent}
    return all(name in inner and _at_default(inner[name], value[name]) for name in value)


_NULL = b"\xff\xff\xff\xff"

WRITERS: Final = {each: FIXED_WRITERS[each.value] for each in ScalarType if each.value in FIXED_WRITERS}
"""The writers of the types of a fixed width."""


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
        refuse_null(value)
        if field.nullable:
            yield b"\1"
        yield from write_struct(field.struct, value)
    elif field.scalar is not None:
        yield from _write_scalar(field.scalar, value)


def _write_array(field: FieldLayout, value: Value) -> Iterator[bytes]:
    refuse_null(value)
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
    write = WRITERS.get(scalar)
    if write is not None:
        yield write(value)
        return
    refuse_null(value)
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


def refuse_null(value: Value) -> None:
    if value is None:
        raise EncodeError(Fault.NULL, "", "null is not allowed in this version")
