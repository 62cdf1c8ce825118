"""The broker under test: the requests to it, and the findings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import Final

from kafkawire.errors import CodecError
from kafkawire.schema import MessageLayout, VersionRange
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.base.accepted_findings import NOTHING_ACCEPTED, AcceptedFindings
from wireproof.model.divergence import Divergence
from wireproof.proof.broker_judge.broker_connection import BrokerConnection, ConnectionEnd, Received
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.client_judge.sent_requests import (
    MissingResponse,
    ReceivedResponse,
    RequestFinding,
    RequestStatistics,
    RequestVerdict,
    SentRequest,
)
from wireproof.traffic.capture.raw_client.raw_client import Address, ApiCatalog
from wireproof.traffic.wire.frame_identifier import FrameType, UnknownFrameType
from wireproof.traffic.wire.request_matcher import Exchange, Frame

API_VERSIONS: Final = "ApiVersionsRequest"
API_VERSIONS_KEY: Final = 18
_CORRELATION: Final = slice(8, 12)
"""The place of the correlation id in a request, from the first byte of its size."""
_ANSWERED_CORRELATION: Final = slice(4, 8)
_SOFTWARE: Final = {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1.0"}


class BrokerDownError(Exception):
    """The broker does not answer any more. The finding is recorded already."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as bytes.

    Attributes:
        message: the name of the message, or its api key.
        data: the frame with its size.
    """

    message: str
    api_key: int
    version: int
    data: bytes = field(repr=False)

    @property
    def correlation_id(self) -> int:
        return int.from_bytes(self.data[_CORRELATION], signed=True)


@dataclass(slots=True, eq=False)
class BrokerUnderTest:
    """Asks one broker, and counts the findings.

    Args:
        name: the name of the broker, as the user wrote it.
        judge: judges the broker's answers; see `AnswerJudge.judge`.
        listener: called with the findings of new causes.
        refusals: lets Kafka's classes read requests; see `AnswerJudge.refusals`.
        accepted: the findings that do not fail.

    Attributes:
        offered: the versions that the broker offers, by api key; empty before the handshake.
        replay: returns the command line that repeats a finding about a request, or about none (empty).
    """

    name: str
    apis: ApiCatalog
    address: Address
    timeout_s: float
    judge: Callable[[Sequence[SentRequest]], list[RequestVerdict]]
    listener: Callable[[Sequence[RequestFinding]], None] = lambda _: None
    refusals: Callable[[FrameType, Sequence[bytes]], list[str]] = lambda _, frames: [""] * len(frames)
    tls: bool = False
    accepted: InitVar[AcceptedFindings] = NOTHING_ACCEPTED
    statistics: RequestStatistics = field(init=False)
    offered: dict[int, VersionRange] = field(init=False, default_factory=dict)
    connections: int = field(init=False, default=0)
    replay: Callable[[str], str] = field(init=False, default=lambda message: "")

    def __post_init__(self, accepted: AcceptedFindings) -> None:
        self.statistics = RequestStatistics(accepted)

    @property
    def own_versions(self) -> VersionRange:
        """The versions of ApiVersions that both the broker and the release have; version 0 without any."""
        oldest = VersionRange(0, 0)  # the broker has answered it, whatever it lists
        offered = self.offered.get(API_VERSIONS_KEY, oldest)
        both = offered.intersect(self.apis.valid_versions(API_VERSIONS))
        return oldest if both.empty else both

    def connect(self, after: str = "", suspect: Request | None = None) -> BrokerConnection:
        """Open a connection.

        Args:
            after: the requests that were sent before, in words.
            suspect: the last of these requests.

        Raises:
            BrokerDownError: the broker does not accept the connection.
        """
        try:
            return self.open()
        except OSError as error:
            since = f" after {after}" if after else ""
            words = f"it accepts no connection{since}: {error.strerror or error}"
            self.find(BrokerRule.STAYS_UP, words, suspect)
            raise BrokerDownError(words) from error

    def open(self) -> BrokerConnection:
        """Open a connection.

        Raises:
            OSError: the broker does not accept the connection.
        """
        connection = BrokerConnection(self.address, self.timeout_s, tls=self.tls)
        self.connections += 1
        return connection

    def is_alive(self) -> bool:
        """Send a plain request over a new connection; return whether it is answered in time."""
        try:
            with self.open() as connection:
                connection.send([self.api_versions(0).data])
                return connection.receive(1).end is ConnectionEnd.OPEN
        except OSError:
            return False

    def api_versions(
        self,
        version: int,
        correlation_id: int = 1,
        client_id: str | None = "wireproof",
        software: Mapping[str, str] | None = None,
    ) -> Request:
        """Return ApiVersions at a version; for one that the release lacks, with the bytes of its newest."""
        known = min(max(version, 0), self.apis.valid_versions(API_VERSIONS).highest)
        value = {**_SOFTWARE, **(software or {})} if known >= 3 else {}
        return self.request(API_VERSIONS, known, value, correlation_id, client_id, said=version)

    def request(
        self,
        message: str,
        version: int,
        body: StructValue,
        correlation_id: int = 1,
        client_id: str | None = "wireproof",
        *,
        said: int | None = None,
    ) -> Request:
        """Return a request of a version that the release has.

        Args:
            said: the version in the header, if it differs.
        """
        key = self.apis.key(message)
        number = version if said is None else said
        header = {"requestApiKey": key, "requestApiVersion": number, "correlationId": correlation_id}
        named = self.apis.named(message, version)
        data = self.apis.naming.codec(named).encode({**header, "clientId": client_id}, body)
        return Request(message, key, number, data)

    def ask(self, request: Request, after: str = "", suspect: Request | None = None) -> Received:
        """Send a request over a connection of its own, and wait for its answer; see `connect`."""
        with self.connect(after, suspect) as connection:
            connection.send([request.data])
            return connection.receive(1)

    def accept(self, rule: BrokerRule, request: Request, received: Received, what: str) -> StructValue | None:
        """Return the body of the answer; record a finding and return None if there is no right answer.

        Args:
            what: the request in words, for the finding.
        """
        if received.end is not ConnectionEnd.OPEN:
            self.find(rule, f"{what}: {received.text}", request, received.rest)
            return None
        answer = received.frames[0]
        if not self.has_correlation_id(request, answer, what):
            return None
        if isinstance(self.sent(request, answer).named_answer, UnknownFrameType):
            self.find(
                rule, f"{what}: the answer is not one of version 0 with error 35", request, answer, "version"
            )
            return None
        return self.judged(request, answer)

    def has_correlation_id(self, request: Request, answer: bytes, what: str) -> bool:
        """Check the correlation id of an answer; a wrong id is a finding."""
        got = int.from_bytes(answer[_ANSWERED_CORRELATION], signed=True)
        if len(answer) >= _ANSWERED_CORRELATION.stop and got == request.correlation_id:
            return True
        words = f"{what}: the answer has correlation id {got:,}, expected {request.correlation_id:,}"
        if len(answer) < _ANSWERED_CORRELATION.stop:
            words = f"{what}: the answer of {len(answer) - PREFIX_BYTES} bytes has no correlation id"
        self.find(BrokerRule.CORRELATION_ID, words, request, answer)
        return False

    def judged(self, request: Request, answer: bytes) -> StructValue | None:
        """Judge and count an answer; return its body if our codec reads it."""
        self.count(self.judge([self.sent(request, answer)]))
        read = self.read(request, answer)
        return read and read[1]

    def read(self, request: Request, answer: bytes) -> tuple[MessageLayout, StructValue] | None:
        """Return layout and body of an answer; None if our codec does not read it."""
        named = self.sent(request, answer).named_answer
        if not isinstance(named, FrameType):
            return None
        try:
            return named.layout, self.apis.naming.codec(named).decode(answer)[1]
        except CodecError:
            return None

    def sent(self, request: Request, answer: bytes | None) -> SentRequest:
        """Return the exchange in the form that the judge expects."""
        frame = Frame(0, request.data)
        if answer is None:
            named = self.apis.naming.request(request.api_key, request.version)
            return SentRequest(self.name, self.connections, named, frame, MissingResponse.DROPPED)
        exchange = Exchange(request.api_key, request.version, request.correlation_id, frame, Frame(0, answer))
        types = self.apis.naming.exchange(exchange)
        got = ReceivedResponse(types.response, Frame(0, answer))
        return SentRequest(self.name, self.connections, types.request, frame, got)

    def judge_all(self, sent: Sequence[SentRequest]) -> None:
        """Judge and count exchanges."""
        self.count(self.judge(sent))

    def count(self, verdicts: Sequence[RequestVerdict]) -> None:
        """Count verdicts; report the findings of new causes."""
        for verdict in verdicts:
            findings = tuple(replace(each, replay=self.replay(each.message)) for each in verdict.findings)
            self.listener(self.statistics.verdict(replace(verdict, findings=findings)))

    def find(
        self,
        rule: BrokerRule,
        words: str,
        request: Request | None = None,
        answer: bytes = b"",
        kind: str = "",
        divergence: Divergence | None = None,
    ) -> bool:
        """Record a finding.

        Args:
            answer: the bytes of the broker, if any.
            kind: distinguishes several causes of one rule and one message.
            divergence: the difference from Kafka, in place of `kind`.

        Returns:
            False if the finding is accepted.
        """
        if kind:
            divergence = Divergence(rule, "the broker", words, kind=kind)
        finding = RequestFinding(
            rule,
            self.name,
            self.connections,
            0,
            words,
            answer,
            "" if request is None else request.message,
            None if request is None else request.version,
            divergence,
            party="broker",
            request=b"" if request is None else request.data,
            replay=self.replay("" if request is None else request.message),
        )
        wrong = self.statistics.wrong
        self.listener(self.statistics.loose(finding))
        return self.statistics.wrong > wrong

    def find_first(
        self, rule: BrokerRule, found: Iterable[Divergence], request: Request, answer: bytes | None
    ) -> None:
        """Record the first difference that is not accepted; an accepted one covers all inside its path."""
        accepted: list[str] = []
        for each in found:
            inside = each.path.startswith(tuple(f"{path}{end}" for path in accepted for end in (".", "[].")))
            if not inside:
                if self.find(rule, each.summary, request, answer or b"", divergence=each):
                    return
                accepted.append(each.path)

    def check_alive(self, after: str, suspect: Request | None = None) -> None:
        """Send a plain request over a new connection.

        Args:
            after: the requests that were sent before, in words.
            suspect: the last of these requests.

        Raises:
            BrokerDownError: the plain request is not answered in time.
        """
        request = self.api_versions(0)
        received = self.ask(request, after, suspect)
        if received.end is not ConnectionEnd.OPEN:
            words = f"after {after} a plain ApiVersions of version 0 is not answered: {received.text}"
            self.find(BrokerRule.STAYS_UP, words, suspect or request, received.rest)
            raise BrokerDownError(words)
