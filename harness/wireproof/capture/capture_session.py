"""A capture from beginning to end: proxy, cluster, workloads, and what is written about them."""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from wireproof.capture.brokers import Cluster, Listener, ListenerPlace
from wireproof.capture.capture_error import CaptureError
from wireproof.capture.capture_folder import CaptureFolder
from wireproof.capture.proxy import RecordingProxy, Route
from wireproof.capture.raw_client.socket_address import LOOPBACK, Address
from wireproof.wire import FrameIdentifier

__all__ = ["CaptureStage", "Workload", "run_capture"]


@dataclass(frozen=True, slots=True)
class CaptureStage:
    """What a workload finds: a cluster that is ready, behind the proxy.

    Attributes:
        addresses: where each listener is to be reached so that it is recorded.
        report: a line of progress.
    """

    cluster: Cluster
    addresses: Mapping[ListenerPlace, Address]
    report: Callable[[str], None] = field(repr=False)

    def first(self, listener: Listener) -> Address | None:
        """Where that listener of the first node that has it is to be reached; None where none has it."""
        return next((at for place, at in self.addresses.items() if place.listener is listener), None)

    @property
    def bootstrap(self) -> Address:
        """Where clients begin; every cluster has such a listener."""
        found = self.first(Listener.CLIENT)
        assert found is not None
        return found


class Workload(Protocol):
    """Something that drives a cluster."""

    @property
    def name(self) -> str:
        """As the user calls it."""
        ...

    def run(self, stage: CaptureStage) -> None:
        """Drive it.

        Raises:
            CaptureError: it cannot go on.
        """
        ...

    def facts(self) -> Mapping[str, Any]:
        """What it came to so far: JSON."""
        ...


def run_capture(
    cluster: Cluster,
    folder: CaptureFolder,
    workloads: Sequence[Workload],
    about: Mapping[str, Any],
    naming: FrameIdentifier,
    report: Callable[[str], None],
) -> None:
    """Record what the workloads and the nodes themselves send. Nothing is left running, whatever happens.

    Args:
        about: facts for `capture.json` beside the cluster's own.
        naming: of the release: addresses in responses are found by it, where the cluster cannot be told.

    Raises:
        CaptureError: it cannot begin, or go on. What was recorded is whole.
        KeyboardInterrupt: likewise.
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
        report=report,
    )
    with _account(folder, facts, cluster, workloads, proxy, report), proxy:
        try:
            addresses = {place: proxy.address(place.node, place.listener) for place in cluster.places}
            report(f"starting {cluster.release}")
            cluster.start(addresses.__getitem__)
            for number, workload in enumerate(workloads):
                if number:
                    cluster.refresh()
                workload.run(CaptureStage(cluster, addresses, report))
                cluster.check()
        finally:
            cluster.stop()


@contextmanager
def _account(
    folder: CaptureFolder,
    facts: Mapping[str, Any],
    cluster: Cluster,
    workloads: Sequence[Workload],
    proxy: RecordingProxy,
    report: Callable[[str], None],
) -> Iterator[None]:
    """Write what is known at the beginning, and at the end what became of it."""
    folder.write({**facts, "outcome": "unfinished"})

    def end(outcome: str) -> None:
        driven = [{"name": each.name, **each.facts()} for each in workloads]
        # Some clusters are given their id when they start.
        known = {**facts, "cluster": {**facts["cluster"], "cluster_id": cluster.cluster_id}}
        told = {"ended": _now(), "outcome": outcome, "workloads": driven, "segments": _segments(proxy)}
        folder.write({**known, **told})

    try:
        yield
    except BaseException as error:
        try:
            end(_outcome(error))
        except CaptureError as second:
            report(str(second))  # what ended the capture is more to the point
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
