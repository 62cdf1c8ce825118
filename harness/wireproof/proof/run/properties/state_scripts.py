"""The proven values of a cell that go through the script of states."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS
from wireproof.model.coverage.layout_model import coverage_model
from wireproof.proof.run.core.frame_cases import FULLEST
from wireproof.proof.run.core.prepared_cases import PreparedCase

MANY_ELEMENTS: Final = "message/many-elements"
"""The enumerated case whose small elements fill more than 64 KiB."""

_DEFAULT: Final = "message/default"
_LARGEST_BYTES: Final = 1024
"""The script asks a question for each byte: larger values take part only if they are the fullest instance."""


class Trait(StrEnum):
    """A trait that a scripted value must have, if any proven value of the cell has it."""

    NULL = "null"
    ARRAY = "array"
    TAGGED = "tagged"
    UNKNOWN_TAGS = "unknown-tags"


@dataclass(slots=True)
class ScriptedValues:
    """Collects the proven values of a cell while its cases run, and chooses those for the script.

    Attributes:
        proven: the small ones and the fullest instance, in the order of the cases.
        many: the proven value of many small elements; None where the cell has none.
    """

    layout: MessageLayout
    proven: list[PreparedCase] = field(default_factory=list)
    many: PreparedCase | None = None

    def note(self, items: Sequence[PreparedCase], *, largest_bytes: float = _LARGEST_BYTES) -> None:
        """Keep what the script may need of a batch of proven values.

        Args:
            largest_bytes: larger values are left out, except for the fullest instance.
        """
        for item in items:
            if item.case.name == MANY_ELEMENTS:
                self.many = item
            elif item.case.name == FULLEST or len(item.expected) <= largest_bytes:
                self.proven.append(item)

    def chosen(self, deviates: Callable[[str], bool]) -> list[PreparedCase]:
        """The values for one codec: a small one, the fullest one, and others for the traits that both lack.

        Args:
            deviates: whether the codec answers the case of this name otherwise than Kafka.
        """
        items = [item for item in self.proven if not deviates(item.case.name)]
        if not items:
            return []
        found = [_smallest(items)]
        fullest = next((item for item in items if item.case.name == FULLEST), None) or self._fullest(items)
        if fullest is not found[0]:
            found.append(fullest)
        for trait in self._missing(found):
            if trait in self._missing(found):
                holders = [item for item in items if trait in traits_of(self.layout.root, item.case.value)]
                found += [self._fullest(holders)] if holders else []
        return found

    def _fullest(self, items: Sequence[PreparedCase]) -> PreparedCase:
        """The value that meets most classes of values; the first of several."""
        look = coverage_model(self.layout).look
        return max(items, key=lambda item: look(item.case.value).bit_count())

    def _missing(self, found: Sequence[PreparedCase]) -> list[Trait]:
        """The traits that the layout allows and no chosen value holds."""
        held = {trait for item in found for trait in traits_of(self.layout.root, item.case.value)}
        return [trait for trait in Trait if trait not in held and trait in _possible(self.layout)]


def _smallest(items: Sequence[PreparedCase]) -> PreparedCase:
    default = next((item for item in items if item.case.name == _DEFAULT), None)
    return default or min(items, key=lambda item: len(item.expected))


def traits_of(struct: StructLayout, value: Mapping[str, Any]) -> frozenset[Trait]:
    """The traits of a value; absent keys mean their defaults."""
    return frozenset(_traits(struct, value))


def _traits(struct: StructLayout, value: Mapping[str, Any]) -> Iterator[Trait]:
    if value.get(TAGS):
        yield Trait.UNKNOWN_TAGS
    for each in struct.all_fields:
        item = value.get(each.name, each.default)
        if item is None:
            if each.nullable:
                yield Trait.NULL
            continue
        if each.tag is not None and each.name in value and item != each.default:
            yield Trait.TAGGED
        yield from _inner_traits(each, item)


def _inner_traits(each: FieldLayout, item: Any) -> Iterator[Trait]:
    if each.is_array and isinstance(item, list) and item:
        yield Trait.ARRAY
    if each.struct is not None:
        for element in item if isinstance(item, list) else [item]:
            if isinstance(element, Mapping):
                yield from _traits(each.struct, element)


def _possible(layout: MessageLayout) -> frozenset[Trait]:
    """The traits that some value of the layout can have."""
    fields = [each for _, _, each in layout.walk()]
    able = {
        Trait.NULL: any(each.nullable for each in fields),
        Trait.ARRAY: any(each.is_array for each in fields),
        Trait.TAGGED: any(each.tag is not None for each in fields),
        Trait.UNKNOWN_TAGS: layout.flexible,
    }
    return frozenset(trait for trait, holds in able.items() if holds)
