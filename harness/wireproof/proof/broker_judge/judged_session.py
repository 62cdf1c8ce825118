"""A session of the sweep that keeps each request with its answer, for the judge."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from secrets import token_hex
from typing import Any, Final

from kafkawire.schema import ScalarType
from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.values import StructValue
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest, Request
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.raw_client.raw_client import (
    AnsweredCall,
    CallOutcome,
    RawClient,
    UnreadableCall,
)
from wireproof.traffic.capture.variations.answer import map_structs
from wireproof.traffic.capture.workloads.listener_session import FOR_OTHERS, ListenerSession
from wireproof.traffic.capture.workloads.request_log import RequestLog
from wireproof.traffic.capture.workloads.request_sweep import Values

_METADATA: Final = "MetadataRequest"
_READS: Final = (4, 12)
"""The lowest and highest version of Metadata whose answers have the broker ids and the cluster's id."""
_MOST_NAMES: Final = 4
_MARK_BYTES: Final = 3


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """The facts that requests need: the ids of the answering node, of all brokers, and of the cluster."""

    node: int
    brokers: tuple[int, ...]
    cluster_id: str


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """A request of the sweep.

    Attributes:
        answer: the frame of the answer; None without an answer.
        unasked: further frames that came with the answer.
    """

    request: Request
    case: str
    answer: bytes | None = field(repr=False)
    unasked: bytes = field(default=b"", repr=False)


def cluster_facts(broker: BrokerUnderTest, greet: Callable[[RawClient], None] | None) -> ClusterFacts:
    """Return the facts of the cluster from Metadata; a broker without an answer counts as node 0."""
    key = broker.apis.key(_METADATA)
    lowest, highest = _READS
    versions = [version for version in range(lowest, highest + 1) if version in broker.offered.get(key, ())]
    for version in versions[:1]:
        with connected_client(broker, greet) as client:
            answer = client.call(_METADATA, version, {"topics": []})
        if isinstance(answer, AnsweredCall) and answer.body["brokers"]:
            ids = tuple(each["nodeId"] for each in answer.body["brokers"])
            at = {(each["host"], each["port"]): each["nodeId"] for each in answer.body["brokers"]}
            return ClusterFacts(at.get(broker.address, ids[0]), ids, answer.body["clusterId"] or "")
    return ClusterFacts(0, (0,), "")


def connected_client(broker: BrokerUnderTest, greet: Callable[[RawClient], None] | None) -> RawClient:
    """Return a client of the broker; its first call connects."""
    broker.connections += 1
    return RawClient(broker.apis, broker.address, timeout_s=broker.timeout_s, greet=greet, tls=broker.tls)


def last_calls(calls: Iterable[JudgedCall]) -> Mapping[tuple[str, int, str], JudgedCall]:
    """Return the last call of each message, version and case: earlier ones may have met an unready broker.

    Calls that prepare other recipes are left out: the last one depends on how often a recipe tried.
    """
    return {
        (each.request.message, each.request.version, each.case): each
        for each in calls
        if each.case != FOR_OTHERS
    }


def asked_again(
    broker: BrokerUnderTest, call: JudgedCall, greet: Callable[[RawClient], None] | None
) -> JudgedCall:
    """Send the bytes of a request again, over a new connection."""
    with connected_client(broker, greet) as client:
        outcome = client.send(call.request.data, call.request.api_key, call.request.version)
    return replace(call, answer=_data(outcome))


def _data(outcome: CallOutcome) -> bytes | None:
    return outcome.data if isinstance(outcome, AnsweredCall | UnreadableCall) else None


class _KeepingClient(RawClient):
    """A client that passes on each request and its outcome."""

    def __init__(
        self, keep: "Callable[[_KeepingClient, bytes, int, int, CallOutcome], None]", *args: Any, **named: Any
    ) -> None:
        super().__init__(*args, **named)
        self._keep = keep

    def send(self, data: bytes, api_key: int, version: int) -> CallOutcome:
        """Send a frame; see `RawClient.send`."""
        outcome = super().send(data, api_key, version)
        self._keep(self, data, api_key, version, outcome)
        return outcome


class JudgedSession(ListenerSession):
    """Requests to the broker under test.

    Args:
        mark: part of all new names, before a random number, so that no two sessions of one broker meet.

    Attributes:
        calls: the requests since `take`, each with its answer.
        names: the values that recipes gave to fields with an `entityType`, by that type.
    """

    def __init__(
        self,
        broker: BrokerUnderTest,
        facts: ClusterFacts,
        greet: Callable[[RawClient], None] | None,
        mark: str = "",
    ) -> None:
        self._broker = broker
        self._mark = "-".join(filter(None, (mark, token_hex(_MARK_BYTES))))
        self._login = greet
        self._case = ""
        self.calls: list[JudgedCall] = []
        self.names: dict[str, list[str]] = {}
        apis = broker.apis
        offered = {name: versions for key, versions in broker.offered.items() if (name := apis.name(key))}
        super().__init__(
            apis,
            broker.address,
            dict(sorted(offered.items())),
            RequestLog(Listener.CLIENT),
            node=facts.node,
            cluster_id=facts.cluster_id,
            brokers=facts.brokers,
            timeout_s=broker.timeout_s,
            greet=greet,
        )

    def connect(self, timeout_s: float) -> RawClient:
        """Return another connection, whose calls are kept."""
        broker = self._broker
        broker.connections += 1
        return _KeepingClient(
            self._keep, broker.apis, broker.address, timeout_s=timeout_s, greet=self._login, tls=broker.tls
        )

    def ask(
        self, request: str, version: int, body: StructValue, case: str, *, over: RawClient | None = None
    ) -> StructValue | None:
        """Send a request; see `ListenerSession.ask`."""
        self._case = case
        if over is None:
            for entity, name in _entities(self.apis.named(request, version).layout.root, body):
                names = self.names.setdefault(entity, [])
                if name not in names:
                    names.append(name)
        return super().ask(request, version, body, case, over=over)

    def name(self, stem: str) -> str:
        """Return a new name that begins with `stem`, and has the session's mark."""
        return super().name(f"{stem}-{self._mark}")

    def with_own_names(self, values: Values) -> Values:
        """Return the same values with names that this session made, as far as there are any."""

        def named(layout: MessageLayout) -> Iterator[tuple[str, StructValue]]:
            for name, value in values(layout):
                yield name, _with_names(layout, value, self.names)

        return named

    def take(self) -> list[JudgedCall]:
        """Return the calls since the last `take`, and forget them."""
        taken, self.calls = self.calls, []
        return taken

    def _keep(self, client: RawClient, data: bytes, api_key: int, version: int, outcome: CallOutcome) -> None:
        message = self.apis.name(api_key)
        request = Request(message or str(api_key), api_key, version, data)
        unasked = b"".join(each.data for each in client.unasked)
        self.calls.append(JudgedCall(request, self._case, _data(outcome), unasked))


def _entities(struct: StructLayout, value: StructValue) -> Iterator[tuple[str, str]]:
    """Yield the entity types and values of the fields that have both."""
    for member in struct.fields:
        inner = value.get(member.name)
        items = inner if isinstance(inner, list) else [inner]
        for item in items:
            if member.struct is not None and item is not None:
                yield from _entities(member.struct, item)
            elif member.entity_type and isinstance(item, str):
                yield member.entity_type, item


def _with_names(layout: MessageLayout, value: StructValue, names: Mapping[str, list[str]]) -> StructValue:
    """Return the value with existing names in place of the drawn names, except in tagged fields."""

    def named(struct: StructLayout, value: StructValue, path: str) -> StructValue:
        changed = dict(value)
        for member in struct.fields if "~" not in path else ():
            inner = value.get(member.name)
            known = names.get(member.entity_type, [])[-_MOST_NAMES:]
            if inner is not None and known and member.scalar is ScalarType.STRING:
                swapped = list(islice(cycle(known), len(inner)))
                changed[member.name] = swapped if isinstance(inner, list) else known[0]
        return changed

    return map_structs(layout.root, value, named)
