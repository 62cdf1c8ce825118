"""The face of a cluster that is captured, wherever it comes from."""

from collections.abc import Mapping
from typing import Any, Protocol

from wireproof.capture.brokers.topology import AddressLookup, ListenerPlace
from wireproof.capture.raw_client.broker_access import BrokerAccess
from wireproof.capture.raw_client.socket_address import Address

__all__ = ["Cluster"]


class Cluster(Protocol):
    """Brokers and controllers. Made, then started, then stopped; stopping is done in any case."""

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
        """See that it runs as it should.

        Raises:
            CaptureError: it does not.
        """
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
            advertised: what its nodes say of where they are.

        Raises:
            CaptureError: it does not start, or is not ready in time; nothing of it is left.
        """
        ...

    def refresh(self) -> None:
        """Between two workloads: see that the one before does not keep the next from its work.

        Raises:
            CaptureError: it is not ready in time.
        """
        ...

    def stop(self) -> None:
        """End what was started, in order, and leave nothing behind."""
        ...
