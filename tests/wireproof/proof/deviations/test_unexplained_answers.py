"""The diagnosis of codecs that crash, or that nothing explains: its bounds, and what it still finds."""

import random
from dataclasses import replace
from itertools import count

import pytest

from tests.support.codecs.enumerated_exchanges import HEADER, LAYOUTS
from tests.support.codecs.planted_deviations import (
    READ,
    Answer,
    assert_all_predicted,
    planted,
    searched,
    small_asked,
)
from wireproof.model.adapter import Crashed, Decode, Decoded, Encode, Encoded, Refused, Reply
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, right_reply
from wireproof.proof.deviations.search import deviation_search as search
from wireproof.proof.deviations.search.deviation_search import DeviationSearch
from wireproof.proof.deviations.search.diagnosis import joined_crashes


def _noise(exchange: CodecExchange) -> Reply:
    return Encoded(random.Random(repr(exchange.request)).randbytes(12))


def _constant(exchange: CodecExchange) -> Reply:
    return right_reply(
        replace(exchange, request=Encode({}) if isinstance(exchange.request, Encode) else Decode(b""))
    )


def _crash(_: CodecExchange) -> Reply:
    return Crashed("ValueError", "")


@pytest.mark.parametrize("answer", [_noise, _constant, _crash])
def test_a_codec_that_is_wrong_everywhere_stays_within_the_bounds(answer: Answer) -> None:
    """The search ends: it counts its predictions, and what it did not explain stays in the rest."""
    found, differing = searched(answer, most=8_000)
    assert len(differing) > 400
    assert found.predictions <= 8_000 + search.FEW_PREDICTIONS + 6 * len(differing)
    assert found.exhausted == (answer is not _crash)
    assert any(found.predicts(each) is None for each in differing) or found.found


def test_crashes_with_other_words_are_searched_once() -> None:
    """The message and the output of a crash say nothing about its cause."""
    crashes = (Crashed("ValueError", f"line {each}", f"trace {each}") for each in count())
    once = searched(_crash)[0].predictions
    assert searched(lambda _: next(crashes))[0].predictions <= once


def test_an_exchange_that_nothing_explains_leaves_time_for_the_others() -> None:
    """The codec answers some requests at random; the others have one deviation."""
    codec = planted(Deviation(READ, "ill-formed-text", "latin-1"))

    def answer(exchange: CodecExchange) -> Reply:
        request = exchange.request
        noisy = isinstance(request, Decode) and len(request.data) % 23 == 0
        return _noise(exchange) if noisy else codec(exchange)

    found, differing = searched(answer)
    assert "ill-formed-text" in {each.trigger for each in found.found}
    mine = [each for each in differing if not isinstance(each.reply, Encoded)]
    assert all(found.predicts(each) is not None for each in mine if isinstance(each.request, Decode))


def test_a_ledger_with_many_causes_hides_no_new_one() -> None:
    """The causes that a ledger knows count against no explanation."""
    known = [Deviation(READ, "end", "crash", f"Error{each}", types=frozenset({"uuid"})) for each in range(40)]
    codec = planted(Deviation(READ, "null", "empty"), *known)
    asked = [(each, right) for each, right in small_asked() if isinstance(right, Decoded)]
    first = next(pair for pair in asked if not matches(pair[1], codec(pair[0])))
    found, differing = searched(codec, [first], known=known)
    assert_all_predicted(found, differing)


def test_a_crash_with_two_errors_is_one_cause() -> None:
    """A library has an error for a stream that is cut and another one for a damaged one."""
    codec = planted(Deviation(READ, "ill-formed-text", "crash", "ValueError"))

    def answer(exchange: CodecExchange) -> Reply:
        reply = codec(exchange)
        odd = isinstance(exchange.request, Decode) and len(exchange.request.data) % 2 == 1
        return replace(reply, error="KeyError") if odd and isinstance(reply, Crashed) else reply

    found, differing = searched(answer)
    assert [(each.trigger, each.error) for each in found.found] == [
        ("ill-formed-text", "KeyError, ValueError")
    ]
    assert_all_predicted(found, differing)


def test_crashes_at_three_kinds_of_refused_bytes_are_one_cause() -> None:
    """A right refusal contradicts it; a value that Kafka reads all the same does not."""
    crashes = [Deviation(READ, each, "crash", "KeyError") for each in ("end", "tag-order", "long-text")]
    one = Deviation(READ, "refused", "crash", "KeyError")
    assert joined_crashes(crashes, ()) == {one: crashes}
    assert not joined_crashes(crashes, crashes[:1])
    assert not joined_crashes([*crashes[:2], replace(crashes[2], error="IndexError")], ())

    asked = CodecExchange(LAYOUTS[2], HEADER, Decode(b""), Crashed("KeyError", ""))
    met = frozenset({(READ, "end")})
    for agreeing, joins in ((Refused("", ""), False), (Decoded({}), True)):
        right = replace(asked, request=Decode(b"\x02"), reply=agreeing)
        searched = DeviationSearch([], [asked], [(right, met | {(READ, "refused")})] * 9, list(crashes))
        searched.put_in_place(one, crashes)
        assert (searched.found == [one]) is joins
