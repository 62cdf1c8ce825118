"""Diagnosis: the deviations that predict what a codec answered in a cell, and contradict none of its answers.

This is mutation-based fault localisation (Metallaxis, MUSE) the other way round: the reference is mutated.
"""

from collections.abc import Sequence
from itertools import combinations, islice
from typing import Final, TypeAlias

from wireproof.base.grouping import grouped
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CRASH
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import without_words
from wireproof.proof.deviations.prediction import CodecExchange, Model
from wireproof.proof.deviations.search.candidates import LONG, weight
from wireproof.proof.deviations.search.contradictions import concerns
from wireproof.proof.deviations.search.deviation_search import (
    FEW_PREDICTIONS,
    MOST_EVIDENCE,
    MOST_PREDICTIONS,
    DeviationSearch,
)
from wireproof.proof.deviations.search.exchange_words import exact_text
from wireproof.proof.deviations.search.layout_candidates import extra_bytes

_MOST_EXCHANGES: Final = 600
"""Most exchanges of a cell that are searched because no deviation found so far predicts them."""
_MOST_LONGER: Final = 20
"""Exchanges in which the codec writes too much, and that a field of another version may explain."""
_MOST_ROUNDS: Final = 3
"""Most searches of a cell: each starts without the deviations that right answers have contradicted."""
_SEVERAL_CRASHES: Final = 3
_LONGEST: Final = 150_000
"""Most bytes of an exchange to search; longer exchanges are only predicted."""


def diagnose(
    differing: Sequence[CodecExchange],
    agreeing: Sequence[CodecExchange],
    proposals: list[Deviation],
    known: Sequence[Deviation] = (),
    predicted: Sequence[CodecExchange] = (),
    most: int = MOST_PREDICTIONS,
) -> DeviationSearch:
    """Find the deviations of a codec in one cell.

    Args:
        differing: the exchanges whose replies are not the reference's.
        agreeing: some of the exchanges whose replies are the reference's.
        proposals: deviations that predicted answers in other cells; new ones are added.
        known: deviations that the ledger knows.
        predicted: some of the exchanges that the known deviations predict.
        most: the limit of predictions.
    """
    reference = Model()
    met = [
        (each, frozenset(place[:2] for place in traced.met if concerns(each, place[1])))
        for each in agreeing
        for traced in (reference.predict(each, trace=True),)
        if traced.content <= LONG
    ]
    # Right values and bytes first: each of them shows few deviations.
    unlike = {
        (each.layout.version, exact_text((each.request, without_words(each.reply)))): each
        for each in differing
        if each.size <= _LONGEST
    }
    ordered = sorted(unlike.values(), key=weight)
    evidence = list(predicted)[:MOST_EVIDENCE]
    diagnosis = DeviationSearch(proposals, ordered, met, list(known), evidence, most=most)
    longer = (index for index, each in enumerate(ordered[:_MOST_EXCHANGES]) if extra_bytes(each) > 0)
    for index in islice(longer, _MOST_LONGER):
        diagnosis.explain_added(index)
    for _ in range(_MOST_ROUNDS):
        for limit in (FEW_PREDICTIONS, most):
            diagnosis.each = limit
            for _ in islice(filter(diagnosis.explain, range(len(ordered))), _MOST_EXCHANGES):
                pass
        if not diagnosis.drop_contradicted(known):
            break
    for one, several in joined_crashes(diagnosis.found, known).items():
        diagnosis.put_in_place(one, several)
    for step in (_drop_redundant, _put_one_for_two):
        new = [each for each in diagnosis.found if each not in known]
        if len(new) > 1 and not diagnosis.exhausted:
            step(diagnosis, new, _fired(diagnosis))
    return diagnosis


def joined_crashes(
    found: Sequence[Deviation], known: Sequence[Deviation]
) -> dict[Deviation, list[Deviation]]:
    """Return a crash at all bytes that Kafka refuses for each error of several crashes, with these."""
    crashes = [each for each in found if each.row.kafka == "refused" and each.action == CRASH]
    alike = grouped((each.error, each) for each in crashes if each not in known)
    return {
        Deviation(CodecDirection.DECODE, "refused", CRASH, error): several
        for error, several in alike.items()
        if len(several) >= _SEVERAL_CRASHES
    }


_Fired: TypeAlias = list[tuple[CodecExchange, frozenset[Deviation]]]
"""Exchanges that the deviations found predict, each with those that act in it."""


def _fired(search: DeviationSearch) -> _Fired:
    predicted = ((each, search.predicts(each)) for each in search.differing)
    return [(each, prediction.deviations) for each, prediction in predicted if prediction is not None]


def _drop_redundant(search: DeviationSearch, new: Sequence[Deviation], fired: _Fired) -> None:
    """Drop new deviations without which the others predict the same answers."""
    for removed in new:
        if search.predictions > search.most:
            return
        if shown := [each for each, deviations in fired if removed in deviations]:
            left = [each for each in search.found if each != removed]
            kept = [each for each in left if each in new]
            search.take(kept, [each for each in left if each not in new], shown)


def _put_one_for_two(search: DeviationSearch, new: Sequence[Deviation], fired: _Fired) -> None:
    """Put one deviation in place of two new ones, if one of them never acts without the other."""
    for pair in map(frozenset, combinations(new, 2)):
        if search.predictions > search.most:
            return
        shown = [(each, pair & deviations) for each, deviations in fired if pair & deviations]
        both = [each for each, acting in shown if acting == pair]
        alone = [(each, acting) for each, acting in shown if acting != pair]
        if both and pair <= set(search.found) and len({acting for _, acting in alone}) < 2:
            search.put_one(pair, [*both, *(each for each, _ in alone)])
