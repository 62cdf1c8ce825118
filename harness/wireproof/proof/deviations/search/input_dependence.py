"""Codecs whose answers do not depend on the questions alone: no deviation can predict such answers."""

from collections.abc import Iterable, Sequence
from typing import Final

from wireproof.model.adapter import (
    READ_PAST_END,
    Copy,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
)
from wireproof.proof.deviations.prediction import CodecExchange, right_reply
from wireproof.proof.deviations.search.exchange_words import (
    differing_words,
    exact_text,
    reply_words,
    request_words,
)
from wireproof.proof.deviations.whole_values import RECORD_SET

_LEAST: Final = 8
"""The least number of questions with different right answers for which one answer is no coincidence."""

_MOSTLY: Final = 0.95
_SEVERAL: Final = 2
"""The least number of different stale answers: a lost field gives the same answer again and again."""


def two_answers(exchanges: Iterable[CodecExchange]) -> dict[str, tuple[str, str, str]]:
    """Return the questions that the codec answers in two ways, in words with both answers, by their keys."""
    first: dict[str, CodecExchange] = {}
    found: dict[str, tuple[str, str, str]] = {}
    for each in exchanges:
        key = _key(each)
        if key is None:
            continue
        before = first.setdefault(key, each)
        if key not in found and _content(before.reply) != _content(each.reply):
            answers = (reply_words(each.layout, reply) for reply in (before.reply, each.reply))
            found[key] = (request_words(each), *differing_words(*answers))
    return found


def is_flaky(exchange: CodecExchange, found: dict[str, tuple[str, str, str]]) -> bool:
    """Test if the codec answers the question of an exchange in two ways."""
    return bool(found) and _key(exchange) in found


def constant_answer(exchanges: Sequence[CodecExchange]) -> str:
    """Return the answer that the codec gives to all questions, in words; empty if it gives several."""
    by_kind: dict[type[Request], list[CodecExchange]] = {}
    for each in exchanges:
        if isinstance(each.reply, Decoded | DecodedFrame | Encoded | Reencoded):
            by_kind.setdefault(type(each.request), []).append(each)
    for kind, some in by_kind.items():
        answers = {_content(each.reply) for each in some}
        if len(answers) == 1 and len({_content(right_reply(each)) for each in some}) >= _LEAST:
            answer, _ = differing_words(reply_words(some[0].layout, some[0].reply), "")
            return f"{kind.__name__.lower()}: {answer}"
    return ""


def stale_answer(differing: Sequence[tuple[CodecExchange, bool]]) -> tuple[str, ...]:
    """Return a question that gets the answer to the question before, and that answer; empty without one.

    Args:
        differing: the codec's wrong answers, each with whether it is the answer to the question before.
    """
    stale = [each for each, is_stale in differing if is_stale]
    if len(stale) < len(differing) * _MOSTLY or len({_content(each.reply) for each in stale}) < _SEVERAL:
        return ()
    shortest = min(stale, key=lambda each: each.size)
    return request_words(shortest), *differing_words(reply_words(shortest.layout, shortest.reply), "")[:1]


def _key(exchange: CodecExchange) -> str | None:
    """Return a key that is the same for equal questions; None for a question that no run asks twice, or that
    has several right answers."""
    request = exchange.request
    if exchange.layout.name == RECORD_SET and not isinstance(request, Decode):
        return None  # gzip contains the time
    if isinstance(request, Decode | Reencode | Copy | DecodeFrame | Encode | EncodeFrame):
        return f"{exchange.layout.name} {exchange.layout.version} {exact_text(request)}"
    return None


def _content(reply: Reply) -> str:
    """Return a key that is the same for equal replies.

    It has no words of a refusal or a crash, which may differ: the words of a crash include all that the codec
    printed before.
    """
    match reply:
        case Refused(read=None):
            return "refused"
        case Crashed(error=error) if error != READ_PAST_END:
            return f"crashed {error}"
        case _:
            return exact_text(reply)
