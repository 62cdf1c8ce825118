"""Questions in other forms of a message, for codecs that refuse each message."""

from collections.abc import Sequence

import pytest

from kafkawire.bundled import layout
from kafkawire.schema import MessageLayout
from tests.support.codecs.enumerated_exchanges import requests
from wireproof.model.adapter import Refused, Reply, Request
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Model, right_reply
from wireproof.proof.deviations.rules import family_of
from wireproof.proof.deviations.search.deviation_search import DeviationSearch
from wireproof.proof.deviations.search.diagnosis import diagnose
from wireproof.proof.deviations.search.other_forms import ask_in_other_forms

READ = CodecDirection.DECODE
JOIN = layout("JoinGroupRequest", 9)
REFUSED = Refused("malformed", "")


class AskedCodec:
    """A codec with deviations, asked about a request with strings, arrays, bytes and numbers."""

    def __init__(self, *planted: Deviation) -> None:
        self._model = Model(planted)
        self.asked = 0
        """The number of further questions."""

    def diagnosis(self) -> tuple[DeviationSearch, list[CodecExchange]]:
        """The diagnosis before further questions; the exchanges in which the codec differs, too."""
        answered = [self._exchange(JOIN, each) for each in requests(JOIN, every=7)]
        right = [matches(right_reply(each), each.reply) for each in answered]
        agreeing, differing = (
            [each for each, is_right in zip(answered, right, strict=True) if is_right is kind]
            for kind in (True, False)
        )
        return diagnose(differing, agreeing, []), differing

    def ask(self, of: MessageLayout, asked: Sequence[Request]) -> Sequence[Reply]:
        self.asked += len(asked)
        return [self._exchange(of, each).reply for each in asked]

    def _exchange(self, of: MessageLayout, asked: Request) -> CodecExchange:
        reply = self._model.predict(CodecExchange(of, None, asked, REFUSED)).reply
        return CodecExchange(of, None, asked, reply)


@pytest.mark.parametrize(
    "planted",
    [
        Deviation(READ, "length", "int32"),
        Deviation(READ, "length", "count", types=family_of({"compact string"})),
        Deviation(READ, "length", "int32", types=family_of({"compact array"})),
        Deviation(READ, "message", "inflexible"),
        Deviation(READ, "layout", "int64", types=frozenset({"int32"})),
    ],
    ids=lambda each: "-".join((each.trigger, each.action, *sorted(each.types))),
)
def test_a_codec_that_reads_another_form_has_its_deviation(planted: Deviation) -> None:
    """It refuses each message that Kafka writes, as a codec does that does not know the message."""
    codec = AskedCodec(planted)
    found, differing = codec.diagnosis()
    ask_in_other_forms(found, differing, codec.ask)
    assert [(each.trigger, each.action) for each in found.found] == [(planted.trigger, planted.action)]
    assert all(found.predicts(each) is not None for each in differing)


def test_a_codec_that_reads_no_form_is_asked_a_bounded_number_of_times() -> None:
    """Its cause is still that it refuses the message; so it is if the codec does not start any more."""
    codec = AskedCodec(Deviation(READ, "message", "refuse"))
    found, differing = codec.diagnosis()
    before = list(found.found)
    ask_in_other_forms(found, differing, codec.ask)
    assert found.found == before
    assert 0 < codec.asked <= 180
    ask_in_other_forms(found, differing, lambda of, asked: ())
    assert found.found == before


def test_a_codec_with_another_cause_is_not_asked() -> None:
    """Its answers show their cause."""
    codec = AskedCodec(Deviation(READ, "null-not-allowed", "empty"))
    found, differing = codec.diagnosis()
    ask_in_other_forms(found, differing, codec.ask)
    assert found.found
    assert codec.asked == 0
