"""Codecs with planted deviations, and what the search finds in their answers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final, TypeAlias

from kafkawire.schema.layout import MessageLayout
from tests.support.codecs.enumerated_exchanges import HEADER, requests, small_requests
from wireproof.model.adapter import Refused, Reply, Request
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Model, right_reply
from wireproof.proof.deviations.search.deviation_search import MOST_PREDICTIONS, DeviationSearch
from wireproof.proof.deviations.search.diagnosis import diagnose

READ, WRITE = CodecDirection.DECODE, CodecDirection.ENCODE
_AGREEING: Final = 240
"""About as many right answers as the observer keeps."""

Answer: TypeAlias = Callable[[CodecExchange], Reply]
Asked: TypeAlias = Sequence[tuple[CodecExchange, Reply]]
"""Requests, each with the right reply."""


@cache
def small_asked(message: str = "SmallRequest", version: int = 2) -> Asked:
    """Return the small requests about a message, in frames too."""
    layouts = (each for each in small_requests() if (each[0].name, each[0].version) == (message, version))
    return _asked(CodecExchange(layout, HEADER, request, Refused("", "")) for layout, request in layouts)


def asked_of(message: MessageLayout, every: int, kind: type[Request] | None = None) -> Asked:
    """Return a part of the requests about a message.

    Args:
        every: the step between two of them.
        kind: the only kind of request; None for all kinds.
    """
    some = (each for each in requests(message, every=every) if kind is None or isinstance(each, kind))
    return _asked(CodecExchange(message, None, each, Refused("", "")) for each in some)


def _asked(exchanges: Iterable[CodecExchange]) -> Asked:
    return [(each, right_reply(each)) for each in exchanges]


def planted(*deviations: Deviation) -> Answer:
    """Return the answers of a codec with deviations."""
    model = Model(deviations)
    return lambda exchange: model.predict(exchange).reply


def searched(
    answer: Answer,
    asked: Asked | None = None,
    *,
    known: Sequence[Deviation] = (),
    most: int = MOST_PREDICTIONS,
) -> tuple[DeviationSearch, list[CodecExchange]]:
    """Search the deviations of a codec.

    Args:
        asked: what it is asked; None for the requests about the small message.
        known, most: as `diagnose` takes them.

    Returns:
        The search, and the exchanges in which the codec differs.
    """
    answered = [(replace(each, reply=answer(each)), right) for each, right in asked or small_asked()]
    same = [(each, matches(right, each.reply)) for each, right in answered]
    agreeing = [each for each, is_right in same if is_right]
    differing = [each for each, is_right in same if not is_right]
    some = agreeing[:: max(1, len(agreeing) // _AGREEING)]
    return diagnose(differing, some, [], known, most=most), differing


def operators(deviations: Iterable[Deviation]) -> set[tuple[CodecDirection, str, str]]:
    """Return the direction, the trigger and the action of each deviation."""
    return {(each.direction, each.trigger, each.action) for each in deviations}


def assert_all_predicted(found: DeviationSearch, differing: Sequence[CodecExchange]) -> None:
    """Assert that some answers differ, and that the search predicts all of these."""
    assert differing
    assert all(found.predicts(each) is not None for each in differing)
