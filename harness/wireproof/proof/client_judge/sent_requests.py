"""Requests of clients, taken from segments, with their findings, verdicts and statistics."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from kafkawire.wire import PREFIX_BYTES
from wireproof.base.accepted_findings import NOTHING_ACCEPTED, AcceptedFinding, AcceptedFindings
from wireproof.base.text.stated_rule import StatedRule
from wireproof.model.divergence import Divergence, without_indices
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType
from wireproof.traffic.wire.request_matcher import Exchange, Frame, SaslToken, UnpairedFrame, UnpairedReason
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection
from wireproof.traffic.wire.stream_assembler import AssembledPart, LossReason, LostBytes, StreamAssembler


class RequestFault(StatedRule):
    """The kind of a finding."""

    NOT_KAFKA = "not-kafka", "Bytes of another protocol."
    TOO_SHORT = "too-short", "A frame shorter than api key, version and correlation id."
    SIZE_TOO_LARGE = (
        "size-too-large",
        "A size above that of the request after it: the broker waits for the rest, and never answers.",
    )
    UNKNOWN_API = (
        "unknown-api",
        "An API, or a version of it, that the release lacks. ApiVersions may have any "
        "version: a broker answers with its own versions.",
    )
    NOT_ADVERTISED = "not-advertised", "A version that the broker does not offer. ApiVersions is exempt."
    REFUSED = "refused", "Kafka's classes do not read the frame."
    DIFFERS = "differs", "Kafka writes other bytes for what it reads in the frame."
    RECORDS = "records", "Kafka's classes do not read a record set in it."
    DROPPED = "dropped", "The broker closed the connection in place of an answer."
    OURS = "ours", "Kafka and wireproof's own codec read different values: a mistake of wireproof."


class MissingResponse(StrEnum):
    """The reason for a missing response."""

    NONE_DUE = "none-due"
    """No response is due: a Produce with acks 0."""
    DROPPED = "dropped"
    """The broker broke the connection."""
    NOT_SEEN = "not-seen"
    """The connection, or its capture, ended before the response."""


@dataclass(frozen=True, slots=True)
class ReceivedResponse:
    """A response of the broker.

    Attributes:
        named: its type; version 0 for an ApiVersions request of an unknown version.
    """

    named: FrameType | UnknownFrameType
    frame: Frame = field(repr=False)


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request of a client, as the proxy recorded it.

    Attributes:
        place: node and listener, ``1-CLIENT``.
        connection: the number of the connection at that listener.
        answer: the response, or the reason for its absence.
    """

    place: str
    connection: int
    named: FrameType | UnknownFrameType
    frame: Frame = field(repr=False)
    answer: ReceivedResponse | MissingResponse = field(repr=False)

    @property
    def message(self) -> str:
        """The message's name, or its api key."""
        named = self.named
        unknown = f"api key {named.api_key}" if isinstance(named, UnknownFrameType) else ""
        return named.message or unknown

    @property
    def version(self) -> int:
        return self.named.version

    @property
    def named_answer(self) -> FrameType | UnknownFrameType | None:
        """The type of the response; None if there is none."""
        return self.answer.named if isinstance(self.answer, ReceivedResponse) else None


@dataclass(frozen=True, slots=True)
class RequestFinding:
    """A fault of a request, or of other bytes; or a varied answer that a client does not accept.

    Attributes:
        fault: a `RequestFault`, a rule about brokers, or the id of a variation.
        message, version: the message and version of the request; ``""`` and None for other bytes.
        offset: the offset of the frame in the bytes that the client sent over the connection.
        summary: one sentence.
        frame: the frame with its size, or the other bytes.
        divergence: the difference between client and Kafka, if the fault has one.
        client: the client id, if the header is readable.
        protocol: the likely protocol of other bytes.
        party: the sender of `frame`: ``client``, ``broker`` for a finding of `wireproof judge broker`, or
            ``proxy`` for a varied answer.
        request: the request that a broker's bytes answer; empty for a client.
        rule: the source that allows a variation.
        replay: the command line that repeats the finding; empty for a client.
    """

    fault: str
    place: str
    connection: int
    offset: int
    summary: str
    frame: bytes = field(repr=False)
    message: str = ""
    version: int | None = None
    divergence: Divergence | None = None
    client: str = ""
    protocol: str = ""
    party: str = "client"
    request: bytes = field(default=b"", repr=False)
    rule: str = ""
    replay: str = ""

    @property
    def where(self) -> str:
        """The place in words; that of a varied answer names no connection."""
        who = f" of {self.client}" if self.client else ""
        way = f", connection {self.connection}{who}, byte {self.offset}"
        return self.place if self.party == "proxy" else self.place + way

    @property
    def cause(self) -> tuple[str, str, str, str]:
        """The key by which findings are grouped."""
        where = self.divergence.path if self.divergence else ""
        return self.fault, self.message, where, self.divergence.kind if self.divergence else self.protocol


@dataclass(frozen=True, slots=True)
class RequestVerdict:
    """The verdict on one request.

    Attributes:
        errors: the names of its response's error codes, each once, in order.
        client: the client id; ``""`` if unset.
        software: name and version from an ApiVersions request.
    """

    sent: SentRequest
    findings: tuple[RequestFinding, ...] = ()
    errors: tuple[str, ...] = ()
    client: str = ""
    software: str = ""


_PRODUCE = 0


class _Connection:
    """The assembler of a connection, and the side that ended it."""

    def __init__(self) -> None:
        self.assembler = StreamAssembler()
        self.broken_by: StreamDirection | None = None

    def feed(self, entry: SegmentEntry) -> Iterator[AssembledPart]:
        if entry.kind is EntryKind.RESET:
            self.broken_by = entry.direction
        elif entry.kind is EntryKind.END and self.broken_by is None:
            self.broken_by = entry.direction  # the first end counts
        yield from self.assembler.feed(entry)


class RequestExtractor:
    """Extracts the requests of one listener's connections.

    Args:
        place: its name, ``1-CLIENT``.
    """

    def __init__(self, place: str, naming: FrameIdentifier) -> None:
        self.place = place
        self.connections = 0
        self._naming = naming
        self._open: dict[int, _Connection] = {}

    def feed(self, entry: SegmentEntry) -> Iterator[SentRequest | RequestFinding]:
        """Yield the requests and findings that an entry completes."""
        if entry.kind is EntryKind.OPEN:
            self.connections += 1
            self._open[entry.connection] = _Connection()
        connection = self._open.get(entry.connection)
        if connection is None:
            return
        for settled in connection.feed(entry):
            yield from self._extract(entry.connection, connection, settled)
        if entry.kind in (EntryKind.CLOSE, EntryKind.RESET):
            yield from self._close(entry.connection)

    def close(self) -> Iterator[SentRequest | RequestFinding]:
        """Yield the remaining requests of open connections."""
        for number in list(self._open):
            yield from self._close(number)

    def _close(self, number: int) -> Iterator[SentRequest | RequestFinding]:
        connection = self._open.pop(number)
        for settled in connection.assembler.close():
            yield from self._extract(number, connection, settled)

    def _extract(
        self, number: int, connection: _Connection, settled: AssembledPart
    ) -> Iterator[SentRequest | RequestFinding]:
        match settled:
            case Exchange():
                names = self._naming.exchange(settled)
                yield SentRequest(
                    self.place,
                    number,
                    names.request,
                    settled.request,
                    ReceivedResponse(names.response, settled.response),
                )
            case UnpairedFrame(direction=StreamDirection.TO_BROKER):
                yield self._lone(number, connection, settled)
            case LostBytes(direction=StreamDirection.TO_BROKER):
                if settled.reason is LossReason.FOREIGN:
                    yield RequestFinding(
                        RequestFault.NOT_KAFKA,
                        self.place,
                        number,
                        settled.offset,
                        settled.detail,
                        b"",
                        protocol=settled.protocol,
                    )
                elif (named := self._naming.of_wrong_size(settled.data)) is not None:
                    said, came = int.from_bytes(settled.data[:PREFIX_BYTES]), settled.count - PREFIX_BYTES
                    summary = f"the size says {said:,} bytes, and a whole request of {came:,} bytes came"
                    place = self.place, number, settled.offset, summary, settled.data
                    fault = RequestFault.SIZE_TOO_LARGE
                    yield RequestFinding(fault, *place, named.message, named.version)
            case UnpairedFrame() | LostBytes() | SaslToken():
                pass  # the broker's bytes are not judged, and SASL tokens have no Kafka layout
            case _:
                assert_never(settled)

    def _lone(
        self, number: int, connection: _Connection, lone: UnpairedFrame
    ) -> SentRequest | RequestFinding:
        if lone.api_key is None or lone.version is None:
            summary = f"{len(lone.frame.content)} bytes are too few for a request: it has 8 at least"
            return RequestFinding(
                RequestFault.TOO_SHORT, self.place, number, lone.frame.offset, summary, bytes(lone.frame.data)
            )
        named = self._naming.request(lone.api_key, lone.version)
        return SentRequest(self.place, number, named, lone.frame, _missing(connection, lone))


def _missing(connection: _Connection, lone: UnpairedFrame) -> MissingResponse:
    if lone.reason is UnpairedReason.NO_ANSWER and lone.api_key == _PRODUCE:
        return MissingResponse.NONE_DUE
    if connection.broken_by is StreamDirection.TO_CLIENT:
        return MissingResponse.DROPPED
    return MissingResponse.NOT_SEEN


@dataclass(slots=True)
class MessageStatistics:
    """One message at one version.

    Attributes:
        module: the module of the message; ``""`` if the release lacks it.
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
        """The findings that belong to no row, by cause: outside of requests, or at unanswered requests."""
        return [
            each
            for each in self.causes.values()
            if not any((each.first.message, version) in self.rows for version in each.versions)
        ]
