"""Candidates: the deviations that one exchange allows, before other answers are compared with them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product, zip_longest
from typing import Final, NamedTuple

from wireproof.model.adapter import ENDED, NO_VALUE, READ_PAST_END, Crashed, Equal, Refused, Reply, Size
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.length_triggers import VARINT_SIZES
from wireproof.proof.deviations.catalogue.trigger import (
    CONSTANT,
    CRASH,
    ELEMENTS,
    END_OF_MESSAGE,
    MESSAGE,
    NEIGHBOURS,
    REFUSE,
    SIBLING,
    SIZE,
    WITH_VALUE,
)
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.field_values import is_error_code
from wireproof.proof.deviations.lengths import LENGTH
from wireproof.proof.deviations.prediction import CodecExchange, Prediction, right_reply
from wireproof.proof.deviations.rules import ENDLESS, KNOWN_CODES, family_of
from wireproof.proof.deviations.scopes import Scope
from wireproof.proof.deviations.search.layout_candidates import (
    both_ways,
    of_added,
    of_layouts,
    of_tagged,
    tags_of,
)
from wireproof.proof.deviations.search.leaf_differences import differing_fields, of_sizes, refused_values
from wireproof.proof.deviations.wrong_layouts import ADDED, SKIP, other_form

LAST: Final = ("value", SIBLING, MESSAGE, "layout", ADDED, NEIGHBOURS, SIZE, "type", "refused")
"""Triggers whose deviations are tried after those of all others."""
PROCESS: Final = ENDED | {"memory", "protocol", READ_PAST_END, NO_VALUE}
"""Crashes without an error of the codec's own."""
_OF_ALL_TYPES: Final = ("tag-default", "varint-zero", *VARINT_SIZES)
"""Triggers at which a codec can differ for all types at once."""


class Place(NamedTuple):
    """A trigger, and the type of the field that met it; empty if the trigger has no type."""

    direction: CodecDirection
    trigger: str
    kind: str

    @property
    def types(self) -> frozenset[str]:
        return frozenset({self.kind} - {""})

    @property
    def choices(self) -> Sequence[frozenset[str]]:
        """The types to try for a deviation here; first all types, where codecs have one function for all."""
        if self.trigger == LENGTH:
            return frozenset(), family_of(self.types)
        return (frozenset(), self.types) if self.trigger in _OF_ALL_TYPES else (self.types,)


def once(deviations: Iterable[Deviation]) -> Iterator[Deviation]:
    """Yield each deviation once: those of all types come from each type."""
    seen: set[Deviation] = set()
    for each in deviations:
        if each not in seen:
            seen.add(each)
            yield each


def without_place(deviation: Deviation) -> Deviation:
    """Return the deviation for all types and fields."""
    return replace(deviation, types=frozenset(), fields=frozenset())


def of_structs(exchange: CodecExchange, traced: Prediction) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations of structs: their layouts, their tags, fields that depend on others; limits."""
    yield from zip(of_sizes(exchange, endings_of(exchange)))
    yield from of_tagged(exchange, traced.met)
    yield from of_added(exchange, traced.met)
    yield from of_layouts(exchange, traced.met)
    yield from zip(of_refusals(exchange, endings_of(exchange), refused=traced.ended_at is not None))
    yield from of_siblings(exchange, traced)
    yield from of_neighbours(exchange, traced)
    if isinstance(exchange.reply, Crashed) and exchange.reply.error == NO_VALUE:
        kinds = dict.fromkeys(kind for _, trigger, kind, _ in traced.met if trigger == "type")
        yield from (
            (Deviation(CodecDirection.DECODE, "type", "other", types=frozenset({kind})),) for kind in kinds
        )


def of_neighbours(exchange: CodecExchange, traced: Prediction) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations of a codec that has two fields in the wrong order."""
    differing = {each.path for each in differing_fields(exchange, traced.reply)}
    for path in dict.fromkeys(path for _, trigger, _, path in traced.met if trigger == NEIGHBOURS):
        if not differing or path in differing:
            pair = both_ways(NEIGHBOURS, "swapped", fields=frozenset({path}))
            yield from (pair, *((each,) for each in pair))


def weight(exchange: CodecExchange) -> tuple[bool, int, int]:
    """Return a sort key: right bytes come first, then bytes and values, then refusals, then short answers."""
    reply = exchange.reply
    mute = isinstance(exchange.request, Equal | Size) or (
        isinstance(reply, Crashed) and reply.error in PROCESS
    )
    return (
        isinstance(right_reply(exchange), Refused),
        2 if mute else bool(endings_of(exchange)),
        exchange.size,
    )


LONG: Final = 4_000
"""Bytes of an exchange; a longer one counts as several predictions. Longer record sets are not searched."""
_MOST_ACTIONS: Final = 3
"""Most actions to try for a field that depends on others."""
_OF_NESTED_ARRAYS: Final = ("first-alone", "last-alone", "last-lost")
"""Changes of a value that an array in an array can have, too."""
_OF_ANSWERS: Final = (END_OF_MESSAGE, "size")
"""Triggers that every answer meets, and at which no codec refuses."""
_WITHOUT_ENDING: Final = (LENGTH, "varint-zero", "varint-127", "varint-128")
"""Other triggers at which no codec refuses."""


def endings_of(exchange: CodecExchange) -> list[tuple[str, str]]:
    """Return the actions, with their errors, that can have ended the codec's answer."""
    reply = exchange.reply
    if isinstance(reply, Crashed) and reply.error not in PROCESS:
        return [(CRASH, reply.error)]
    if isinstance(reply, Refused) and reply.read is None:
        return [(REFUSE, "")]
    return []


def deaths_of(exchange: CodecExchange) -> list[tuple[str, str]]:
    """Return the ending of a codec that took its process down, or did not come back; none of another."""
    ended = isinstance(exchange.reply, Crashed) and exchange.reply.error in ENDED
    return [(CRASH, ENDLESS)] if ended else []


def can_show(place: Place, reply: Reply) -> bool:
    """Test if a reply can come of a deviation at a trigger: a wrong length is hardly read to a value."""
    if place.trigger == LENGTH and place.direction is CodecDirection.DECODE:
        return isinstance(reply, Refused | Crashed)
    return place.trigger not in LAST


def at_place(place: Place, endings: list[tuple[str, str]], known: Collection[str]) -> Iterator[Deviation]:
    """Yield the deviations at one trigger.

    Args:
        known: errors of known deviations: they are tried last, as the codec may have failed there instead.
    """
    if place.trigger in _OF_ANSWERS and endings:
        return
    if place.trigger in _WITHOUT_ENDING:
        endings = []
    # An element that is not read makes most readers refuse what follows: a refusal does not show it.
    named = () if place.trigger == "not-empty" and endings else TRIGGERS[place[:2]].actions
    actions = [(each, "") for each in named if each != "constant"]
    first = [each for each in endings if each[1] not in known]
    for types in place.choices:
        for action, error in [*first, *actions, *(each for each in endings if each not in first)]:
            yield Deviation(place.direction, place.trigger, action, error, types=types)


def of_single_fields(
    exchange: CodecExchange, traced: Prediction, known: Collection[str]
) -> Iterator[Deviation]:
    """Yield the deviations of single fields, if the exchange meets a trigger at several: the tags of one
    struct.

    Args:
        known: as `at_place` takes them.
    """
    endings, reply = endings_of(exchange), exchange.reply
    paths: dict[Place, list[str]] = {}
    for direction, trigger, kind, path in traced.met:
        paths.setdefault(Place(direction, trigger, kind), []).append(path)
    for place, several in paths.items():
        if len(several) > 1 and can_show(place, reply):
            for each in at_place(place, endings, known):
                yield from (replace(each, fields=frozenset({path})) for path in several)


def of_messages(
    exchange: CodecExchange, places: Sequence[Place], endings: list[tuple[str, str]]
) -> Iterator[Deviation]:
    """Yield the deviations of a whole message; of a long one those of a limit, too: few others are tried."""
    for place in places:
        if place.trigger == MESSAGE:
            for action, error in deaths_of(exchange) or (*endings, (other_form(exchange.layout), "")):
                yield Deviation(place.direction, MESSAGE, action, error, scope=scope_of(exchange))
    if exchange.size > LONG:
        yield from of_sizes(exchange, endings)


def of_refusals(
    exchange: CodecExchange, endings: list[tuple[str, str]], *, refused: bool
) -> Iterator[Deviation]:
    """Yield the deviations of a codec that does not accept one number of a field, and those of a codec that
    does the same with all bytes that Kafka refuses.

    Args:
        refused: whether Kafka refuses the bytes of the exchange.
    """
    for (direction, path, kind, value), (action, error) in product(refused_values(exchange), endings):
        if kind == "int16" and is_error_code(path) and int(value) in KNOWN_CODES:
            yield Deviation(direction, "unknown-code", action, error, value, frozenset({kind}))
        yield Deviation(direction, "value", action, error, value, frozenset({kind}), frozenset({path}))
    every = [*endings, ("defaults", ""), *deaths_of(exchange)] if refused else []
    for action, error in (each for each in every if each[0] != REFUSE):
        yield Deviation(CodecDirection.DECODE, "refused", action, error)


def of_values(exchange: CodecExchange, traced: Prediction) -> Iterator[Deviation]:
    """Yield the deviations of the fields whose values differ from the prediction, and of their elements."""
    differing = differing_fields(exchange, traced.reply)
    tags = tags_of(exchange)
    absent = {path for _, trigger, _, path in traced.met if trigger == "absent"}
    for difference in differing:
        types, places = frozenset({difference.kind}), frozenset({difference.path})
        if difference.path in tags and difference.direction is CodecDirection.ENCODE:
            yield Deviation(difference.direction, "layout", SKIP, types=types, fields=places)
        if difference.path in absent and difference.constant:
            yield Deviation(
                difference.direction, "absent", "constant", "", difference.constant, types, places
            )
        if not difference.actions and difference.kind.endswith("array"):
            # An array in an array can change, too.
            every = family_of(types)
            yield from (
                Deviation(difference.direction, "value", each, types=every) for each in _OF_NESTED_ARRAYS
            )
        for action in difference.actions:
            value = difference.constant if action in WITH_VALUE else ""
            yield Deviation(difference.direction, "value", action, "", value, types, places)
    paths = {difference.path for difference in differing}
    for direction, trigger, kind, path in traced.met:
        if trigger == ELEMENTS and path in paths:
            for each in at_place(Place(direction, trigger, kind), [], ()):
                yield replace(each, fields=frozenset({path}))


def of_defaults(
    exchange: CodecExchange, traced: Prediction, found: Iterable[Deviation]
) -> Iterator[Deviation]:
    """Yield the deviations of tagged fields whose defaults differ from the schema's.

    The default is the codec's value of an absent field, a value that the codec leaves out, or the default
    that is known for the other direction.
    """
    differing = differing_fields(exchange, traced.reply)
    shown = {(each.path, text) for each in differing for text in (each.constant, each.right) if text}
    shown |= {(path, each.value) for each in found if each.trigger == "default" for path in each.fields}
    for direction, trigger, kind, path in traced.met:
        for _, value in sorted(each for each in shown if trigger == "default" and each[0] == path):
            yield Deviation(direction, trigger, CONSTANT, "", value, frozenset({kind}), frozenset({path}))


def of_siblings(exchange: CodecExchange, traced: Prediction) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations in which the fields that differ depend on other values of their struct."""
    found = differing_fields(exchange, traced.reply)
    inner = {other.path for other in found}
    differing = [each for each in found if not any(_is_within(path, each.path) for path in inner)]
    common = [each.conditions for each in differing]
    for condition in common[0] if common else ():
        if all(condition in each for each in common):
            choices = [[name for name in each.actions if name not in WITH_VALUE] for each in differing]
            for actions in islice(zip_longest(*choices), _MOST_ACTIONS):
                named = zip(differing, actions, choices, strict=True)
                yield tuple(
                    Deviation(
                        each.direction, SIBLING, action or first[0], "", condition,
                        frozenset({each.kind}), frozenset({each.path}),
                    )
                    for each, action, first in named
                    if first
                )  # fmt: skip


def scope_of(exchange: CodecExchange) -> Scope:
    """Return the message and the version of an exchange."""
    return {exchange.layout.name: frozenset({exchange.layout.version})}


def _is_within(path: str, outer: str) -> bool:
    """Test if a field is in another one."""
    return path.startswith((f"{outer}.", f"{outer}[]"))
