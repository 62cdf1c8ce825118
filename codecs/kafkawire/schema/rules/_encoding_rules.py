"""The rules of a field's `encoding`: the generation-time errors of KIP-625, and two that it leaves open.

KIP-625 names the types int16, int32 and int64. Arrays of them count, too: the encoding is that of each
element, as in the KIP's example, MetadataResponse. Two more errors keep every value readable and writable:
an encoding wider than the type, whose numbers no reader could hold, and a default that a version cannot
write.
"""

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Final

from kafkawire.schema.defaults import parse_default
from kafkawire.schema.model import ArrayType, FieldSpec, MessageSpec, ScalarType, VersionRange
from kafkawire.schema.rule_table import SchemaRule
from kafkawire.schema.rules._paths import FieldPlace

_BITS: Final = {ScalarType.INT16: 16, ScalarType.INT32: 32, ScalarType.INT64: 64}


def encoding_findings(place: FieldPlace, _: MessageSpec) -> Iterator[tuple[SchemaRule, str]]:
    """Yield the errors of a field's `encoding`."""
    field = place.field
    if not field.encodings:
        return
    inner = field.type.element if isinstance(field.type, ArrayType) else field.type
    bits = _BITS.get(inner) if isinstance(inner, ScalarType) else None
    if bits is None:
        yield (
            SchemaRule.ENCODING_TYPE,
            f"encoding is for int16, int32, int64 and their arrays, not for {field.type}: remove it",
        )
        return
    ranges = [versions for versions, _ in field.encodings]
    overlaps = [(one, other) for one, other in combinations(ranges, 2) if not one.intersect(other).empty]
    for one, other in overlaps:
        text = f"encoding gives two for the versions {one.intersect(other)}: {one} and {other} overlap"
        yield SchemaRule.ENCODING_OVERLAP, text
    if not overlaps and not _union_is(ranges, field.versions):
        written = ", ".join(map(str, ranges))
        text = f"encoding has the versions {written}, the field {field.versions}: make them equal"
        yield SchemaRule.ENCODING_VERSIONS, text
    for versions, encoding in field.encodings:
        if encoding.bits > bits:
            advice = f"use one of {bits} bits or a wider type"
            text = f"encoding {encoding} of versions {versions} is wider than {inner}: {advice}"
            yield SchemaRule.ENCODING_TOO_WIDE, text
    yield from _unwritable_defaults(field)


def _union_is(ranges: list[VersionRange], wanted: VersionRange) -> bool:
    """Test if ranges that do not overlap are together `wanted`."""
    held = sorted(each for each in ranges if not each.empty)
    if not held:
        return wanted.empty
    joined = all(one.highest + 1 == other.lowest for one, other in pairwise(held))
    return joined and (held[0].lowest, held[-1].highest) == (wanted.lowest, wanted.highest)


def _unwritable_defaults(field: FieldSpec) -> Iterator[tuple[SchemaRule, str]]:
    try:
        default = parse_default(field.type, field.default)
    except ValueError:
        return  # another rule reports it
    for versions, encoding in field.encodings:
        half = 1 << (encoding.bits - 1)
        if isinstance(default, int) and not -half <= default < half:
            yield (
                SchemaRule.ENCODING_DEFAULT,
                f"the default {default} does not fit {encoding} of versions {versions}: change one of them",
            )
