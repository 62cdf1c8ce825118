"""What came of it all, by message and version, client and cause. It grows with these, not with traffic."""

from collections import Counter
from dataclasses import dataclass, field

from wireproof.client_judge.sent_requests import RequestFinding, RequestVerdict
from wireproof.wire import FrameType

__all__ = ["FindingGroup", "MessageStatistics", "RequestStatistics"]


@dataclass(slots=True)
class MessageStatistics:
    """One message at one version.

    Attributes:
        module: that has the message; ``""`` where the release has none such.
        right: requests without a finding.
        errors: error codes in the answers, by name: how many answers have each.
    """

    module: str = ""
    requests: int = 0
    right: int = 0
    request_bytes: int = 0
    errors: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class FindingGroup:
    """Findings that are alike: the first of them, and how many of each version; None for what has none."""

    first: RequestFinding
    versions: Counter[int | None]

    @property
    def count(self) -> int:
        """How many there are."""
        return self.versions.total()


class RequestStatistics:
    """Takes verdicts and findings as they come.

    Attributes:
        rows: by message and version.
        clients: requests by client id; ``""`` for those without.
        software: what clients say of themselves: how many times.
        causes: in the order of their coming.
    """

    def __init__(self) -> None:
        self.requests = 0
        self.wrong = 0
        self.rows: dict[tuple[str, int], MessageStatistics] = {}
        self.clients: Counter[str] = Counter()
        self.software: Counter[str] = Counter()
        self.causes: dict[tuple[str, str, str, str], FindingGroup] = {}

    def verdict(self, verdict: RequestVerdict) -> list[RequestFinding]:
        """Count a request; the findings of causes that are new."""
        sent = verdict.sent
        module = sent.named.module if isinstance(sent.named, FrameType) else ""
        row = self.rows.setdefault((sent.message, sent.version), MessageStatistics(module))
        row.requests += 1
        row.request_bytes += len(sent.frame.data)
        row.right += not verdict.findings
        row.errors.update(verdict.errors)
        self.requests += 1
        self.clients[verdict.client] += 1
        if verdict.software:
            self.software[verdict.software] += 1
        self.wrong += bool(verdict.findings)
        return [each for each in verdict.findings if self._is_new(each)]

    def loose(self, finding: RequestFinding) -> list[RequestFinding]:
        """Count what belongs to no request; the finding, if its cause is new."""
        self.wrong += 1
        return [finding] if self._is_new(finding) else []

    def _is_new(self, finding: RequestFinding) -> bool:
        known = self.causes.setdefault(finding.cause, FindingGroup(finding, Counter()))
        known.versions[finding.version] += 1
        return known.count == 1

    def causes_of(self, message: str, version: int) -> list[FindingGroup]:
        """What is wrong with a message at a version."""
        return [
            each
            for each in self.causes.values()
            if each.first.message == message and version in each.versions
        ]

    @property
    def loose_causes(self) -> list[FindingGroup]:
        """What is wrong with bytes that are no request."""
        return [each for each in self.causes.values() if not each.first.message]
