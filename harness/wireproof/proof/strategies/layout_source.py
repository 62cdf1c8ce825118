"""The source of cases that the harness hands to a run: everything here comes from a layout."""

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, Final

from kafkawire.primitives import PRIMITIVES, is_varint
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue
from wireproof.model.case_source import CollectionKind, ElementCollection, InstanceJudge, SearchResult
from wireproof.model.cell import Case, Cell, Phase
from wireproof.model.coverage.independent_count import count_mismatches
from wireproof.model.coverage.wire_sizes import LAST_TAG
from wireproof.model.malformed_input import Mutation, MutationPart
from wireproof.proof.strategies.cases.absent_fields import absent_cases
from wireproof.proof.strategies.cases.future_tags import grow, grown_cases, reserved_tag_cases
from wireproof.proof.strategies.cases.scenarios import (
    Scenario,
    scenarios,
    varint_mutations,
    varint_scenarios,
    whole_cases,
)
from wireproof.proof.strategies.drawing.bulk_blocks import BLOCK_CASES, bulk_block
from wireproof.proof.strategies.malformed.frame_mutations import frame_mutations
from wireproof.proof.strategies.malformed.message_mutations import mutations
from wireproof.proof.strategies.malformed.mutation_slice import Slice
from wireproof.proof.strategies.shrinking.value_shrinking import shrink
from wireproof.proof.strategies.values.boundary_values import Named, one_off, span, text
from wireproof.proof.strategies.values.sized_values import every_field, scalar_of, small_element
from wireproof.proof.strategies.values.whole_instances import (
    StructLocation,
    at_default,
    free_tag,
    off_default,
    plain_element,
    required,
    struct_locations,
    taken_tags,
)


def refused_values(layout: MessageLayout) -> Iterator[Scenario]:
    """Named values one step beyond the layout, each with one field at fault.

    - ``null-refused``: null in a field that this version does not allow to be null;
    - ``length-32768``: a string one byte too long (for an array: in its element);
    - ``below-min``, ``above-max``: an integer just outside its type or encoding (likewise);
    - ``_tags/...``: an unknown tag that is not allowed: defined by the struct, or out of range, or in a
      struct that has no tag section.
    """
    for place in struct_locations(layout):
        for each in place.struct.all_fields:
            yield from _scenarios(place, each.name, ((n, {each.name: v}) for n, v in _refused(each)))
        yield from _scenarios(place, TAGS, _refused_tags(place.struct))


def _scenarios(
    place: StructLocation, name: str, cases: Iterable[tuple[str, StructValue]]
) -> Iterator[Scenario]:
    path = place.inside(name)
    for case, fields in cases:
        yield Scenario(f"{path}/{case}", path, place.instance(fields))


def _refused(each: FieldLayout) -> Iterator[Named]:
    if not each.nullable:
        yield "null-refused", None
    for name, value in _out_of_range(each.range_type):
        yield name, [value] if each.is_array else value


def _out_of_range(scalar: ScalarType | None) -> Iterator[Named]:
    if scalar is None:
        return
    if scalar is ScalarType.STRING:
        yield "length-32768", text(32768)
    limits = span(scalar)
    if limits is not None:
        yield "below-min", limits[0] - 1
        yield "above-max", limits[1] + 1


def _refused_tags(struct: StructLayout) -> Iterator[tuple[str, StructValue]]:
    if not struct.flexible:
        yield "not-flexible", {TAGS: {0: b""}}
        return
    yield "above-last", {TAGS: {LAST_TAG + 1: b""}}
    yield "negative", {TAGS: {-1: b""}}
    for tag in sorted(taken_tags(struct)):
        yield f"defined-{tag}", {TAGS: {tag: b""}}


_MOST: Final = 1 << 13
_MOST_CHARACTERS: Final = 32767
_TEXT_TIMES: Final = 20
"""Repetitions of short texts: a codec that copies the rest for each element must have much to copy."""
_BLOCK: Final = bytes(range(64))
_DISTINCT: Final = 300
"""The number of elements whose keys are compared: keys of 8 bits repeat after 256 elements."""


def collections_of(layout: MessageLayout) -> Iterator[ElementCollection]:
    """The first collection of each kind and element type, in the order of the fields."""
    seen = set()
    for found in _every(layout):
        if (found.kind, found.element) not in seen:
            seen.add((found.kind, found.element))
            yield found


def _every(layout: MessageLayout) -> Iterator[ElementCollection]:
    for place, field in every_field(layout):
        found = _of_array(place, field) if field.is_array else _of_bytes(place, field)
        if found is not None:
            yield found
    if layout.flexible:
        yield _of_tags(layout)


def _of_array(place: StructLocation, field: FieldLayout) -> ElementCollection | None:
    element = small_element(field)
    if element is None or not _distinct(field, element):
        return None
    structs = field.struct is not None
    kind = CollectionKind.STRUCTS if structs else CollectionKind.SCALARS
    return ElementCollection(
        place.inside(field.name),
        kind,
        str(kind if structs else field.scalar),
        lambda count: place.instance({field.name: [_wide(element(number)) for number in range(count)]}),
        _MOST,
    )


def _wide(element: Any) -> Any:
    """The element with longer texts."""
    match element:
        case str():
            return element * _TEXT_TIMES
        case dict():
            return {name: _wide(item) if isinstance(item, str) else item for name, item in element.items()}
        case _:
            return element


def _distinct(field: FieldLayout, element: Callable[[int], Any]) -> bool:
    """Return True if all keys differ: Kafka's own collections search through equal keys."""
    keys = [each.name for each in field.struct.all_fields if each.map_key] if field.struct else []
    if not keys:
        return True
    found = {tuple(str(element(number).get(key)) for key in keys) for number in range(_DISTINCT)}
    return len(found) == _DISTINCT


def _of_bytes(place: StructLocation, field: FieldLayout) -> ElementCollection | None:
    path, scalar = place.inside(field.name), field.scalar
    if scalar is ScalarType.STRING:
        return ElementCollection(
            path,
            CollectionKind.TEXT,
            str(scalar),
            lambda count: place.instance({field.name: "a" * count}),
            _MOST_CHARACTERS,
        )
    if scalar is ScalarType.BYTES:
        return ElementCollection(
            path,
            CollectionKind.DATA,
            str(scalar),
            lambda count: place.instance({field.name: _BLOCK * count}),
            _MOST,
        )
    return None


def _of_tags(layout: MessageLayout) -> ElementCollection:
    first = free_tag(layout.root)

    def make(count: int) -> StructValue:
        tags = {tag: tag.to_bytes(4) for tag in range(first, first + count)}
        return {**required(layout.root), TAGS: tags}

    return ElementCollection(TAGS, CollectionKind.TAGS, "", make, _MOST)


def changed_fields(layout: MessageLayout, value: StructValue) -> Iterator[tuple[str, StructValue]]:
    """Yield, for each field at every depth, its path, and the value with this field changed alone.

    In an array, the length and the first element are changed. Unknown tags are removed.
    """
    return _in_struct(layout.root, value, "")


def _in_struct(struct: StructLayout, value: StructValue, prefix: str) -> Iterator[tuple[str, StructValue]]:
    for field in struct.all_fields:
        held = value.get(field.name, at_default(field))
        for path, other in _in_field(field, held, f"{prefix}{field.name}"):
            yield path, {**value, field.name: other}
    if value.get(TAGS):
        yield f"{prefix}{TAGS}", {name: held for name, held in value.items() if name != TAGS}


def _in_field(field: FieldLayout, held: Any, path: str) -> Iterator[tuple[str, Any]]:
    if held is None:
        default = at_default(field)
        yield path, off_default(field) if default is None else default
    elif field.is_array:
        yield from _in_array(field, held, path)
    elif field.struct is not None:
        yield from _in_struct(field.struct, held, f"{path}.")
    elif field.range_type is not None:
        yield path, one_off(field.range_type, held)


def _in_array(field: FieldLayout, held: list[Any], path: str) -> Iterator[tuple[str, list[Any]]]:
    yield path, held[:-1] or [*held, plain_element(field)]
    if not held:
        return
    first, *rest = held
    if field.struct is None:
        yield f"{path}[]", [one_off(scalar_of(field), first), *rest]
        return
    for inner, other in _in_struct(field.struct, first, f"{path}[]."):
        yield inner, [other, *rest]


class LayoutSource:
    """Boundary cases and random instances of layouts; the methods are those of `CaseSource`.

    Args:
        json_of: the release's own text of a cell's message, for the independent count.
        newest_of: the newest version of a message that the codec under test has, which gets the largest
            cases; None, or a result of None, for the message's newest.
    """

    def __init__(
        self,
        json_of: Callable[[Cell], str],
        newest_of: Callable[[Cell, MessageLayout], int | None] | None = None,
    ) -> None:
        self._json_of = json_of
        self._newest_of = newest_of

    absent = staticmethod(absent_cases)
    changes = staticmethod(changed_fields)
    collections = staticmethod(collections_of)
    frame_mutations = staticmethod(frame_mutations)
    reserved_tags = staticmethod(reserved_tag_cases)
    shrink = staticmethod(shrink)

    def enumerated(self, cell: Cell, layout: MessageLayout) -> Iterator[Case]:
        """The named boundary cases; they are the same in each call."""
        newest = None if self._newest_of is None else self._newest_of(cell, layout)
        for scenario in scenarios(layout, newest):
            omitted = scenario.path if scenario.omits else ""
            yield Case(cell, Phase.ENUMERATED, scenario.name, scenario.value, omitted=omitted)
        for scenario in varint_scenarios(layout) if is_varint(layout.name) else ():
            yield Case(cell, Phase.ENUMERATED, scenario.name, scenario.value)

    def refused(self, layout: MessageLayout) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Values that this version cannot hold: (case name, value, path of the field at fault)."""
        for scenario in refused_values(layout):
            if layout.name in PRIMITIVES and scenario.path == TAGS:
                continue  # a primitive has no struct around it
            yield scenario.name, scenario.value, scenario.path

    def mutations(
        self, layout: MessageLayout, data: bytes, part: MutationPart | None = None
    ) -> Iterator[Mutation]:
        """Every hostile change of one valid encoding; `part` has no effect on a single varint."""
        return varint_mutations(layout, data) if is_varint(layout.name) else mutations(layout, data, part)

    def slice(self) -> MutationPart:
        """The small part of a cell's mutations; see `Slice`."""
        return Slice()

    def independent_count(self, cell: Cell, layout: MessageLayout) -> list[str]:
        """Fields whose classes of values differ from those in the release's JSON."""
        return count_mismatches(self._json_of(cell), layout)

    def bulk(self, layout: MessageLayout, first: int, count: int, *, seed: int) -> Iterator[dict[str, Any]]:
        """`count` seeded instances, from number `first` on; see `drawing.bulk_blocks`."""
        block, skipped = divmod(first, BLOCK_CASES)
        while count > 0:
            values = bulk_block(layout, seed, block)[skipped : skipped + count]
            yield from values
            count -= len(values)
            block, skipped = block + 1, 0

    def whole(self, layout: MessageLayout) -> Iterator[tuple[str, dict[str, Any]]]:
        """The enumerated cases of the message as a whole, without the large ones."""
        return ((f"message/{name}", value) for name, value in whole_cases(layout))

    def grown(self, layout: MessageLayout) -> tuple[MessageLayout, list[tuple[str, dict[str, Any]]]] | None:
        """The layout with additional tagged fields, and its values; None if it has no tag sections."""
        grown = grow(layout)
        return None if grown is None else (grown, list(grown_cases(grown)))

    def search(
        self,
        layout: MessageLayout,
        judge: InstanceJudge,
        *,
        examples: int,
        seed: int,
        shrink_s: float,
        found: Callable[[dict[str, Any]], None],
    ) -> SearchResult:
        """Let Hypothesis search for an instance that is not proven."""
        # Hypothesis takes a second to import: only a run with a random phase waits for it.
        from wireproof.proof.strategies.drawing.hypothesis_instances import instance_groups
        from wireproof.proof.strategies.drawing.search import search

        # Each cell draws its own sequence: the same one everywhere would try the same digits everywhere.
        digest = sha256(f"{seed}/{layout.name}/{layout.version}".encode()).digest()
        groups, size = instance_groups(layout)
        return search(
            groups,
            judge,
            size=size,
            examples=examples,
            seed=int.from_bytes(digest[:8]),
            shrink_s=shrink_s,
            found=found,
        )
