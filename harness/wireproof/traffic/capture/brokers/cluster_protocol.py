"""The protocol of a cluster to capture."""

from collections.abc import Mapping
from typing import Any, Protocol

from wireproof.traffic.capture.brokers.topology import AddressLookup, ListenerPlace
from wireproof.traffic.capture.raw_client.broker_access import BrokerAccess
from wireproof.traffic.capture.raw_client.raw_client import Address


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
