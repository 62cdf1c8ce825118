"""The boundary cases of a layout, enumerated: named, in a fixed order, the same in every run.

A case's name is ``PATH/CASE``: the field, and its special value. The path of a struct's unknown tags is
``PATH._tags``; that of the whole message is ``message``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from kafkawire.primitives import VALUE
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue
from wireproof.model.coverage.wire_sizes import LAST_TAG
from wireproof.model.kafka.releases import UNKNOWN_ERROR, holds_error_code
from wireproof.model.layout_parts import sparse_default
from wireproof.model.malformed_input import Mutation
from wireproof.proof.strategies.malformed.hostile_values import distinct_forms, padded, with_high_bits
from wireproof.proof.strategies.values.boundary_values import (
    COUNTS,
    LONG,
    MANY,
    TWO_MIB,
    Named,
    blob,
    boundary_cases,
    varint_bytes,
    varint_edges,
)
from wireproof.proof.strategies.values.sized_values import (
    KIB_64,
    MIB,
    filler,
    many_elements,
    tagged_data_cases,
    wide_count_cases,
)
from wireproof.proof.strategies.values.whole_instances import (
    StructLocation,
    at_default,
    defaults,
    free_tag,
    full,
    nulls,
    off_default,
    off_default_absent,
    plain_element,
    required,
    struct_locations,
    taken_tags,
)

_CODES_TOGETHER: Final = 32
"""Error codes of one case inside arrays."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One boundary case.

    Attributes:
        name: unique within the layout and stable: ``topics[].partitions[].errorCode/min``.
        path: the subject: a field, a struct's ``_tags``, or ``""`` for the whole message.
        value: the message, sparse: absent keys mean defaults. Large parts are shared between
            scenarios; do not change it.
        omits: whether the field at the path is the only one of its struct that is left out.
    """

    name: str
    path: str
    value: StructValue = field(hash=False, repr=False)
    omits: bool = False


def scenarios(layout: MessageLayout, newest: int | None = None) -> Iterator[Scenario]:
    """Every boundary case of the layout: the message as a whole, then each struct level and its fields.

    All values are valid at this version. A field inside a container (array, nullable or tagged struct)
    is tried with that container present, arrays having one element.

    Args:
        newest: the version that has the largest cases; None for the message's newest.
    """
    if newest is None and not layout.versions.empty:
        newest = layout.versions.highest
    large = _large_cases(layout, newest in (None, layout.version))
    for name, value in chain(whole_cases(layout), large):  # lazily: most readers stop before
        yield Scenario(f"message/{name}", "", value)
    for place in struct_locations(layout):
        for each in place.struct.all_fields:
            path = place.inside(each.name)
            for name, value in field_cases(each):
                yield Scenario(f"{path}/{name}", path, place.instance({each.name: value}))
            if holds_error_code(each):
                for name, value in _error_cases(place, each):
                    yield Scenario(f"{path}/{name}", path, value)
            if each.tag is not None:
                beside = {each.name: off_default(each), TAGS: {free_tag(place.struct): b"\x07"}}
                yield Scenario(f"{path}/beside-unknown-tag", path, place.instance(beside))
        yield from _omitted_fields(place)
        yield from _ignored_fields(place)
        yield from _unknown_tags(place)


def whole_cases(layout: MessageLayout) -> Iterator[Named]:
    """The cases of the message as a whole: the smallest, the fullest, and nulls, without the large ones."""
    root = layout.root
    yield "sparse", required(root)
    yield "default", defaults(root)
    yield "fullest", full(root, unknown_tags=True)
    if layout.flexible:
        yield "fullest-known", full(root, unknown_tags=False)
    if any(each.nullable for _, _, each in layout.walk()):
        yield "nulls", nulls(root, leaves=False)
        yield "leaf-nulls", nulls(root, leaves=True)
    # Every version accepts the fields of others at their defaults; only the outermost structs have them here.
    absent = {each.name: value for each in root.absent if (value := sparse_default(each)) != {}}
    if absent:
        yield "absent-at-default", {**required(root), **absent}


def _large_cases(layout: MessageLayout, newest: bool) -> Iterator[Named]:
    """64 KiB in every version; 1 MiB and many small elements in the newest only, or it would take minutes."""
    kib_64 = filler(layout, KIB_64)
    if kib_64 is not None:
        yield "around-64KiB", kib_64
    mib = filler(layout, MIB) if newest else None
    if mib is not None:
        yield "around-1MiB", mib
    many = many_elements(layout, KIB_64) if newest else None
    if many is not None:
        yield "many-elements", many
    if newest:
        yield from wide_count_cases(layout)


def field_cases(each: FieldLayout) -> Iterator[Named]:
    """Each boundary value of a field, under a unique name."""
    if each.nullable:
        yield "null", None
    if _has_default_cases(each):
        yield "at-default", at_default(each)
        yield "off-default", off_default(each)
    if each.is_array:
        yield from _array_cases(each)
    elif each.scalar is not None:
        yield from boundary_cases(each)
        yield from LONG.get(each.scalar, ())
        if _has_long_prefix(each):
            yield f"length-{TWO_MIB}", blob(TWO_MIB)
    elif each.nullable and each.struct is not None:
        yield "present", required(each.struct)
    if each.tag is not None:
        yield from tagged_data_cases(each)


def _has_long_prefix(each: FieldLayout) -> bool:
    return each.compact and each.scalar in (ScalarType.BYTES, ScalarType.RECORDS)


def _has_default_cases(each: FieldLayout) -> bool:
    """Return True if the default is a boundary: it decides if the field is written, or is not zero."""
    if each.tag is not None:
        return True
    in_place_scalar = each.scalar is not None and not each.is_array
    return in_place_scalar and each.default is not None and each.default != plain_element(each)


def _array_cases(each: FieldLayout) -> Iterator[Named]:
    for count in (*COUNTS, MANY):
        yield f"count-{count}", [plain_element(each)] * count
    if each.scalar is not None:
        yield "elements", [value for _, value in boundary_cases(each)]
        if each.scalar in LONG:
            yield "long-elements", [value for _, value in LONG[each.scalar]]
        if _has_long_prefix(each):
            yield f"element-{TWO_MIB}", [blob(TWO_MIB)]
    if each.struct is not None and each.struct.all_fields:
        twice = {inner.name: off_default(inner) for inner in each.struct.all_fields}
        yield "repeated", [twice, twice, required(each.struct), twice]  # a set keeps it once
        if any(inner.map_key for inner in each.struct.all_fields):
            yield "equal-keys", _equal_keys(each.struct)


def _equal_keys(struct: StructLayout) -> list[StructValue]:
    """Two elements with the same key and different other fields: Kafka's collections keep both, in order."""
    key = {inner.name: off_default(inner) for inner in struct.all_fields if inner.map_key}
    rest = {inner.name: off_default(inner) for inner in struct.all_fields if not inner.map_key}
    return [{**required(struct), **key}, {**key, **rest}]


def _error_cases(place: StructLocation, each: FieldLayout) -> Iterator[Named]:
    """Every error code that a release knows, and the first that none does.

    A codec may map codes to constants of its own. A case in an array has many codes, one in each element, but
    not all codes, so that a codec without the newest codes can pass the other cases. Outside of arrays each
    code is a case, except for the type's boundary values.
    """
    boundaries = {value for _, value in boundary_cases(each)}
    for low in range(0, UNKNOWN_ERROR, _CODES_TOGETHER):
        codes = range(low, min(low + _CODES_TOGETHER, UNKNOWN_ERROR))
        together = place.side_by_side([{each.name: code} for code in codes])
        if together is not None:
            yield f"errors-{codes[0]}-{codes[-1]}", together
        else:
            yield from (
                (f"error-{code}", place.instance({each.name: code}))
                for code in codes
                if code not in boundaries
            )
    yield f"error-{UNKNOWN_ERROR}", place.instance({each.name: UNKNOWN_ERROR})


def _omitted_fields(place: StructLocation) -> Iterator[Scenario]:
    """Each field left out alone, with the other fields of its struct given: this shows the codec's default.

    A field without a default is never left out. Tagged fields are left out in each of these cases.
    """
    given = defaults(place.struct)
    spelled_out = {each.name: given[each.name] for each in place.struct.fields}
    for name in spelled_out:
        if name not in place.needs:
            path = place.inside(name)
            others = {other: value for other, value in spelled_out.items() if other != name}
            yield Scenario(f"{path}/omitted", path, place.exactly(others), omits=True)


def _ignored_fields(place: StructLocation) -> Iterator[Scenario]:
    """Each ignorable field that this version lacks, with another value than its default: it is dropped."""
    for absent in place.struct.absent:
        value = off_default_absent(absent) if absent.ignorable else None
        if value is not None:
            path = place.inside(absent.name)
            yield Scenario(f"{path}/ignored", path, place.instance({absent.name: value}))


_MANY_TAGS: Final = 128
"""The least number of tagged fields whose varint has two bytes."""


def _unknown_tags(place: StructLocation) -> Iterator[Scenario]:
    path = place.inside(TAGS)
    for name, fields in unknown_tag_cases(place.struct):
        yield Scenario(f"{path}/{name}", path, place.instance(fields))
    if place.struct.flexible and path == TAGS:
        above = free_tag(place.struct)
        many = dict.fromkeys(range(above, above + _MANY_TAGS), b"")
        yield Scenario(f"{path}/many", path, place.instance({TAGS: many}))


def unknown_tag_cases(struct: StructLayout) -> Iterator[tuple[str, StructValue]]:
    """Values of a flexible struct with unknown tags; none for other structs.

    The tags are above the known ones, and also below and between them if the struct has free numbers there
    (Kafka's own structs never have, over all versions together).
    """
    if not struct.flexible:
        return
    above = free_tag(struct)
    for length in (0, 127, 128):
        yield f"above/length-{length}", {TAGS: {above: blob(length)}}
    # Given in descending order: a codec has to sort them (KIP-482, "Tag Sections").
    yield "two", {TAGS: {above + 1: b"", above: b"\x01"}}
    wide = max(above, 127)
    yield "wide-numbers", {TAGS: {wide: b"\x01", wide + 1: b"\x02\x03", LAST_TAG: b"\x04"}}
    gaps = _gaps(struct)
    for name, tag in gaps:
        yield name, {TAGS: {tag: b"\x01\x02"}}
    if struct.tagged:
        known = {each.name: off_default(each) for each in struct.tagged}
        tags = {**{tag: b"\x05" for _, tag in gaps}, above: b"\x06"}
        yield "among-known", {**known, TAGS: tags}


def _gaps(struct: StructLayout) -> list[tuple[str, int]]:
    """A free number below all known tags and one between two of them, if such numbers exist."""
    known = [each.tag for each in struct.tagged if each.tag is not None]
    if not known:
        return []
    taken = taken_tags(struct)
    below = [tag for tag in range(known[0] - 1, -1, -1) if tag not in taken]
    between = [tag for tag in range(known[0], known[-1]) if tag not in taken]
    return [*(("below", tag) for tag in below[:1]), *(("between", tag) for tag in between[:1])]


_BITS: Final = {"UnsignedVarint": 32, "Varint": 32, "Varlong": 64}


def varint_scenarios(layout: MessageLayout) -> Iterator[Scenario]:
    """The last value of each length in bytes and the first of the next, on both sides of zero."""
    for name, number in varint_edges(_BITS[layout.name], signed=layout.name != "UnsignedVarint"):
        yield Scenario(f"{VALUE}/{name}", VALUE, {VALUE: number})


def varint_mutations(layout: MessageLayout, data: bytes) -> Iterator[Mutation]:
    """Wrong forms of a valid encoding: longer than necessary, too long, cut off, or with too many bits."""
    bits = _BITS[layout.name]
    longest = varint_bytes(bits)
    for end in range(len(data)):
        yield Mutation("truncate", "", end, data[end:], b"")
    forms = {
        "padded": padded(data, len(data) + 1),
        f"padded-{longest}": padded(data, longest),
        "too-long": padded(data, longest + 1),
        "far-too-long": padded(data, 2 * longest + 1),
        "endless": b"\xff" * longest,
        "all-bits": b"\xff" * (longest - 1) + bytes([(1 << (bits - 7 * (longest - 1))) - 1]),
        "bit-beyond": b"\x80" * (longest - 1) + bytes([1 << (bits - 7 * (longest - 1))]),
        "bits-dropped": with_high_bits(data, bits),
        "unfinished": b"\x80",
    }
    for label, form in distinct_forms(forms, data):
        yield Mutation(f"varint={label}", VALUE, 0, data, form)
    yield Mutation("append=zero", "", len(data), b"", b"\x00")
    yield Mutation("append=ones", "", len(data), b"", b"\xff")
