"""The interpreted decoder: each field of a layout gets a reader; a struct calls its fields' readers in order.

Readers take `(data, pos)` and return `(value, position after it)`. Readers of arrays and structs also take
the state of the `Reading`. An error gets its path while it propagates: each level adds its own step in
front.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from kafkawire.compiler.defaults import default_value
from kafkawire.errors import DecodeError, Fault
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import (
    FIXED_READERS,
    INTEGER_FORMS,
    read_bytes,
    read_count,
    read_marker,
    read_string,
    read_tag,
    read_tag_size,
    read_tagged_marker,
    read_uvarint,
)

ScalarReader: TypeAlias = Callable[[bytes, int], tuple[Value, int]]


Skips: TypeAlias = Mapping[tuple[str, ...], tuple[int, int]]
"""The index of an element and the position where it begins, for arrays by the field names of their path."""


class Reading:
    """The state of one decoding.

    Attributes:
        free: the number of further elements without bytes that the message may hold; in all, as many as it
            has bytes. Kafka only compares each count with the bytes that are left. For nested arrays of such
            elements, that would not bound time and memory by the size of the input.
        skips: the first elements that may be wrong. All elements before them are skipped, so that locating an
            error takes no longer than the compiled codec needed to detect it. The value that is read is then
            not usable.
    """

    __slots__ = ("free", "skips")

    def __init__(self, size: int, skips: Skips = MappingProxyType({})) -> None:
        self.free = size
        self.skips = skips

    def take(self, count: int, pos: int) -> None:
        self.free -= count
        if self.free < 0:
            raise DecodeError(Fault.TRUNCATED, "", f"{count} elements without bytes are too many", pos)


class StructReader:
    """Reads the fields in place, then the tag section if the struct is flexible."""

    def __init__(self, struct: StructLayout, path: tuple[str, ...] = ()) -> None:
        """`path`: the names of the fields that lead to it."""
        self._struct = struct
        self._fields = [(field.name, *_field_reader(field, path)) for field in struct.fields]
        self._tagged = {field.tag: (field.name, *_field_reader(field, path)) for field in struct.tagged}
        self._reserved = {
            field.tag: (field.name, f"of versions {field.versions}")
            for field in struct.absent
            if field.tag is not None
        } | {
            field.reserved_tag: (field.name, "of other versions, this one has the field in place")
            for field in struct.fields
            if field.reserved_tag is not None
        }

    def __call__(self, data: bytes, pos: int, reading: Reading) -> tuple[StructValue, int]:
        value: StructValue = {}
        for name, read, read_nested in self._fields:
            try:
                if read is not None:
                    value[name], pos = read(data, pos)
                else:
                    value[name], pos = read_nested(data, pos, reading)
            except DecodeError as error:
                raise error.within(name) from None
        if self._struct.flexible:
            pos = self._read_tags(data, pos, reading, value)
        return value, pos

    def _read_tags(self, data: bytes, pos: int, reading: Reading, value: StructValue) -> int:
        for field in self._struct.tagged:
            value[field.name] = default_value(field)
        unknown: dict[int, bytes] = {}
        try:
            count, pos = read_uvarint(data, pos)
        except DecodeError as error:
            raise error.within(TAGS) from None
        tag = -1
        for _ in range(count):
            try:
                tag, start = read_tag(data, pos, tag)
            except DecodeError as error:
                raise error.within(TAGS) from None
            try:
                if tag in self._tagged:
                    name = self._tagged[tag][0]
                    value[name], pos = self._read_known(tag, data, start, reading)
                else:
                    unknown[tag], pos = self._read_unknown(tag, data, pos, start)
            except DecodeError as error:
                raise error.within(self._name(tag)) from None
        if unknown:
            value[TAGS] = unknown
        return pos

    def _read_known(self, tag: int, data: bytes, pos: int, reading: Reading) -> tuple[Value, int]:
        size, start = read_tag_size(data, pos)
        _, read, read_nested = self._tagged[tag]
        value, end = read(data, start) if read is not None else read_nested(data, start, reading)
        if end != start + size:
            raise DecodeError(Fault.TAG_SIZE, "", f"{end - start} bytes in a field of {size}", pos)
        return value, end

    def _read_unknown(self, tag: int, data: bytes, pos: int, size_pos: int) -> tuple[bytes, int]:
        if tag in self._reserved:
            detail = f"tag {tag} is {self._reserved[tag][1]}"
            raise DecodeError(Fault.TAG_VERSION, "", detail, pos)
        size, start = read_tag_size(data, size_pos)
        return data[start : start + size], start + size

    def _name(self, tag: int) -> str:
        if tag in self._tagged:
            return self._tagged[tag][0]
        return self._reserved[tag][0] if tag in self._reserved else f"{TAGS}[{tag}]"


class _ArrayReader:
    """Reads a count, then as many elements."""

    def __init__(self, field: FieldLayout, path: tuple[str, ...]) -> None:
        self._path = path
        self._compact, self._nullable = field.compact, field.nullable
        self._free = field.struct is not None and _takes_no_bytes(field.struct)
        self._read_struct = None if field.struct is None else StructReader(field.struct, path)
        self._read = None if field.scalar is None else _scalar_reader(field, field.scalar, nullable=False)

    def __call__(self, data: bytes, pos: int, reading: Reading) -> tuple[list[Value] | None, int]:
        count, start = read_count(data, pos, self._compact, self._nullable)
        if count is None:
            return None, start
        if self._free:
            reading.take(count, pos)
        index, skipped = reading.skips.get(self._path, (0, start))
        if skipped < start:  # the skip belongs to an array that was read before this one
            index, skipped = 0, start
        return self._read_elements(data, skipped, range(index, count), reading)

    def _read_elements(
        self, data: bytes, pos: int, indexes: range, reading: Reading
    ) -> tuple[list[Value], int]:
        items: list[Value] = []
        try:
            if self._read is not None:
                for _ in indexes:
                    item, pos = self._read(data, pos)
                    items.append(item)
            elif self._read_struct is not None:
                for _ in indexes:
                    item, pos = self._read_struct(data, pos, reading)
                    items.append(item)
        except DecodeError as error:
            raise error.within(f"[{indexes[len(items)]}]") from None
        return items, pos


NestedReader: TypeAlias = Callable[[bytes, int, Reading], tuple[Value, int]]


def _takes_no_bytes(struct: StructLayout) -> bool:
    """Test if a struct that is not null has no bytes."""
    if struct.flexible or any(field.is_array or field.nullable for field in struct.fields):
        return False
    return all(field.struct is not None and _takes_no_bytes(field.struct) for field in struct.fields)


def holds_free_elements(struct: StructLayout) -> bool:
    """Test if an array in the struct has elements without bytes."""
    return any(
        (field.is_array and _takes_no_bytes(field.struct)) or holds_free_elements(field.struct)
        for field in struct.all_fields
        if field.struct is not None
    )


def _field_reader(field: FieldLayout, outer: tuple[str, ...]) -> tuple[ScalarReader | None, NestedReader]:
    """The reader of a field: the first one if the field is a scalar, else the second one."""
    path = (*outer, field.name)
    if field.is_array:
        return None, _ArrayReader(field, path)
    if field.struct is not None:
        read = StructReader(field.struct, path)
        return None, _nullable(read, field.tag is not None) if field.nullable else read
    assert isinstance(field.type, ScalarType)
    return _scalar_reader(field, field.type, nullable=field.nullable), _no_reader


def _no_reader(data: bytes, pos: int, reading: Reading) -> tuple[Value, int]:
    raise AssertionError("a scalar is read by its own reader")


def _nullable(read: StructReader, tagged: bool) -> NestedReader:
    read_presence = read_tagged_marker if tagged else read_marker

    def read_nullable(data: bytes, pos: int, reading: Reading) -> tuple[StructValue | None, int]:
        present, pos = read_presence(data, pos)
        return read(data, pos, reading) if present else (None, pos)

    return read_nullable


def _scalar_reader(field: FieldLayout, scalar: ScalarType, *, nullable: bool) -> ScalarReader:
    """The reader of a field without structure, or of an array's elements, which are never null."""
    compact = field.compact
    if field.encoding is not None:
        return INTEGER_FORMS[field.encoding].read
    match scalar:
        case ScalarType.STRING:
            return lambda data, pos: read_string(data, pos, compact, nullable)
        case ScalarType.BYTES | ScalarType.RECORDS:
            return lambda data, pos: read_bytes(data, pos, compact, nullable)
        case _:
            return FIXED_READERS[scalar.value]
