"""The causes of a cell: each failed case is attributed to the new deviations that predict its exchanges."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.prediction import CodecExchange, right_reply
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, CellDiagnosis
from wireproof.proof.deviations.search.deviation_search import DeviationSearch
from wireproof.proof.deviations.search.exchange_words import differing_words, reply_words, request_words


@dataclass(slots=True)
class FailedExchanges:
    """A failed case, with the exchanges in which the codec differs.

    Attributes:
        keys: the check, the field and the kind of each divergence.
        stale: the ids of the exchanges whose reply is that to the question before.
        long: whether its exchanges are too long to be kept.
    """

    case_id: str
    keys: frozenset[tuple[str, ...]]
    exchanges: tuple[CodecExchange, ...]
    stale: frozenset[int]
    long: bool = False


def attributed(
    diagnosis: DeviationSearch, failed: Sequence[FailedExchanges], known: Sequence[Deviation]
) -> CellDiagnosis:
    """Attribute each failed case to the new deviations that, with the known ones, predict its exchanges.

    A long case that differs as predicted cases do is left out: a run whose ledger has the causes predicts it.
    """
    cases: dict[Deviation, list[tuple[int, str, CodecExchange]]] = {}
    keys: dict[Deviation, set[tuple[str, ...]]] = {}
    fields: dict[Deviation, set[str]] = {}
    rest: Counter[tuple[str, ...]] = Counter()
    left = 0
    for case in (each for each in failed if not each.long):
        predictions = [(each, diagnosis.predicts(each)) for each in case.exchanges]
        if not predictions or any(prediction is None for _, prediction in predictions):
            rest.update(case.keys)
            left += 1
            continue
        seen: set[Deviation] = set()
        for exchange, prediction in predictions:
            assert prediction is not None
            for deviation, _, path in prediction.fired:
                if deviation in known:
                    continue
                fields.setdefault(deviation, set()).add(path)
                keys.setdefault(deviation, set()).update(case.keys)
                if deviation not in seen:
                    cases.setdefault(deviation, []).append((exchange.size, case.case_id, exchange))
                    seen.add(deviation)
    shown_keys = set[tuple[str, ...]]().union(*keys.values())
    searched = [each for each in failed if not each.long or not each.keys <= shown_keys]
    for case in (each for each in searched if each.long):
        rest.update(case.keys)
        left += 1
    causes = []
    counted = defaultdict[tuple[object, ...], set[str]](set)
    for deviation, shown in cases.items():
        size, case_id, exchange = min(shown, key=lambda each: each[:2])
        # Deviations of several fields can be one mistake, and predict one case together.
        before = counted[deviation.mistake(exchange.layout.name)]
        predicted = {each for _, each, _ in shown} - before
        before |= predicted
        causes.append(
            CellCause(
                deviation,
                frozenset(fields[deviation]),
                len(predicted),
                case_id,
                size,
                request_words(exchange),
                *differing_words(
                    reply_words(exchange.layout, exchange.reply),
                    reply_words(exchange.layout, right_reply(exchange)),
                ),
                frozenset(keys[deviation]),
            )
        )
    return CellDiagnosis(tuple(causes), len(searched), left, tuple(sorted(rest.items())), diagnosis.exhausted)
