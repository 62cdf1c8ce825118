"""`DeviationSearch`: the deviations found so far in a cell, and the search for those of one more exchange.

Only triggers that an exchange meets are tried; those that the fewest agreeing answers meet come first. A
deviation covers all fields of its type until an answer contradicts it; then only the fields that showed it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeAlias

from wireproof.model.adapter import Refused
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CRASH, MESSAGE, NEIGHBOURS, REFUSE, SIZE
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches, predicted_leniently
from wireproof.proof.deviations.prediction import CodecExchange, Model, Prediction
from wireproof.proof.deviations.rules import OtherReplyError, widened
from wireproof.proof.deviations.search.candidates import (
    LAST,
    LONG,
    Place,
    at_place,
    both_ways,
    can_show,
    endings_of,
    of_added,
    of_defaults,
    of_messages,
    of_single_fields,
    of_structs,
    of_values,
    once,
    scope_of,
    without_place,
)
from wireproof.proof.deviations.search.contradictions import Contradictions, concerns, of_few, outweighs
from wireproof.proof.deviations.search.joining import is_change_of_fields, of_all_fields
from wireproof.proof.deviations.search.leaf_differences import differing_fields
from wireproof.proof.deviations.wrong_layouts import ADDED, other_form

_MOST_CANDIDATES: Final = 400
"""Most sets of deviations to try for one exchange."""
MOST_PREDICTIONS: Final = 50_000
"""Most predictions for one cell: about ten seconds of processor time."""
FEW_PREDICTIONS: Final = 1_500
"""Most predictions for one exchange, until each exchange has had this many."""
MOST_EVIDENCE: Final = 100
_EVIDENCE_EACH: Final = 5
"""Predicted exchanges that are kept for the same deviations at the same fields."""
_MOST_REPLACED: Final = 4
"""Most deviations of one exchange to try in a narrower form, and to replace."""
_LONGEST_CHAIN: Final = 4
_MOST_LONG_CANDIDATES: Final = 40
_OF_BOTH: Final = (MESSAGE, "layout", ADDED, NEIGHBOURS)
"""Triggers at which a codec is wrong in both directions, although an exchange shows one direction only."""

_Judged: TypeAlias = dict[int, tuple[CodecExchange, Prediction | None, int]]
"""By the identity of an exchange: itself, the prediction that equals its reply, and what that one cost."""


@dataclass(slots=True)
class DeviationSearch:
    """The deviations of a codec in one cell.

    Attributes:
        proposals: deviations that predicted answers in other cells, without their places; tried first.
        agreeing: exchanges in which the codec is right, each with the triggers that it meets.
        exhausted: whether the search reached its limit and was given up.
        most, each: the limits of predictions for the cell, and for one exchange.
    """

    proposals: list[Deviation]
    agreeing: Sequence[tuple[CodecExchange, frozenset[tuple[CodecDirection, str]]]]
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

    def explain(self, exchange: CodecExchange) -> bool:
        """Find deviations that predict an exchange, and add them; return False if those found so far do."""
        if (prediction := self.predicts(exchange)) is not None:
            self._note(exchange, prediction)
            return False
        if self._predict(self.found, exchange).content > LONG:
            return True
        self.exhausted |= self.predictions > self.most
        if not self.exhausted:
            self._search(exchange)
        return True

    def explain_added(self, exchange: CodecExchange) -> None:
        """Find a field of other versions that the codec writes: to a reader it looks like other mistakes."""
        if self.predicts(exchange) is None:
            met = self._predict(self.found, exchange, trace=True).met
            held = (self._held(self.found, new, exchange) for new in of_added(exchange, met))
            if found := next(filter(None, held), None):
                self._accept(found, exchange)

    def _search(self, exchange: CodecExchange) -> None:
        most = _MOST_CANDIDATES if exchange.size <= LONG else _MOST_LONG_CANDIDATES
        end = self.predictions + self.each
        for base, new in islice(self._candidates(exchange), most):
            if self.predictions > end:
                return
            if (held := self._held(base, new, exchange)) is not None:
                self._accept(held, exchange)
                return

    def _bases(self, exchange: CodecExchange) -> list[list[Deviation]]:
        """Return the deviations found; these with one narrowed to the fields that showed it; these without
        one, in case a new deviation predicts the same."""
        narrowed, without = [], []
        for each in sorted(self._predict(self.found, exchange).deviations, key=repr)[:_MOST_REPLACED]:
            shown = frozenset(self.fields.get(each, ()))
            if shown and not each.fields:
                narrow = replace(each, fields=shown)
                narrowed.append([narrow if other == each else other for other in self.found])
            without.append([other for other in self.found if other != each])
        return [self.found, *narrowed, *without]

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

    def _held(
        self, base: list[Deviation], new: tuple[Deviation, ...], exchange: CodecExchange
    ) -> list[Deviation] | None:
        """Return the deviations if they predict the exchange and contradict no answer.

        They are as wide as possible: for a family of types, for one type, or for the fields that show them.
        """
        if (prediction := self._matching([*new, *base], exchange)) is None:
            return None
        fired = prediction.deviations
        both = not fired.isdisjoint(new)
        wide = [each for each in new if each in fired or (each.trigger in _OF_BOTH and both)]
        if not wide and base is self.found:
            return None
        narrow = [
            each if each.trigger in _OF_BOTH else replace(each, fields=prediction.fields_of(each))
            for each in wide
        ]
        widest = list(map(widened, wide))
        # A limit of sizes is one of all fields of its types.
        choices = (widest, wide, narrow)[: 2 if any(each.trigger == SIZE for each in wide) else 3]
        for choice in dict.fromkeys(map(tuple, choices)):
            if self.dropped.isdisjoint(choice) and not self.contradicted(choice, base):
                return [*choice, *(old for old in base if not any(each.replaces(old) for each in choice))]
        return None

    def contradicted(self, new: Sequence[Deviation], base: list[Deviation]) -> bool:
        """Test if an answer contradicts new deviations, beside those of a base."""
        triggers = {(each.direction, each.trigger) for each in new}
        model = [*new, *base]
        against, tried = 0, 0
        for each, met in self.agreeing:
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
                return True
            if isinstance(each.reply, Refused) and not all(every.ends_late for every in fired):
                # The codec may refuse because of another deviation that is not found yet.
                tried, against = tried + 1, against + wrong
        return outweighs(against, tried) or any(self._matching(model, each) is None for each in self.evidence)

    def drop_contradicted(self, known: Sequence[Deviation], differing: Sequence[CodecExchange]) -> bool:
        """Drop new deviations that right answers contradict, or that too few answers show; True if any.

        Args:
            differing: the exchanges that the new deviations predict.
        """
        triggers = {(each.direction, each.trigger) for each in self.found if each not in known}
        against = Contradictions(Model(self.found))
        for each, met in self.agreeing:
            if not triggers.isdisjoint(met):
                against.note(each)
        new = [each for each in self.found if each not in known]
        wrong = against.found().keys() - set(known) | of_few(new, differing, self.predicts)
        self.dropped |= wrong
        self.found = [each for each in self.found if each not in wrong]
        self.evidence = [each for each in self.evidence if self.predicts(each) is not None]
        return bool(wrong)

    def put_in_place(
        self, one: Deviation, several: Sequence[Deviation], differing: Sequence[CodecExchange]
    ) -> None:
        """Replace several deviations with one, if it predicts the same and no answer contradicts it."""
        rest = [each for each in self.found if each not in several]
        predicted = [each for each in differing if self.predicts(each) is not None]
        if self.take([one], rest, predicted):
            self.fields[one] = set()

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

    def _candidates(self, exchange: CodecExchange) -> Iterator[tuple[list[Deviation], tuple[Deviation, ...]]]:
        """Yield the deviations to keep, each time with new ones to try: single new deviations first."""
        bases = [(base, self._predict(base, exchange, trace=True)) for base in self._bases(exchange)]
        for base, traced in bases:
            if base is not self.found:
                yield base, ()
            # A codec that refuses a version of a message says nothing about how it would read it.
            if any(trigger == MESSAGE for _, trigger, *_ in traced.met) and not endings_of(exchange):
                yield base, both_ways(MESSAGE, other_form(exchange.layout), scope=scope_of(exchange))
            for each in once(self._singles(exchange, traced)):
                yield base, (each,)
        for base, traced in bases:
            for several in of_structs(exchange, traced):
                yield base, several
        for base, traced in bases:
            for narrow in (False, True):
                for several in self._chains(base, (), exchange, traced, narrow):
                    yield base, several
        for base, traced in bases:
            for each in of_single_fields(exchange, traced, self._errors):
                yield base, (each,)

    def _chains(
        self,
        base: list[Deviation],
        chosen: tuple[Deviation, ...],
        exchange: CodecExchange,
        traced: Prediction,
        narrow: bool,
    ) -> Iterator[tuple[Deviation, ...]]:
        """Yield deviations that continue where the reference refuses, until the codec's values are predicted.

        Args:
            narrow: whether they are for one field, and not for all fields of its type.
        """
        if traced.ended_at is None:
            combined = self._combined([*chosen, *base], exchange, traced)
            if combined:
                yield (*combined, *chosen)
            return
        direction, trigger, kind, path = traced.ended_at
        if len(chosen) >= _LONGEST_CHAIN or trigger in LAST:
            return
        fields = frozenset({path}) if narrow else frozenset()
        for at in at_place(Place(direction, trigger, kind), endings_of(exchange), self._errors):
            new, action = replace(at, fields=fields), at.action
            if any(each.is_like(new) for each in chosen):
                continue
            longer = (new, *chosen)
            yield longer
            if action not in (REFUSE, CRASH):
                prediction = self._predict([*longer, *base], exchange, trace=True)
                yield from self._chains(base, longer, exchange, prediction, narrow)

    @property
    def _errors(self) -> set[str]:
        """The errors of the deviations found so far."""
        return {each.error for each in self.found if each.error}

    def _combined(
        self, base: list[Deviation], exchange: CodecExchange, traced: Prediction
    ) -> tuple[Deviation, ...]:
        """Return deviations of several fields together: each one leaves fewer fields that differ."""
        chosen: list[Deviation] = []
        left = len(differing_fields(exchange, traced.reply))
        for each in of_values(exchange, traced) if left else ():
            if any((each.fields, each.direction) == (other.fields, other.direction) for other in chosen):
                continue
            now = len(differing_fields(exchange, self._predict([each, *chosen, *base], exchange).reply))
            if now < left:
                chosen, left = [each, *chosen], now
        return tuple(chosen)

    def _singles(self, exchange: CodecExchange, traced: Prediction) -> Iterator[Deviation]:
        """Yield the deviations at the triggers that the exchange meets."""
        places = sorted({Place(*place[:3]) for place in traced.met})
        for proposal in self.proposals:
            for place in places:
                if (place.direction, place.trigger) == (proposal.direction, proposal.trigger):
                    yield from (replace(proposal, types=each) for each in place.choices)
        yield from map(of_all_fields, filter(is_change_of_fields, self.found))
        endings = endings_of(exchange)
        yield from of_messages(exchange, places, endings)
        # A missing field is a wide cause; the trigger of its first part at the end of the bytes is narrower.
        for place in sorted(
            places,
            key=lambda each: (
                each.trigger in ("missing", "varint-zero"),
                self._met[each.direction, each.trigger],
            ),
        ):
            if can_show(place, exchange.reply):
                yield from at_place(place, endings, self._errors)
        if not endings:
            yield from of_values(exchange, traced)
            yield from of_defaults(exchange, traced, self.found)

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
