"""Codecs that keep something between two questions."""

from collections.abc import Callable
from typing import Final

from wireproof.power import BugClass
from wireproof.power.testees.operator import AnsweredQuestion, AnswerOperator
from wireproof.power.testees.operators._answers import READS, WRITES, refusal
from wireproof.proof.testees import OkAnswer, Operation, ProtocolAnswer

__all__ = ["STATES"]

_PERIOD: Final = 7
_COPY: Final = frozenset({Operation.COPY})


def _last(exchange: AnsweredQuestion) -> ProtocolAnswer:
    """The answer to the question before, as far as what is consumed fits."""
    operation, answer = exchange.question.operation, exchange.answer
    last = exchange.memory.last.get(operation)
    if last is None or not isinstance(answer, OkAnswer):
        return answer
    stale = {**last, "consumed": answer.content["consumed"]} if "consumed" in answer.content else {**last}
    return answer if stale == answer.content else OkAnswer(stale)


def _number(exchange: AnsweredQuestion) -> int:
    return exchange.memory.answers.get(exchange.question.operation, 0)


def _where(holds: Callable[[AnsweredQuestion], bool]) -> Callable[[AnsweredQuestion], ProtocolAnswer]:
    return lambda exchange: _last(exchange) if holds(exchange) else exchange.answer


def _first_refused(exchange: AnsweredQuestion) -> ProtocolAnswer:
    first = _number(exchange) == 0 and isinstance(exchange.answer, OkAnswer)
    return refusal("not ready") if first else exchange.answer


STATES: Final = (
    AnswerOperator(
        "stale-now-and-then",
        BugClass.BUFFERS,
        "every seventh answer is the one before",
        READS,
        _where(lambda each: _number(each) % _PERIOD == _PERIOD - 1),
    ),
    AnswerOperator(
        "stale-bytes-now-and-then",
        BugClass.BUFFERS,
        "every seventh message is written as the one before",
        WRITES,
        _where(lambda each: _number(each) % _PERIOD == _PERIOD - 1),
    ),
    AnswerOperator(
        "stale-after-refusal",
        BugClass.BUFFERS,
        "the answer after a refusal is the one before it",
        READS,
        _where(lambda each: each.memory.refused),
    ),
    AnswerOperator(
        "first-refused",
        BugClass.BUFFERS,
        "the first question of a process is refused",
        READS | WRITES,
        _first_refused,
    ),
    AnswerOperator(
        "copy-of-before",
        BugClass.BUFFERS,
        "a duplicate is that of the message before",
        _COPY,
        _where(lambda each: True),
    ),
)
