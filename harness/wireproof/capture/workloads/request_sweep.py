"""The sweep: every request that a listener advertises, at every version, so that each gets an answer.

Recipes come first, in their order, for they leave content behind. Each is followed by the default value of
its request and, where that changes nothing, by values that strategies make. What may end a node comes last.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from kafkawire.schema import MessageLayout, VersionRange
from kafkawire.values import StructValue
from wireproof.capture.workloads.listener_session import ListenerSession, RequestRefusedError
from wireproof.capture.workloads.recipes import Recipe, find_recipes

__all__ = ["Values", "sweep"]

Values: TypeAlias = Callable[[MessageLayout], Iterable[tuple[str, StructValue]]]
"""Named valid values of a layout."""

_ANY: Final = 1
"""What matches every resource, pattern, operation and permission in filters of ACLs."""
_ACL_FILTER: Final = {
    "resourceTypeFilter": _ANY,
    "patternTypeFilter": _ANY,
    "operation": _ANY,
    "permissionType": _ANY,
}

_SENSE: Final[Mapping[str, StructValue]] = {
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
"""What a default value needs to get an answer at all."""

_HARMLESS: Final = frozenset(
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
"""Requests that change nothing, so that any valid value may be sent."""

_VALUE_S: Final = 1.0
"""Seconds for an answer to a value that makes no sense: brokers leave some of them without one."""

_LAST: Final = ("FetchSnapshotRequest",)
"""Requests that were seen to end a node."""


def sweep(scene: ListenerSession, values: Values, after_each: Callable[[str], None]) -> None:
    """Play everything on one listener.

    Args:
        values: valid values of any layout.
        after_each: called with each request when all its versions were played; may raise to end the sweep.
    """
    for request, versions in scene.offered.items():
        for version in versions:
            scene.book.expect(request, version)
    recipes = find_recipes(scene.listener)
    for request, versions in in_order(scene.offered, recipes):
        for version in _known(scene, request, versions):
            if request in recipes:
                _play(recipes[request], scene, request, version)
            _defaults(scene, request, version, values)
        after_each(request)


def _play(recipe: Recipe, scene: ListenerSession, request: str, version: int) -> None:
    try:
        recipe(scene, version)
    except RequestRefusedError as error:
        scene.book.cut(request, version, str(error))


def in_order(
    takes: Mapping[str, VersionRange], recipes: Mapping[str, Recipe]
) -> Iterator[tuple[str, VersionRange]]:
    """The requests of a listener: those with recipes, in the recipes' order, then the others by key."""
    places = {request: place for place, request in enumerate(recipes)}
    last = len(places) + 1

    def place(request: str) -> int:
        return last if request in _LAST else places.get(request, len(places))

    for request in sorted(takes, key=place):
        yield request, takes[request]


def _known(scene: ListenerSession, request: str, versions: VersionRange) -> Iterator[int]:
    """The versions that the release has messages of: a broker may advertise others (KAFKA-18659)."""
    valid = scene.apis.valid_versions(request)
    for version in versions:
        if version in valid:
            yield version
        else:
            scene.book.refuse(request, version, "advertised, but the release has no such message")


def _defaults(scene: ListenerSession, request: str, version: int, values: Values) -> None:
    scene.ask(request, version, _SENSE.get(request, {}), "default")
    if request in _HARMLESS:
        layout = scene.apis.named(request, version).layout
        with scene.connect(_VALUE_S) as caller:
            for name, value in values(layout):
                scene.ask(request, version, value, name, over=caller)
