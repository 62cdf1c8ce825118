"""Candidates of layouts: the deviations of a codec that lacks a field, or has it otherwise than Kafka."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from wireproof.model.adapter import Encode, Encoded, Refused
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import REFUSE
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.prediction import CodecExchange, right_reply
from wireproof.proof.deviations.scopes import Scope
from wireproof.proof.deviations.wrong_layouts import ADDED, AFTER, RETAG, SKIP, UNKNOWN, other_types

_MOST_TAGS: Final = 8
"""A limit above the number of tagged fields in any struct of Kafka."""


def both_ways(
    trigger: str,
    action: str,
    types: frozenset[str] = frozenset(),
    fields: frozenset[str] = frozenset(),
    scope: Scope | None = None,
) -> tuple[Deviation, ...]:
    """Return the deviations of a codec that is wrong in the same way in both directions."""
    return tuple(
        Deviation(each, trigger, action, types=types, fields=fields, scope=scope or {})
        for each in CodecDirection
    )


def of_layouts(
    exchange: CodecExchange, met: Iterable[tuple[CodecDirection, str, str, str]]
) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations of a codec that has a field otherwise, or lacks all fields new in the version; and
    those of one that is wrong in one direction only."""
    if isinstance(right_reply(exchange), Refused):
        return
    version, tags = exchange.layout.version, tags_of(exchange)
    new = {path for path, _, each in exchange.layout.walk() if each.versions.lowest == version}
    places = [(kind, path) for _, trigger, kind, path in met if trigger == "layout" and path not in tags]
    kinds = [(kind, "") for kind in dict.fromkeys(kind for kind, _ in places)]
    for kind, path in (*kinds, *places):
        for action in (SKIP, *other_types(kind)) if path else other_types(kind):
            yield both_ways("layout", action, frozenset({kind}), frozenset({path} - {""}))
    for kind, path in places:
        yield from zip(both_ways("layout", SKIP, frozenset({kind}), frozenset({path})))
    for kind, path in (*kinds, *places) if extra_bytes(exchange) else ():
        for action in other_types(kind):
            alone = both_ways("layout", action, frozenset({kind}), frozenset({path} - {""}))
            yield tuple(each for each in alone if each.direction is CodecDirection.ENCODE)
    added = [place for place in places if place[1] in new]
    if added:
        types, fields = (frozenset(each) for each in zip(*added, strict=True))
        pair = both_ways("layout", SKIP, types, fields)
        yield from (pair, *((each,) for each in pair))


def of_added(
    exchange: CodecExchange, met: Iterable[tuple[CodecDirection, str, str, str]]
) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations of a codec that has a field of other versions, after each field of its struct."""
    before = defaultdict[str, list[str]](lambda: [""])
    for path, _, field in exchange.layout.walk():
        if field.tag is None:
            before[path[: path.rfind(".") + 1]].append(field.name)
    for _, trigger, kind, path in met:
        if trigger == ADDED:
            pair = both_ways(ADDED, AFTER, frozenset({kind}), frozenset({path}))
            for name in before[path[: path.rfind(".") + 1]]:
                yield tuple(replace(each, value=name) for each in pair)


def extra_bytes(exchange: CodecExchange) -> int:
    """Return how many bytes more than the reference the codec wrote; 0 if one of them wrote no message."""
    right, reply = right_reply(exchange), exchange.reply
    if not (
        isinstance(exchange.request, Encode) and isinstance(reply, Encoded) and isinstance(right, Encoded)
    ):
        return 0
    return len(reply.data) - len(right.data)


def of_tagged(
    exchange: CodecExchange, met: Iterable[tuple[CodecDirection, str, str, str]]
) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations of a codec that lacks a tagged field, or has another tag for it; and those of a
    codec that refuses unknown tagged fields of a tagged struct, and takes the struct's default.

    Args:
        met: the triggers that the exchange meets, each with the type and the field.
    """
    tags = tags_of(exchange)
    for direction, trigger, kind, path in met:
        types = frozenset({kind})
        if trigger == "layout" and path in tags:
            lacks = Deviation(direction, trigger, SKIP, types=types, fields=frozenset({path}))
            yield (lacks,)
            if direction is CodecDirection.DECODE:
                yield (replace(lacks, action=UNKNOWN),)
            for tag in sorted({*range(_MOST_TAGS)} - {tags[path]}):
                other = replace(lacks, action=RETAG, value=str(tag))
                yield tuple(replace(other, direction=each) for each in CodecDirection)
        if trigger == "unknown-tag" and path != "_tags":
            yield (
                Deviation(CodecDirection.DECODE, "tagged", "default", types=types),
                Deviation(direction, trigger, REFUSE, types=types, fields=frozenset({path})),
            )


def tags_of(exchange: CodecExchange) -> dict[str, int]:
    """Return the tags of the tagged fields, by path."""
    return {path: field.tag for path, _, field in exchange.layout.walk() if field.tag is not None}
