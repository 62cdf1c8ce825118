"""`DeviationSearch`: the deviations found so far in a cell, and the search for those of one more exchange.

A deviation covers all fields of its type until an answer contradicts it; then only the fields that showed it.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeAlias

from wireproof.model.adapter import Crashed, Refused
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CRASH, MESSAGE, NEIGHBOURS, REFUSE, SIZE
from wireproof.proof.deviations.deviation import Deviation, put
from wireproof.proof.deviations.matching import matches, predicted_leniently
from wireproof.proof.deviations.prediction import CodecExchange, Model, Prediction
from wireproof.proof.deviations.rules import OtherReplyError, widened
from wireproof.proof.deviations.search.candidates import LAST, LONG, without_place
from wireproof.proof.deviations.search.contradictions import Contradictions, concerns, of_few, outweighs
from wireproof.proof.deviations.search.exchange_candidates import Candidate, ExchangeCandidates
from wireproof.proof.deviations.search.layout_candidates import of_added
from wireproof.proof.deviations.wrong_layouts import ADDED

_MOST_CANDIDATES: Final = 400
"""Most sets of deviations to try for one exchange."""
MOST_PREDICTIONS: Final = 50_000
"""Most predictions for one cell: about ten seconds of processor time."""
FEW_PREDICTIONS: Final = 1_500
"""Most predictions for one exchange, until each exchange has had this many."""
MOST_EVIDENCE: Final = 100
_EVIDENCE_EACH: Final = 5
"""Predicted exchanges that are kept for the same deviations at the same fields."""
_WITNESSES: Final = 20
"""Exchanges after one, and as many of all, that decide between its explanations."""
_MOST_LONG_CANDIDATES: Final = 40
_MOST_CONTENT: Final = 5 * LONG
"""Most decompressed bytes of an exchange to search; bombs have more."""
_OF_BOTH: Final = (MESSAGE, "layout", ADDED, NEIGHBOURS)
"""Triggers at which a codec is wrong in both directions, although an exchange shows one direction only."""

_Judged: TypeAlias = dict[int, tuple[CodecExchange, Prediction | None, int]]
"""By the identity of an exchange: itself, the prediction that equals its reply, and what that one cost."""


@dataclass(slots=True)
class DeviationSearch:
    """The deviations of a codec in one cell.

    Attributes:
        proposals: deviations that predicted answers in other cells, without their places; tried first.
        differing: exchanges in which the codec is wrong, those that show few deviations first.
        agreeing: exchanges in which the codec is right, each with the triggers that it meets.
        exhausted: whether the search reached its limit and was given up.
        most, each: the limits of predictions for the cell, and for one exchange.
    """

    proposals: list[Deviation]
    differing: Sequence[CodecExchange]
    agreeing: list[tuple[CodecExchange, frozenset[tuple[CodecDirection, str]]]]
    found: list[Deviation] = field(default_factory=list)
    evidence: list[CodecExchange] = field(default_factory=list)
    fields: dict[Deviation, set[str]] = field(default_factory=dict)
    predictions: int = 0
    exhausted: bool = False
    most: int = MOST_PREDICTIONS
    each: int = FEW_PREDICTIONS
    dropped: set[Deviation] = field(default_factory=set)
    _met: Counter[tuple[CodecDirection, str]] = field(default_factory=Counter)
    _shown: Counter[frozenset[tuple[str, str, str]]] = field(default_factory=Counter)
    _long: set[int] = field(default_factory=set)
    _model: Model = field(default_factory=Model)
    _judged: _Judged = field(default_factory=dict)
    _judged_by: list[Deviation] = field(default_factory=list)

    def __post_init__(self) -> None:
        for _, met in self.agreeing:
            self._met.update(met)

    def predicts(self, exchange: CodecExchange) -> Prediction | None:
        """Return the prediction for an exchange if it equals the codec's reply; else None.

        It is kept until other deviations are found; it counts each time.
        """
        if self._judged_by != self.found:
            self._judged_by, self._judged = list(self.found), {}
        if id(exchange) in self._judged:
            _, prediction, cost = self._judged[id(exchange)]
            self.predictions += cost
            return prediction
        before = self.predictions
        prediction = self._matching(self.found, exchange) or predicted_leniently(self.found, exchange)
        if exchange.size <= LONG and (prediction is None or prediction.content <= LONG):
            self._judged[id(exchange)] = exchange, prediction, self.predictions - before
        return prediction

    def explain(self, index: int) -> bool:
        """Find deviations that predict a differing exchange, and add them; return False if those found do."""
        exchange = self.differing[index]
        if (prediction := self.predicts(exchange)) is not None:
            self._note(exchange, prediction)
            return False
        self.exhausted |= self.predictions > self.most
        content = 0 if self.exhausted else self._predict(self.found, exchange).content
        if not self.exhausted and content <= _MOST_CONTENT:
            self._search(index, content)
        return True

    def explain_added(self, index: int) -> None:
        """Find a field of other versions that the codec writes: to a reader it looks like other mistakes."""
        exchange = self.differing[index]
        if self.predicts(exchange) is None:
            met = self._predict(self.found, exchange, trace=True).met
            added = ((self.found, new) for new in of_added(exchange, met))
            if best := self._best(added, index, self.predictions + self.each):
                self._accept(best, exchange)

    def _search(self, index: int, content: int) -> None:
        """Accept the best candidate of the first kind in which one predicts an exchange.

        Args:
            content: the decompressed bytes of the exchange.
        """
        exchange = self.differing[index]
        short = max(exchange.size, content) <= LONG
        tries = iter(range(_MOST_CANDIDATES if short else _MOST_LONG_CANDIDATES))
        limit = self.predictions + self.each
        for kind in self._candidates(exchange, self.found).kinds():
            if best := self._best((each for _, each in zip(tries, kind, strict=False)), index, limit):
                self._accept(best, exchange)
            if best or self.predictions > limit:
                return

    def _candidates(self, exchange: CodecExchange, found: list[Deviation]) -> ExchangeCandidates:
        return ExchangeCandidates(exchange, found, self.fields, self.proposals, self._met, self._predict)

    def _best(self, candidates: Iterator[Candidate], index: int, limit: int) -> list[Deviation]:
        """Return all deviations with the best of the candidates that predict an exchange; empty without one.

        The best predicts most of the other answers; each kind of deviation counts as one that it misses. If
        the codec crashes, one after which it goes on to a crash that is known says more than another crash.
        """
        exchange, best, best_rank = self.differing[index], list[Deviation](), (False, 0, 0)
        crashes, most = isinstance(exchange.reply, Crashed), -1
        witnesses: list[CodecExchange] | None = None
        for base, new in candidates:
            if self.predictions > limit or (witnesses is not None and most == len(witnesses)):
                break
            for choice in self._choices(base, new, exchange):
                if self.contradicted(choice, base):
                    continue
                witnesses = self._witnesses(index) if witnesses is None else witnesses
                found = put(choice, base)
                late = crashes and not any(each.action in (REFUSE, CRASH) for each in choice)
                predicted = sum(self._matching(found, each) is not None for each in witnesses)
                kinds = {(each.direction, each.trigger, each.action, each.error) for each in found}
                rank = (late, predicted - len(kinds), -len(found))
                if not best or rank > best_rank:
                    best, best_rank, most = found, rank, predicted
        return best

    def _witnesses(self, index: int) -> list[CodecExchange]:
        """Return the exchanges after one, and some of all."""
        near = self.differing[index + 1 : index + 1 + _WITNESSES]
        spread = self.differing[:: 1 + len(self.differing) // _WITNESSES]
        return [each for each in (*near, *spread) if each.size <= LONG]

    def _accept(self, found: list[Deviation], exchange: CodecExchange) -> None:
        placeless = [without_place(each) for each in found if each.trigger not in LAST]
        self.proposals.extend(each for each in dict.fromkeys(placeless) if each not in self.proposals)
        for each in found:
            self.fields.setdefault(each, set(each.fields))
        self.found = found
        if (prediction := self.predicts(exchange)) is not None:
            self._note(exchange, prediction)

    def _note(self, exchange: CodecExchange, prediction: Prediction) -> None:
        for deviation, _, path in prediction.fired:
            self.fields.setdefault(deviation, set()).add(path)
        kind = frozenset((each.trigger, each.action, path) for each, _, path in prediction.fired)
        self._shown[kind] += 1
        if prediction.content > LONG:
            return
        if len(self.evidence) < MOST_EVIDENCE and self._shown[kind] <= _EVIDENCE_EACH:
            self.evidence.append(exchange)

    def _choices(
        self, base: list[Deviation], new: tuple[Deviation, ...], exchange: CodecExchange
    ) -> Iterator[tuple[Deviation, ...]]:
        """Yield new deviations that predict an exchange beside those of a base.

        The widest come first: for a family of types, for one type, and for the fields that show them.
        """
        if (prediction := self._matching([*new, *base], exchange)) is None:
            return
        fired = prediction.deviations
        both = not fired.isdisjoint(new)
        wide = [each for each in new if each in fired or (each.trigger in _OF_BOTH and both)]
        if not wide and base is self.found:
            return
        narrow = [
            each if each.trigger in _OF_BOTH else replace(each, fields=prediction.fields_of(each))
            for each in wide
        ]
        widest = list(map(widened, wide))
        # A limit of sizes is one of all fields of its types.
        choices = (widest, wide, narrow)[: 2 if any(each.trigger == SIZE for each in wide) else 3]
        yield from (each for each in dict.fromkeys(map(tuple, choices)) if self.dropped.isdisjoint(each))

    def contradicted(self, new: Sequence[Deviation], base: list[Deviation]) -> bool:
        """Test if an answer contradicts new deviations, beside those of a base."""
        triggers = {(each.direction, each.trigger) for each in new}
        model = [*new, *base]
        against, tried = 0, 0
        for index, (each, met) in enumerate(self.agreeing):
            if triggers.isdisjoint(met) or id(each) in self._long:
                continue
            prediction = self._predict(model, each)
            if prediction.content > LONG:
                self._long.add(id(each))
            fired = [one for one in new if one in prediction.deviations and concerns(each, one.trigger)]
            if not fired:
                continue
            wrong = not matches(prediction.reply, each.reply)
            if wrong and not isinstance(each.reply, Refused):
                # It is likely to contradict the next ones, too.
                self.agreeing.insert(0, self.agreeing.pop(index))
                return True
            if isinstance(each.reply, Refused) and not all(every.ends_late for every in fired):
                # The codec may refuse because of another deviation that is not found yet.
                tried, against = tried + 1, against + wrong
        return outweighs(against, tried) or any(self._matching(model, each) is None for each in self.evidence)

    def drop_contradicted(self, known: Sequence[Deviation]) -> bool:
        """Drop new deviations that right answers contradict, or that too few answers show; True if any."""
        triggers = {(each.direction, each.trigger) for each in self.found if each not in known}
        against = Contradictions(Model(self.found))
        for each, met in self.agreeing:
            if not triggers.isdisjoint(met):
                against.note(each)
        new = [each for each in self.found if each not in known]
        wrong = against.found().keys() - set(known) | of_few(new, self.differing, self.predicts)
        self.dropped |= wrong
        self.found = [each for each in self.found if each not in wrong]
        self.evidence = [each for each in self.evidence if self.predicts(each) is not None]
        return bool(wrong)

    def put_in_place(self, one: Deviation, several: Sequence[Deviation]) -> None:
        """Replace several deviations with one, if it predicts the same and no answer contradicts it."""
        rest = [each for each in self.found if each not in several]
        predicted = [each for each in self.differing if self.predicts(each) is not None]
        if self.take([one], rest, predicted):
            self.fields[one] = set()

    def put_one(self, pair: Collection[Deviation], predicted: Sequence[CodecExchange]) -> bool:
        """Put one deviation that predicts the same in place of a pair; return False if there is none.

        Args:
            predicted: the exchanges that the pair helps to predict, first one that needs both.
        """
        base = [each for each in self.found if each not in pair]
        for kept, new in islice(next(self._candidates(predicted[0], base).kinds()), _MOST_CANDIDATES):
            if kept is not base:
                return False
            for choice in self._choices(base, new, predicted[0]):
                if len(choice) == 1 and self.take(choice, base, predicted):
                    return True
        return False

    def take(
        self, new: Sequence[Deviation], base: Sequence[Deviation], predicted: Sequence[CodecExchange]
    ) -> bool:
        """Replace the deviations found with others; return False if these do not hold.

        Args:
            new: those that no answer may contradict, beside those of the base.
            predicted: the exchanges that all of them must predict.
        """
        before, self.found = self.found, [*new, *base]
        if all(map(self.predicts, predicted)) and not self.contradicted(new, list(base)):
            return True
        self.found = before
        return False

    def _predict(
        self, deviations: Sequence[Deviation], exchange: CodecExchange, **options: bool
    ) -> Prediction:
        if self._model.deviations != (wanted := tuple(deviations)):
            self._model = Model(wanted)
        prediction = self._model.predict(exchange, **options)
        self.predictions += 1 + max(exchange.size, prediction.content) // LONG
        return prediction

    def _matching(self, deviations: Sequence[Deviation], exchange: CodecExchange) -> Prediction | None:
        """Return the prediction if it equals the codec's reply; else None."""
        try:
            prediction = self._predict(deviations, exchange, matching=True)
        except OtherReplyError:
            self.predictions += 1 + exchange.size // LONG
            return None
        return prediction if matches(prediction.reply, exchange.reply) else None
