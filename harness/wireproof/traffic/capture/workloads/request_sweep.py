"""The sweep: every request that a listener advertises, at every version, so that each gets an answer.

Requests with a recipe come first, in the recipes' order, because recipes leave content in the cluster. After
its recipe the sweep sends the default value of a request and, if the request changes nothing, values from
strategies. A request that may end a node comes last.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from kafkawire.schema import MessageLayout, VersionRange
from kafkawire.values import StructValue
from wireproof.traffic.capture.brokers.existing_cluster import advertised
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import Address, ApiCatalog
from wireproof.traffic.capture.workloads.listener_session import (
    ListenerSession,
    Recipe,
    RequestRefusedError,
    SweptRequest,
)
from wireproof.traffic.capture.workloads.recipes import find_recipes
from wireproof.traffic.capture.workloads.recipes.logins import OWN_LOGIN
from wireproof.traffic.capture.workloads.request_log import RequestLog

Values: TypeAlias = Callable[[MessageLayout], Iterable[tuple[str, StructValue]]]
"""Named valid values of a layout."""

_ANY: Final = 1
"""Matches every resource, pattern, operation and permission in ACL filters."""
_ACL_FILTER: Final = {
    "resourceTypeFilter": _ANY,
    "patternTypeFilter": _ANY,
    "operation": _ANY,
    "permissionType": _ANY,
}

REQUIRED_VALUES: Final[Mapping[str, StructValue]] = {
    "ProduceRequest": {"acks": -1, "timeoutMs": 1000},  # with acks 0 there is no response
    "DescribeAclsRequest": _ACL_FILTER,
    "DeleteAclsRequest": {"filters": [_ACL_FILTER]},
    "CreateTopicsRequest": {"timeoutMs": 1000},
    # Without a topic it ends the node (4.3.1: `KafkaRaftClient.handleFetchSnapshotRequest`).
    "FetchSnapshotRequest": {
        "topics": [
            {"name": "__cluster_metadata", "partitions": [{"snapshotId": {"endOffset": 1, "epoch": 1}}]}
        ]
    },
}
"""Fields that a default value needs to get any answer."""

READ_ONLY: Final = frozenset(
    f"{name}Request"
    for name in (
        "Metadata",
        "ListOffsets",
        "OffsetFetch",
        "DescribeGroups",
        "ListGroups",
        "ApiVersions",
        "OffsetForLeaderEpoch",
        "DescribeAcls",
        "DescribeConfigs",
        "DescribeLogDirs",
        "DescribeDelegationToken",
        "ListPartitionReassignments",
        "DescribeClientQuotas",
        "DescribeUserScramCredentials",
        "DescribeQuorum",
        "DescribeCluster",
        "DescribeProducers",
        "DescribeTransactions",
        "ListTransactions",
        "ConsumerGroupDescribe",
        "ListConfigResources",
        "DescribeTopicPartitions",
        "ShareGroupDescribe",
        "StreamsGroupDescribe",
        "DescribeShareGroupOffsets",
    )
)
"""Requests that change nothing: the sweep may send any valid value."""

_VALUE_S: Final = 1.0
"""Seconds to wait after a random value: brokers do not answer all of them."""

_LAST: Final = ("FetchSnapshotRequest",)
"""Requests that ended a node in the past."""


def sweep(
    session: ListenerSession,
    values: Values,
    after_each: Callable[[str], None],
    *,
    destructive: bool = False,
    only: Collection[str] = (),
) -> None:
    """Send every request to one listener.

    Args:
        values: valid values of any layout.
        after_each: called with each request after all its versions; may raise to end the sweep.
        destructive: send any valid value with requests that change something, too, and those that are known
            to end a node.
        only: the requests; empty for all. What their recipes need is sent, too.
    """
    offered = {
        request: versions for request, versions in session.offered.items() if not only or request in only
    }
    for request, versions in offered.items():
        for version in versions:
            session.log.expect(request, version)
    recipes = find_recipes(session.listener)
    for request, versions in play_order(offered, recipes):
        for version in _known_versions(session, request, versions):
            if request in recipes:
                _play(recipes[request], session, request, version)
            _play_defaults(session, request, version, values, destructive=destructive)
        after_each(request)


def _play(recipe: Recipe, session: ListenerSession, request: str, version: int) -> None:
    try:
        recipe(session, SweptRequest(session, request, version))
    except (RequestRefusedError, CaptureError) as error:
        session.log.cut(request, version, str(error))
    except (LookupError, TypeError, ValueError) as error:
        words = f"an answer lacks what the recipe needs: {type(error).__name__}: {error}"
        session.log.cut(request, version, words)


def play_order(
    offered: Mapping[str, VersionRange], recipes: Mapping[str, Recipe]
) -> Iterator[tuple[str, VersionRange]]:
    """Iterate over a listener's requests: those with recipes in their order, then the others by key."""
    positions = {request: position for position, request in enumerate(recipes)}
    last = len(positions) + 1

    def position(request: str) -> int:
        return last if request in _LAST else positions.get(request, len(positions))

    for request in sorted(offered, key=position):
        yield request, offered[request]


def _known_versions(session: ListenerSession, request: str, versions: VersionRange) -> Iterator[int]:
    """Iterate over the versions that the release has; a broker may advertise others (KAFKA-18659)."""
    valid = session.apis.valid_versions(request)
    for version in versions:
        if version in valid:
            yield version
        else:
            session.log.refuse(request, version, "advertised, but the release has no such message")


def _play_defaults(
    session: ListenerSession, request: str, version: int, values: Values, *, destructive: bool
) -> None:
    session.ask(request, version, REQUIRED_VALUES.get(request, {}), "default")
    if destructive and request in REQUIRED_VALUES:
        session.ask(request, version, {}, "schema's default")
    if destructive or request in READ_ONLY:
        layout = session.apis.named(request, version).layout
        with session.connect(_VALUE_S) as caller:
            for name, value in values(layout):
                session.ask(request, version, value, name, over=caller)


ANSWER_S: Final = 5.0


@dataclass(slots=True)
class SweepWorkload:
    """A workload that sends every request that each kind of listener advertises, at every version.

    `values` gives valid values of any layout; `logs` has the requests to each kind of listener.
    """

    name = "sweep"

    apis: ApiCatalog
    values: Values
    logs: list[RequestLog] = field(default_factory=list)

    def run(self, stage: CaptureStage) -> None:
        for listener in Listener:
            place = next((each for each in stage.addresses if each.listener is listener), None)
            if place is not None:
                self._sweep(stage, place, stage.addresses[place])

    def facts(self) -> Mapping[str, Any]:
        return {"listeners": [log.facts() for log in self.logs]}

    def _sweep(self, stage: CaptureStage, place: ListenerPlace, address: Address) -> None:
        offered = advertised(self.apis, address)
        if offered is None:
            raise CaptureError(f"{place} does not answer ApiVersions")
        log = RequestLog(place.listener)
        self.logs.append(log)
        named = {name: versions for key, versions in offered.items() if (name := self.apis.name(key))}
        login = place.listener is Listener.SASL
        if login:  # the client listener has shown all but the requests about logins
            named = {
                name: versions for name, versions in named.items() if name in find_recipes(place.listener)
            }
        stage.report(f"sweep of {place}: {sum(1 for each in named.values() for _ in each)} pairs")
        with ListenerSession(
            self.apis,
            address,
            named,
            log,
            node=place.node,
            cluster_id=stage.cluster.cluster_id,
            brokers=stage.cluster.brokers,
            timeout_s=ANSWER_S,
            greet=OWN_LOGIN if login else stage.cluster.access.login,
        ) as session:
            sweep(session, self.values, lambda request: self._after(stage, request))
        stage.report(
            f"sweep of {place}: {log.answered} of {len(log.pairs)} pairs answered, "
            f"{log.with_content} with content"
        )

    def _after(self, stage: CaptureStage, request: str) -> None:
        try:
            stage.cluster.check()
        except CaptureError as error:
            raise CaptureError(f"after {request}: {error.message}", error.advice) from error
