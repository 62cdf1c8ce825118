"""The coverage model of a layout: every class of values that each of its fields could meet.

Paths are those of fields (``topics[].partitions[].index``), ``names[]`` for the elements of an array of
scalars, ``topics[]._tags`` for unknown tags, ``message`` for the whole.

A case names the path of its fault. The class of the fault is derived from the value, so that a case counts
for its content, not for its name.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

from kafkawire.primitives import PRIMITIVES
from kafkawire.schema.layout import AbsentField, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import INTEGER_RANGES, ScalarType
from kafkawire.values import TAGS
from wireproof.model.coverage import reasons
from wireproof.model.coverage.generated_classifier import Walk, print_look
from wireproof.model.coverage.proofs import HEADER, disproof
from wireproof.model.coverage.reasons import Reason
from wireproof.model.coverage.scalar_classes import Allot, ScalarLook, scalar_look
from wireproof.model.coverage.value_nodes import (
    ALL,
    AbsentNode,
    ArrayNode,
    Below,
    CoverageModel,
    FieldNode,
    Node,
    Point,
    StructNode,
    TagsNode,
)
from wireproof.model.coverage.wire_sizes import LAST_TAG, FieldSizer, StructWireSizer, is_absent_default
from wireproof.model.layout_parts import sparse_default

FaultLook: TypeAlias = Callable[[Any], int]
"""The bits of the faults of one field's value."""

_LONGEST: Final = 32767


def field_faults(field: FieldLayout, allot: Allot) -> FaultLook:
    """Null where it is not allowed, an integer out of range, a string too long; in an array, its elements."""
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
    if scalar is not None and scalar in INTEGER_RANGES:
        least, most = INTEGER_RANGES[scalar]
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


_COUNTS: Final = (0, 1, 126, 127, 128)
PRINTED_AFTER: Final = 50
"""Full looks before code is generated: to print and compile code takes as long as 50 to 200 node walks."""
_ZEROS: Final = (0, "", b"", False)


class LayoutCoverageModel(CoverageModel):
    """The coverage model of one layout."""

    def __init__(self, builder: "_Builder", layout: MessageLayout, prefix: str) -> None:
        self._layout, self._frame = layout, builder.frame
        self._root = builder.struct(layout.root, prefix)
        self._large = 0
        self._sizer = None
        if builder.frame is None:
            self._sizer = StructWireSizer(layout.root)
            self._large = builder.bit("message", "over-64KiB", reasons.too_small(layout.root))
        builder.fix_frame(self._root)
        self._looks = 0
        self._whole: Walk = self._walk
        self._faults = builder.faults
        super().__init__(builder.points, builder.unreachable, builder.absent)

    def look(self, value: Mapping[str, Any], wanted: int = ALL, size_bytes: int | None = None) -> int:
        met = self._whole(value) if wanted == ALL else self._root.look(value, wanted)
        if size_bytes is None:
            if self._sizer is None or not self._large & wanted:
                return met
            size_bytes = self._sizer.value_bytes(value)
        return met | self._large if size_bytes > reasons.KIB_64 else met

    def _walk(self, value: Mapping[str, Any]) -> int:
        """All bits that a value meets, by the nodes; used until `PRINTED_AFTER` looks make printing pay."""
        self._looks += 1
        if self._looks == PRINTED_AFTER:
            title = f"{self._layout.name} v{self._layout.version} look"
            self._whole = print_look(title, self._root, partial(self._root.look, wanted=ALL))
        return self._root.look(value, ALL)

    def look_refused(self, path: str, value: Mapping[str, Any]) -> int:
        return look_at(self._faults, path, value)

    def disproof(self, bit: int) -> str:
        point, reason = self.points[bit], self.unreachable[bit]
        return disproof(self._layout, self._frame, point.path, point.name, reason)


@lru_cache(maxsize=32)
def coverage_model(layout: MessageLayout) -> CoverageModel:
    """The coverage model of a message's values, and of what it refuses."""
    return LayoutCoverageModel(_Builder(layout.version, None), layout, "")


@lru_cache(maxsize=32)
def frame_coverage_model(header: MessageLayout, api_key: int | None, version: int) -> CoverageModel:
    """The coverage model of the header in frames of one message, whose key and version the header holds."""
    fixed = {"requestApiKey": api_key, "requestApiVersion": version}
    known = {field.name for field in header.root.fields}
    frame = {name: number for name, number in fixed.items() if name in known and number is not None}
    return LayoutCoverageModel(_Builder(header.version, frame), header, HEADER)


class _Builder:
    """Makes nodes, and allots a bit to each class that a node can see.

    Args:
        frame: the fields of a header that cannot vary in a frame; None for a message that is not a header.
    """

    def __init__(self, version: int, frame: Mapping[str, int] | None) -> None:
        self.frame = frame
        self.points: list[Point] = []
        self.unreachable: dict[int, Reason] = {}
        self.faults: dict[str, FaultLook] = {}
        self.absent = 0
        self._version = version
        self._limit = reasons.MESSAGE_BYTES if frame is None else reasons.HEADER_BYTES

    def bit(self, path: str, name: str, reason: Reason | None = None) -> int:
        if reason is not None:
            self.unreachable[len(self.points)] = reason
        self.points.append(Point(path, name))
        return 1 << len(self.points) - 1

    def _allot(self, path: str) -> Allot:
        def allot(name: str, least_bytes: int = 0) -> int:
            return self.bit(path, name, reasons.too_large(least_bytes, self._limit))

        return allot

    def struct(self, struct: StructLayout, prefix: str) -> StructNode:
        """A struct whose fields' paths begin with `prefix`."""
        nodes: dict[str, Node] = {}
        at: dict[str, int] = {}
        for field in struct.all_fields:
            nodes[field.name] = node = self._field(field, f"{prefix}{field.name}")
            at[field.name] = _met_at_default(field, node)
        for absent in struct.absent:
            nodes[absent.name] = self._absent(absent, f"{prefix}{absent.name}")
        tags = self._tags(struct, f"{prefix}{TAGS}")
        return StructNode(nodes, tags, at)

    def _field(self, field: FieldLayout, path: str) -> FieldNode:
        null = self.bit(path, "null") if field.nullable else 0
        at = off = 0
        if _has_own_default(field):
            at, off = self.bit(path, "default"), self.bit(path, "off-default")
        sizes, sizer = {}, None
        if field.tag is not None:
            sizes = {n: self.bit(path, f"data-{n}", reasons.no_such_size(field, n)) for n in (127, 128)}
            sizer = FieldSizer(field)
        may_lack = field.nullable and field.struct is not None and not field.is_array
        present = self.bit(path, "present") if may_lack else 0
        below, bits = self._below(field, path)
        if self.frame is None:
            self.faults[path] = field_faults(field, self._allot(path))
        return FieldNode(field, below, bits, null, present, at, off, sizes, sizer)

    def _below(self, field: FieldLayout, path: str) -> tuple[Below, int]:
        """The classifier of values that are not null, and all classes that they can cover."""
        if field.is_array:
            array = self._array(field, path)
            return array, array.bits
        if field.struct is not None:
            struct = self.struct(field.struct, f"{path}.")
            return struct, struct.bits
        return self._scalar(field, path)

    def _scalar(self, field: FieldLayout, path: str) -> tuple[ScalarLook, int]:
        first = len(self.points)
        scalar = scalar_look(field.range_type or ScalarType.BOOL, field.compact, self._allot(path))
        return scalar, (1 << len(self.points)) - (1 << first)

    def _array(self, field: FieldLayout, path: str) -> ArrayNode:
        counts = {count: self.bit(path, f"count-{count}") for count in _COUNTS}
        few = self.bit(path, "few")
        if field.struct is None:
            return ArrayNode(counts, few, *self._scalar(field, f"{path}[]"))
        inner = field.struct.all_fields
        keys = [(each.name, each.default) for each in inner if each.map_key]
        repeated = self.bit(path, "repeated") if inner else 0
        equal = self.bit(path, "equal-keys") if keys else 0
        struct = self.struct(field.struct, f"{path}[].")
        return ArrayNode(counts, few, struct, struct.bits, repeated, equal, keys, len(keys) == len(inner))

    def _absent(self, field: AbsentField, path: str) -> AbsentNode:
        first = len(self.points)
        self.bit(path, "present", reasons.of_other_versions(field, self._version))
        node = AbsentNode(field, self.bit(path, "at-default"), 0)
        if field.ignorable:
            node.dropped = self.bit(path, "ignored")
        elif self.frame is None:
            self.faults[path] = other_version(field, self._allot(path))
        self.absent |= (1 << len(self.points)) - (1 << first)
        return node

    def _tags(self, struct: StructLayout, path: str) -> TagsNode | None:
        primitive = path == TAGS and struct.name in PRIMITIVES
        if self.frame is None and not primitive:  # of a primitive there is no struct
            self.faults[path] = tag_faults(struct, self._allot(path))
        if not struct.flexible:
            return None
        first = len(self.points)
        known = struct.tagged

        def bit(name: str, reason: Reason | None = None) -> int:
            return self.bit(path, name, reason)

        node = TagsNode(
            none=bit("none"),
            one=bit("one"),
            several=bit("several"),
            lengths={length: bit(f"length-{length}") for length in (0, 127, 128)},
            two_bytes=bit("two-byte-number"),
            last=bit("last-number"),
            above=bit("above", reasons.no_room_above(struct)),
            below=bit("below", reasons.no_room_below(struct)) if known else 0,
            between=bit("between", reasons.no_room_between(struct)) if len(known) > 1 else 0,
            beside=bit("beside-known") if known else 0,
            known=known,
        )
        node.bits = (1 << len(self.points)) - (1 << first)
        return node

    def fix_frame(self, root: StructNode) -> None:
        """The classes that the fixed fields of a frame's header cannot meet."""
        for name, fixed in (self.frame or {}).items():
            node = root.fields[name]
            met = node.look(fixed, ALL)
            for bit in range(len(self.points)):
                if node.bits >> bit & 1 and not met >> bit & 1:
                    self.unreachable[bit] = reasons.AlwaysInFrame(fixed)


def _has_own_default(field: FieldLayout) -> bool:
    """Return True if the default is a separate class: it decides on omission, or is not the type's zero."""
    if field.tag is not None:
        return True
    scalar = field.scalar is not None and not field.is_array
    return scalar and field.default is not None and not _is_zero(field.default)


def _is_zero(default: Any) -> bool:
    """Return whether a value is the default of `ScalarType` for fields without a default; -0.0 is not."""
    return (default in _ZEROS and str(default) != "-0.0") or getattr(default, "int", None) == 0


def _met_at_default(field: FieldLayout, node: FieldNode) -> int:
    """The classes that an absent key covers; none where the default is null and null is refused."""
    if field.default is None:
        return node.look(None, ALL) if field.nullable else 0
    return node.look(sparse_default(field), ALL)
