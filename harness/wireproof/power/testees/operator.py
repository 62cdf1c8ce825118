"""Mutation operators: one way in which the answers of a codec can be wrong; and answers as values and bytes.

An operator does not say where: with a message, a field and a direction it is a mutant (`mutant`).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import cache, wraps
from importlib.resources import files
from typing import Any, Final, NamedTuple, ParamSpec, TypeAlias, TypeVar

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.primitives import PRIMITIVES, VALUE, codec_of
from kafkawire.schema import FieldLayout, MessageLayout, StructLayout
from wireproof.base.text.parsing import parse_toml
from wireproof.model.repertoire import CodecDirection
from wireproof.power.summary import BugClass
from wireproof.proof.deviations.whole_values import read_whole, write_whole
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.session.testee_session import ProtocolAnswer


def is_primitive(layout: MessageLayout) -> bool:
    """True if the message is a single primitive, whose value is bare in questions and answers."""
    return layout.name in PRIMITIVES


_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def _unless_refused(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result | None]:
    """Return the function with the result None where our codec refuses its input."""

    @wraps(function)
    def run(*arguments: _Arguments.args, **options: _Arguments.kwargs) -> _Result | None:
        try:
            return function(*arguments, **options)
        except CodecError:
            return None

    return run


@_unless_refused
def decoded(layout: MessageLayout, data: bytes) -> dict[str, Any]:
    """The complete value in some bytes; None if our codec refuses them."""
    return read_whole(layout, data)


@_unless_refused
def encoded(layout: MessageLayout, value: dict[str, Any]) -> bytes:
    """The bytes of a value; None where our codec refuses it."""
    return write_whole(layout, value)


@_unless_refused
def decoded_frame(
    header: MessageLayout, layout: MessageLayout, data: bytes
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the body of a frame; None where our codec refuses it."""
    return FrameCodec(codec_of(header), codec_of(layout)).decode(data)


@_unless_refused
def encoded_frame(
    header: MessageLayout, layout: MessageLayout, head: dict[str, Any], body: dict[str, Any]
) -> bytes:
    """The bytes of a frame; None where our codec refuses to write it."""
    return FrameCodec(codec_of(header), codec_of(layout)).encode(head, body)


@_unless_refused
def value_of(layout: MessageLayout, tree: Any) -> dict[str, Any]:
    """The complete value in a testee's JSON; None if the JSON is not a valid value."""
    return canonical(layout).from_tree({VALUE: tree} if is_primitive(layout) else tree)


@_unless_refused
def tree_of(layout: MessageLayout, value: dict[str, Any]) -> Any:
    """A value as the JSON that a testee would answer; None if the value has no such JSON."""
    tree = json.loads(canonical(layout).to_json(value))
    return tree[VALUE] if is_primitive(layout) else tree


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a testee, as a line of the protocol.

    Attributes:
        message: the name of the message; for a primitive, the name of its type.
        members: all members of the question: ``value``, ``data``, ``header``, ``framing``, ...
    """

    operation: Operation
    message: str
    version: int
    members: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str) -> "Question":
        """The question in a text of the form that `Conversation.ask` takes."""
        members: dict[str, Any] = json.loads(f"{{{text}}}")
        if members["op"] == "primitive":
            operation = Operation.ENCODE if "value" in members else Operation.DECODE
            return cls(operation, members["type"], 0, members)
        return cls(
            Operation(members["op"]), str(members.get("message", "")), members.get("version", -1), members
        )

    @property
    def data(self) -> bytes:
        return bytes.fromhex(self.members["data"])


class RefusedAnswer(Enum):
    """The result of a change that makes the codec refuse the value with its declared error."""

    REFUSED = "refused"


REFUSED: Final = RefusedAnswer.REFUSED

BOTH_WAYS: Final = (CodecDirection.DECODE, CodecDirection.ENCODE)


class Scope(StrEnum):
    """The kind of subject that an operator is for."""

    MESSAGES = "messages"
    RECORDS = "records"
    PRIMITIVES = "primitives"
    EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class FieldOperator:
    """Changes the value of one field, wherever it stands: after decoding, or before encoding.

    Attributes:
        fits: whether a field can be wrong in this way.
        change: (value, field) -> the value that the codec reads or writes instead, or `REFUSED`.
        edge: whether the codec is wrong only in the first version in which the field fits.
        absent: whether the codec is wrong only if the question leaves the field out.
    """

    name: str
    bug_class: BugClass
    description: str
    fits: Callable[[FieldLayout], bool]
    change: Callable[[Any, FieldLayout], Any]
    ways: tuple[CodecDirection, ...] = BOTH_WAYS
    scope: Scope = Scope.MESSAGES
    edge: bool = False
    absent: bool = False


@dataclass(frozen=True, slots=True)
class StructOperator:
    """Changes one struct, wherever it stands: two of its fields, or its unknown tagged fields.

    Attributes:
        change: (value, struct) -> the value that the codec reads or writes instead.
    """

    name: str
    bug_class: BugClass
    description: str
    fits: Callable[[StructLayout], bool]
    change: Callable[[dict[str, Any], StructLayout], dict[str, Any]]
    ways: tuple[CodecDirection, ...] = BOTH_WAYS
    scope: Scope = Scope.MESSAGES


@dataclass(slots=True)
class Memory:
    """The state that a wrong codec keeps between two answers; a new process has a new one.

    Attributes:
        answers: the number of answers to each operation.
        last: the latest good answer to each operation.
        refused: whether the answer before this one was a refusal.
    """

    answers: dict[Operation, int] = field(default_factory=dict)
    last: dict[Operation, Mapping[str, Any]] = field(default_factory=dict)
    refused: bool = False


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and the testee's own answer.

    Attributes:
        layout: the layout of the message at the question's version.
        header: the layout of the header of its frames; None without a header.
        older: the layout at the version before; None if the testee does not have that version.
        memory: the memory of the process that answers, before this answer.
    """

    question: Question
    answer: ProtocolAnswer
    layout: MessageLayout
    header: MessageLayout | None
    older: MessageLayout | None
    memory: Memory


@dataclass(frozen=True, slots=True)
class AnswerOperator:
    """Changes whole answers about a message.

    Attributes:
        operations: the operations whose answers it changes.
        change: makes the wrong answer; returns the same object if it changes nothing.
        fits: whether a message can be wrong in this way.
    """

    name: str
    bug_class: BugClass
    description: str
    operations: frozenset[Operation]
    change: Callable[[AnsweredQuestion], ProtocolAnswer]
    fits: Callable[[MessageLayout], bool] = lambda layout: True
    scope: Scope = Scope.MESSAGES


Operator: TypeAlias = FieldOperator | StructOperator | AnswerOperator


class Bug(NamedTuple):
    """The name of an operator, with the class of its bug and a sentence about it."""

    name: str
    bug_class: BugClass
    description: str


def bug(name: str) -> Bug:
    return _table()[name]


@cache
def predicting(name: str) -> frozenset[str]:
    """Return the deviations that predict an operator's bug, each as trigger and action."""
    text = files(f"{__package__}.operators").joinpath("causes.toml").read_text(encoding="utf-8")
    return frozenset(parse_toml(text).get(name, ()))


@cache
def _table() -> dict[str, Bug]:
    text = files(f"{__package__}.operators").joinpath("bugs.toml").read_text(encoding="utf-8")
    rows = parse_toml(text).items()
    return {name: Bug(name, BugClass(of), sentence) for of, bugs in rows for name, sentence in bugs.items()}
