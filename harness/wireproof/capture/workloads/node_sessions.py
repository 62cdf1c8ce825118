"""A client of ours at each broker of a cluster, for workloads in which nodes come and go."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Final

from kafkawire.values import StructValue
from wireproof.capture.brokers import Listener, ListenerPlace, StartedCluster, advertised
from wireproof.capture.capture_error import CaptureError
from wireproof.capture.capture_session import CaptureStage
from wireproof.capture.raw_client.raw_client import ApiCatalog
from wireproof.capture.workloads.listener_session import ListenerSession
from wireproof.capture.workloads.request_log import RequestLog

__all__ = ["NodeSessions"]

_ANSWER_S: Final = 15.0
_ELECTION_S: Final = 60.0
_PAUSE_S: Final = 0.3


class NodeSessions:
    """Scenes by node, over the listeners for clients; a context.

    Args:
        cluster: the one of the stage.
        book: the account of what is asked.
        case: what it is asked for, in the book.
    """

    def __init__(
        self, apis: ApiCatalog, stage: CaptureStage, cluster: StartedCluster, book: RequestLog, case: str
    ) -> None:
        self._apis = apis
        self._stage = stage
        self._cluster = cluster
        self._book = book
        self._case = case
        self._open = ExitStack()
        self._scenes: Mapping[int, ListenerSession] = {}

    def __enter__(self) -> "NodeSessions":
        self._scenes = {node: self._open.enter_context(self._scene(node)) for node in self._cluster.brokers}
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __getitem__(self, node: int) -> ListenerSession:
        return self._scenes[node]

    @property
    def any(self) -> ListenerSession:
        """Some broker that runs."""
        return self._scenes[next(node for node in self._cluster.brokers if node in self._cluster.running)]

    @property
    def active(self) -> ListenerSession:
        """The broker that takes what administrators ask: any, but with a ZooKeeper the controller."""
        answer = self.any.tell("MetadataRequest", {"topics": []}, self._case)
        return self._scenes.get(answer.get("controllerId", -1), self.any)

    @property
    def head(self) -> int:
        """The active controller: who leads the quorum, or whom a ZooKeeper has for it."""
        if self._cluster.in_zookeeper:
            return self.active.node
        leader: int = self.quorum()["leaderId"]
        return leader

    def quorum(self) -> StructValue:
        """What the cluster tells of its quorum, and of where the nodes of it listen.

        Raises:
            CaptureError: nothing, for as long as an election may take.
        """
        scene = self.any
        body = {"topics": [{"topicName": scene.metadata_topic, "partitions": [{"partitionIndex": 0}]}]}
        until = time.monotonic() + _ELECTION_S
        while time.monotonic() < until:
            answer = scene.tell("DescribeQuorumRequest", body, self._case)
            for topic in answer.get("topics", ()):
                (found,) = topic["partitions"]
                if found["errorCode"] == 0:
                    return {**found, "nodes": answer.get("nodes", [])}
            time.sleep(_PAUSE_S)
        raise CaptureError(f"the cluster does not tell who leads its quorum in {_ELECTION_S:.0f} s")

    def _scene(self, node: int) -> ListenerSession:
        address = self._stage.addresses[ListenerPlace(node, Listener.CLIENT)]
        takes = advertised(self._apis, address, _ANSWER_S) or {}
        return ListenerSession(
            self._apis,
            address,
            {name: versions for key, versions in takes.items() if (name := self._apis.name(key))},
            self._book,
            node=node,
            cluster_id=self._cluster.cluster_id,
            brokers=self._cluster.brokers,
            timeout_s=_ANSWER_S,
        )
