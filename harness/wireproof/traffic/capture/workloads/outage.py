"""Outages: nodes crash, come back, shut down and lose their data.

The nodes then exchange votes, begin and end epochs, shrink and expand the ISR, change leaders, truncate logs,
register, and fetch snapshots.
"""

import time
from collections.abc import Mapping
from typing import Any, Final

from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.brokers.topology import Listener
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.workloads.listener_session import Topic
from wireproof.traffic.capture.workloads.node_sessions import NodeSessions
from wireproof.traffic.capture.workloads.recipes.fixtures import NO_ID, produce_body, records
from wireproof.traffic.capture.workloads.request_log import RequestLog

_LEAST_BROKERS: Final = 3
_PARTITIONS: Final = 3
_BATCHES: Final = 5
_SETTLED_S: Final = 60.0
_PAUSE_S: Final = 0.2
_CASE: Final = "outage"


class Outage:
    """A workload for three or more brokers that wireproof started; `log` has its own requests."""

    name = "outage"

    def __init__(self, apis: ApiCatalog) -> None:
        self._apis = apis
        self._steps: list[str] = []
        self._sessions: NodeSessions
        self._topic: Topic | None = None
        self.log = RequestLog(Listener.CLIENT)

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
        with NodeSessions(self._apis, stage, cluster, self.log, _CASE) as self._sessions:
            self._play(stage, cluster)

    def facts(self) -> Mapping[str, Any]:
        return {"steps": self._steps}

    def _play(self, stage: CaptureStage, cluster: StartedCluster) -> None:
        self._make_topic()
        self._step(stage, cluster, "all nodes are there")
        crashed = self._leaders()[0]
        cluster.kill(crashed)
        self._step(stage, cluster, f"node {crashed} crashed")
        cluster.restart(crashed)
        self._step(stage, cluster, f"node {crashed} is back")
        leaving = self._sessions.head
        cluster.shut_down(leaving)
        self._step(stage, cluster, f"node {leaving}, the active controller, took its leave")
        cluster.restart(leaving)
        self._step(stage, cluster, f"node {leaving} is back")
        self._elect()
        leader = self._sessions.head
        renewed = next(node for node in cluster.brokers if node != leader)
        cluster.kill(renewed)
        self._step(stage, cluster, f"node {renewed} crashed")
        cluster.renew(renewed)
        self._step(stage, cluster, f"node {renewed} is back, without its data")

    def _step(self, stage: CaptureStage, cluster: StartedCluster, text: str) -> None:
        """Wait until each partition has a leader, write and read, and report the step."""
        self._settle(cluster)
        for partition in range(_PARTITIONS):
            self._write_and_read(partition)
        self._steps.append(text)
        stage.report(f"outage: {text}")

    def _make_topic(self) -> None:
        session = self._sessions.active
        name = session.name("outage")
        wanted = {"name": name, "numPartitions": _PARTITIONS, "replicationFactor": _LEAST_BROKERS}
        body = {"topics": [wanted], "timeoutMs": 10_000, "validateOnly": False}
        made = (session.ask_newest("CreateTopicsRequest", body, _CASE).get("topics") or [{}])[0]
        self._topic = Topic(name, made.get("topicId", NO_ID))

    def _leaders(self) -> dict[int, int]:
        """Return the leader of each partition, from a broker's metadata."""
        assert self._topic is not None
        body = {"topics": [{"name": self._topic.name}], "allowAutoTopicCreation": False}
        answer = self._sessions.any.ask_newest("MetadataRequest", body, _CASE)
        partitions = [each for topic in answer.get("topics", ()) for each in topic["partitions"]]
        return {each["partitionIndex"]: each["leaderId"] for each in partitions}

    def _elect(self) -> None:
        """Elect the preferred leader of each partition, which an outage may have changed."""
        session = self._sessions.active
        body = {"electionType": 0, "topicPartitions": None, "timeoutMs": 10_000}
        session.ask_until_settled("ElectLeadersRequest", session.newest("ElectLeadersRequest"), body, _CASE)

    def _settle(self, cluster: StartedCluster) -> None:
        """Wait until every partition has a leader among the nodes that run.

        Raises CaptureError if that takes too long.
        """
        until = time.monotonic() + _SETTLED_S
        while True:
            leaders = self._leaders()
            if len(leaders) == _PARTITIONS and cluster.running.issuperset(leaders.values()):
                return
            if time.monotonic() > until:
                raise CaptureError(f"partitions have no leader after {_SETTLED_S:.0f} s: {leaders}")
            time.sleep(_PAUSE_S)

    def _write_and_read(self, partition: int) -> None:
        """Write some batches to a partition, and read all of it."""
        assert self._topic is not None
        session = self._sessions[self._leaders()[partition]]
        version = session.newest("ProduceRequest")
        for _ in range(_BATCHES):
            body = produce_body(self._topic, records(version), partition=partition)
            session.ask_until_settled("ProduceRequest", version, body, _CASE)
        wanted = {"partition": partition, "currentLeaderEpoch": -1, "partitionMaxBytes": 1 << 20}
        topics = [{"topic": self._topic.name, "topicId": self._topic.id, "partitions": [wanted]}]
        body = {"replicaId": -1, "maxWaitMs": 100, "minBytes": 1, "topics": topics}
        session.ask_until_settled("FetchRequest", session.newest("FetchRequest"), body, _CASE)
