"""The lines of the testee protocol: questions as text, answers as values."""

import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from wireproof.foreign_text import one_line
from wireproof.parsing import MISSHAPEN
from wireproof.testees.testee_errors import ProtocolViolationError

__all__ = [
    "ProtocolAnswer",
    "EndedAnswer",
    "FailedAnswer",
    "NotAskedAnswer",
    "OkAnswer",
    "UnsupportedAnswer",
    "allowed",
    "read_answers",
]


@dataclass(frozen=True, slots=True)
class OkAnswer:
    """It worked; `content` is as the operation wants it."""

    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FailedAnswer:
    """It did not.

    Attributes:
        orderly: whether the codec declined in its own way.
        error: the class of the error.
        stderr: of an internal error: what the testee said to it on standard error, its end.
    """

    orderly: bool
    error: str
    message: str
    path: str = ""
    offset: int | None = None
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class UnsupportedAnswer:
    """The codec's types cannot hold the question; `reason` is one that the hello named."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class EndedAnswer:
    """The question ended the process, hung it, or was answered by what the protocol does not allow.

    Attributes:
        error: ``process``, ``hang``, or ``protocol``.
        message: how, with the end of the testee's standard error.
    """

    error: str
    message: str


@dataclass(frozen=True, slots=True)
class NotAskedAnswer:
    """The question was not even asked.

    Attributes:
        same_as: the case that ended the testee for the same cause; empty where it had merely ended too often.
    """

    words: str
    same_as: str = ""


ProtocolAnswer: TypeAlias = OkAnswer | FailedAnswer | UnsupportedAnswer | EndedAnswer | NotAskedAnswer

_MOST_BYTES: Final = (1 << 63) - 1
_KINDS: Final = frozenset({"ok", "decode_error", "encode_error", "unsupported", "internal_error"})


def read_answers(line: bytes) -> Iterator[tuple[int, ProtocolAnswer]]:
    """The answers in a line, with their ids.

    Raises:
        ProtocolViolationError: it is no line of the protocol.
    """
    try:
        told = json.loads(line, parse_constant=_no_json)
    except (ValueError, RecursionError):
        raise ProtocolViolationError(f"a line that is no JSON: {_start(line)}") from None
    for each in told if isinstance(told, list) else [told]:
        yield _answer(each, line)


def allowed(answer: ProtocolAnswer, limits: Container[str]) -> ProtocolAnswer:
    """The answer.

    Args:
        limits: those that the hello names.

    Raises:
        ProtocolViolationError: it refers to another.
    """
    if isinstance(answer, UnsupportedAnswer) and answer.reason not in limits:
        raise ProtocolViolationError(
            f"unsupported by {answer.reason!r}, a limit that the hello does not name"
        )
    return answer


def _answer(told: Any, line: bytes) -> tuple[int, ProtocolAnswer]:
    if not isinstance(told, dict) or type(told.get("id")) is not int:
        raise ProtocolViolationError(f"an answer without an id: {_start(line)}")
    kinds = [key for key in told if key != "id"]
    if len(kinds) != 1 or kinds[0] not in _KINDS:
        raise ProtocolViolationError(
            f"an answer that is not one of {', '.join(sorted(_KINDS))}: {_start(line)}"
        )
    kind, content = kinds[0], told[kinds[0]]
    if not isinstance(content, dict):
        raise ProtocolViolationError(f"{kind} holds no object: {_start(line)}")
    if kind == "ok":
        return told["id"], OkAnswer(content)
    try:
        return told["id"], _refusal(kind, content)
    except KeyError as error:
        raise ProtocolViolationError(f"{kind} lacks {error}: {_start(line)}") from None
    except MISSHAPEN:
        raise ProtocolViolationError(f"{kind} holds another shape than it has to: {_start(line)}") from None


def _refusal(kind: str, content: Mapping[str, Any]) -> ProtocolAnswer:
    """What it means. Class, path and reason become names in ledgers, so they are printable from here on."""
    if kind == "unsupported":
        return UnsupportedAnswer(one_line(str(content["reason"])), str(content.get("message", "")))
    offset = content.get("offset")
    return FailedAnswer(
        kind != "internal_error",
        one_line(str(content["class"])),
        str(content["message"]),
        one_line(str(content.get("path", ""))),
        offset if type(offset) is int and 0 <= offset <= _MOST_BYTES else None,
    )


def _no_json(word: str) -> None:
    """Infinity, -Infinity or NaN, which Python reads and JSON does not have."""
    raise ValueError(f"{word} is not JSON")


def _start(line: bytes) -> str:
    text = line[:120].decode("utf-8", "replace")
    return repr(text) + ("..." if len(line) > 120 else "")
