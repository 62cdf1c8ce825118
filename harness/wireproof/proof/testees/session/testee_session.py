"""The interface of a session with a testee, the testee's answers, and what a session remembers."""

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeAlias

from wireproof.base.text.parsing import MISSHAPEN
from wireproof.base.text.wording import one_line
from wireproof.model.codec_ends import MutationSite
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.process.transport import last_lines
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
        stderr: the end of the testee's standard error for an internal error; else empty.
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
        same_as: the case that ended the testee for the same cause; empty if the testee had ended too often.
    """

    message: str
    same_as: str = ""


ProtocolAnswer: TypeAlias = OkAnswer | FailedAnswer | UnsupportedAnswer | EndedAnswer | NotAskedAnswer

_MAX_OFFSET: Final = (1 << 63) - 1
_LONGEST_CLASS: Final = 1_000
"""Most characters of a class name. Generic classes have long names; a ledger and each report repeat them."""
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


@dataclass(slots=True)
class StderrTail:
    """The latest output for each class of error.

    A kit prints an error of one place only once, and answers arrive in groups, so the output for an error is
    kept for the next error of its class.
    """

    _by_error: dict[str, str] = field(default_factory=dict)

    def attach(self, answer: ProtocolAnswer, stderr_text: Callable[[], str]) -> ProtocolAnswer:
        """Return the answer; attach its output to an internal error.

        Args:
            stderr_text: returns the end of standard error so far.
        """
        if isinstance(answer, FailedAnswer) and not answer.orderly:
            return replace(answer, stderr=self._tail_for(answer.error, stderr_text()))
        return answer

    def _tail_for(self, error: str, stderr_text: str) -> str:
        """Cut the text after the last line that names the error; return its end if no line does."""
        position = stderr_text.rfind(error.rpartition(".")[2])
        if position >= 0:
            end = (stderr_text + "\n").index("\n", position)
            self._by_error[error] = last_lines(stderr_text[:end])
        return self._by_error.get(error) or last_lines(stderr_text)


_MOST_CHARACTERS: Final = 16 << 20
"""Longer sequences are not kept: a repetition would take as long as several cells."""


@dataclass(slots=True)
class SentLines:
    """The lines that one process was sent, without ids.

    Attributes:
        whole: no line was dropped because there were too many.
    """

    lines: list[tuple[str, ...]] = field(default_factory=list)
    whole: bool = True
    _characters: int = 0

    def add(self, requests: Sequence[str]) -> None:
        """Keep the requests of a line."""
        self._characters += sum(map(len, requests))
        self.whole = self._characters <= _MOST_CHARACTERS
        if self.whole:
            self.lines.append(tuple(requests))
        else:
            self.lines.clear()

    @property
    def questions(self) -> int:
        """The number of requests."""
        return sum(map(len, self.lines))


class TesteeSession(Protocol):
    """A testee that answers requests, in any process."""

    @property
    def location(self) -> str:
        """The place where the testee runs, in words that follow "it runs in"."""

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits that apply, as text by name."""

    def hello(self) -> Hello:
        """Return the testee's identity and claims.

        Raises:
            TesteeError: it does not start, or does not greet.
        """

    def begin_cell(self) -> None:
        """Begin another cell: forget how often the testee ended."""

    def ask(self, requests: Sequence[str], sites: Sequence[MutationSite | None] = ()) -> list[ProtocolAnswer]:
        """Return the answer to each request.

        Args:
            requests: the JSON text of each from its second member on: ``"op":...,...``.
            sites: the mutation of each request with malformed bytes, and its place; may be left out if no
                request has any.

        Raises:
            TesteeError: it does not start any more.
        """

    def stop(self) -> bool:
        """End the testee, so that the next request is the first of a fresh one.

        Return whether it ended in order; True if it is not running.
        """

    def close(self) -> None:
        """End the testee, in order if possible."""


class WrappedSession:
    """A session that passes everything on; see `TesteeSession` for the methods."""

    def __init__(self, testee: TesteeSession) -> None:
        self._testee = testee

    @property
    def location(self) -> str:
        return self._testee.location

    @property
    def enforced(self) -> Mapping[str, str]:
        return self._testee.enforced

    def hello(self) -> Hello:
        return self._testee.hello()

    def begin_cell(self) -> None:
        self._testee.begin_cell()

    def ask(self, requests: Sequence[str], sites: Sequence[MutationSite | None] = ()) -> list[ProtocolAnswer]:
        return self._testee.ask(requests, sites)

    def stop(self) -> bool:
        return self._testee.stop()

    def close(self) -> None:
        self._testee.close()
