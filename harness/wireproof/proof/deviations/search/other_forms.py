"""Questions in other forms of a message, for a codec that refuses each message of a cell.

Such a codec may expect another form than Kafka's, such as compact counts that are not one more. Its answers
to Kafka's bytes do not show it: a codec that does not know the message refuses them, too. So values are
written as a codec with a deviation writes them. A codec that reads each of them has the deviation.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Decode, Decoded, Encode, Encoded, Reply, Request
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CRASH, MESSAGE, REFUSE
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.lengths import LENGTH
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Model, right_reply
from wireproof.proof.deviations.search.candidates import Place, at_place, once, scope_of
from wireproof.proof.deviations.search.deviation_search import DeviationSearch
from wireproof.proof.deviations.search.layout_candidates import of_layouts
from wireproof.proof.deviations.wrong_layouts import other_form

Ask = Callable[[MessageLayout, Sequence[Request]], Sequence[Reply]]
"""Asks a codec questions about a layout; returns the replies in their order, fewer if it does not start."""

_MOST_FORMS: Final = 60
"""Most forms of a message to ask for."""
_LONGEST: Final = 2_000
"""Most bytes of a message to write in another form."""


def ask_in_other_forms(search: DeviationSearch, differing: Sequence[CodecExchange], ask: Ask) -> None:
    """Replace the deviation of a codec that refuses each message, if the codec reads another form.

    Args:
        differing: the exchanges that the search explains, all of the version of the cell.
    """
    exchanges = sorted(filter(_is_right_message, differing), key=lambda each: each.size)
    if not exchanges:
        return
    of = exchanges[0].layout
    refused = [each for each in search.found if _refuses_messages(each) and each.covers(of.name, of.version)]
    if not refused:
        return
    kept = [each for each in differing if search.predicts(each) is not None]
    before, rest = search.found, [each for each in search.found if each not in refused]
    for form in islice(_forms(exchanges[-1]), _MOST_FORMS):
        if search.take(form, rest, kept):
            if _reads_form(form, exchanges, ask):
                search.fields.update({each: set() for each in form})
                return
            search.found = before


def _refuses_messages(deviation: Deviation) -> bool:
    return (
        deviation.direction is CodecDirection.DECODE
        and deviation.trigger == MESSAGE
        and deviation.action in (CRASH, REFUSE)
    )


def _is_right_message(exchange: CodecExchange) -> bool:
    short = isinstance(exchange.request, Decode) and exchange.size <= _LONGEST
    return short and isinstance(right_reply(exchange), Decoded)


def _forms(exchange: CodecExchange) -> Iterator[tuple[Deviation, ...]]:
    """Yield the deviations of readers that expect another form of a message."""
    met = Model().predict(exchange, trace=True).met
    scope = scope_of(exchange)
    yield (Deviation(CodecDirection.DECODE, MESSAGE, other_form(exchange.layout), scope=scope),)
    lengths = dict.fromkeys(Place(*place[:3]) for place in met if place[1] == LENGTH)
    yield from zip(once(form for place in lengths for form in at_place(place, [], ())))
    pairs = of_layouts(exchange, met)
    readers = (tuple(each for each in pair if each.direction is CodecDirection.DECODE) for pair in pairs)
    yield from filter(None, dict.fromkeys(readers))


def _reads_form(form: Sequence[Deviation], exchanges: Sequence[CodecExchange], ask: Ask) -> bool:
    """Test if the codec reads the shortest value, one in the middle and the longest in a form."""
    writes = Model(replace(each, direction=CodecDirection.ENCODE) for each in form)
    questions = []
    for each in dict.fromkeys((0, len(exchanges) // 2, len(exchanges) - 1)):
        kafka = exchanges[each]
        right = right_reply(kafka)
        assert isinstance(right, Decoded)
        written = writes.predict(replace(kafka, request=Encode(right.value))).reply
        if not isinstance(written, Encoded) or Decode(written.data) == kafka.request:
            return False
        questions.append(replace(kafka, request=Decode(written.data)))
    replies = ask(exchanges[0].layout, [each.request for each in questions])
    asked = [replace(each, reply=reply) for each, reply in zip(questions, replies, strict=False)]
    reads = Model(form)
    return len(asked) == len(questions) and all(
        isinstance(each.reply, Decoded) and matches(reads.predict(each).reply, each.reply) for each in asked
    )
