"""The monitor of `wireproof judge`: it judges each request of a running client as it is recorded."""

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, BinaryIO

from wireproof.base.accepted_findings import NOTHING_ACCEPTED, AcceptedFindings
from wireproof.kafka.releases import JarStore, Release
from wireproof.proof.client_judge import (
    RequestExtractor,
    RequestFinding,
    RequestJudge,
    RequestStatistics,
    SentRequest,
)
from wireproof.proof.run import header_layouts

if TYPE_CHECKING:
    from kafkawire.schema import SchemaSet
    from wireproof.traffic.capture.capture_folder import CaptureFolder
    from wireproof.traffic.capture.capture_session import CaptureStage
    from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
    from wireproof.traffic.wire import SegmentFollower


class RequestMonitor:
    """Follows the segment files of clients' listeners, and has each request judged.

    Args:
        listeners: called with findings, each cause once.
        accepted: the findings that do not fail.

    Attributes:
        statistics: what was found so far.
    """

    def __init__(
        self,
        release: Release,
        store: JarStore,
        schemas: "SchemaSet",
        apis: "ApiCatalog",
        folder: "CaptureFolder",
        listeners: Sequence[Callable[[Sequence[RequestFinding]], None]],
        accepted: AcceptedFindings = NOTHING_ACCEPTED,
    ) -> None:
        self.statistics = RequestStatistics(accepted)
        self._listeners = listeners
        self._release = release
        self._store = store
        self._schemas = schemas
        self._apis = apis
        self._folder = folder
        self._files = contextlib.ExitStack()
        self._watches: list[tuple[RequestExtractor, SegmentFollower]] = []
        self._judge: RequestJudge | None = None

    @property
    def connections(self) -> int:
        """The number of connections that clients opened."""
        return sum(watch.connections for watch, _ in self._watches)

    def look(self, stage: "CaptureStage") -> None:
        """Judge the requests since the last call."""
        if self._judge is None:
            self._judge = self._opened(stage)
        for watch, follower in self._watches:
            self._take(self._judge, [each for entry in follower.entries() for each in watch.feed(entry)])

    def rest(self) -> None:
        """Judge the requests after the last call of `look`, and those that remain without an answer."""
        if self._judge is None:
            return
        for watch, follower in self._watches:
            settled = [each for entry in follower.entries() for each in watch.feed(entry)]
            self._take(self._judge, [*settled, *watch.close()])

    def close(self) -> None:
        """Close the segment files."""
        self._files.close()

    def _take(self, judge: RequestJudge, settled: "list[SentRequest | RequestFinding]") -> None:
        requests = [each for each in settled if isinstance(each, SentRequest)]
        for verdict in judge.judge(requests) if requests else ():
            self._notify(self.statistics.verdict(verdict))
        for each in settled:
            if isinstance(each, RequestFinding):
                self._notify(self.statistics.loose(each))

    def _notify(self, findings: Sequence[RequestFinding]) -> None:
        for listener in self._listeners:
            listener(findings)

    def _opened(self, stage: "CaptureStage") -> RequestJudge:
        from kafkawire.schema import MessageKind
        from wireproof.app.assembly.worker_environment import open_oracle
        from wireproof.traffic.capture.brokers import Listener, advertised
        from wireproof.traffic.wire import SegmentFollower

        offers = {}
        for place, address in stage.cluster.places.items():
            if place.listener not in (Listener.CLIENT, Listener.SASL):
                continue
            file: BinaryIO = self._files.enter_context((self._folder.segments / f"{place}.wpseg").open("rb"))
            self._watches.append((RequestExtractor(str(place), self._apis.naming), SegmentFollower(file)))
            versions = advertised(self._apis, address, tls=stage.cluster.access.tls)
            if versions is not None:
                offers[str(place)] = versions
        jars = {**self._store.release_jars(self._release), **self._store.extra_jars(self._release)}
        oracle = open_oracle(self._release, jars, self._store)
        headers = {
            version: layout
            for (_, kind, version), layout in header_layouts(self._schemas).items()
            if kind is MessageKind.REQUEST
        }
        return RequestJudge(oracle, self._apis.naming, headers, offers)
