"""A capture from beginning to end: proxy, cluster, workloads, and the facts about them."""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from wireproof.traffic.capture.brokers.existing_cluster import Cluster
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_folder import CaptureFolder
from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.capture.proxy.relay import FilterFactory
from wireproof.traffic.capture.raw_client.raw_client import LOOPBACK, Address
from wireproof.traffic.wire.frame_identifier import FrameIdentifier


@dataclass(frozen=True, slots=True)
class CaptureStage:
    """A ready cluster, the proxy's addresses and a report, for a workload.

    Attributes:
        addresses: the proxy's address for each listener; traffic to it is recorded.
        report: prints a line of progress.
        settle: waits until the proxy has taken up all connections that clients have made.
    """

    cluster: Cluster
    addresses: Mapping[ListenerPlace, Address]
    report: Callable[[str], None] = field(repr=False)
    settle: Callable[[], None] = field(repr=False, default=lambda: None)

    def first(self, listener: Listener) -> Address | None:
        """Return the address of that listener on the first node that has it; None if no node has it."""
        return next((at for place, at in self.addresses.items() if place.listener is listener), None)

    @property
    def bootstrap(self) -> Address:
        """The bootstrap address for clients; every cluster has one."""
        found = self.first(Listener.CLIENT)
        assert found is not None
        return found


class Workload(Protocol):
    """A workload that drives a cluster."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    def run(self, stage: CaptureStage) -> None:
        """Drive the cluster. Raises CaptureError if the workload cannot go on."""

    def facts(self) -> Mapping[str, Any]:
        """Return its results so far, as JSON values."""


def run_capture(
    cluster: Cluster,
    folder: CaptureFolder,
    workloads: Sequence[Workload],
    about: Mapping[str, Any],
    naming: FrameIdentifier,
    report: Callable[[str], None],
    vary: FilterFactory | None = None,
) -> None:
    """Record the traffic of the workloads and between the nodes. No process is left running in any case.

    Args:
        about: facts for `capture.json` in addition to the cluster's own.
        naming: the identifier of the release's frames; it finds addresses in responses if the cluster cannot
            advertise the proxy's addresses.
        vary: makes the filter of each connection of a client that varies answers; None to vary nothing.

    Raises:
        CaptureError: the capture cannot begin, or go on. The recorded segments are complete.
        KeyboardInterrupt: the user ended it. The recorded segments are complete.
    """
    facts = {**about, "release": cluster.release, "cluster": cluster.facts, "started": _now()}
    routes = [
        Route(place.node, place.listener, (LOOPBACK, 0), address, tls_to_node=cluster.access.tls)
        for place, address in cluster.places.items()
    ]
    proxy = RecordingProxy(
        routes,
        folder.path,
        {"release": cluster.release, **about},
        rewrite=None if cluster.can_advertise else naming,
        vary=vary,
        report=report,
    )
    with _written_facts(folder, facts, cluster, workloads, proxy, report), proxy:
        try:
            addresses = {place: proxy.address(place.node, place.listener) for place in cluster.places}
            report(f"starting {cluster.release}")
            cluster.start(addresses.__getitem__)
            for number, workload in enumerate(workloads):
                if number:
                    cluster.refresh()
                workload.run(CaptureStage(cluster, addresses, report, proxy.settle))
                cluster.check()
        finally:
            cluster.stop()


@contextmanager
def _written_facts(
    folder: CaptureFolder,
    facts: Mapping[str, Any],
    cluster: Cluster,
    workloads: Sequence[Workload],
    proxy: RecordingProxy,
    report: Callable[[str], None],
) -> Iterator[None]:
    """Write the facts known at the beginning, and at the end the outcome."""
    folder.write({**facts, "outcome": "unfinished"})

    def end(outcome: str) -> None:
        driven = [{"name": each.name, **each.facts()} for each in workloads]
        # A cluster with ZooKeeper gets its id when it starts.
        known = {**facts, "cluster": {**facts["cluster"], "cluster_id": cluster.cluster_id}}
        results = {"ended": _now(), "outcome": outcome, "workloads": driven, "segments": _segments(proxy)}
        folder.write({**known, **results})

    try:
        yield
    except BaseException as error:
        try:
            end(_outcome(error))
        except CaptureError as second:
            report(str(second))  # the first error is the cause, so it is raised
        raise
    end("complete")


def _outcome(error: BaseException) -> str:
    match error:
        case CaptureError():
            return f"failed: {error.message}"
        case KeyboardInterrupt():
            return "interrupted"
        case _:
            return "failed"


def _segments(proxy: RecordingProxy) -> list[Mapping[str, Any]]:
    return [
        {
            "file": recorder.path.name,
            "node": node,
            "listener": listener,
            "connections": recorder.connections,
            "bytes": recorder.data_bytes,
        }
        for (node, listener), recorder in proxy.recorders().items()
    ]


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
