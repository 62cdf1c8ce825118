"""The cluster of a capture, when it is ready; one that runs already, in which wireproof changes nothing."""

import socket
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, assert_never

from kafkawire.schema import VersionRange
from wireproof.traffic.capture.brokers.server_properties import AddressLookup, Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.broker_access import OPEN_ACCESS, BrokerAccess
from wireproof.traffic.capture.raw_client.raw_client import (
    Address,
    AnsweredCall,
    ApiCatalog,
    CallOutcome,
    ClosedCall,
    RawClient,
    SilentCall,
    UnreadableCall,
    attempts,
)

_READY_S: Final = 5.0
_PAUSE_S: Final = 0.1
_NO_LEADER_YET: Final = -1

Advertised = Mapping[int, VersionRange]
"""The versions that a listener advertises, by API key."""


def ask_versions(
    apis: ApiCatalog, address: Address, timeout_s: float = _READY_S, *, tls: bool = False
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
    apis: ApiCatalog, address: Address, timeout_s: float = _READY_S, *, tls: bool = False
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
    waiting = dict(places)
    missing = set(brokers)
    for _ in attempts(timeout_s, _PAUSE_S):
        alive()
        for place, address in list(waiting.items()):
            if advertised(apis, address) is not None:
                del waiting[place]
        if not waiting:
            known, cluster_id = _known(apis, places)
            missing = set(brokers) - known
            if not missing:
                return cluster_id
    raise CaptureError(f"not ready after {timeout_s:.0f} s: {_missing_text(waiting, missing)}")


def _known(apis: ApiCatalog, places: Mapping[ListenerPlace, Address]) -> tuple[set[int], str]:
    """Return the brokers that every broker knows, and the cluster's id; none without a controller."""
    cluster_id = ""
    seen: list[set[int]] = []
    for place, address in places.items():
        if place.listener is not Listener.CLIENT:
            continue
        with RawClient(apis, address, timeout_s=_READY_S) as caller:
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


_ANSWER_S: Final = 10.0
_METADATA: Final = 4
"""A version of Metadata in all releases; its response has ids, addresses and the cluster's id."""


class ExistingCluster:
    """The client listener of each broker in a cluster's metadata.

    Its nodes cannot advertise a proxy: the proxy has to replace the addresses in their responses.

    Args:
        apis: the catalog of the release that the cluster is assumed to have.
        bootstrap: the address of any broker's client listener.
        access: the login and encryption that the listener requires.

    Raises:
        CaptureError: no broker answers there, or it refuses the login.
    """

    def __init__(self, apis: ApiCatalog, bootstrap: Address, access: BrokerAccess = OPEN_ACCESS) -> None:
        self.release = apis.release
        self.access = access
        self.can_advertise = False
        self._bootstrap = bootstrap
        self._apis = apis
        body = self._metadata()
        self.cluster_id: str = body["clusterId"] or ""
        self.places: Mapping[ListenerPlace, Address] = {
            ListenerPlace(each["nodeId"], Listener.CLIENT): (each["host"], each["port"])
            for each in body["brokers"]
        }
        if not self.places:
            host, port = bootstrap
            raise CaptureError(f"the broker at {host}:{port} names no brokers of its cluster in its metadata")

    @property
    def brokers(self) -> tuple[int, ...]:
        return tuple(place.node for place in self.places)

    @property
    def facts(self) -> Mapping[str, Any]:
        host, port = self._bootstrap
        return {
            "way": "address",
            "bootstrap": f"{host}:{port}",
            "tls": self.access.tls,
            "login": self.access.login.mechanism if self.access.login else None,
            "cluster_id": self.cluster_id,
            "nodes": [{"id": node, "roles": ["broker"]} for node in self.brokers],
        }

    def start(self, advertised: AddressLookup | None = None) -> None:
        """Start no process; see `Cluster.start`. The nodes keep their advertised addresses."""
        self.check()

    def check(self) -> None:
        """Check that each broker accepts connections. Raises CaptureError if one does not."""
        for place, address in self.places.items():
            try:
                socket.create_connection(address, _ANSWER_S).close()
            except (OSError, UnicodeError, OverflowError) as error:  # the last two: not a host, not a port
                host, port = address
                reason = error.strerror if isinstance(error, OSError) and error.strerror else error
                raise CaptureError(
                    f"node {place.node} of the cluster is not reachable at {host}:{port}: {reason}",
                    "Its brokers must be reachable from here at the addresses that they advertise.",
                ) from error

    def refresh(self) -> None:
        """Leave the cluster as it is."""

    def stop(self) -> None:
        """Leave the cluster running."""

    def _metadata(self) -> Mapping[str, Any]:
        host, port = self._bootstrap
        tls, login = self.access.tls, self.access.login
        first = ask_versions(self._apis, self._bootstrap, _ANSWER_S, tls=tls)
        if not isinstance(first, AnsweredCall):
            message = f"no broker answers at {host}:{port}: {_reason(first)}"
            raise CaptureError(message, _advice(first, tls=tls))
        with RawClient(self._apis, self._bootstrap, timeout_s=_ANSWER_S, greet=login, tls=tls) as caller:
            try:
                answer = caller.call("MetadataRequest", _METADATA, {"topics": []})
            except CaptureError as error:
                raise CaptureError(f"{host}:{port}: {error.message}", error.advice) from error
        if isinstance(answer, AnsweredCall):
            return answer.body
        advice = "If it requires a login, give one: --command-config FILE." if login is None else ""
        reason = _reason(answer)
        raise CaptureError(
            f"the broker at {host}:{port} does not name its cluster's brokers: {reason}", advice
        )


def _advice(outcome: SilentCall | ClosedCall | UnreadableCall, *, tls: bool) -> str:
    """Return the next step after no answer."""
    if tls:
        return "Does it speak TLS there? security.protocol in --command-config says so."
    if isinstance(outcome, ClosedCall) and outcome.foreign not in ("", "TLS"):
        return "Give --broker address:HOST:PORT where a broker of the cluster listens for clients."
    return "If it speaks TLS there, say so: --command-config FILE with security.protocol=SSL or SASL_SSL."


def _reason(outcome: SilentCall | ClosedCall | UnreadableCall) -> str:
    match outcome:
        case SilentCall(after_s):
            return f"nothing came in {after_s:.0f} s"
        case ClosedCall(how):
            return how
        case UnreadableCall(error=error):
            return f"what came cannot be read: {error}"
        case _:
            assert_never(outcome)


class Cluster(Protocol):
    """Brokers and controllers. The caller starts it, then stops it in any case."""

    @property
    def release(self) -> str:
        """The release whose messages it speaks."""

    @property
    def cluster_id(self) -> str:
        """Its id; may be empty before it starts."""

    @property
    def brokers(self) -> tuple[int, ...]:
        """Ids of all brokers."""

    def check(self) -> None:
        """Check that all nodes run. Raises CaptureError if a node does not run."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts of `capture.json` about it: JSON."""

    @property
    def places(self) -> Mapping[ListenerPlace, Address]:
        """Every listener and its address, known before the start."""

    @property
    def can_advertise(self) -> bool:
        """True if its nodes advertise given addresses: a proxy need not rewrite their responses."""

    @property
    def access(self) -> BrokerAccess:
        """The access of its client listeners."""

    def start(self, advertised: AddressLookup) -> None:
        """Start it, and return when it is ready.

        Args:
            advertised: the addresses that its nodes advertise.

        Raises:
            CaptureError: it does not start, or is not ready in time; none of its processes is left.
        """

    def refresh(self) -> None:
        """Prepare the cluster for the next workload. Raises CaptureError if it is not ready in time."""

    def stop(self) -> None:
        """Stop all started processes in order, and remove their files."""
