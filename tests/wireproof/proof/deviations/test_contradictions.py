"""Right answers that contradict a deviation: one right value does, and most of the right refusals."""

from dataclasses import replace
from functools import cache
from itertools import islice

from tests.support.codecs.enumerated_exchanges import HEADER, LAYOUTS, small_requests
from wireproof.model.adapter import Decode, Refused
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import SIBLING, SIZE
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Model, Prediction, right_reply
from wireproof.proof.deviations.search.contradictions import Contradictions, outweighs

LAYOUT = LAYOUTS[2]


@cache
def right() -> list[CodecExchange]:
    """Return the questions about one layout with their right answers."""
    return [
        CodecExchange(LAYOUT, HEADER, each, right_reply(CodecExchange(LAYOUT, HEADER, each, Refused("", ""))))
        for message, each in small_requests()
        if message is LAYOUT and isinstance(each, Decode)
    ]


def _found(deviation: Deviation, exchanges: list[CodecExchange]) -> set[Deviation]:
    against = Contradictions(Model([deviation]))
    for each in exchanges:
        against.note(each)
    return set(against.found())


def test_one_right_value_contradicts() -> None:
    """Kafka reads an unknown tag; a codec that keeps one does not crash on it."""
    crash = Deviation(CodecDirection.DECODE, "unknown-tag", "crash", "KeyError")
    values = [each for each in right() if not isinstance(each.reply, Refused)]
    wrong = [each for each in values if not matches(Model([crash]).predict(each).reply, each.reply)]
    assert _found(crash, wrong[:1]) == {crash}
    assert not _found(crash, [each for each in values if each not in wrong])


def test_a_few_right_refusals_do_not_contradict() -> None:
    """The codec may refuse for another reason; more than half of many is no chance. Bytes count once."""
    crash = Deviation(CodecDirection.DECODE, "null-not-allowed", "crash", "TypeError")
    refusals = [
        each for each in right() if isinstance(each.reply, Refused) and Model([crash]).predict(each).fired
    ]
    assert not _found(crash, refusals[:1])
    assert not _found(crash, refusals[:1] * 8)
    longer = [
        replace(each, request=Decode(each.request.data + bytes(more)))
        for each in refusals
        if isinstance(each.request, Decode)
        for more in range(4)
    ]
    assert _found(crash, longer) == {crash}
    assert not outweighs(4, 8)
    assert outweighs(5, 8)
    assert not outweighs(3, 3)


def test_a_refusal_does_not_contradict_an_end_at_a_value() -> None:
    """A codec may look at values after it has read all bytes: it refuses those that are malformed later."""
    crash = Deviation(CodecDirection.DECODE, "non-ascii", "crash", "TypeError")
    predicted = [each for each in right() if Model([crash]).predict(each).fired]
    refusals = [each for each in predicted if isinstance(each.reply, Refused)]
    assert len(refusals) > 3
    assert not _found(crash, refusals)
    assert _found(crash, predicted) == {crash}


def test_a_deviation_that_changes_nothing_is_not_contradicted() -> None:
    """Without it the model answers the same."""
    pair = [Deviation(CodecDirection.DECODE, "message", each) for each in ("refuse", "crash")]
    against = Contradictions(Model(pair))
    for each in right():
        against.note(each)
    assert not against.found()


class _AskedModel(Model):
    """A model that keeps what it predicted."""

    def __init__(self, deviation: Deviation) -> None:
        super().__init__([deviation])
        self.asked: list[int] = []

    def predict(self, exchange: CodecExchange, *, trace: bool = False, matching: bool = False) -> Prediction:
        self.asked.append(id(exchange))
        return super().predict(exchange, trace=trace, matching=matching)


def test_an_answer_is_held_against_each_deviation_that_acts_on_it() -> None:
    """Answers on which no deviation can act are not predicted: what Kafka refuses is not met in them."""
    exchanges = [
        CodecExchange(
            message, HEADER, each, right_reply(CodecExchange(message, HEADER, each, Refused("", "")))
        )
        for message, each in islice(small_requests(), 0, None, 23)
    ]
    left_out = 0
    for way, trigger in TRIGGERS.keys() - {(way, SIBLING) for way in CodecDirection}:
        limit = "1" if trigger == SIZE else ""
        model = _AskedModel(Deviation(way, trigger, "crash", "KeyError", limit))
        against = Contradictions(model)
        for each in exchanges:
            before = len(model.asked)
            against.note(each, each.reply)
            if len(model.asked) == before:
                left_out += 1
                assert not Model.predict(model, each).fired, (way, trigger, each.layout, each.request)
    assert left_out > len(exchanges) * len(TRIGGERS) / 20
