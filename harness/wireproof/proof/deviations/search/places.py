"""The place of a deviation: its trigger with the type of the field; deviations of one place, or of none."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from wireproof.model import ENDED, NO_VALUE, READ_PAST_END, CodecDirection, Crashed, Equal, Refused
from wireproof.proof.deviations.catalogue.triggers import REFUSE
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.prediction import CodecExchange, right_reply
from wireproof.proof.deviations.scopes import Scope
from wireproof.proof.deviations.wrong_layouts import INTEGER_TYPES, SKIP

PROCESS: Final = ENDED | {"memory", "protocol", READ_PAST_END, NO_VALUE}
"""Crashes that no error of the codec's own explains."""


class Place(NamedTuple):
    """A trigger, and the type of the field that met it; empty where it has none."""

    direction: CodecDirection
    trigger: str
    kind: str

    @property
    def types(self) -> frozenset[str]:
        return frozenset({self.kind} - {""})


def both_ways(
    trigger: str,
    action: str,
    types: frozenset[str] = frozenset(),
    fields: frozenset[str] = frozenset(),
    scope: Scope = MappingProxyType({}),
) -> tuple[Deviation, ...]:
    """Return the deviation of a codec that is wrong in the same way in both directions."""
    return tuple(
        Deviation(each, trigger, action, types=types, fields=fields, scope=scope) for each in CodecDirection
    )


def without_place(deviation: Deviation) -> Deviation:
    """Return the deviation of any type and field."""
    return replace(deviation, types=frozenset(), fields=frozenset())


def of_layouts(
    exchange: CodecExchange, met: Iterable[tuple[CodecDirection, str, str, str]]
) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations of a codec that has a field otherwise than the version, in both directions."""
    if isinstance(right_reply(exchange), Refused):
        return
    for _, trigger, kind, path in met:
        if trigger == "layout":
            for action in (SKIP, *(INTEGER_TYPES if kind in INTEGER_TYPES else ())):
                if action != kind:
                    yield both_ways("layout", action, frozenset({kind}), frozenset({path}))


def of_tagged(met: Iterable[tuple[CodecDirection, str, str, str]]) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations of a codec that refuses unknown tagged fields of a tagged struct, and takes its
    default then.

    Args:
        met: the triggers that an exchange meets, each with the type and the field.
    """
    for direction, trigger, kind, path in met:
        if trigger == "unknown-tag" and path != "_tags":
            types = frozenset({kind})
            yield (
                Deviation(CodecDirection.DECODE, "tagged", "default", types=types),
                Deviation(direction, trigger, REFUSE, types=types, fields=frozenset({path})),
            )


def weight(exchange: CodecExchange) -> tuple[bool, bool, int]:
    """Return what comes first: right bytes, then answers that say which value was read, then short ones."""
    reply = exchange.reply
    mute = isinstance(exchange.request, Equal) or (isinstance(reply, Crashed) and reply.error in PROCESS)
    return isinstance(right_reply(exchange), Refused), mute, exchange.size
