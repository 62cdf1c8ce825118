"""Contradictions: right answers of a codec for which a deviation predicts a wrong one."""

from collections import Counter, defaultdict
from typing import Final

from wireproof.model import Equal, Refused
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.prediction import CodecExchange, Model, matches
from wireproof.proof.deviations.search.recent_exchanges import data_of

_FEW: Final = 3


_OF_EQUALITY: Final = ("equal", "unequal")


def outweighs(against: int, tried: int) -> bool:
    """Test if right refusals contradict a deviation: a codec may refuse a few of them for another reason.

    Args:
        against: those for which it predicts something else.
        tried: all that it predicts.
    """
    return against > _FEW and 2 * against > tried


def concerns(exchange: CodecExchange, trigger: str) -> bool:
    """Test if an answer says anything about a trigger: equal objects say nothing about how they are read."""
    return not isinstance(exchange.request, Equal) or trigger in _OF_EQUALITY


class Contradictions:
    """The right answers that contradict the deviations of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._found: dict[Deviation, CodecExchange] = {}
        self._refused: dict[Deviation, CodecExchange] = {}
        self._against: defaultdict[Deviation, set[tuple[type, bytes | int]]] = defaultdict(set)
        self._tried: Counter[Deviation] = Counter()

    def note(self, exchange: CodecExchange) -> None:
        """Hold a right answer against the model.

        A deviation is contradicted if the model predicts the answer without it, and only without it. Bytes
        that are refused again contradict it no further.
        """
        prediction = self._model.predict(exchange)
        refused = isinstance(exchange.reply, Refused)
        if refused:
            self._tried.update(each for each in prediction.deviations if not each.ends_late)
        if not any(concerns(exchange, each.trigger) for each in prediction.deviations):
            return
        if matches(prediction.reply, exchange.reply):
            return
        without = {
            each: Model(other for other in self._model.deviations if other != each).predict(exchange)
            for each in prediction.deviations
        }
        wrong = [each for each, other in without.items() if matches(other.reply, exchange.reply)]
        if len(wrong) == 1 and not (refused and wrong[0].ends_late):
            (self._refused if refused else self._found).setdefault(wrong[0], exchange)
            if refused:
                data, seen = data_of(exchange), self._against[wrong[0]]
                seen.add((type(exchange.request), len(seen) if data is None else data))

    def found(self) -> dict[Deviation, CodecExchange]:
        """Return the contradicted deviations, each with an exchange that the codec answers right."""
        refused = {
            each: exchange
            for each, exchange in self._refused.items()
            if outweighs(len(self._against[each]), self._tried[each])
        }
        return refused | self._found
