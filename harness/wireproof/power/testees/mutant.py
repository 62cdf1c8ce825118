"""A mutant of a testee: an operator with its message, field and direction; and a session with the mutant."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias, assert_never

from kafkawire.schema import MessageLayout
from wireproof.model.cell import Cell
from wireproof.model.codec_ends import MutationSite
from wireproof.model.layout_parts import field_in, struct_in
from wireproof.model.repertoire import CodecDirection
from wireproof.power.testees.operator import (
    REFUSED,
    AnsweredQuestion,
    AnswerOperator,
    FieldOperator,
    Memory,
    Operator,
    Question,
    Scope,
    StructOperator,
    decoded,
    decoded_frame,
    encoded,
    encoded_frame,
    tree_of,
    value_of,
)
from wireproof.power.testees.operators import OPERATORS
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.session.testee_session import (
    FailedAnswer,
    OkAnswer,
    ProtocolAnswer,
    TesteeSession,
    WrappedSession,
)


def change_fields(value: dict[str, Any], path: str, change: Callable[[Any], Any], asked: Any = None) -> Any:
    """A copy of the value with a field changed wherever it occurs; `REFUSED` if any change is refused.

    Args:
        asked: the value of the question; if it is given, only fields that it leaves out are changed.
    """
    *outer, name = path.split(".")

    def change_one(item: dict[str, Any], known: Any) -> Any:
        if name not in item or (isinstance(known, dict) and name in known):
            return item
        changed = change(item[name])
        return REFUSED if changed is REFUSED else {**item, name: changed}

    return _descend(value, outer, change_one, asked)


def change_structs(value: dict[str, Any], path: str, change: Callable[[dict[str, Any]], Any]) -> Any:
    """A copy of the value with a struct changed wherever it occurs."""
    return _descend(value, path.split(".") if path else [], lambda item, _: change(item), None)


def _descend(
    value: Any, steps: Sequence[str], change: Callable[[dict[str, Any], Any], Any], asked: Any
) -> Any:
    if not isinstance(value, dict):
        return value
    if not steps:
        return change(value, asked)
    name = steps[0].removesuffix("[]")
    inner, known = value.get(name), asked.get(name) if isinstance(asked, dict) else None
    if inner is None:
        return value
    if not isinstance(inner, list):
        changed = _descend(inner, steps[1:], change, known)
        return REFUSED if changed is REFUSED else {**value, name: changed}
    others = known if isinstance(known, list) and len(known) == len(inner) else [None] * len(inner)
    items = [_descend(each, steps[1:], change, other) for each, other in zip(inner, others, strict=True)]
    return REFUSED if any(each is REFUSED for each in items) else {**value, name: items}


_Change: TypeAlias = Callable[[dict[str, Any], MessageLayout], Any]
"""A function (value, its layout) -> the changed value, or `REFUSED`."""

_READ = frozenset({Operation.DECODE, Operation.UNFRAME, Operation.FEED, Operation.REENCODE, Operation.COPY})
_WRITTEN = frozenset({Operation.ENCODE, Operation.FRAME, Operation.REENCODE, Operation.COPY})


@dataclass(frozen=True, slots=True)
class AnswerMutant:
    """A testee that is wrong in one way at one place. Plain data: it has only the operator's name.

    Attributes:
        name: the name of the operator.
        cell: the cell that the seed chose, under Kafka's names.
        path: the path of the field or the struct; empty for the whole message.
        way: the direction in which it is wrong; None for whole answers, whose operator determines it.
        layouts: the layouts at the versions in which the testee is wrong, under the testee's own names.
        older: the layouts of the message at all versions that the testee has.
        headers: the layouts of the headers of its frames, by the message's version.
    """

    name: str
    cell: Cell
    path: str
    way: CodecDirection | None
    layouts: Mapping[int, MessageLayout] = field(repr=False)
    older: Mapping[int, MessageLayout] = field(default_factory=dict, repr=False)
    headers: Mapping[int, MessageLayout] = field(default_factory=dict, repr=False)

    @property
    def operator(self) -> Operator:
        return OPERATORS[self.name]

    @property
    def place(self) -> str:
        """The message, the field and the direction: ``FetchRequest topics[].name decode``."""
        words = (self.cell.message, self.path, "" if self.way is None else str(self.way))
        return " ".join(word for word in words if word)

    def answer(self, question: Question, answer: ProtocolAnswer, memory: Memory) -> ProtocolAnswer:
        """Return the mutant's answer; the testee's own answer, the same object, if nothing changes."""
        layout = self._layout(question, answer)
        if layout is None:
            return answer
        operator = self.operator
        match operator:
            case AnswerOperator():
                return self._whole(operator, question, answer, layout, memory)
            case FieldOperator():
                return self._of_value(question, answer, layout, self._field_change(operator, question))
            case StructOperator():
                return self._of_value(question, answer, layout, self._struct_change(operator))
            case _:
                assert_never(operator)

    def _layout(self, question: Question, answer: ProtocolAnswer) -> MessageLayout | None:
        """Return the layout of the message in the answer; None if the mutant does not change that message."""
        message, version = question.message, question.version
        if "framing" in question.members and isinstance(answer, OkAnswer) and "version" in answer.content:
            message, version = str(answer.content["message"]), int(answer.content["version"])
        return self.layouts.get(version) if message == self.cell.message else None

    def _whole(
        self,
        operator: AnswerOperator,
        question: Question,
        answer: ProtocolAnswer,
        layout: MessageLayout,
        memory: Memory,
    ) -> ProtocolAnswer:
        framed = "framing" in question.members
        if question.operation not in operator.operations or framed != (operator.scope is Scope.EMBEDDED):
            return answer
        header, older = self.headers.get(layout.version), self.older.get(layout.version - 1)
        return operator.change(AnsweredQuestion(question, answer, layout, header, older, memory))

    def _field_change(self, operator: FieldOperator, question: Question) -> _Change:
        asked = question.members.get("value") if operator.absent else None

        def change(value: dict[str, Any], layout: MessageLayout) -> Any:
            there = field_in(layout, self.path)
            if there is None:
                return value

            return change_fields(value, self.path, lambda item: operator.change(item, there), asked)

        return change

    def _struct_change(self, operator: StructOperator) -> _Change:
        def change(value: dict[str, Any], layout: MessageLayout) -> Any:
            struct = struct_in(layout, self.path)
            if struct is None:
                return value
            return change_structs(value, self.path, lambda item: operator.change(item, struct))

        return change

    def _of_value(
        self, question: Question, answer: ProtocolAnswer, layout: MessageLayout, change: _Change
    ) -> ProtocolAnswer:
        operation = question.operation
        if operation is Operation.EQUAL and self.way is CodecDirection.DECODE:
            return _of_objects(question, answer, layout, change)
        if not isinstance(answer, OkAnswer) or operation not in (
            _READ if self.way is CodecDirection.DECODE else _WRITTEN
        ):
            return answer
        if "value" in answer.content:
            return _with_value(answer, layout, change)
        if operation is not Operation.FRAME:
            return _with_bytes(answer, layout, None, change)
        header = self.headers.get(layout.version)
        return answer if header is None else _with_bytes(answer, layout, header, change)


def _is_same(layout: MessageLayout, before: Any, changed: dict[str, Any]) -> bool:
    """Return whether a value is unchanged. Its bytes may differ: libraries compress differently."""
    return before is not None and tree_of(layout, changed) == before


def _refusal() -> FailedAnswer:
    return FailedAnswer(True, "MutantError", "a value that the codec does not take")


def _of_objects(
    question: Question, answer: ProtocolAnswer, layout: MessageLayout, change: _Change
) -> ProtocolAnswer:
    """Refuse to compare an object that the codec does not take."""
    for name in ("data", "other"):
        value = decoded(layout, bytes.fromhex(question.members[name]))
        if value is not None and change(value, layout) is REFUSED:
            return _refusal()
    return answer


def _read(
    layout: MessageLayout, header: MessageLayout | None, data: bytes
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the header, if there is one, and the body; None for bytes that our codec refuses."""
    if header is None:
        return {}, decoded(layout, data)
    return decoded_frame(header, layout, data) or ({}, None)


def _with_value(answer: OkAnswer, layout: MessageLayout, change: _Change) -> ProtocolAnswer:
    value = value_of(layout, answer.content["value"])
    if value is None:  # a forbidden null, or a number too large: the change may still refuse the value
        with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return _refusal() if change(answer.content["value"], layout) is REFUSED else answer
        return answer
    before, changed = tree_of(layout, value), change(value, layout)
    if changed is REFUSED:
        return _refusal()
    tree = tree_of(layout, changed)
    return answer if tree is None or tree == before else OkAnswer({**answer.content, "value": tree})


def _with_bytes(
    answer: OkAnswer, layout: MessageLayout, header: MessageLayout | None, change: _Change
) -> ProtocolAnswer:
    data = bytes.fromhex(answer.content["data"])
    head, value = _read(layout, header, data)
    if value is None:
        return answer
    before, changed = tree_of(layout, value), change(value, layout)
    if changed is REFUSED:
        return _refusal()
    if _is_same(layout, before, changed):
        return answer
    written = encoded(layout, changed) if header is None else encoded_frame(header, layout, head, changed)
    return answer if written in (None, data) else OkAnswer({**answer.content, "data": (written or b"").hex()})


@dataclass(slots=True)
class MutationCounts:
    """Counts of a mutant's answers.

    Attributes:
        asked: the number of answers about the message in which the mutant is wrong.
        changed: the number of these answers that it changed.
        first: a question whose answer it changed, cut short.
    """

    asked: int = 0
    changed: int = 0
    first: str = ""


class MutatedSession(WrappedSession):
    """Asks a testee, and changes its answers as a mutant does.

    Args:
        testee: the testee itself.
        tally: counts what is changed.
    """

    def __init__(
        self, testee: TesteeSession, mutant: AnswerMutant, tally: MutationCounts | None = None
    ) -> None:
        super().__init__(testee)
        self._mutant = mutant
        self._tally = MutationCounts() if tally is None else tally
        self._memory = Memory()

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        answers = super().ask(questions, sites)
        return [self._answer(question, answer) for question, answer in zip(questions, answers, strict=True)]

    def stop(self) -> bool:
        """End the testee's process; the mutant loses its memory, too."""
        self._memory = Memory()
        return super().stop()

    def _answer(self, text: str, answer: ProtocolAnswer) -> ProtocolAnswer:
        if f'"{self._mutant.cell.message}"' not in text[:200]:
            return answer
        question = Question.parse(text)
        changed = self._mutant.answer(question, answer, self._memory)
        self._tally.asked += 1
        if changed is not answer:
            self._tally.changed += 1
            self._tally.first = self._tally.first or text[:200]
        self._remember(question, answer)
        return changed

    def _remember(self, question: Question, answer: ProtocolAnswer) -> None:
        memory, operation = self._memory, question.operation
        memory.answers[operation] = memory.answers.get(operation, 0) + 1
        memory.refused = isinstance(answer, FailedAnswer)
        if isinstance(answer, OkAnswer):
            memory.last[operation] = answer.content
