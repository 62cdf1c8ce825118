"""The summary of a judged program, for the reports at its end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from wireproof.base.accepted_findings import AcceptedFinding
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted
from wireproof.proof.client_judge.sent_requests import FindingGroup, RequestFinding, RequestStatistics

_GONE: Final = "An accepted finding is gone: remove its entry."
_RIGHT: Final = "Kafka's own classes read each request, and write it again as it was."


@dataclass(slots=True)
class ClientSummary:
    """The summary of a judged program. Its fields are set as they become known.

    Attributes:
        version: of wireproof.
        program: the program's own command line.
        broker: as the user named it.
        jars: of the judging classes: file name to SHA-256.
        ended: how the program ended, such as ``was ended by --budget 60``; empty for exit code 0.
        exit_code: None until it is known.
        stopped: the reason for a premature stop; empty without one.
        accepted_in: the file of accepted findings; empty without one.
        partial: some of the rules were not judged.
    """

    version: str
    command: tuple[str, ...]
    program: tuple[str, ...]
    broker: str
    release: str = ""
    jars: Mapping[str, str] = field(default_factory=dict)
    statistics: RequestStatistics = field(default_factory=RequestStatistics)
    connections: int = 0
    duration_s: float = 0.0
    ended: str = ""
    exit_code: ExitCode | None = None
    stopped: str = ""
    accepted_in: str = ""
    partial: bool = False

    @property
    def unmatched(self) -> list[AcceptedFinding]:
        """The entries of accepted findings that match nothing; empty if something was not judged."""
        cut = self.partial or self.ended or self.stopped or self.exit_code is ExitCode.INTERRUPTED
        return [] if cut else self.statistics.unmatched()

    @property
    def verdict(self) -> str:
        """One or two sentences."""
        if self.statistics.causes:
            return "Not proven. What the client sent is not what Kafka would send."
        if self.unmatched:
            return f"{_GONE} {_RIGHT}"
        if not self.statistics.requests:
            return "Nothing was sent."
        if self.ended:
            return f"Incomplete: the program {self.ended}. Until then {_RIGHT}"
        return f"Right. {_RIGHT}"

    @property
    def nothing_found(self) -> str:
        """The sentence of a report without findings."""
        return "No request differs from what Kafka would send."

    @property
    def summary(self) -> str:
        """The last line."""
        requests, rows, causes = (
            self.statistics.requests,
            len(self.statistics.rows),
            len(self.statistics.causes),
        )
        return (
            f"{counted(requests, 'request')} of {counted(rows, 'message version')}, "
            f"{counted(self.connections, 'connection')}, "
            f"{causes:,} finding{'' if causes == 1 else 's'}, {self.duration_s:.1f} s"
        )


_RIGHT_BROKER: Final = "It kept every rule, and Kafka's own classes read each answer to its end."


@dataclass(slots=True)
class BrokerSummary(ClientSummary):
    """The summary of a judged broker; `program` is its address."""

    @property
    def verdict(self) -> str:
        """One or two sentences."""
        if self.statistics.causes:
            return "Not proven. The broker answers otherwise than Kafka's protocol says."
        if self.unmatched:
            return f"{_GONE} {_RIGHT_BROKER}"
        if not self.statistics.requests:
            return "Nothing was answered."
        if self.ended:
            return f"Incomplete: the broker {self.ended}. Until then: {_RIGHT_BROKER}"
        return f"Right. {_RIGHT_BROKER}"

    @property
    def nothing_found(self) -> str:
        """The sentence of a report without findings."""
        return _RIGHT_BROKER

    @property
    def summary(self) -> str:
        """The last line."""
        rows, causes = len(self.statistics.rows), len(self.statistics.causes)
        return (
            f"{counted(self.statistics.requests, 'answer')} of {counted(rows, 'message version')}, "
            f"{counted(self.connections, 'connection')}, "
            f"{causes:,} finding{'' if causes == 1 else 's'}, {self.duration_s:.1f} s"
        )


_SHOWN_BYTES: Final = 64


def message_title(finding: RequestFinding) -> str:
    """Return message and version, or ``bytes`` outside of requests."""
    return f"{finding.message} version {finding.version}" if finding.message else "bytes"


def format_times(count: int) -> str:
    """Format a number of occurrences."""
    return f"{count:,} time{'' if count == 1 else 's'}"


def finding_lines(finding: RequestFinding) -> Iterator[str]:
    """Yield the lines of a finding."""
    yield f"{message_title(finding)}: {finding.summary}"
    yield f"  fault    {finding.fault}"
    if (divergence := finding.divergence) is not None:
        if divergence.path:
            yield f"  field    {divergence.path}" + (f" ({divergence.field})" if divergence.field else "")
        if divergence.offset is not None:
            yield f"  at byte  {divergence.offset}"
        if divergence.codec:
            yield f"  {finding.party:8} {divergence.codec}"
        if divergence.oracle:
            yield f"  Kafka    {divergence.oracle}"
    yield f"  where    {finding.where}"
    if finding.frame:
        more = f" and {len(finding.frame) - _SHOWN_BYTES:,} more" if len(finding.frame) > _SHOWN_BYTES else ""
        yield f"  frame    {finding.frame[:_SHOWN_BYTES].hex()}{more}"
    if finding.request:
        yield f"  request  {finding.request.hex()}"
    if finding.replay:
        yield f"  rule     {finding.rule}"
        yield f"  replay   {finding.replay}"


def accepted_lines(account: ClientSummary) -> Iterator[str]:
    """Yield the accepted findings with their reasons, and the entries that accept nothing."""
    for entry, count in account.statistics.accepted.items():
        yield f"accepted: {entry}, {format_times(count)}: {entry.date}: {entry.reason}"
    for entry in account.unmatched:
        yield f"{account.accepted_in}:{entry.line}: error: {entry.unmatched_words}"


def group_lines(cause: FindingGroup) -> Iterator[str]:
    """Yield the lines of a group's first finding, and its number of occurrences."""
    yield from finding_lines(cause.first)
    yield f"  met      {format_times(cause.count)}"
