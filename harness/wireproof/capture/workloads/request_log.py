"""What became of every request: the account of a sweep."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, assert_never

from kafkawire.schema import MessageLayout
from wireproof.capture.brokers import Listener
from wireproof.capture.raw_client.raw_client import (
    AnsweredCall,
    CallOutcome,
    ClosedCall,
    SilentCall,
    UnreadableCall,
)
from wireproof.fingerprint import response_classifier

__all__ = ["Attempt", "RequestLog", "VersionLog", "AttemptResult", "classify_attempt"]


class AttemptResult(StrEnum):
    """What became of a request. The text is stable: capture.json holds it."""

    ANSWERED = "answered"
    """With a response that our codec reads."""
    SILENT = "silent"
    """Nothing came in time."""
    CLOSED = "closed"
    """The broker closed the connection."""
    UNREAD = "unread"
    """With a response that our codec does not read."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request.

    Attributes:
        case: what it was for.
        errors: the error codes in the response, at whatever depth.
        content: whether the response is neither an error nor empty.
        detail: of a request that was not answered.
    """

    request: str
    version: int
    case: str
    result: AttemptResult
    errors: frozenset[int] = frozenset()
    content: bool = False
    detail: str = ""


@dataclass(slots=True)
class VersionLog:
    """A pair of a request and a version that a listener advertises.

    Attributes:
        attempts: how many requests were sent.
        answered: how many got a response.
        errors: all error codes seen.
        content: whether any response is neither an error nor empty.
        reason: why none was answered, of the last attempt.
        unread: what our codec cannot read of what came, and why.
        cut: why its recipe could not be played to the end.
    """

    attempts: int = 0
    answered: int = 0
    errors: set[int] = field(default_factory=set)
    content: bool = False
    reason: str = "not tried"
    unread: list[str] = field(default_factory=list)
    cut: str = ""

    def add(self, attempt: Attempt) -> None:
        self.attempts += 1
        self.errors |= attempt.errors
        self.content |= attempt.content
        if attempt.result is AttemptResult.ANSWERED:
            self.answered += 1
        else:
            self.reason = f"{attempt.result}: {attempt.detail}" if attempt.detail else attempt.result.value
        if attempt.result is AttemptResult.UNREAD:
            self.unread.append(f"{attempt.case}: {attempt.detail}")


class RequestLog:
    """The account of one listener of one kind, whatever its node."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.pairs: dict[tuple[str, int], VersionLog] = {}
        self.strange: dict[str, set[str]] = {}

    def expect(self, request: str, version: int) -> None:
        """The listener advertises it."""
        self.pairs.setdefault((request, version), VersionLog())

    def add(self, attempt: Attempt) -> None:
        """It was tried."""
        self.pairs.setdefault((attempt.request, attempt.version), VersionLog()).add(attempt)

    def cut(self, request: str, version: int, reason: str) -> None:
        """Its recipe could not be played to the end."""
        self.pairs[request, version].cut = reason

    def refuse(self, request: str, version: int, reason: str) -> None:
        """It cannot be tried."""
        self.pairs.setdefault((request, version), VersionLog()).reason = reason

    @property
    def answered(self) -> int:
        """Pairs that got a response at least once."""
        return sum(1 for each in self.pairs.values() if each.answered)

    @property
    def with_content(self) -> int:
        """Pairs that got a response which is neither an error nor empty."""
        return sum(1 for each in self.pairs.values() if each.content)

    def unanswered(self) -> Iterator[tuple[str, int, str]]:
        """Request, version and reason of each pair that got none."""
        for (request, version), account in self.pairs.items():
            if not account.answered:
                yield request, version, account.reason

    def facts(self) -> Mapping[str, Any]:
        """For capture.json."""
        return {
            "listener": self.listener.value,
            "advertised": len(self.pairs),
            "answered": self.answered,
            "with_content": self.with_content,
            "strange": {request: sorted(paths) for request, paths in self.strange.items() if paths},
            "pairs": [
                {
                    "request": request,
                    "version": version,
                    "attempts": account.attempts,
                    "answered": account.answered,
                    "content": account.content,
                    "errors": sorted(account.errors),
                    **({} if account.answered else {"reason": account.reason}),
                    **({"unread": account.unread} if account.unread else {}),
                    **({"cut": account.cut} if account.cut else {}),
                }
                for (request, version), account in self.pairs.items()
            ],
        }


def classify_attempt(
    request: str, version: int, case: str, outcome: CallOutcome, response: MessageLayout | None
) -> Attempt:
    """What an outcome comes to.

    Args:
        response: the layout of the response that came.
    """
    match outcome:
        case AnsweredCall(body=body):
            assert response is not None
            look = response_classifier(response)
            found = look.errors(body)
            errors = frozenset(code for _, code in found if code)
            telling = look.has_content(body, found)
            return Attempt(request, version, case, AttemptResult.ANSWERED, errors, telling)
        case SilentCall(after_s=after):
            return Attempt(request, version, case, AttemptResult.SILENT, detail=f"nothing in {after:g} s")
        case ClosedCall(how=how):
            return Attempt(request, version, case, AttemptResult.CLOSED, detail=how)
        case UnreadableCall(error=error):
            return Attempt(request, version, case, AttemptResult.UNREAD, detail=error)
        case _:
            assert_never(outcome)
