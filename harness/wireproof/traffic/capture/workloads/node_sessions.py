"""A session with each broker of a cluster, for workloads that stop and start nodes."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.brokers.existing_cluster import advertised
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.brokers.topology import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.workloads.listener_session import ListenerSession
from wireproof.traffic.capture.workloads.request_log import RequestLog

_ANSWER_S: Final = 15.0
_ELECTION_S: Final = 60.0
_PAUSE_S: Final = 0.3


class NodeSessions:
    """Sessions by node, over the client listeners; a context. `case` is the purpose of the requests."""

    def __init__(
        self, apis: ApiCatalog, stage: CaptureStage, cluster: StartedCluster, log: RequestLog, case: str
    ) -> None:
        self._apis = apis
        self._stage = stage
        self._cluster = cluster
        self._log = log
        self._case = case
        self._open = ExitStack()
        self._sessions: Mapping[int, ListenerSession] = {}

    def __enter__(self) -> "NodeSessions":
        self._sessions = {
            node: self._open.enter_context(self._open_session(node)) for node in self._cluster.brokers
        }
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __getitem__(self, node: int) -> ListenerSession:
        return self._sessions[node]

    @property
    def any(self) -> ListenerSession:
        """The session of a running broker."""
        return self._sessions[next(node for node in self._cluster.brokers if node in self._cluster.running)]

    @property
    def active(self) -> ListenerSession:
        """The session of a broker that takes admin requests: any; with ZooKeeper the controller."""
        answer = self.any.ask_newest("MetadataRequest", {"topics": []}, self._case)
        return self._sessions.get(answer.get("controllerId", -1), self.any)

    @property
    def head(self) -> int:
        """The node of the active controller: the leader of the quorum, or the controller in ZooKeeper."""
        if self._cluster.in_zookeeper:
            return self.active.node
        leader: int = self.quorum()["leaderId"]
        return leader

    def quorum(self) -> StructValue:
        """Return the state of the quorum and, under ``nodes``, the listeners of its nodes.

        Raises CaptureError if the cluster names no leader within the time of an election.
        """
        session = self.any
        body = {"topics": [{"topicName": session.metadata_topic, "partitions": [{"partitionIndex": 0}]}]}
        until = time.monotonic() + _ELECTION_S
        while time.monotonic() < until:
            answer = session.ask_newest("DescribeQuorumRequest", body, self._case)
            for topic in answer.get("topics", ()):
                (found,) = topic["partitions"]
                if found["errorCode"] == 0:
                    return {**found, "nodes": answer.get("nodes", [])}
            time.sleep(_PAUSE_S)
        raise CaptureError(f"the cluster names no leader of its quorum within {_ELECTION_S:.0f} s")

    def _open_session(self, node: int) -> ListenerSession:
        address = self._stage.addresses[ListenerPlace(node, Listener.CLIENT)]
        offered = advertised(self._apis, address, _ANSWER_S) or {}
        return ListenerSession(
            self._apis,
            address,
            {name: versions for key, versions in offered.items() if (name := self._apis.name(key))},
            self._log,
            node=node,
            cluster_id=self._cluster.cluster_id,
            brokers=self._cluster.brokers,
            timeout_s=_ANSWER_S,
        )
