"""Values of a chosen size: tagged data of 126 to 129 bytes, messages around 64 KiB and 1 MiB,
many small elements."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count, islice
from typing import Any, Final
from uuid import UUID

from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue
from kafkawire.wire import INTEGER_FORMS
from wireproof.model.coverage.wire_sizes import WIDTHS
from wireproof.proof.strategies.values.boundary_values import Named, blob, span, text
from wireproof.proof.strategies.values.whole_instances import (
    StructLocation,
    at_default,
    free_tag,
    required,
    struct_locations,
)

KIB_64: Final = 2**16
MIB: Final = 2**20
_LONGEST: Final = 32767

DATA_SIZES: Final = (126, 127, 128, 129)
"""Sizes around the first one that needs a second byte; 129 is for nullable structs, which have a marker."""


def least_bytes(struct: StructLayout) -> int:
    """The size in bytes of the least instance of a struct, its tag count included."""
    return sum(_least_field_bytes(field) for field in struct.fields) + struct.flexible


def _least_field_bytes(field: FieldLayout) -> int:
    value = at_default(field)
    if field.struct is not None and not field.is_array:
        return field.nullable + (0 if value is None else least_bytes(field.struct))
    if not field.is_array and field.scalar is not None and field.scalar in WIDTHS:
        return WIDTHS[field.scalar] if field.encoding is None else INTEGER_FORMS[field.encoding].size(value)
    size = 0 if value is None else len(value.encode() if isinstance(value, str) else value)
    if field.compact:
        return size + (1 if size < 127 else 2)
    return size + (2 if field.scalar is ScalarType.STRING and not field.is_array else 4)


def tagged_data_cases(field: FieldLayout) -> Iterator[Named]:
    """Values of a tagged field whose data is 126 to 129 bytes long, if such values exist."""
    for size in DATA_SIZES:
        value = data_of_size(field, size)
        if value is not None:
            yield f"data-{size}", value


def data_of_size(field: FieldLayout, size_bytes: int) -> Any:
    """A value of a tagged field whose data has this many bytes (126 to 129); None if there is none."""
    if field.struct is not None:
        prefix = 1 if field.is_array or field.nullable else 0
        inner = _struct_of_size(field.struct, size_bytes - prefix)
        return [inner] if field.is_array and inner is not None else inner
    match field.is_array, field.scalar:
        case False, ScalarType.STRING:
            return _of_size(text, size_bytes)
        case False, ScalarType.BYTES:
            return _of_size(blob, size_bytes)
        case True, ScalarType.STRING:
            inner = _of_size(text, size_bytes - 1)
            return None if inner is None else [inner]
        case _:
            return None


def _of_size(make: Callable[[int], Any], size_bytes: int) -> Any:
    """A string or bytes with this size, compact length included; None for 128, which no value has."""
    if size_bytes == 128:
        return None
    return make(size_bytes - (1 if size_bytes < 128 else 2))


def _struct_of_size(struct: StructLayout, size_bytes: int) -> StructValue | None:
    """A struct of this size: its first string, bytes or array of structs is long, else an unknown tag."""
    missing = size_bytes - least_bytes(struct)
    value = required(struct)
    for field in struct.fields:
        grown = _grown(field, missing)
        if grown is not None:
            return {**value, field.name: grown}
    data_bytes = missing - 2  # the tag and its size take a byte each
    if not 0 <= data_bytes < 128 or free_tag(struct) > 127:
        return None
    return {**value, TAGS: {free_tag(struct): blob(data_bytes)}}


def _grown(field: FieldLayout, more_bytes: int) -> Any:
    """The field's default, longer by this many bytes, while its compact length stays one byte; or None."""
    if field.is_array and field.struct is not None and field.compact and not at_default(field):
        inner = _struct_of_size(field.struct, more_bytes)
        return None if inner is None or TAGS in inner else [inner]
    make = {ScalarType.STRING: text, ScalarType.BYTES: blob}.get(field.scalar or ScalarType.BOOL)
    if make is None or field.is_array or not field.compact or more_bytes <= 0:
        return None
    value: Any = at_default(field) or make(0)
    return value + make(more_bytes) if len(value) + more_bytes <= 126 else None


def filler(layout: MessageLayout, size_bytes: int) -> StructValue | None:
    """A message of about this size, mostly in the best suited field; None if its fields cannot hold that.

    Bytes and records are used first, then arrays (of a few long texts, else of many elements), then the
    unknown tags of a flexible message, then all strings at their longest.
    """
    for kind in (_fill_bytes, _fill_long_elements, _fill_elements, _fill_tag, _fill_strings):
        value = kind(layout, size_bytes)
        if value is not None:
            return value
    return None


def every_field(layout: MessageLayout) -> Iterator[tuple[StructLocation, FieldLayout]]:
    """Each field of the message, with the struct level that it is in."""
    return ((place, field) for place in struct_locations(layout) for field in place.struct.all_fields)


def _fill_bytes(layout: MessageLayout, size_bytes: int) -> StructValue | None:
    for place, field in every_field(layout):
        if field.scalar in (ScalarType.BYTES, ScalarType.RECORDS):
            data = blob(size_bytes)
            return place.instance({field.name: [data] if field.is_array else data})
    return None


def _fill_long_elements(layout: MessageLayout, size_bytes: int) -> StructValue | None:
    """Fill an array with long texts that differ: equal map keys make Java's collections slow."""
    texts = [f"{i:04}{text(_LONGEST - 4)}" for i in range(size_bytes // _LONGEST)]
    for place, field in every_field(layout):
        if not field.is_array:
            continue
        if field.scalar is ScalarType.STRING:
            return place.instance({field.name: texts})
        for inner in field.struct.fields if field.struct is not None else ():
            if inner.scalar is ScalarType.STRING and not inner.is_array and field.struct is not None:
                base = required(field.struct)
                return place.instance({field.name: [{**base, inner.name: each} for each in texts]})
    return None


def _fill_elements(layout: MessageLayout, size_bytes: int) -> StructValue | None:
    """Fill an array with many elements of fixed size, but not for 1 MiB, which would take seconds."""
    if size_bytes > KIB_64:
        return None
    for place, field in every_field(layout):
        if field.is_array:
            width = least_bytes(field.struct) if field.struct is not None else _least_width(field, 0)
            if width:
                elements = list(islice(_elements(field), size_bytes // width + 1))
                return place.instance({field.name: elements})
    return None


_SHORT_TEXT: Final = 24
"""Characters of each string in one of many elements: long enough to keep the number of elements low."""


def many_elements(layout: MessageLayout, size_bytes: int) -> StructValue | None:
    """A message whose small elements in one array together exceed this size; None without an array.

    It is the array with the widest elements, and the elements differ. A codec that checks its buffer only
    before it writes long data overruns the buffer here.
    """
    widest = 0
    best: tuple[StructLocation, FieldLayout, Callable[[int], Any]] | None = None
    for place, field in every_field(layout):
        element = small_element(field)
        width = 0 if element is None else _width(field, element(0))
        if element is not None and width > widest:
            widest, best = width, (place, field, element)
    if best is None:
        return None
    place, field, element = best
    return place.instance({field.name: [element(number) for number in range(size_bytes // widest + 1)]})


def small_element(field: FieldLayout) -> Callable[[int], Any] | None:
    """The function from a number to the element with it; None if the field has no small elements."""
    if not field.is_array:
        return None
    if field.struct is not None:
        return _small_structs(field.struct)
    match field.range_type:
        case ScalarType.STRING:
            return _short_text
        case ScalarType.BYTES | ScalarType.RECORDS | ScalarType.BOOL | ScalarType.INT8 | None:
            return None
        case scalar:
            return partial(_numbered, scalar)


def _small_structs(struct: StructLayout) -> Callable[[int], StructValue]:
    """Return the maker of structs with a short text in each string, and a number in the first fit field."""
    plain = required(struct)
    texts = [each.name for each in struct.fields if each.scalar is ScalarType.STRING and not each.is_array]
    numbered = _numbering(struct)

    def make(number: int) -> StructValue:
        return {**plain, **dict.fromkeys(texts, _short_text(number)), **numbered(number)}

    return make


def _short_text(number: int) -> str:
    return f"{number:0{_SHORT_TEXT}}"


def _width(field: FieldLayout, element: Any) -> int:
    """The least size of an element in bytes."""
    if field.struct is None:
        return _least_width(field, _SHORT_TEXT)
    texts = (each for each in field.struct.fields if each.scalar is ScalarType.STRING and not each.is_array)
    return max(1, least_bytes(field.struct) + sum(len(element[each.name]) for each in texts))


def _least_width(field: FieldLayout, otherwise: int) -> int:
    """The least bytes of an element that has no struct; `otherwise` for texts."""
    if field.encoding is not None:
        return INTEGER_FORMS[field.encoding].size(0)
    return WIDTHS.get(scalar_of(field), otherwise)


def scalar_of(field: FieldLayout) -> ScalarType:
    """The type of a field that holds no structs, or of its elements."""
    if field.range_type is None:
        raise TypeError(f"{field.name} holds structs")
    return field.range_type


def _elements(field: FieldLayout) -> Iterator[Any]:
    """Yield elements without end, which differ in their first integer or uuid."""
    if field.struct is None:
        scalar = scalar_of(field)
        yield from (_numbered(scalar, number) for number in count())
    else:
        plain, numbered = required(field.struct), _numbering(field.struct)
        yield from ({**plain, **numbered(number)} for number in count())


def _numbering(struct: StructLayout) -> Callable[[int], StructValue]:
    """Return the function that puts a number into the first field that can hold it; into none without one."""
    for each in struct.fields:
        if not each.is_array and each.range_type is not None and _counts(each.range_type):
            name, scalar = each.name, each.range_type
            return lambda number: {name: _numbered(scalar, number)}
    return lambda number: {}


def _counts(scalar: ScalarType) -> bool:
    return scalar is ScalarType.UUID or (scalar is not ScalarType.INT8 and span(scalar) is not None)


def _numbered(scalar: ScalarType, number: int) -> Any:
    limits = span(scalar)
    if limits is not None:
        return number % (limits[1] + 1)
    match scalar:
        case ScalarType.UUID:
            return UUID(int=number)
        case ScalarType.BOOL:
            return number % 2 == 0
        case _:
            return float(number)


def _fill_tag(layout: MessageLayout, size_bytes: int) -> StructValue | None:
    if not layout.flexible or size_bytes > KIB_64:
        return None
    return {**required(layout.root), TAGS: {free_tag(layout.root): blob(size_bytes)}}


def _fill_strings(layout: MessageLayout, size_bytes: int) -> StructValue | None:
    names = [
        field.name for field in layout.root.fields if not field.is_array and field.scalar is ScalarType.STRING
    ]
    count = size_bytes // _LONGEST
    if len(names) < count:
        return None
    return {**required(layout.root), **dict.fromkeys(names[:count], text(_LONGEST))}


WIDE_COUNTS: Final = (2**16, 2**17 - 1)
"""The first number that 16 bits count as 0, and the last one that 17 bits hold."""

_ARRAYS: Final[Mapping[str, tuple[str, tuple[int, ...]]]] = {
    "ElectLeadersRequest": ("topicPartitions[].partitions", WIDE_COUNTS),
    "DescribeGroupsRequest": ("groups", WIDE_COUNTS[:1]),
    "OffsetDeleteRequest": ("topics[].partitions", WIDE_COUNTS[:1]),
}
"""For each message an array (of numbers, of texts, or of structs), and its numbers of elements."""


def wide_count_cases(layout: MessageLayout) -> Iterator[Named]:
    """Yield messages with this many different elements in one array; none for most layouts."""
    path, counts = _ARRAYS.get(layout.name, ("", ()))
    for place, field in every_field(layout):
        make = _element(field) if place.inside(field.name) == path else None
        if make is not None:
            for number in counts:
                yield f"elements-{number}", place.instance({field.name: [*map(make, range(number))]})


def _element(field: FieldLayout) -> Callable[[int], Any] | None:
    """Return the maker of short elements; None if the field of this name has none, as in a fork."""
    if field.is_array and field.scalar is ScalarType.STRING:
        return "{:x}".format
    return small_element(field)
