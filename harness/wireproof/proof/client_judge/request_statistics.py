"""Statistics of requests by message and version, client and cause; their size is independent of traffic."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from wireproof.base.accepted_findings import NOTHING_ACCEPTED, AcceptedFinding, AcceptedFindings
from wireproof.model.divergence import without_indices
from wireproof.proof.client_judge.sent_requests import RequestFinding, RequestVerdict
from wireproof.traffic.wire.frame_identifier import FrameType


@dataclass(slots=True)
class MessageStatistics:
    """One message at one version.

    Attributes:
        module: of the message; ``""`` if the release lacks it.
        right: requests without a finding.
        errors: number of responses with each error code, by name.
    """

    module: str = ""
    requests: int = 0
    right: int = 0
    request_bytes: int = 0
    errors: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class FindingGroup:
    """Findings of one cause: the first of them, and their number by version (None without a version)."""

    first: RequestFinding
    versions: Counter[int | None]

    @property
    def count(self) -> int:
        """The number of findings."""
        return self.versions.total()


class RequestStatistics:
    """Counts verdicts and findings.

    Attributes:
        rows: statistics by message and version.
        clients: number of requests by client id; ``""`` if unset.
        software: number of ApiVersions requests by software.
        causes: groups of findings, in order of occurrence.
        accepted: number of findings that each entry accepts. These are in no other count of findings.
    """

    def __init__(self, accepted: AcceptedFindings = NOTHING_ACCEPTED) -> None:
        """Count from zero.

        Args:
            accepted: the findings that do not fail.
        """
        self._accepted = accepted
        self.accepted: Counter[AcceptedFinding] = Counter()
        self.requests = 0
        self.wrong = 0
        self.rows: dict[tuple[str, int], MessageStatistics] = {}
        self.clients: Counter[str] = Counter()
        self.software: Counter[str] = Counter()
        self.causes: dict[tuple[str, str, str, str], FindingGroup] = {}

    def verdict(self, verdict: RequestVerdict) -> list[RequestFinding]:
        """Count a request; return the findings of new causes."""
        sent = verdict.sent
        module = sent.named.module if isinstance(sent.named, FrameType) else ""
        row = self.rows.setdefault((sent.message, sent.version), MessageStatistics(module))
        row.requests += 1
        row.request_bytes += len(sent.frame.data)
        findings = list(self._unaccepted(verdict.findings))
        row.right += not findings
        row.errors.update(verdict.errors)
        self.requests += 1
        self.clients[verdict.client] += 1
        if verdict.software:
            self.software[verdict.software] += 1
        self.wrong += bool(findings)
        return [each for each in findings if self._is_new(each)]

    def loose(self, finding: RequestFinding) -> list[RequestFinding]:
        """Count a finding without the verdict on a request; return it if its cause is new."""
        findings = list(self._unaccepted([finding]))
        self.wrong += bool(findings)
        return [each for each in findings if self._is_new(each)]

    def _unaccepted(self, findings: Iterable[RequestFinding]) -> Iterable[RequestFinding]:
        for each in findings:
            path = each.divergence.path if each.divergence else ""
            places = (path, without_indices(path))
            found = (self._accepted.entry_for(each.message, place, each.fault) for place in places)
            entry = next((known for known in found if known), None)
            if entry is None:
                yield each
            else:
                self.accepted[entry] += 1

    def unmatched(self) -> list[AcceptedFinding]:
        """Return the entries that accept nothing, though their message was judged."""
        judged = {message for message, _ in self.rows}
        return [
            each
            for each in self._accepted.entries
            if not self.accepted[each] and (each.message in judged or not each.message)
        ]

    def _is_new(self, finding: RequestFinding) -> bool:
        known = self.causes.setdefault(finding.cause, FindingGroup(finding, Counter()))
        known.versions[finding.version] += 1
        return known.count == 1

    def causes_of(self, message: str, version: int) -> list[FindingGroup]:
        """Return the findings of a message at a version, by cause."""
        return [
            each
            for each in self.causes.values()
            if each.first.message == message and version in each.versions
        ]

    @property
    def loose_causes(self) -> list[FindingGroup]:
        """The findings outside of requests, by cause."""
        return [each for each in self.causes.values() if not each.first.message]
