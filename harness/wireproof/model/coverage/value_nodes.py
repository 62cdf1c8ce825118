"""The classes that a value covers: a tree of nodes in the shape of the layout, one for each part of a value.

Every node knows the bits that can be met below it. A node is skipped if none of its bits is wanted.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from kafkawire.schema.layout import AbsentField, FieldLayout
from kafkawire.values import TAGS
from wireproof.model.coverage.reasons import Reason
from wireproof.model.coverage.scalar_classes import ScalarLook
from wireproof.model.coverage.wire_sizes import LAST_TAG, FieldSizer, is_absent_default, is_default

ALL: Final = -1
"""Every bit is wanted."""

MOST_ELEMENTS: Final = 256
"""The number of elements of an array that are examined. The classes of later elements are not counted."""

WantedLook: TypeAlias = Callable[[Any, int], int]
"""A `Look` that also gets the bits that are wanted. It may return other bits, too."""


@dataclass(slots=True)
class FieldNode:
    """A field, whatever its type.

    Attributes:
        below, below_bits: the node for values other than null, and all bits that can be met there.
        null: the bit that null meets.
        present: the bit that a nullable struct meets if it is not null.
        at, off: the bit that the default meets, and the bit that any other value meets.
        sizes, size_bits: the bits of a tagged field by the size of its data; the union of these bits.
        sizer: the sizer of a tagged field; None for other fields.
        bits: all bits that can be met here and below.
        plain: the look of `below`, if it sees every class of the field; None if null, the default or a tag's
            data have classes too, or if the field has elements or a struct.
    """

    layout: FieldLayout
    below: "Below"
    below_bits: int
    null: int = 0
    present: int = 0
    at: int = 0
    off: int = 0
    sizes: Mapping[int, int] = field(default_factory=dict)
    sizer: FieldSizer | None = None
    size_bits: int = field(init=False)
    bits: int = field(init=False)
    plain: Callable[[Any], int] | None = field(init=False)
    _inner: WantedLook = field(init=False)

    def __post_init__(self) -> None:
        self.size_bits = sum(self.sizes.values())
        own = self.null | self.present | self.at | self.off | self.size_bits
        self.bits = own | self.below_bits
        self.plain = None if own or isinstance(self.below, StructNode | ArrayNode) else self.below.look
        self._inner = _wanted_look(self.below)

    def look(self, value: Any, wanted: int) -> int:
        met = self.null if value is None else self.present | self._inner(value, wanted)
        if (self.at | self.off) & wanted:
            met |= self.at if is_default(self.layout, value) else self.off
        if self.sizer is not None and self.size_bits & wanted and not is_default(self.layout, value):
            met |= self.sizes.get(self.sizer.data_bytes(value), 0)
        return met


def is_repeated(elements: Sequence[Any]) -> bool:
    """Return True if the first element stands twice in a row, and again at the end after another one."""
    if len(elements) < 4 or elements[1] != elements[0] or elements[-1] != elements[0]:
        return False
    return bool(elements[-2] != elements[0])


@dataclass(slots=True)
class ArrayNode:
    """The elements of an array.

    Attributes:
        counts: bits by number of elements; `few` is the bit of other numbers below 128.
        below: the node for an element.
        equal_keys: the bit of two elements with the same key, and different other fields if there are any.
        repeated: the bit of an element that occurs twice in a row, and again after another one.
        keys: names and defaults of the fields that are the key.
        only_keys: whether an element has no fields other than the key.
        element_bits, bits: all bits that can be met in elements, and altogether.
    """

    counts: Mapping[int, int]
    few: int
    below: "ScalarLook | StructNode"
    element_bits: int
    repeated: int = 0
    equal_keys: int = 0
    keys: Sequence[tuple[str, Any]] = ()
    only_keys: bool = False
    bits: int = field(init=False)
    _element: WantedLook = field(init=False)

    def __post_init__(self) -> None:
        self.bits = sum(self.counts.values()) | self.few | self.repeated | self.equal_keys | self.element_bits
        self._element = _wanted_look(self.below)

    def look(self, value: Sequence[Any], wanted: int) -> int:
        count = len(value)
        met = self.counts.get(count) or (self.few if count < 128 else 0)
        left = wanted & self.element_bits
        if left:
            previous: Any = self  # no element is this object
            for element in value[:MOST_ELEMENTS]:
                if element is not previous:
                    met |= self._element(element, left)
                    left &= ~met
                    previous = element
                    if not left:
                        break
        if self.repeated & wanted and is_repeated(value):
            met |= self.repeated
        if self.equal_keys & wanted and self.has_equal_keys(value[:MOST_ELEMENTS]):
            met |= self.equal_keys
        return met

    def has_equal_keys(self, elements: Sequence[Mapping[str, Any]]) -> bool:
        """Return True if two elements have the same key, and different other fields if there are any."""
        keys = list(map(self._key, elements))
        if len(set(keys)) == len(keys):
            return False
        first: dict[Any, Mapping[str, Any]] = {}
        for key, element in zip(keys, elements, strict=True):
            if key in first and (self.only_keys or first[key] != element):
                return True
            first.setdefault(key, element)
        return False

    def _key(self, element: Mapping[str, Any]) -> Any:
        if len(self.keys) == 1:
            ((name, default),) = self.keys
            return element.get(name, default)
        return tuple(element.get(name, default) for name, default in self.keys)


@dataclass(slots=True)
class TagsNode:
    """The unknown tags of one struct.

    Attributes:
        none, one, several: by their number.
        known: the tags of this version that the struct knows.
    """

    none: int
    one: int
    several: int
    lengths: Mapping[int, int]
    two_bytes: int
    last: int
    above: int
    below: int
    between: int
    beside: int
    known: Sequence[FieldLayout]
    bits: int = 0

    def look(self, value: Mapping[str, Any]) -> int:
        tags = value.get(TAGS)
        if not tags:
            return self.none
        met = self.one if len(tags) == 1 else self.several
        for tag, data in tags.items():
            met |= self.lengths.get(len(data), 0) | self._position(tag)
        if any(each.name in value and not is_default(each, value[each.name]) for each in self.known):
            met |= self.beside
        return met

    def _position(self, tag: int) -> int:
        met = self.two_bytes if tag > 127 else 0
        if tag == LAST_TAG:
            met |= self.last
        if not self.known or tag > (self.known[-1].tag or 0):
            return met | self.above
        return met | (self.below if tag < (self.known[0].tag or 0) else self.between)


@dataclass(slots=True)
class AbsentNode:
    """A field of other versions: given at its default, or dropped."""

    layout: AbsentField
    at: int
    dropped: int

    @property
    def bits(self) -> int:
        return self.at | self.dropped

    def look(self, value: Any, wanted: int) -> int:
        return self.at if is_absent_default(self.layout, value) else self.dropped


Node: TypeAlias = FieldNode | AbsentNode
Below: TypeAlias = "ScalarLook | StructNode | ArrayNode"


def _wanted_look(below: Below) -> WantedLook:
    """Return a look that skips unwanted classes; for numbers and texts it returns all classes."""
    if isinstance(below, StructNode | ArrayNode):
        return below.look
    look = below.look
    return lambda value, wanted: look(value)


class StructNode:
    """The classes of a struct and of its fields.

    Args:
        at: the bits that each field meets if its key is absent.

    Attributes:
        tags: the node of the unknown tags of a flexible struct; else None.
        bits: all bits that can be met here and below.
    """

    __slots__ = ("_default_bits", "_defaults", "_looks", "bits", "fields", "tags")

    def __init__(self, fields: Mapping[str, Node], tags: TagsNode | None, at: Mapping[str, int]) -> None:
        self.fields = fields
        self.tags = tags
        self._defaults = tuple(at.items())
        self._default_bits = 0
        for bits in at.values():
            self._default_bits |= bits
        self.bits = 0 if tags is None else tags.bits
        for node in fields.values():
            self.bits |= node.bits
        # Most fields are numbers and texts: a direct call for each saves two calls through the node.
        self._looks = {
            name: (node.bits, None if isinstance(node, AbsentNode) else node.plain, node.look)
            for name, node in fields.items()
        }

    def look(self, value: Mapping[str, Any], wanted: int) -> int:
        """The classes that the struct's value covers: keys that it lacks are at their defaults."""
        met = 0
        looks = self._looks
        for name, given in value.items():
            found = looks.get(name)
            if found is not None and found[0] & wanted:
                plain = found[1]
                met |= found[2](given, wanted) if plain is None else plain(given)
        if self._default_bits & wanted & ~met:
            for name, bits in self._defaults:
                if name not in value:
                    met |= bits
        if self.tags is not None and self.tags.bits & wanted:
            met |= self.tags.look(value)
        return met


REFUSED: Final = "refused"
"""The prefix of the names of classes whose values codecs refuse."""


@dataclass(frozen=True, slots=True)
class Point:
    """A class of values of one field."""

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}/{self.name}"


class CoverageModel(ABC):
    """The classes of one cell.

    Attributes:
        points: every class; the bit of each is its place.
        unreachable: the reason for each point that no value can meet, by its bit.
        reachable, doubtful: the bits of all other points, and the bits of the unreachable points.
        absent: the bits of fields that the version lacks, reachable or not.
        readable: the bits that a value read from the wire can meet: not those of fields that the version
            lacks, nor those of values that codecs refuse.
    """

    def __init__(self, points: Sequence[Point], unreachable: Mapping[int, Reason], absent: int = 0) -> None:
        self.points: Final = tuple(points)
        self.unreachable: Final = unreachable
        self.absent: Final = absent
        self.doubtful: Final = sum(1 << bit for bit in unreachable)
        self.reachable: Final = (1 << len(self.points)) - 1 & ~self.doubtful
        refused = sum(1 << bit for bit, each in enumerate(self.points) if each.name.startswith(REFUSED))
        self.readable: Final = self.reachable & ~absent & ~refused

    @abstractmethod
    def look(self, value: Mapping[str, Any], wanted: int = ALL, size_bytes: int | None = None) -> int:
        """The bits that a value meets, as far as they are wanted; others may be among them.

        Args:
            size_bytes: the size of the value on the wire, if it was read from there; else it is computed.
        """

    @abstractmethod
    def look_refused(self, path: str, value: Mapping[str, Any]) -> int:
        """The bits of what is wrong with a value at one path."""

    @abstractmethod
    def disproof(self, bit: int) -> str:
        """The objection to the reason for an unreachable point; empty where the reason holds."""

    def names(self, bits: int) -> tuple[str, ...]:
        """``PATH/CLASS`` of each of the points, in the order of the layout."""
        return tuple(str(point) for bit, point in enumerate(self.points) if bits >> bit & 1)


class _NoClasses(CoverageModel):
    """The model of a cell in which no classes are counted."""

    def look(self, value: Mapping[str, Any], wanted: int = ALL, size_bytes: int | None = None) -> int:
        return 0

    def look_refused(self, path: str, value: Mapping[str, Any]) -> int:
        return 0

    def disproof(self, bit: int) -> str:
        raise IndexError("the model has no points")


NO_CLASSES: Final = _NoClasses((), {})
