"""A quorum whose voters change (KIP-853): they leave it, join it, move, and begin anew without their data."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from kafkawire.values import StructValue
from wireproof.capture.brokers import Listener, ListenerPlace, StartedCluster
from wireproof.capture.capture_error import CaptureError
from wireproof.capture.capture_session import CaptureStage
from wireproof.capture.raw_client.raw_client import ApiCatalog
from wireproof.capture.workloads.node_sessions import NodeSessions
from wireproof.capture.workloads.request_log import RequestLog

__all__ = ["Voters"]

_LEAST_VOTERS: Final = 3
_SETTLED_S: Final = 60.0
_PAUSE_S: Final = 0.3
_TIMEOUT_MS: Final = 5_000
_CASE: Final = "voters"
_OTHER_NAME: Final = "localhost"
"""Where a voter is, too: one that says so has moved, as far as others can tell."""


class Voters:
    """For a cluster of three voters or more, of a dynamic quorum, that wireproof started.

    Attributes:
        book: the account of what its own client asked.
    """

    name = "voters"

    def __init__(self, apis: ApiCatalog) -> None:
        self._apis = apis
        self._steps: list[str] = []
        self._scenes: NodeSessions
        self.book = RequestLog(Listener.CLIENT)

    def run(self, stage: CaptureStage) -> None:
        """A follower leaves and joins, moves, and begins anew.

        Not so the leader: where it leaves, a quorum of 4.3.1 goes on to elect without an end.

        Raises:
            CaptureError: the cluster is none of that kind, or does not do as it is asked.
        """
        cluster = stage.cluster
        if (
            not isinstance(cluster, StartedCluster)
            or not cluster.voters
            or len(cluster.voters) < _LEAST_VOTERS
        ):
            raise CaptureError(
                "the workload voters needs three voters that wireproof starts and that may change",
                "Add --nodes 3v, with a broker of 3.9 or later from jars or in containers.",
            )
        with NodeSessions(self._apis, stage, cluster, self.book, _CASE) as self._scenes:
            self._play(stage, cluster)

    def facts(self) -> Mapping[str, Any]:
        return {"steps": self._steps}

    def _play(self, stage: CaptureStage, cluster: StartedCluster) -> None:
        follower = next(node for node in cluster.voters if node != self._scenes.head)
        for version in self._scenes.any.takes["AddRaftVoterRequest"]:
            directory = self._directory(follower)
            self._remove(follower, directory)
            self._step(stage, f"node {follower} left the quorum")
            self._add(stage, follower, directory, version)
            self._step(stage, f"node {follower} joined it")
        cluster.shut_down(follower)
        cluster.rename(ListenerPlace(follower, Listener.CONTROLLER), _OTHER_NAME)
        cluster.restart(follower)
        self._until(f"node {follower} tells where it is", lambda told: _host(told, follower) == _OTHER_NAME)
        self._step(stage, f"node {follower} moved")
        self._begin_anew(stage, cluster, follower)

    def _begin_anew(self, stage: CaptureStage, cluster: StartedCluster, node: int) -> None:
        """As an operator has to do it: without its data a node is another voter."""
        lost = self._directory(node)
        cluster.kill(node)
        cluster.renew(node)
        self._until(f"node {node} reads the log", lambda told: node in _directories(told, "observers"))
        self._step(stage, f"node {node} is back, without its data")
        self._remove(node, lost)
        self._add(stage, node, _directories(self._scenes.quorum(), "observers")[node])
        self._step(stage, f"node {node} is a voter again")

    def _step(self, stage: CaptureStage, words: str) -> None:
        """Look at the quorum, and say what was done."""
        self._scenes.quorum()
        self._steps.append(words)
        stage.report(f"voters: {words}")

    def _directory(self, node: int) -> UUID:
        """Of a voter's log."""
        return _directories(self._scenes.quorum(), "currentVoters")[node]

    def _remove(self, node: int, directory: UUID) -> None:
        body = self._voter(node, directory)
        self._ask("RemoveRaftVoterRequest", self._scenes.any.newest("RemoveRaftVoterRequest"), body)
        self._until(
            f"node {node} leaves", lambda told: directory not in _directories(told, "currentVoters").values()
        )

    def _add(self, stage: CaptureStage, node: int, directory: UUID, version: int | None = None) -> None:
        host, port = stage.addresses[ListenerPlace(node, Listener.CONTROLLER)]
        listener = {"name": Listener.CONTROLLER.value, "host": host, "port": port}
        body = {**self._voter(node, directory), "timeoutMs": _TIMEOUT_MS, "listeners": [listener]}
        newest = self._scenes.any.newest("AddRaftVoterRequest")
        self._ask(
            "AddRaftVoterRequest", newest if version is None else version, {**body, "ackWhenCommitted": True}
        )
        self._until(
            f"node {node} joins", lambda told: _directories(told, "currentVoters").get(node) == directory
        )

    def _voter(self, node: int, directory: UUID) -> StructValue:
        return {"clusterId": self._scenes.any.cluster_id, "voterId": node, "voterDirectoryId": directory}

    def _ask(self, request: str, version: int, body: StructValue) -> None:
        """Ask until it is done: who was just elected, or has a change under way, refuses for a while.

        Raises:
            CaptureError: that takes too long.
        """
        until = time.monotonic() + _SETTLED_S
        while True:
            scene = self._scenes.any
            answer = scene.ask(request, version, body, _CASE) or {}
            if answer.get("errorCode") == 0:
                return
            if time.monotonic() > until:
                raise CaptureError(f"{request} is refused: {answer.get('errorMessage') or answer}")
            time.sleep(_PAUSE_S)

    def _until(self, what: str, done: Callable[[StructValue], bool]) -> None:
        """Ask for the quorum until it is so.

        Raises:
            CaptureError: that takes too long.
        """
        until = time.monotonic() + _SETTLED_S
        while not done(told := self._scenes.quorum()):
            if time.monotonic() > until:
                raise CaptureError(f"not after {_SETTLED_S:.0f} s: {what}; the quorum is {told}")
            time.sleep(_PAUSE_S)


def _directories(told: StructValue, who: str) -> dict[int, UUID]:
    """Node to directory of the voters, or the observers."""
    return {each["replicaId"]: each["replicaDirectoryId"] for each in told.get(who, ())}


def _host(told: StructValue, node: int) -> str:
    """Where a voter listens, as the others know it."""
    for each in told["nodes"]:
        if each["nodeId"] == node:
            host: str = each["listeners"][0]["host"]
            return host
    return ""
