"""The answers of the testee protocol: parsed from lines."""

import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from wireproof.base.text.parsing import MISSHAPEN
from wireproof.base.text.wording import one_line
from wireproof.proof.testees.testee_errors import ProtocolViolationError


@dataclass(frozen=True, slots=True)
class OkAnswer:
    """A success; the operation defines the form of `content`."""

    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FailedAnswer:
    """An answer that reports an error.

    Attributes:
        orderly: the codec refused with an error that it declares.
        stderr: of an internal error, the end of the testee's standard error; else empty.
    """

    orderly: bool
    error: str
    message: str
    path: str = ""
    offset: int | None = None
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class UnsupportedAnswer:
    """The codec's types cannot hold the value; the hello names each `reason`."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class EndedAnswer:
    """The request ended the process, hung it, or got an answer that violates the protocol.

    Attributes:
        error: ``process``, ``hang``, or ``protocol``.
        message: the description, with the end of the testee's standard error.
    """

    error: str
    message: str


@dataclass(frozen=True, slots=True)
class NotAskedAnswer:
    """The request was skipped.

    Attributes:
        same_as: the case that ended the testee for the same cause; empty if it had merely ended too often.
    """

    message: str
    same_as: str = ""


ProtocolAnswer: TypeAlias = OkAnswer | FailedAnswer | UnsupportedAnswer | EndedAnswer | NotAskedAnswer

_MAX_OFFSET: Final = (1 << 63) - 1
_LONGEST_CLASS: Final = 1_000
"""Characters. Names of generic classes are long; a ledger and each report repeat them."""
_FREE_PARTS: Final = 200_000
_PARTS_A_CHARACTER: Final = 16
"""Members and elements of answers for each character of the requests: a struct of one byte, which is two
hexadecimal digits, has fewer than 16 fields at their defaults."""
_KINDS: Final = frozenset({"ok", "decode_error", "encode_error", "unsupported", "internal_error"})


def read_answers(line: bytes, asked: int = 0) -> Iterator[tuple[int, ProtocolAnswer]]:
    """Parse the answers in a line, with their ids.

    Python objects take up to a hundred times the memory of the text, so the parts are counted before.

    Args:
        asked: the characters of the requests without an answer.

    Raises:
        ProtocolViolationError: the line violates the protocol, or has too many parts for the requests.
    """
    parts, most = sum(map(line.count, b",:[{")), _FREE_PARTS + _PARTS_A_CHARACTER * asked
    if parts > most:
        raise ProtocolViolationError(
            f"a line of {parts:,} members and elements answers {asked:,} characters of requests: "
            f"expected at most {most:,}: {_start_of(line)}"
        )
    try:
        fields = json.loads(line, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        raise ProtocolViolationError(f"a line that is not JSON: {_start_of(line)}") from None
    for each in fields if isinstance(fields, list) else [fields]:
        yield _answer(each, line)


def check_reason(answer: ProtocolAnswer, limits: Container[str]) -> ProtocolAnswer:
    """Return an answer, if the hello names its reason.

    Args:
        limits: the names of the hello's limits.

    Raises:
        ProtocolViolationError: it is unsupported for a reason that the hello does not name.
    """
    if isinstance(answer, UnsupportedAnswer) and answer.reason not in limits:
        raise ProtocolViolationError(
            f"unsupported by {answer.reason!r}, a limit that the hello does not name"
        )
    return answer


def _answer(fields: Any, line: bytes) -> tuple[int, ProtocolAnswer]:
    if not isinstance(fields, dict) or type(fields.get("id")) is not int:
        raise ProtocolViolationError(f"an answer without an id: {_start_of(line)}")
    kinds = [key for key in fields if key != "id"]
    if len(kinds) != 1 or kinds[0] not in _KINDS:
        raise ProtocolViolationError(
            f"an answer that is not one of {', '.join(sorted(_KINDS))}: {_start_of(line)}"
        )
    kind, content = kinds[0], fields[kinds[0]]
    if not isinstance(content, dict):
        raise ProtocolViolationError(f"{kind} holds no object: {_start_of(line)}")
    if kind == "ok":
        return fields["id"], OkAnswer(content)
    try:
        return fields["id"], _failed_answer(kind, content)
    except KeyError as error:
        raise ProtocolViolationError(f"{kind} lacks {error}: {_start_of(line)}") from None
    except MISSHAPEN:
        raise ProtocolViolationError(
            f"{kind} holds another shape than it has to: {_start_of(line)}"
        ) from None


def _failed_answer(kind: str, content: Mapping[str, Any]) -> ProtocolAnswer:
    """Parse an error. Make class, path and reason printable, because ledgers use them as names."""
    if kind == "unsupported":
        return UnsupportedAnswer(one_line(str(content["reason"])), str(content.get("message", "")))
    offset = content.get("offset")
    return FailedAnswer(
        kind != "internal_error",
        _class_of(content["class"]),
        str(content["message"]),
        one_line(str(content.get("path", ""))),
        offset if type(offset) is int and 0 <= offset <= _MAX_OFFSET else None,
    )


def _class_of(name: Any) -> str:
    """Return the class of an error, on one line."""
    if not isinstance(name, str) or not 0 < len(name.strip()) <= _LONGEST_CLASS:
        raise ValueError("no name of a class")
    return one_line(name)


def _reject_constant(text: str) -> None:
    """Reject Infinity, -Infinity and NaN, which Python accepts and JSON does not have."""
    raise ValueError(f"{text} is not JSON")


def _start_of(line: bytes) -> str:
    text = line[:120].decode("utf-8", "replace")
    return repr(text) + ("..." if len(line) > 120 else "")
