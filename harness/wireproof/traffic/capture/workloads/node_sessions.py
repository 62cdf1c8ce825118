"""A session with each broker, for workloads that stop and start nodes; the workload of voters."""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any, Final
from uuid import UUID

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


_LEAST_VOTERS: Final = 3
_SETTLED_S: Final = 60.0
_TIMEOUT_MS: Final = 5_000
_CASE: Final = "voters"
_OTHER_NAME: Final = "localhost"
"""Another name of the same host: a voter that advertises it has moved for the other nodes."""


class Voters:
    """A workload for a dynamic quorum of three or more started voters; `log` has its own requests."""

    name = "voters"

    def __init__(self, apis: ApiCatalog) -> None:
        self._apis = apis
        self._steps: list[str] = []
        self._sessions: NodeSessions
        self.log = RequestLog(Listener.CLIENT)

    def run(self, stage: CaptureStage) -> None:
        """Make a follower leave, join, move, and restart without its data.

        The leader does not leave: a quorum of 4.3.1 would then hold elections forever. Raises CaptureError if
        the cluster is of another kind, or refuses a change.
        """
        cluster = stage.cluster
        if (
            not isinstance(cluster, StartedCluster)
            or not cluster.voters
            or len(cluster.voters) < _LEAST_VOTERS
        ):
            raise CaptureError(
                "the workload voters needs a dynamic quorum of three voters that wireproof starts",
                "Add --nodes 3v, with a broker of 3.9 or later from jars or in containers.",
            )
        with NodeSessions(self._apis, stage, cluster, self.log, _CASE) as self._sessions:
            self._play(stage, cluster)

    def facts(self) -> Mapping[str, Any]:
        return {"steps": self._steps}

    def _play(self, stage: CaptureStage, cluster: StartedCluster) -> None:
        follower = next(node for node in cluster.voters if node != self._sessions.head)
        for version in self._sessions.any.supported["AddRaftVoterRequest"]:
            directory = self._directory(follower)
            self._remove(follower, directory)
            self._step(stage, f"node {follower} left the quorum")
            self._add(stage, follower, directory, version)
            self._step(stage, f"node {follower} joined it")
        cluster.shut_down(follower)
        cluster.rename(ListenerPlace(follower, Listener.CONTROLLER), _OTHER_NAME)
        cluster.restart(follower)
        self._until(
            f"node {follower} advertises its new host", lambda quorum: _host(quorum, follower) == _OTHER_NAME
        )
        self._step(stage, f"node {follower} moved")
        self._restart_empty(stage, cluster, follower)

    def _restart_empty(self, stage: CaptureStage, cluster: StartedCluster, node: int) -> None:
        """Restart a node without its data: an operator has to replace the old voter by a new one."""
        lost = self._directory(node)
        cluster.kill(node)
        cluster.renew(node)
        self._until(f"node {node} reads the log", lambda quorum: node in _directories(quorum, "observers"))
        self._step(stage, f"node {node} is back, without its data")
        self._remove(node, lost)
        self._add(stage, node, _directories(self._sessions.quorum(), "observers")[node])
        self._step(stage, f"node {node} is a voter again")

    def _step(self, stage: CaptureStage, text: str) -> None:
        """Ask for the quorum, and report the step."""
        self._sessions.quorum()
        self._steps.append(text)
        stage.report(f"voters: {text}")

    def _directory(self, node: int) -> UUID:
        """Return the directory id of a voter's log."""
        return _directories(self._sessions.quorum(), "currentVoters")[node]

    def _remove(self, node: int, directory: UUID) -> None:
        body = self._voter(node, directory)
        self._ask("RemoveRaftVoterRequest", self._sessions.any.newest("RemoveRaftVoterRequest"), body)
        self._until(
            f"node {node} leaves",
            lambda quorum: directory not in _directories(quorum, "currentVoters").values(),
        )

    def _add(self, stage: CaptureStage, node: int, directory: UUID, version: int | None = None) -> None:
        host, port = stage.addresses[ListenerPlace(node, Listener.CONTROLLER)]
        listener = {"name": Listener.CONTROLLER.value, "host": host, "port": port}
        body = {**self._voter(node, directory), "timeoutMs": _TIMEOUT_MS, "listeners": [listener]}
        newest = self._sessions.any.newest("AddRaftVoterRequest")
        self._ask(
            "AddRaftVoterRequest", newest if version is None else version, {**body, "ackWhenCommitted": True}
        )
        self._until(
            f"node {node} joins", lambda quorum: _directories(quorum, "currentVoters").get(node) == directory
        )

    def _voter(self, node: int, directory: UUID) -> StructValue:
        return {"clusterId": self._sessions.any.cluster_id, "voterId": node, "voterDirectoryId": directory}

    def _ask(self, request: str, version: int, body: StructValue) -> None:
        """Send a request until it succeeds: a new leader, or one with a pending change, refuses for a while.

        Raises CaptureError if the time is over.
        """
        until = time.monotonic() + _SETTLED_S
        while True:
            session = self._sessions.any
            answer = session.ask(request, version, body, _CASE) or {}
            if answer.get("errorCode") == 0:
                return
            if time.monotonic() > until:
                raise CaptureError(f"the quorum refuses {request}: {answer.get('errorMessage') or answer}")
            time.sleep(_PAUSE_S)

    def _until(self, event: str, done: Callable[[StructValue], bool]) -> None:
        """Ask for the quorum until `done` returns True for it. Raises CaptureError if the time is over."""
        until = time.monotonic() + _SETTLED_S
        while not done(quorum := self._sessions.quorum()):
            if time.monotonic() > until:
                raise CaptureError(f"no sign within {_SETTLED_S:.0f} s that {event}; the quorum is {quorum}")
            time.sleep(_PAUSE_S)


def _directories(quorum: StructValue, role: str) -> dict[int, UUID]:
    """Return the directory ids of ``currentVoters`` or ``observers`` by node."""
    return {each["replicaId"]: each["replicaDirectoryId"] for each in quorum.get(role, ())}


def _host(quorum: StructValue, node: int) -> str:
    """Return the host that a voter advertises."""
    for each in quorum["nodes"]:
        if each["nodeId"] == node:
            host: str = each["listeners"][0]["host"]
            return host
    return ""
