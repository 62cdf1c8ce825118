"""The cluster of a capture, and one that runs already, in which wireproof changes nothing."""

import socket
from collections.abc import Mapping
from typing import Any, Final, Protocol, assert_never

from wireproof.traffic.capture.brokers.readiness import ask_versions
from wireproof.traffic.capture.brokers.topology import AddressLookup, Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.broker_access import OPEN_ACCESS, BrokerAccess
from wireproof.traffic.capture.raw_client.raw_client import (
    Address,
    AnsweredCall,
    ApiCatalog,
    ClosedCall,
    RawClient,
    SilentCall,
    UnreadableCall,
)

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
            except OSError as error:
                host, port = address
                reason = error.strerror or error
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
        ...

    @property
    def cluster_id(self) -> str:
        """Its id; may be empty before it starts."""
        ...

    @property
    def brokers(self) -> tuple[int, ...]:
        """Ids of all brokers."""
        ...

    def check(self) -> None:
        """Check that all nodes run. Raises CaptureError if a node does not run."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts of `capture.json` about it: JSON."""
        ...

    @property
    def places(self) -> Mapping[ListenerPlace, Address]:
        """Every listener and its address, known before the start."""
        ...

    @property
    def can_advertise(self) -> bool:
        """True if its nodes advertise given addresses: a proxy need not rewrite their responses."""
        ...

    @property
    def access(self) -> BrokerAccess:
        """The access of its client listeners."""
        ...

    def start(self, advertised: AddressLookup) -> None:
        """Start it, and return when it is ready.

        Args:
            advertised: the addresses that its nodes advertise.

        Raises:
            CaptureError: it does not start, or is not ready in time; none of its processes is left.
        """
        ...

    def refresh(self) -> None:
        """Prepare the cluster for the next workload. Raises CaptureError if it is not ready in time."""
        ...

    def stop(self) -> None:
        """Stop all started processes in order, and remove their files."""
        ...
