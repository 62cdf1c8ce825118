"""`ExchangeCandidates`: the deviations to try for one exchange, beside those found so far.

Only triggers that the exchange meets are tried; those that the fewest agreeing answers meet come first.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, TypeAlias

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CRASH, MESSAGE, REFUSE
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import matches
from wireproof.proof.deviations.prediction import CodecExchange, Prediction
from wireproof.proof.deviations.search.candidates import (
    LAST,
    Place,
    at_place,
    can_show,
    deaths_of,
    endings_of,
    of_defaults,
    of_messages,
    of_single_fields,
    of_structs,
    of_values,
    once,
    scope_of,
)
from wireproof.proof.deviations.search.layout_candidates import both_ways
from wireproof.proof.deviations.search.leaf_differences import differing_leaves
from wireproof.proof.deviations.value_changes import VALUE_CHANGES
from wireproof.proof.deviations.wrong_layouts import other_form

_MOST_REPLACED: Final = 4
"""Most deviations of one exchange to try in a narrower form, and to replace."""
_LONGEST_CHAIN: Final = 4
_WIDE: Final = ("missing", "varint-zero", "compressed")
"""Triggers that are met wherever a narrower one is."""

Candidate: TypeAlias = tuple[list[Deviation], tuple[Deviation, ...]]
"""The deviations to keep, and new ones to try beside them."""


@dataclass(frozen=True, slots=True)
class ExchangeCandidates:
    """The candidates for one exchange.

    Attributes:
        found: the deviations found so far.
        fields: the fields at which each of them showed.
        proposals: deviations that predicted answers in other cells, without their places; tried first.
        met: how many agreeing answers meet a trigger.
        predict: returns what deviations predict for an exchange.
    """

    exchange: CodecExchange
    found: list[Deviation]
    fields: Mapping[Deviation, Collection[str]]
    proposals: Sequence[Deviation]
    met: Mapping[tuple[CodecDirection, str], int]
    predict: Callable[..., Prediction]

    def kinds(self) -> Iterator[Iterator[Candidate]]:
        """Yield the candidates of each kind: one new deviation; several; several in a row; one of a field."""
        bases = [(base, self.predict(base, self.exchange, trace=True)) for base in self._bases()]
        yield (each for base, traced in bases for each in self._of_one(base, traced))
        several = self._combined(self.found, bases[0][1], self._singles)
        structs = ((base, each) for base, traced in bases for each in of_structs(self.exchange, traced))
        yield chain([(self.found, several)], structs)
        yield (
            (base, several)
            for base, traced in bases
            for narrow in (False, True)
            for several in self._chains(base, (), traced, narrow)
        )
        yield (
            (base, (each,))
            for base, traced in bases
            for each in of_single_fields(self.exchange, traced, self._errors)
        )

    def _bases(self) -> list[list[Deviation]]:
        """Return the deviations found; these with one narrowed to the fields that showed it; these without
        one, in case a new deviation predicts the same."""
        narrowed, without = [], []
        for each in sorted(self.predict(self.found, self.exchange).deviations, key=repr)[:_MOST_REPLACED]:
            shown = frozenset(self.fields.get(each, ()))
            if shown and not each.fields:
                narrow = replace(each, fields=shown)
                narrowed.append([narrow if other == each else other for other in self.found])
            without.append([other for other in self.found if other != each])
        return [self.found, *narrowed, *without]

    def _of_one(self, base: list[Deviation], traced: Prediction) -> Iterator[Candidate]:
        """Yield the candidates with one new deviation beside those of a base."""
        if base is not self.found:
            yield base, ()
        # A codec that refuses a version of a message, or dies at it, says nothing about how it would read it.
        silent = endings_of(self.exchange) or deaths_of(self.exchange)
        if any(trigger == MESSAGE for _, trigger, *_ in traced.met) and not silent:
            form, scope = other_form(self.exchange.layout), scope_of(self.exchange)
            yield base, both_ways(MESSAGE, form, scope=scope)
        yield from ((base, (each,)) for each in once(self._singles(self.exchange, traced)))

    def _singles(self, exchange: CodecExchange, traced: Prediction) -> Iterator[Deviation]:
        """Yield the deviations at the triggers that the exchange meets."""
        places = sorted({Place(*place[:3]) for place in traced.met})
        for proposal in self.proposals:
            for place in places:
                if (place.direction, place.trigger) == (proposal.direction, proposal.trigger):
                    yield from (replace(proposal, types=each) for each in place.choices)
        for each in self.found:
            if each.trigger == "value" and each.action in VALUE_CHANGES and each.fields:
                yield replace(each, fields=frozenset())
        endings = endings_of(exchange)
        yield from self._of_more_errors(places, endings)
        yield from of_messages(exchange, places, endings)
        # Where several triggers meet, the wide ones come last: that of a whole field, that of any stream.
        for place in sorted(
            places, key=lambda each: (each.trigger in _WIDE, self.met[each.direction, each.trigger])
        ):
            if can_show(place, exchange.reply):
                yield from at_place(place, endings, self._errors)
        if not endings:
            yield from of_values(exchange, traced)
            yield from of_defaults(exchange, traced, self.found)

    def _of_more_errors(
        self, places: Sequence[Place], endings: Sequence[tuple[str, str]]
    ) -> Iterator[Deviation]:
        """Yield the crashes found so far that the exchange meets, each with its error as another one."""
        met = {place[:2] for place in places}
        for action, error in endings:
            for each in self.found:
                if each.action == action == CRASH and (each.direction, each.trigger) in met:
                    yield replace(each, error=", ".join(sorted({*each.error.split(", "), error})))

    def _combined(
        self,
        base: list[Deviation],
        traced: Prediction,
        singles: Callable[[CodecExchange, Prediction], Iterator[Deviation]],
    ) -> tuple[Deviation, ...]:
        """Return deviations that predict the exchange together, each beside those before it; empty without.

        All but the last leave fewer fields that differ.
        """
        chosen: tuple[Deviation, ...] = ()
        left = differing_leaves(self.exchange, traced.reply)
        while left is not None and len(chosen) < _LONGEST_CHAIN:
            better = None
            for each in singles(self.exchange, traced):
                if any(each.is_like(other) for other in chosen):
                    continue
                reply = self.predict([each, *chosen, *base], self.exchange).reply
                if matches(reply, self.exchange.reply):
                    return (each, *chosen)
                now = differing_leaves(self.exchange, reply)
                if better is None and now is not None and now < left:
                    better = each, now
            if better is None:
                break
            chosen, left = (better[0], *chosen), better[1]
        return ()

    def _chains(
        self, base: list[Deviation], chosen: tuple[Deviation, ...], traced: Prediction, narrow: bool
    ) -> Iterator[tuple[Deviation, ...]]:
        """Yield deviations that continue where the reference refuses, until the codec's values are predicted.

        Args:
            narrow: whether they are for one field, and not for all fields of its type.
        """
        if traced.ended_at is None:
            if combined := self._combined([*chosen, *base], traced, of_values):
                yield (*combined, *chosen)
            return
        direction, trigger, kind, path = traced.ended_at
        if len(chosen) >= _LONGEST_CHAIN or trigger in LAST:
            return
        fields = frozenset({path}) if narrow else frozenset()
        for at in at_place(Place(direction, trigger, kind), endings_of(self.exchange), self._errors):
            new, action = replace(at, fields=fields), at.action
            if any(each.is_like(new) for each in chosen):
                continue
            longer = (new, *chosen)
            yield longer
            if action not in (REFUSE, CRASH):
                prediction = self.predict([*longer, *base], self.exchange, trace=True)
                yield from self._chains(base, longer, prediction, narrow)

    @property
    def _errors(self) -> set[str]:
        """The errors of the deviations found so far."""
        return {each.error for each in self.found if each.error}
