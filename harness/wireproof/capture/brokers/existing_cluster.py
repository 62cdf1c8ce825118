"""A cluster that is there already: it is asked who belongs to it, and left as it is."""

import socket
from collections.abc import Mapping
from typing import Any, Final, assert_never

from wireproof.capture.brokers.readiness import ask_versions
from wireproof.capture.brokers.topology import AddressLookup, Listener, ListenerPlace
from wireproof.capture.capture_error import CaptureError
from wireproof.capture.raw_client.broker_access import OPEN_ACCESS, BrokerAccess
from wireproof.capture.raw_client.raw_client import (
    AnsweredCall,
    ApiCatalog,
    ClosedCall,
    RawClient,
    SilentCall,
    UnreadableCall,
)
from wireproof.capture.raw_client.socket_address import Address

__all__ = ["ExistingCluster"]

_ANSWER_S: Final = 10.0
_METADATA: Final = 4
"""A version of Metadata that all releases have and that tells ids, addresses and the cluster's id."""


class ExistingCluster:
    """The listener for clients of each broker that a cluster names.

    Its nodes cannot be told of a proxy: the addresses in their responses are to be replaced on the path.

    Args:
        apis: of the release that it is taken for.
        bootstrap: where any of its brokers listens for clients.
        access: what that listener wants of them.

    Raises:
        CaptureError: nobody answers there, or it is no broker, or it does not let us in.
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
        """Nothing is started; see `Cluster.start`. Its nodes tell their own addresses, whatever is asked."""
        self.check()

    def check(self) -> None:
        """See that each broker takes connections.

        Raises:
            CaptureError: one does not.
        """
        for place, address in self.places.items():
            try:
                socket.create_connection(address, _ANSWER_S).close()
            except OSError as error:
                host, port = address
                reason = error.strerror or error
                raise CaptureError(
                    f"node {place.node} of the cluster is not to be reached at {host}:{port}: {reason}",
                    "Its brokers must be reachable from here under the names that they tell.",
                ) from error

    def refresh(self) -> None:
        """It is left as it is."""

    def stop(self) -> None:
        """It goes on as it was."""

    def _metadata(self) -> Mapping[str, Any]:
        host, port = self._bootstrap
        tls, login = self.access.tls, self.access.login
        first = ask_versions(self._apis, self._bootstrap, _ANSWER_S, tls=tls)
        if not isinstance(first, AnsweredCall):
            words = f"at {host}:{port} nobody answers as a broker does: {_why(first)}"
            raise CaptureError(words, _no_broker(first, tls=tls))
        with RawClient(self._apis, self._bootstrap, timeout_s=_ANSWER_S, greet=login, tls=tls) as caller:
            try:
                answer = caller.call("MetadataRequest", _METADATA, {"topics": []})
            except CaptureError as error:
                raise CaptureError(f"{host}:{port}: {error.message}", error.advice) from error
        if isinstance(answer, AnsweredCall):
            return answer.body
        advice = "If it wants a login, say who you are: --command-config FILE." if login is None else ""
        why = _why(answer)
        raise CaptureError(f"the broker at {host}:{port} does not say who belongs to it: {why}", advice)


def _no_broker(outcome: SilentCall | ClosedCall | UnreadableCall, *, tls: bool) -> str:
    """What may help where there was no answer."""
    if tls:
        return "Does it speak TLS there? security.protocol in --command-config says so."
    if isinstance(outcome, ClosedCall) and outcome.foreign not in ("", "TLS"):
        return "Give --broker address:HOST:PORT where a broker of the cluster listens for clients."
    return "If it speaks TLS there, say so: --command-config FILE with security.protocol=SSL or SASL_SSL."


def _why(outcome: SilentCall | ClosedCall | UnreadableCall) -> str:
    match outcome:
        case SilentCall(after_s):
            return f"nothing came in {after_s:.0f} s"
        case ClosedCall(how):
            return how
        case UnreadableCall(error=error):
            return f"what came cannot be read: {error}"
        case _:
            assert_never(outcome)
