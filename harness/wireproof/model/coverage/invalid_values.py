"""Classes for the faults of values that a version cannot hold.

A case names the place of its fault. The fault itself is read off the value, so that a case counts for its
content, not for its name.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from kafkawire.schema.layout import AbsentField, FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from wireproof.model.coverage.scalar_classes import Allot
from wireproof.model.coverage.wire_sizes import LAST_TAG, is_absent_default

__all__ = ["FaultLook", "field_faults", "look_at", "other_version", "tag_faults"]

FaultLook: TypeAlias = Callable[[Any], int]
"""The bits of the faults of one field's value."""

_LONGEST: Final = 32767

_SPANS: Final[Mapping[ScalarType, tuple[int, int]]] = {
    ScalarType.INT8: (-(2**7), 2**7 - 1),
    ScalarType.INT16: (-(2**15), 2**15 - 1),
    ScalarType.UINT16: (0, 2**16 - 1),
    ScalarType.INT32: (-(2**31), 2**31 - 1),
    ScalarType.UINT32: (0, 2**32 - 1),
    ScalarType.INT64: (-(2**63), 2**63 - 1),
}


def field_faults(field: FieldLayout, allot: Allot) -> FaultLook:
    """Null where none is taken, an integer out of range, a string too long; of an array: in it."""
    null = 0 if field.nullable else allot("refused-null")
    item = _item_faults(field.range_type, allot)

    def look(value: Any) -> int:
        if value is None:
            return null
        met = 0
        for each in value if field.is_array else (value,):
            met |= item(each)
        return met

    return look


def _item_faults(scalar: ScalarType | None, allot: Allot) -> FaultLook:
    if scalar is ScalarType.STRING:
        long = allot("refused-long")
        return lambda value: long if len(value.encode()) > _LONGEST else 0
    if scalar is not None and scalar in _SPANS:
        least, most = _SPANS[scalar]
        low, high = allot("refused-low"), allot("refused-high")
        return lambda value: low if value < least else high if value > most else 0
    return lambda value: 0


def other_version(field: AbsentField, allot: Allot) -> FaultLook:
    """A field that the version lacks and must not ignore, off its default."""
    refused = allot("refused")
    return lambda value: 0 if is_absent_default(field, value) else refused


def tag_faults(struct: StructLayout, allot: Allot) -> FaultLook:
    """Allot classes for unknown tags out of range, defined by the struct, or without a tag section."""
    if not struct.flexible:
        anywhere = allot("refused-not-flexible")
        return lambda tags: anywhere if tags else 0
    high, negative = allot("refused-high"), allot("refused-negative")
    taken = {field.tag for field in struct.tagged} | struct.reserved_tags
    defined = allot("refused-defined") if taken else 0

    def look(tags: Mapping[int, bytes]) -> int:
        met = 0
        for tag in tags:
            met |= negative if tag < 0 else high if tag > LAST_TAG else defined if tag in taken else 0
        return met

    return look


def look_at(faults: Mapping[str, FaultLook], path: str, value: Mapping[str, Any]) -> int:
    """The bits of what is wrong at a path such as ``topics[].partitions[].index``; 0 where nothing is."""
    look = faults.get(path)
    if look is None:
        return 0
    *outer, name = path.split(".")
    for step in outer:
        inner = value.get(step.removesuffix("[]"))
        if step.endswith("[]"):
            inner = inner[0] if inner else None
        if inner is None:
            return 0
        value = inner
    return look(value[name]) if name in value else 0
