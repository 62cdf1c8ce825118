"""The judgement of a broker, from its parts: catalog, oracle, phases. Also the judgement of each request of a
running client, while it is recorded."""

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import InitVar, dataclass, field
from functools import partial
from typing import BinaryIO, Final

from kafkawire.schema import MessageKind, SchemaSet
from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.worker_environment import open_oracle
from wireproof.base.accepted_findings import NOTHING_ACCEPTED, AcceptedFindings
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import Release
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.oracle import CannotWorkError, Oracle
from wireproof.proof.broker_judge.answer_judge import AnswerJudge
from wireproof.proof.broker_judge.answers_phase import judge_answers, play_answers
from wireproof.proof.broker_judge.beside_phase import judge_beside
from wireproof.proof.broker_judge.broker_under_test import BrokerDownError, BrokerUnderTest
from wireproof.proof.broker_judge.handshake_phase import first_exchange, judge_handshake
from wireproof.proof.broker_judge.judged_session import JudgedCall
from wireproof.proof.broker_judge.stream_phase import judge_refusals, judge_stream, judge_tags
from wireproof.proof.broker_judge.through_phase import judge_through
from wireproof.proof.broker_judge.wrong_bytes_phase import judge_wrong_bytes
from wireproof.proof.client_judge.request_judge import RequestJudge
from wireproof.proof.client_judge.sent_requests import (
    RequestExtractor,
    RequestFinding,
    RequestStatistics,
    RequestVerdict,
    SentRequest,
)
from wireproof.proof.run.core.environment import headers_of
from wireproof.traffic.capture.brokers.existing_cluster import advertised
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_folder import CaptureFolder
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.broker_access import BrokerAccess
from wireproof.traffic.capture.raw_client.raw_client import Address, ApiCatalog
from wireproof.traffic.wire.segment_format import SEGMENT_SUFFIX
from wireproof.traffic.wire.segment_reader import SegmentFollower

PARTS: Final = ("handshake", "stream", "answers", "refusals", "bytes")
"""The parts of the judgement, in order. Parts that may end the broker come last."""


@dataclass(frozen=True, slots=True)
class BrokerPlan:
    """The plan of a judgement: address, parts, limits.

    Attributes:
        timeout_s: seconds to wait for an answer.
        parts: the chosen parts by name; see `PARTS`.
        reference: the address of a node of Kafka that the answers are compared with.
        upstream: the address of the broker to which the proxy at `address` passes requests.
        destructive: also send requests that may end a node or change more than their own topics and groups.
        messages: the requests whose answers and wrong bytes are judged; empty for all.
        replay: returns the command line that judges one part, for one request or all (empty).
    """

    name: str
    address: Address
    release: Release
    access: BrokerAccess
    timeout_s: float
    parts: Collection[str]
    destructive: bool = False
    reference: Address | None = None
    upstream: Address | None = None
    messages: Collection[str] = ()
    replay: Callable[[str, str], str] = lambda part, message: ""


def open_broker(
    plan: BrokerPlan,
    store: JarStore,
    listener: Callable[[Sequence[RequestFinding]], None],
    accepted: AcceptedFindings = NOTHING_ACCEPTED,
) -> BrokerUnderTest:
    """Return the broker of a plan, whose answers Kafka's classes judge; nothing is connected yet."""
    return broker_with_oracle(plan, _oracle(plan.release, store), listener, accepted)


def _oracle(release: Release, store: JarStore) -> Oracle:
    return open_oracle(release, {**store.release_jars(release), **store.extra_jars(release)}, store)


def broker_with_oracle(
    plan: BrokerPlan,
    oracle: Oracle,
    listener: Callable[[Sequence[RequestFinding]], None],
    accepted: AcceptedFindings = NOTHING_ACCEPTED,
) -> BrokerUnderTest:
    """Return the broker of a plan, whose answers this oracle judges."""
    schemas = load_snapshot(plan.release)
    apis = ApiCatalog(schemas)
    headers = (headers_of(schemas, kind) for kind in (MessageKind.RESPONSE, MessageKind.REQUEST))
    judge = AnswerJudge(oracle, apis.naming, *headers)
    return BrokerUnderTest(
        plan.name,
        apis,
        plan.address,
        plan.timeout_s,
        judge.judge,
        listener,
        refusals=judge.refusals,
        tls=plan.access.tls,
        accepted=accepted,
    )


def judge_broker(plan: BrokerPlan, broker: BrokerUnderTest, report: Callable[[str], None]) -> str:
    """Judge a broker, part by part.

    Returns:
        Why the judgement ended early, as the end of a sentence about the broker; empty if it did not.
    """
    left = [name for name in PARTS if name in plan.parts]
    try:
        report("handshake")
        broker.replay = partial(plan.replay, PARTS[0])
        if not first_exchange(broker):
            return "cannot be judged any further after its first answer"
        for message in plan.messages:
            if broker.apis.key(message) not in broker.offered:
                words = f"--message: {plan.name} does not offer {message}"
                raise FatalError(words, exit_code=ExitCode.NOTHING_RAN)
        while left:
            report(left[0])
            broker.replay = partial(plan.replay, left[0])
            _judge_part(left[0], plan, broker, report)
            del left[0]
    except BrokerDownError:
        return f"answers no more. Not judged to the end: {', '.join(left)}"
    except CaptureError as error:
        raise CannotWorkError(f"{plan.name}: {error.message}", error.advice) from error
    return ""


def _compare(
    plan: BrokerPlan, broker: BrokerUnderTest, played: Sequence[JudgedCall], report: Callable[[str], None]
) -> None:
    """Compare the answers with those of a node of Kafka, and of the upstream broker, as planned."""
    from wireproof.proof.strategies.layout_source import LayoutSource

    values = LayoutSource(lambda cell: "").whole
    login = plan.access.login
    if plan.reference is not None:
        report("answers of Kafka")
        node = _other_broker(broker, "the node of Kafka", plan.reference)
        calls: list[JudgedCall] = []
        play_answers(
            node,
            values,
            lambda _, some: calls.extend(some),
            destructive=plan.destructive,
            messages=plan.messages,
        )
        judge_beside(broker, played, node, calls, login)
    if plan.upstream is not None:
        upstream = _other_broker(broker, "the upstream broker", plan.upstream, tls=plan.access.tls)
        try:
            compared = judge_through(
                broker, upstream, values, report, login, destructive=plan.destructive, messages=plan.messages
            )
        except BrokerDownError:
            if broker.is_alive():
                raise _no_answer(upstream.name) from None
            raise
        if not compared:
            words = "no request was compared: the proxy and the upstream broker offer none in common"
            raise FatalError(words, exit_code=ExitCode.NOTHING_RAN)


def _other_broker(
    broker: BrokerUnderTest, name: str, address: Address, *, tls: bool = False
) -> BrokerUnderTest:
    """Return a broker whose answers are compared with, after its first exchange."""
    other = BrokerUnderTest(name, broker.apis, address, broker.timeout_s, _unjudged, tls=tls)
    try:
        answers = first_exchange(other)
    except BrokerDownError:
        answers = False
    if not answers:
        raise _no_answer(name)
    return other


def _no_answer(name: str) -> FatalError:
    return FatalError(f"{name} does not answer ApiVersions", "See the log of that broker.", ExitCode.MISSING)


def _unjudged(sent: Sequence[SentRequest]) -> list[RequestVerdict]:
    return [RequestVerdict(each) for each in sent]


def mutated_frames(
    header: MessageLayout, layout: MessageLayout, head: bytes, body: bytes
) -> Iterator[tuple[str, bytes]]:
    """Yield each mutation of the default plan of a run: name and frame."""
    from wireproof.proof.strategies.malformed.frame_mutations import frame_mutations
    from wireproof.proof.strategies.malformed.message_mutations import mutations
    from wireproof.proof.strategies.malformed.mutation_slice import Slice

    assert layout.header_version is not None
    whole = (len(head) + len(body)).to_bytes(4) + head + body
    for mutation in frame_mutations({layout.header_version: header}, layout, head, body, Slice()):
        yield mutation.name, mutation.apply(whole)
    for mutation in mutations(layout, body, Slice()):
        changed = mutation.apply(body)
        yield mutation.name, (len(head) + len(changed)).to_bytes(4) + head + changed


def _judge_part(name: str, plan: BrokerPlan, broker: BrokerUnderTest, report: Callable[[str], None]) -> None:
    from wireproof.proof.strategies.layout_source import LayoutSource

    match name:
        case "handshake":
            judge_handshake(broker)
        case "stream":
            judge_stream(broker)
        case "answers":
            values = LayoutSource(lambda cell: "").whole
            login = plan.access.login
            played = judge_answers(
                broker, values, report, login, destructive=plan.destructive, messages=plan.messages
            )
            _compare(plan, broker, played, report)
            judge_tags(broker, played, login)
        case "refusals":
            judge_refusals(broker)
        case "bytes":
            judge_wrong_bytes(broker, mutated_frames, report, plan.messages)
        case _:
            raise AssertionError(name)


@dataclass(slots=True)
class RequestMonitor:
    """Follows the segment files of clients' listeners, and has each request judged.

    Args:
        listener: gets the findings, each cause once.
        accepted: the findings that do not fail the judgement.

    Attributes:
        statistics: what was found so far.
    """

    release: Release
    store: JarStore
    schemas: SchemaSet
    apis: ApiCatalog
    folder: CaptureFolder
    listener: Callable[[Sequence[RequestFinding]], None]
    accepted: InitVar[AcceptedFindings] = NOTHING_ACCEPTED
    statistics: RequestStatistics = field(init=False)
    _files: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _watches: list[tuple[RequestExtractor, SegmentFollower]] = field(default_factory=list)
    _judge: RequestJudge | None = None

    def __post_init__(self, accepted: AcceptedFindings) -> None:
        self.statistics = RequestStatistics(accepted)

    @property
    def connections(self) -> int:
        return sum(watch.connections for watch, _ in self._watches)

    def look(self, stage: CaptureStage) -> None:
        """Judge the requests since the last call."""
        if self._judge is None:
            self._judge = self._opened(stage)
        for watch, follower in self._watches:
            self._take(self._judge, [each for entry in follower.entries() for each in watch.feed(entry)])

    def rest(self) -> None:
        """Judge the requests since the last call of `look`, and the requests that never got an answer."""
        if self._judge is None:
            return
        for watch, follower in self._watches:
            settled = [each for entry in follower.entries() for each in watch.feed(entry)]
            self._take(self._judge, [*settled, *watch.close()])

    def close(self) -> None:
        self._files.close()

    def _take(self, judge: RequestJudge, settled: list[SentRequest | RequestFinding]) -> None:
        requests = [each for each in settled if isinstance(each, SentRequest)]
        for verdict in judge.judge(requests) if requests else ():
            self.listener(self.statistics.verdict(verdict))
        for each in settled:
            if isinstance(each, RequestFinding):
                self.listener(self.statistics.loose(each))

    def _opened(self, stage: CaptureStage) -> RequestJudge:
        offers = {}
        for place, address in stage.cluster.places.items():
            if place.listener not in (Listener.CLIENT, Listener.SASL):
                continue
            file: BinaryIO = self._files.enter_context(
                (self.folder.segments / f"{place}{SEGMENT_SUFFIX}").open("rb")
            )
            self._watches.append((RequestExtractor(str(place), self.apis.naming), SegmentFollower(file)))
            versions = advertised(self.apis, address, tls=stage.cluster.access.tls)
            if versions is not None:
                offers[str(place)] = versions
        headers = headers_of(self.schemas, MessageKind.REQUEST)
        return RequestJudge(_oracle(self.release, self.store), self.apis.naming, headers, offers)
