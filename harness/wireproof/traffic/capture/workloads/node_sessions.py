"""A session with each broker, and the workloads that stop and start nodes: voters, outage."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from kafkawire.values import StructValue
from wireproof.traffic.capture.brokers.existing_cluster import advertised
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog, attempts
from wireproof.traffic.capture.workloads.listener_session import ListenerSession, Topic
from wireproof.traffic.capture.workloads.recipes.fixtures import NO_ID, produce_body, records
from wireproof.traffic.capture.workloads.request_log import RequestLog

_ANSWER_S: Final = 15.0
_ELECTION_S: Final = 60.0
_PAUSE_S: Final = 0.3


@dataclass(slots=True)
class NodeSessions:
    """Sessions by node, over the client listeners; a context. `case` is the purpose of the requests."""

    apis: ApiCatalog
    stage: CaptureStage
    cluster: StartedCluster
    log: RequestLog
    case: str
    _open: ExitStack = field(default_factory=ExitStack)
    _sessions: Mapping[int, ListenerSession] = field(default_factory=dict)

    def __enter__(self) -> "NodeSessions":
        self._sessions = {
            node: self._open.enter_context(self._open_session(node)) for node in self.cluster.brokers
        }
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __getitem__(self, node: int) -> ListenerSession:
        return self._sessions[node]

    @property
    def any(self) -> ListenerSession:
        """The session of a running broker."""
        return self._sessions[next(node for node in self.cluster.brokers if node in self.cluster.running)]

    @property
    def active(self) -> ListenerSession:
        """The session of a broker that takes admin requests: any; with ZooKeeper the controller."""
        answer = self.any.ask_newest("MetadataRequest", {"topics": []}, self.case)
        return self._sessions.get(answer.get("controllerId", -1), self.any)

    @property
    def head(self) -> int:
        """The node of the active controller: the leader of the quorum, or the controller in ZooKeeper."""
        if self.cluster.in_zookeeper:
            return self.active.node
        leader: int = self.quorum()["leaderId"]
        return leader

    def quorum(self) -> StructValue:
        """Return the state of the quorum and, under ``nodes``, the listeners of its nodes.

        Raises CaptureError if the cluster names no leader within the time of an election.
        """
        session = self.any
        body = {"topics": [{"topicName": session.metadata_topic, "partitions": [{"partitionIndex": 0}]}]}
        for _ in attempts(_ELECTION_S, _PAUSE_S):
            answer = session.ask_newest("DescribeQuorumRequest", body, self.case)
            for topic in answer.get("topics", ()):
                (found,) = topic["partitions"]
                if found["errorCode"] == 0:
                    return {**found, "nodes": answer.get("nodes", [])}
        raise CaptureError(f"the cluster names no leader of its quorum within {_ELECTION_S:.0f} s")

    def _open_session(self, node: int) -> ListenerSession:
        address = self.stage.addresses[ListenerPlace(node, Listener.CLIENT)]
        offered = advertised(self.apis, address, _ANSWER_S) or {}
        return ListenerSession(
            self.apis,
            address,
            {name: versions for key, versions in offered.items() if (name := self.apis.name(key))},
            self.log,
            node=node,
            cluster_id=self.cluster.cluster_id,
            brokers=self.cluster.brokers,
            timeout_s=_ANSWER_S,
        )


class _NodeWorkload:
    """A workload that stops and starts nodes; `log` has its own requests."""

    name: str
    _stage: CaptureStage
    _cluster: StartedCluster
    _sessions: NodeSessions

    def __init__(self, apis: ApiCatalog) -> None:
        self._apis = apis
        self._steps: list[str] = []
        self.log = RequestLog(Listener.CLIENT)

    def facts(self) -> Mapping[str, Any]:
        return {"steps": self._steps}

    def _open(self, stage: CaptureStage, cluster: StartedCluster) -> NodeSessions:
        self._stage, self._cluster = stage, cluster
        self._sessions = NodeSessions(self._apis, stage, cluster, self.log, self.name)
        return self._sessions

    def _done(self, text: str) -> None:
        """Note a step, and report it."""
        self._steps.append(text)
        self._stage.report(f"{self.name}: {text}")


_LEAST_VOTERS: Final = 3
_SETTLED_S: Final = 60.0
_TIMEOUT_MS: Final = 5_000
_OTHER_NAME: Final = "localhost"
"""Another name of the same host: a voter that advertises it has moved for the other nodes."""


class Voters(_NodeWorkload):
    """A workload for a dynamic quorum of three or more started voters."""

    name = "voters"

    def run(self, stage: CaptureStage) -> None:
        """Make a follower leave, join, move, and restart without its data.

        The leader does not leave: a quorum of 4.3.1 would then hold elections forever. Raises CaptureError if
        the cluster is of another kind, or refuses a change.
        """
        cluster = stage.cluster
        if not isinstance(cluster, StartedCluster) or len(cluster.voters) < _LEAST_VOTERS:
            raise CaptureError(
                "the workload voters needs a dynamic quorum of three voters that wireproof starts",
                "Add --nodes 3v, with a broker of 3.9 or later from jars or in containers.",
            )
        with self._open(stage, cluster):
            self._play(cluster)

    def _play(self, cluster: StartedCluster) -> None:
        follower = next(node for node in cluster.voters if node != self._sessions.head)
        for version in self._sessions.any.supported["AddRaftVoterRequest"]:
            directory = self._directory(follower)
            self._remove(follower, directory)
            self._step(f"node {follower} left the quorum")
            self._add(follower, directory, version)
            self._step(f"node {follower} joined it")
        cluster.shut_down(follower)
        cluster.rename(ListenerPlace(follower, Listener.CONTROLLER), _OTHER_NAME)
        cluster.restart(follower)
        self._until(
            f"node {follower} advertises its new host", lambda quorum: _host(quorum, follower) == _OTHER_NAME
        )
        self._step(f"node {follower} moved")
        self._restart_empty(follower)

    def _restart_empty(self, node: int) -> None:
        """Restart a node without its data: an operator has to replace the old voter by a new one."""
        lost = self._directory(node)
        self._cluster.kill(node)
        self._cluster.renew(node)
        self._until(f"node {node} reads the log", lambda quorum: node in _directories(quorum, "observers"))
        self._step(f"node {node} is back, without its data")
        self._remove(node, lost)
        self._add(node, _directories(self._sessions.quorum(), "observers")[node])
        self._step(f"node {node} is a voter again")

    def _step(self, text: str) -> None:
        """Ask for the quorum, and report the step."""
        self._sessions.quorum()
        self._done(text)

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

    def _add(self, node: int, directory: UUID, version: int | None = None) -> None:
        host, port = self._stage.addresses[ListenerPlace(node, Listener.CONTROLLER)]
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
        for _ in attempts(_SETTLED_S, _PAUSE_S):
            answer = self._sessions.any.ask(request, version, body, self.name) or {}
            if answer.get("errorCode") == 0:
                return
        raise CaptureError(f"the quorum refuses {request}: {answer.get('errorMessage') or answer}")

    def _until(self, event: str, done: Callable[[StructValue], bool]) -> None:
        """Ask for the quorum until `done` returns True for it. Raises CaptureError if the time is over."""
        for _ in attempts(_SETTLED_S, _PAUSE_S):
            if done(quorum := self._sessions.quorum()):
                return
        raise CaptureError(f"no sign within {_SETTLED_S:.0f} s that {event}; the quorum is {quorum}")


def _directories(quorum: StructValue, role: str) -> dict[int, UUID]:
    """Return the directory ids of ``currentVoters`` or ``observers`` by node."""
    return {each["replicaId"]: each["replicaDirectoryId"] for each in quorum.get(role, ())}


def _host(quorum: StructValue, node: int) -> str:
    """Return the host that a voter advertises."""
    hosts = (each["listeners"][0]["host"] for each in quorum["nodes"] if each["nodeId"] == node)
    return next(hosts, "")


_LEAST_BROKERS: Final = 3
_PARTITIONS: Final = 3
_BATCHES: Final = 5
_LEADERS_S: Final = 60.0
_LEADERS_PAUSE_S: Final = 0.2


class Outage(_NodeWorkload):
    """A workload for three or more brokers that wireproof started."""

    name = "outage"
    _topic: Topic

    def run(self, stage: CaptureStage) -> None:
        """Crash a node, shut the quorum's leader down, and restart a node without its data.

        Raises CaptureError if the cluster is of another kind, or does not recover.
        """
        cluster = stage.cluster
        if not isinstance(cluster, StartedCluster) or len(cluster.brokers) < _LEAST_BROKERS:
            raise CaptureError(
                "the workload outage needs three brokers that wireproof starts",
                "Add --nodes 3, with a broker from jars or in containers.",
            )
        with self._open(stage, cluster):
            self._play(cluster)

    def _play(self, cluster: StartedCluster) -> None:
        self._make_topic()
        self._step("all nodes are there")
        crashed = self._leaders()[0]
        cluster.kill(crashed)
        self._step(f"node {crashed} crashed")
        cluster.restart(crashed)
        self._step(f"node {crashed} is back")
        leaving = self._sessions.head
        cluster.shut_down(leaving)
        self._step(f"node {leaving}, the active controller, took its leave")
        cluster.restart(leaving)
        self._step(f"node {leaving} is back")
        self._elect()
        leader = self._sessions.head
        renewed = next(node for node in cluster.brokers if node != leader)
        cluster.kill(renewed)
        self._step(f"node {renewed} crashed")
        cluster.renew(renewed)
        self._step(f"node {renewed} is back, without its data")

    def _step(self, text: str) -> None:
        """Wait until each partition has a leader, write and read, and report the step."""
        self._settle()
        for partition in range(_PARTITIONS):
            self._write_and_read(partition)
        self._done(text)

    def _make_topic(self) -> None:
        session = self._sessions.active
        name = session.name(self.name)
        wanted = {"name": name, "numPartitions": _PARTITIONS, "replicationFactor": _LEAST_BROKERS}
        body = {"topics": [wanted], "timeoutMs": 10_000, "validateOnly": False}
        made = (session.ask_newest("CreateTopicsRequest", body, self.name).get("topics") or [{}])[0]
        self._topic = Topic(name, made.get("topicId", NO_ID))

    def _leaders(self) -> dict[int, int]:
        """Return the leader of each partition, from a broker's metadata."""
        body = {"topics": [{"name": self._topic.name}], "allowAutoTopicCreation": False}
        answer = self._sessions.any.ask_newest("MetadataRequest", body, self.name)
        partitions = [each for topic in answer.get("topics", ()) for each in topic["partitions"]]
        return {each["partitionIndex"]: each["leaderId"] for each in partitions}

    def _elect(self) -> None:
        """Elect the preferred leader of each partition, which an outage may have changed."""
        session = self._sessions.active
        body = {"electionType": 0, "topicPartitions": None, "timeoutMs": 10_000}
        session.ask_until_settled(
            "ElectLeadersRequest", session.newest("ElectLeadersRequest"), body, self.name
        )

    def _settle(self) -> None:
        """Wait until every partition has a leader among the nodes that run.

        Raises CaptureError if that takes too long.
        """
        for _ in attempts(_LEADERS_S, _LEADERS_PAUSE_S):
            leaders = self._leaders()
            if len(leaders) == _PARTITIONS and self._cluster.running.issuperset(leaders.values()):
                return
        raise CaptureError(f"partitions have no leader after {_LEADERS_S:.0f} s: {leaders}")

    def _write_and_read(self, partition: int) -> None:
        """Write some batches to a partition, and read all of it."""
        session = self._sessions[self._leaders()[partition]]
        version = session.newest("ProduceRequest")
        for _ in range(_BATCHES):
            body = produce_body(self._topic, records(version), partition=partition)
            session.ask_until_settled("ProduceRequest", version, body, self.name)
        wanted = {"partition": partition, "currentLeaderEpoch": -1, "partitionMaxBytes": 1 << 20}
        topics = [{"topic": self._topic.name, "topicId": self._topic.id, "partitions": [wanted]}]
        body = {"replicaId": -1, "maxWaitMs": 100, "minBytes": 1, "topics": topics}
        session.ask_until_settled("FetchRequest", session.newest("FetchRequest"), body, self.name)
