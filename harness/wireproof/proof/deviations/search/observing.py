"""The observer of a codec's answers: it recognises known deviations, and keeps the other answers.

Each answer passes the observer on its way from the adapter to the checks. If a known deviation predicts the
answer, the checks get the right answer in its place, and go on after it. Other answers are not changed.
"""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Encoded, FeedFrame, Refused, Reply, Request, Unsupported
from wireproof.model.cell import Cell
from wireproof.proof.checks.check_table import Check
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.matching import is_lenient_reading, matches, predicted_leniently
from wireproof.proof.deviations.prediction import CodecExchange, Model, Prediction, right_reply
from wireproof.proof.deviations.search.attribution import FailedExchanges, attributed
from wireproof.proof.deviations.search.cell_diagnosis import CellDiagnosis, KnownCause
from wireproof.proof.deviations.search.contradictions import Contradictions
from wireproof.proof.deviations.search.deviation_search import MOST_PREDICTIONS
from wireproof.proof.deviations.search.diagnosis import diagnose
from wireproof.proof.deviations.search.exchange_words import request_words
from wireproof.proof.deviations.search.input_dependence import (
    constant_answer,
    is_flaky,
    stale_answer,
    two_answers,
)
from wireproof.proof.deviations.search.other_forms import Ask, ask_in_other_forms
from wireproof.proof.deviations.search.recent_exchanges import (
    LONGEST,
    RecentExchanges,
    data_of,
    is_in_sample,
    value_of,
)
from wireproof.proof.deviations.whole_values import RECORD_SET, is_predictable, write_whole

_SAMPLED_EACH: Final = 300
"""Right answers that deviations are tested with, for each kind of request: the first refusals of a cell; the
first values, then every second one, then every third one, and so on."""
_KEPT_EACH: Final = 3 * _SAMPLED_EACH
"""Answers that are kept to find the right ones: which are right is not known before the end."""
_MOST_FAILED: Final = 3_000
"""Most failed cases of a cell to diagnose."""
_TRIED_OF_CONSTANT: Final = 24
"""Exchanges that are searched for deviations if the codec always gives the same answer."""
_LEAST_PREDICTIONS: Final = 5_000
"""Most predictions for a cell after many that reached the limit: each of them halves it."""
_OF_DAMAGED: Final = frozenset((Check.CUT, Check.CUT_OFF, Check.CHECKSUM))
"""Checks of bytes that are damaged on purpose."""
_LONG: Final = 2_000


@dataclass(slots=True)
class _CellAnswers:
    """The answers of a codec in one cell."""

    layout: MessageLayout | None = None
    recent: RecentExchanges = field(default_factory=RecentExchanges)
    sample: dict[tuple[type, bool], list[CodecExchange]] = field(default_factory=dict)
    kept: Counter[tuple[type, bool]] = field(default_factory=Counter)
    failed: list[FailedExchanges] = field(default_factory=list)
    excused: list[CodecExchange] = field(default_factory=list)
    excused_values: dict[int, Any] = field(default_factory=dict)
    excused_data: set[bytes] = field(default_factory=set)
    used: Counter[str] = field(default_factory=Counter)
    checked: Counter[tuple[type, bool]] = field(default_factory=Counter)


class AnswerObserver:
    """Observes the answers of one codec. Without a known cause and without a failure it only keeps them."""

    def __init__(self) -> None:
        self._settles = True
        self._model = Model()
        self._against = Contradictions(self._model)
        self._ids: dict[Deviation, str] = {}
        self._proposals: list[Deviation] = []
        self._most = MOST_PREDICTIONS
        self._release = ""
        self._of: tuple[str, int] = "", -1
        self._answers = _CellAnswers()
        self._lock = threading.Lock()  # a codec is asked from two threads, too
        self._measured = False

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Excuse answers without counting them: how many questions a measurement asks depends on the time."""
        before, self._measured = self._measured, True
        try:
            yield
        finally:
            self._measured = before

    def begin(
        self, cell: Cell, known: Sequence[KnownCause], *, settles: bool = True, sets: bool = False
    ) -> None:
        """Begin a cell: forget the answers before it.

        Args:
            settles: replace an answer that a known cause predicts with the right one.
            sets: whether the message holds record sets: a codec is asked for these, too.
        """
        self._settles = settles
        self._ids = {
            deviation: each.id for each in known for deviation in _applied(each.deviation, cell, sets=sets)
        }
        self._model = Model(self._ids)
        self._against = Contradictions(self._model)
        self._release = cell.release
        self._of = cell.message, cell.version
        self._answers = _CellAnswers()

    @property
    def used(self) -> Counter[str]:
        """The number of answers of the cell so far that each known cause predicted."""
        return self._answers.used

    @property
    def contradicted(self) -> dict[str, str]:
        """The known causes that answers contradict, each with a request that the codec answers right."""
        return {self._ids[each]: request_words(exchange) for each, exchange in self._against.found().items()}

    def settle(
        self,
        layout: MessageLayout,
        header: MessageLayout | None,
        request: Request,
        reply: Reply,
        *,
        whole: bool,
    ) -> Reply:
        """Return the reply for the checks: the right one if a known cause predicts the codec's reply."""
        if isinstance(reply, Unsupported) or not is_predictable(layout, request):
            return reply
        with self._lock:
            return self._settled(CodecExchange(layout, header, request, reply, whole))

    def _settled(self, exchange: CodecExchange) -> Reply:
        layout, request, reply = exchange.layout, exchange.request, exchange.reply
        self._answers.layout = layout
        right = self._excuse(exchange) if self._settles and self._model.deviations else None
        answers = self._answers
        if right is not None or self._measured:
            answers.recent.hear(exchange)
            return reply if right is None else right
        answers.recent.keep(exchange)
        if self._is_of_other_version(layout):
            return reply
        kind = type(request), isinstance(reply, Refused)
        if exchange.size < _LONG and is_in_sample(answers.kept, kind, _KEPT_EACH):
            answers.sample.setdefault(kind, []).append(exchange)
        return reply

    def _is_of_other_version(self, layout: MessageLayout) -> bool:
        """Test if a layout has another version than the cell: its answers say nothing about the cell."""
        message, version = self._of
        return layout.name == message and layout.version != version

    def excused(self, value: Any) -> bool:
        """Test if a known cause predicted an answer about a value, or about Kafka's bytes of it."""
        answers = self._answers
        if id(value) in answers.excused_values:
            return True
        return bool(answers.excused_data) and not answers.excused_data.isdisjoint(
            self._bodies(value, None, ())
        )

    def excused_bytes(self, data: bytes) -> bool:
        """Test if a known cause predicted an answer about bytes."""
        return data in self._answers.excused_data

    def failed(self, case_id: str, keys: frozenset[tuple[str, ...]], value: Any, data: bytes | None) -> None:
        """Note a failed case, with the exchanges in which the codec differs.

        Args:
            keys: the check, the field and the kind of each divergence.
            value, data: the value and the bytes of the case; None if it has none.
        """
        if len(self._answers.failed) >= _MOST_FAILED:
            return
        try:
            differing = self._exchanges_of(keys, value, data)
            long = not differing and any(len(each) > LONGEST for each in self._bodies(value, data, ()))
        except Exception:  # noqa: BLE001 - the search is a help: no error of it may lose the cell
            differing, long = (), False
        before = self._answers.recent.before
        stale = frozenset(id(each) for each in differing if before(each) == each.reply)
        self._answers.failed.append(FailedExchanges(case_id, keys, differing, stale, long))

    def explanation(self, keys: frozenset[tuple[str, ...]], value: Any, data: bytes | None) -> str:
        """Return the id of the known cause that predicts all wrong answers about a case; empty if none does.

        Args:
            keys, value, data: the case, as `failed` takes it.
        """
        return self._cause_of(self._exchanges_of(keys, value, data))

    def cause_of(self, case_id: str, *, partly: bool = False) -> str:
        """Return the id of the known cause that predicts the wrong answers of a failed case; else empty.

        Args:
            partly: accept a cause that predicts some of the answers.
        """
        failed = (each for each in self._answers.failed if each.case_id == case_id)
        return next((self._cause_of(each.exchanges, partly=partly) for each in failed), "")

    def _cause_of(self, exchanges: Sequence[CodecExchange], *, partly: bool = False) -> str:
        predictions = [(each, self._model.predict(each)) for each in exchanges]
        held = [made for each, made in predictions if made.fired and matches(made.reply, each.reply)]
        if len(held) < len(predictions) and not partly:
            return ""
        return min((self._ids[each] for made in held for each in made.deviations), default="")

    def _exchanges_of(
        self, keys: frozenset[tuple[str, ...]], value: Any, data: bytes | None
    ) -> tuple[CodecExchange, ...]:
        """Return the exchanges about a failed case in which the codec differs."""
        recent = self._answers.recent
        if data is not None and any(check in _OF_DAMAGED for check, *_ in keys):
            own = recent.about_data({data})
        else:
            own = recent.about_value(value)
            own += recent.about_data(self._bodies(value, data, own))
            own += recent.written_again(own)
        differing = (each for each in own if self._differs(each))
        checks = {check for check, *_ in keys}
        if checks == {Check.RECOVER}:
            # The value after a refusal failed. The value before it may be written by a trusting codec.
            return tuple(each for each in differing if not isinstance(right_reply(each), Refused))
        if checks == {Check.FEED}:
            return tuple(each for each in differing if isinstance(each.request, FeedFrame))
        return tuple(differing)

    def finish(self, ask: Ask | None = None) -> CellDiagnosis | None:
        """Diagnose the cell; None if no case failed. If the search raises an error, no case is predicted.

        Args:
            ask: asks the codec the further questions of the search; None asks none.
        """
        failed = self._answers.failed
        if not failed:
            return None
        try:
            return self._diagnosis(ask)
        except Exception as error:  # noqa: BLE001 - the search is a help: no error of it may lose the cell
            rest = Counter(key for case in failed for key in case.keys)
            words = f"{type(error).__name__}: {error}"
            return CellDiagnosis((), len(failed), len(failed), tuple(sorted(rest.items())), True, words)

    def _diagnosis(self, ask: Ask | None) -> CellDiagnosis:
        answers = self._answers
        tied = {id(each): each for case in answers.failed for each in case.exchanges}
        agreeing = []
        for (_, refused), kept in answers.sample.items():
            right = [each for each in kept if not self._differs(each)]
            step = 1 if refused else 1 + len(right) // _SAMPLED_EACH
            agreeing += right[::step][:_SAMPLED_EACH]
        known = self._model.deviations
        odd = two_answers((*answers.recent, *tied.values()))
        constant = constant_answer((*tied.values(), *agreeing))
        old = {key for case in answers.failed for key in case.stale}
        stale = stale_answer([(each, key in old) for key, each in tied.items()])
        # If a flaky codec gives the answer to the question before, it says nothing about the question.
        steady = [each for key, each in tied.items() if not is_flaky(each, odd) and not (odd and key in old)]
        if stale:
            steady = []
        elif constant:
            # A codec that loses all tagged fields of an empty message gives one answer, too, for a cause.
            steady.sort(key=lambda each: each.size)
            first = steady[:_TRIED_OF_CONSTANT]
            tried = diagnose(first, agreeing, [], known, answers.excused)
            explained = all(tried.predicts(each) for each in first)
            constant, steady = ("", steady) if explained else (constant, [])
        found = diagnose(steady, agreeing, self._proposals, known, answers.excused, self._most)
        if ask is not None:
            with self.measuring():
                own = [each for each in steady if not self._is_of_other_version(each.layout)]
                ask_in_other_forms(found, own, ask)
        if found.exhausted:
            self._most = max(self._most // 2, _LEAST_PREDICTIONS)
        diagnosed = attributed(found, answers.failed, known)
        return replace(diagnosed, two_answers=next(iter(odd.values()), ()), constant=constant, stale=stale)

    def _excuse(self, exchange: CodecExchange) -> Reply | None:
        """Return the right reply if known causes predict that of the codec, or None."""
        answers, kind = self._answers, (type(exchange.request), isinstance(exchange.reply, Refused))
        right = right_reply(exchange)
        if matches(right, exchange.reply) or is_lenient_reading(exchange, right, self._release):
            if self._measured or self._is_of_other_version(exchange.layout):
                return None
            # Known causes are tested with the same exchanges as new ones.
            if exchange.size < _LONG and is_in_sample(answers.checked, kind, _SAMPLED_EACH):
                self._against.note(exchange, right)
            return None
        prediction: Prediction | None = self._model.predict(exchange)
        if prediction is not None and not (prediction.fired and matches(prediction.reply, exchange.reply)):
            prediction = predicted_leniently(self._model.deviations, exchange)
        if prediction is None:
            return None
        if self._measured:
            return right
        answers.used.update({self._ids[each] for each in prediction.deviations})
        if len(answers.excused) < _SAMPLED_EACH and exchange.size < _LONG:
            answers.excused.append(exchange)
        value, data = value_of(exchange), data_of(exchange)
        answers.excused_values[id(value)] = value
        answers.excused_data |= set() if data is None else {data}
        return right

    def _differs(self, exchange: CodecExchange) -> bool:
        right = right_reply(exchange)
        return not (matches(right, exchange.reply) or is_lenient_reading(exchange, right, self._release))

    def _bodies(self, value: Any, data: bytes | None, exchanges: Sequence[CodecExchange]) -> set[bytes]:
        """Return the bytes that belong to a case: the given bytes, Kafka's, and the codec's own."""
        bodies = {each.reply.data for each in exchanges if isinstance(each.reply, Encoded)}
        bodies |= set() if data is None else {data}
        if isinstance(value, dict) and self._answers.layout is not None:
            with suppress(CodecError):
                bodies.add(write_whole(self._answers.layout, value))
        return bodies


def _applied(deviation: Deviation, cell: Cell, *, sets: bool) -> Iterator[Deviation]:
    """Yield what a deviation is in a cell: in its message, and in the record sets in the message."""
    if deviation.covers(cell.message, cell.version):
        yield from deviation.within(cell.message, cell.version)
    if sets and cell.message != RECORD_SET:
        for version in sorted(deviation.scope.get(RECORD_SET, ())):
            scope = {RECORD_SET: frozenset((version,))}
            yield from (replace(each, scope=scope) for each in deviation.within(RECORD_SET, version))
