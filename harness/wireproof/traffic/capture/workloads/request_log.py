"""The request log: the outcome of every request of a workload."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from kafkawire.schema import MessageLayout
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.raw_client.raw_client import (
    AnsweredCall,
    CallOutcome,
    ClosedCall,
    SilentCall,
    UnreadableCall,
)
from wireproof.traffic.fingerprint.fingerprinter import response_classifier


@dataclass(slots=True)
class VersionLog:
    """The attempts of one request at one version that a listener advertises.

    Attributes:
        errors: all error codes seen.
        content: True if any response is neither an error nor empty.
        reason: the reason why the last attempt was not answered. Its first word is stable: ``silent``,
            ``closed`` or ``unread``.
        unread: the case and the error of each response that wireproof's codec cannot read.
        cut: the reason why its recipe could not be played to the end.
    """

    attempts: int = 0
    answered: int = 0
    errors: set[int] = field(default_factory=set)
    content: bool = False
    reason: str = "not tried"
    unread: list[str] = field(default_factory=list)
    cut: str = ""

    def add(self, case: str, outcome: CallOutcome, response: MessageLayout | None) -> None:
        """Count an attempt; `response` is the layout of the response, if one came."""
        self.attempts += 1
        match outcome:
            case AnsweredCall(body=body):
                assert response is not None
                classifier = response_classifier(response)
                found = classifier.errors(body)
                self.answered += 1
                self.errors |= {code for _, code in found if code}
                self.content |= classifier.has_content(body, found)
            case SilentCall(after_s=after):
                self.reason = f"silent: nothing in {after:g} s"
            case ClosedCall(how=how):
                self.reason = f"closed: {how}" if how else "closed"
            case UnreadableCall(error=error):
                self.reason = f"unread: {error}"
                self.unread.append(f"{case}: {error}")
            case _:
                assert_never(outcome)


class RequestLog:
    """The requests to listeners of one kind, and the paths in recipes that no version has, by request."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.pairs: dict[tuple[str, int], VersionLog] = {}
        self.unknown_keys: dict[str, set[str]] = {}

    def expect(self, request: str, version: int) -> None:
        """Add a pair that the listener advertises."""
        self.pairs.setdefault((request, version), VersionLog())

    def add(
        self, request: str, version: int, case: str, outcome: CallOutcome, response: MessageLayout | None
    ) -> None:
        """Add an attempt; see `VersionLog.add`."""
        self.pairs.setdefault((request, version), VersionLog()).add(case, outcome, response)

    def cut(self, request: str, version: int, reason: str) -> None:
        """Note the reason why a recipe could not be played to the end."""
        self.pairs[request, version].cut = reason

    def refuse(self, request: str, version: int, reason: str) -> None:
        """Note the reason why a pair cannot be tried."""
        self.pairs.setdefault((request, version), VersionLog()).reason = reason

    @property
    def answered(self) -> int:
        """The number of pairs that got a response at least once."""
        return sum(1 for each in self.pairs.values() if each.answered)

    @property
    def with_content(self) -> int:
        """The number of pairs that got a response which is neither an error nor empty."""
        return sum(1 for each in self.pairs.values() if each.content)

    def unanswered(self) -> Iterator[tuple[str, int, str]]:
        """Iterate over request, version and reason of each pair without a response."""
        for (request, version), pair in self.pairs.items():
            if not pair.answered:
                yield request, version, pair.reason

    def facts(self) -> Mapping[str, Any]:
        """Return the log as a value of capture.json."""
        return {
            "listener": self.listener.value,
            "advertised": len(self.pairs),
            "answered": self.answered,
            "with_content": self.with_content,
            "strange": {request: sorted(paths) for request, paths in self.unknown_keys.items() if paths},
            "pairs": [
                {
                    "request": request,
                    "version": version,
                    "attempts": pair.attempts,
                    "answered": pair.answered,
                    "content": pair.content,
                    "errors": sorted(pair.errors),
                    **({} if pair.answered else {"reason": pair.reason}),
                    **({"unread": pair.unread} if pair.unread else {}),
                    **({"cut": pair.cut} if pair.cut else {}),
                }
                for (request, version), pair in self.pairs.items()
            ],
        }
