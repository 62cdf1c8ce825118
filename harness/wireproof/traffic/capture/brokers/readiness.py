"""Readiness of a cluster: every listener answers ApiVersions, and every broker knows all brokers."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from kafkawire.schema import VersionRange
from wireproof.traffic.capture.brokers.topology import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.raw_client import (
    Address,
    AnsweredCall,
    ApiCatalog,
    CallOutcome,
    RawClient,
)

_ANSWER_S: Final = 5.0
_PAUSE_S: Final = 0.1
_NO_LEADER_YET: Final = -1

Advertised = Mapping[int, VersionRange]
"""The versions that a listener advertises, by API key."""


def ask_versions(
    apis: ApiCatalog, address: Address, timeout_s: float = _ANSWER_S, *, tls: bool = False
) -> CallOutcome:
    """Send ApiVersions at a version that the listener knows; return the outcome."""
    newest = max(apis.named("ApiVersionsRequest", 0).layout.versions)
    body = {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1"}
    with RawClient(apis, address, timeout_s=timeout_s, tls=tls) as caller:
        answer = caller.call("ApiVersionsRequest", newest, body if newest >= 3 else {})
        if isinstance(answer, AnsweredCall) and answer.body["errorCode"] != 0:
            answer = caller.call("ApiVersionsRequest", 0, {})
    return answer


def advertised(
    apis: ApiCatalog, address: Address, timeout_s: float = _ANSWER_S, *, tls: bool = False
) -> Advertised | None:
    """Return the versions that a listener advertises; None if it does not answer, or with an error."""
    answer = ask_versions(apis, address, timeout_s, tls=tls)
    if not isinstance(answer, AnsweredCall) or answer.body["errorCode"] != 0:
        return None
    return {
        each["apiKey"]: VersionRange(each["minVersion"], each["maxVersion"])
        for each in answer.body["apiKeys"]
    }


def wait_until_ready(
    apis: ApiCatalog,
    places: Mapping[ListenerPlace, Address],
    brokers: Iterable[int],
    *,
    timeout_s: float,
    alive: Callable[[], None],
) -> str:
    """Wait until the cluster takes requests; return its id.

    Args:
        places: the listeners that must answer, with the addresses that they are bound to.
        brokers: ids of the brokers that must know each other.
        alive: raises when a node has ended; called repeatedly.

    Raises:
        CaptureError: the time is over; the message names the missing listeners or brokers.
    """
    until = time.monotonic() + timeout_s
    waiting = dict(places)
    missing = set(brokers)
    cluster_id = ""
    while waiting or missing:
        alive()
        if time.monotonic() > until:
            raise CaptureError(f"not ready after {timeout_s:.0f} s: {_missing_text(waiting, missing)}")
        for place, address in list(waiting.items()):
            if advertised(apis, address) is not None:
                del waiting[place]
        if not waiting:
            known, cluster_id = _known(apis, places)
            missing = set(brokers) - known
        if waiting or missing:
            time.sleep(_PAUSE_S)
    return cluster_id


def _known(apis: ApiCatalog, places: Mapping[ListenerPlace, Address]) -> tuple[set[int], str]:
    """Return the brokers that every broker knows, and the cluster's id; none without a controller."""
    cluster_id = ""
    seen: list[set[int]] = []
    for place, address in places.items():
        if place.listener is not Listener.CLIENT:
            continue
        with RawClient(apis, address, timeout_s=_ANSWER_S) as caller:
            answer = caller.call("MetadataRequest", 4, {"topics": [], "allowAutoTopicCreation": False})
        if not isinstance(answer, AnsweredCall) or answer.body["controllerId"] == _NO_LEADER_YET:
            return set(), ""
        seen.append({each["nodeId"] for each in answer.body["brokers"]})
        cluster_id = answer.body["clusterId"] or ""
    return (set.intersection(*seen) if seen else set()), cluster_id


def _missing_text(waiting: Mapping[ListenerPlace, Address], missing: set[int]) -> str:
    if waiting:
        places = [f"{place} at {host}:{port}" for place, (host, port) in waiting.items()]
        return f"no answer from {', '.join(places)}"
    return f"brokers {', '.join(map(str, sorted(missing)))} are not in the metadata"
