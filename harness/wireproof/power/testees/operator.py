"""Mutation operators: one way in which the answers of a codec can be wrong.

An operator does not say where: with a message, a field and a direction it is a mutant (`mutant`).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, Final, TypeAlias

from kafkawire.schema import FieldLayout, MessageLayout, StructLayout
from wireproof.model import CodecDirection
from wireproof.power import BugClass
from wireproof.proof.testees import Operation, ProtocolAnswer


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a testee, as a line of the protocol.

    Attributes:
        message: its name; of a primitive the name of its type.
        members: all that the question holds: ``value``, ``data``, ``header``, ``framing``, ...
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
        """The bytes in question."""
        return bytes.fromhex(self.members["data"])


class RefusedAnswer(Enum):
    """The result of a change where the codec refuses the value, with its declared error."""

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
        edge: the codec is wrong only in the first version in which the field fits.
        absent: the codec is wrong only where the question leaves the field out.
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
        answers: how many answers it gave to each operation.
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
        layout: of the message at the question's version.
        header: of its frames; None where it has none.
        older: the layout at the version before; None where the testee has none.
        memory: of the process that answers, before this answer.
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
        operations: those whose answers it changes.
        change: the answer instead; the very same object where nothing is wrong.
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
