"""A cluster that is started for a capture, wherever its nodes run.

Each node is formatted, then started, as an operator would: `kafka.tools.StorageTool`, `kafka.Kafka`; with a
ZooKeeper there is nothing to format. It ends with status 143 when a signal asks it to: the JVM's way to say
so.
"""

import base64
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from wireproof.capture.brokers.disk_logs import keep_logs
from wireproof.capture.brokers.free_ports import free_ports
from wireproof.capture.brokers.processes.kafka_programs import KafkaPrograms, RunningNode
from wireproof.capture.brokers.processes.node_process import log_excerpt
from wireproof.capture.brokers.processes.node_workspace import NodeWorkspace
from wireproof.capture.brokers.readiness import wait_until_ready
from wireproof.capture.brokers.server_properties import server_properties, voters_text
from wireproof.capture.brokers.topology import AddressLookup, ListenerPlace, Node, Role, Topology
from wireproof.capture.brokers.zookeeper import ZOOKEEPER_LOG, ZooKeeper
from wireproof.capture.capture_error import CaptureError
from wireproof.capture.raw_client.broker_access import OPEN_ACCESS
from wireproof.capture.raw_client.raw_client import ApiCatalog
from wireproof.capture.raw_client.socket_address import LOOPBACK, Address
from wireproof.model import ReleaseFeature

__all__ = ["StartedCluster"]

READY_S: Final = 120.0
_FORMAT_S: Final = 60.0
_STOP_S: Final = 30.0


class StartedCluster:
    """Nodes of one release on this machine.

    Args:
        logs: a folder; each node's words go to `NODE.log` there, and stay.
        disk: a folder; what nodes keep of records is copied to `NODE` there when they have stopped, and to
            `NODE-1`, `NODE-2`, ... what they had before they began anew, where it is given.
        ready_s: how long the cluster may take to get ready.
        auto_topics: whether a broker creates topics that clients ask for.
    """

    def __init__(
        self,
        kafka: KafkaPrograms,
        apis: ApiCatalog,
        topology: Topology,
        logs: Path,
        *,
        disk: Path | None = None,
        ready_s: float = READY_S,
        auto_topics: bool = False,
    ) -> None:
        self.release = kafka.release
        self._auto_topics = auto_topics
        self.can_advertise = True
        self.access = OPEN_ACCESS
        self._kafka = kafka
        self._apis = apis
        self._topology = topology
        self._logs = logs
        self._disk = disk
        self._ready_s = ready_s
        *ports, spare = free_ports(len(topology.places) + 1)
        self.places: Mapping[ListenerPlace, Address] = {
            place: (LOOPBACK, port) for place, port in zip(topology.places, ports, strict=True)
        }
        self.cluster_id = "" if topology.in_zookeeper else _new_id()
        self._directories = {node.id: _new_id() for node in topology.controllers}
        self._advertised: dict[ListenerPlace, Address] = {}
        self._zookeeper_at = (LOOPBACK, spare) if topology.in_zookeeper else None
        self._zookeeper: ZooKeeper | None = None
        self._workspace: NodeWorkspace | None = None
        self._running: dict[int, RunningNode] = {}
        self._lives: Counter[int] = Counter()

    @property
    def brokers(self) -> tuple[int, ...]:
        return tuple(node.id for node in self._topology.brokers)

    @property
    def in_zookeeper(self) -> bool:
        """Whether a ZooKeeper keeps the metadata."""
        return self._topology.in_zookeeper

    @property
    def voters(self) -> tuple[int, ...]:
        """The nodes of a quorum that may change, as it was at first; none where it may not."""
        return tuple(node.id for node in self._topology.controllers) if self._topology.dynamic else ()

    @property
    def running(self) -> frozenset[int]:
        """The nodes that should run."""
        return frozenset(self._running)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the nodes that run."""
        return tuple(process.pid for process in self._running.values())

    @property
    def folder(self) -> Path:
        """Where the nodes keep their data, from the start to the stop."""
        assert self._workspace is not None
        return self._workspace.folder

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            **self._kafka.facts,
            "cluster_id": self.cluster_id,
            "nodes": [{"id": node.id, "roles": list(node.roles)} for node in self._topology.nodes],
            "metadata": "zookeeper" if self._topology.in_zookeeper else "kraft",
        }

    def __enter__(self) -> "StartedCluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, advertised: AddressLookup | None = None) -> None:
        """Format and start all nodes; see `Cluster.start`. Without addresses they tell their own.

        A ZooKeeper gives a cluster its id: then it is known from here on.
        """
        self._workspace = NodeWorkspace()
        try:
            self._logs.mkdir(parents=True, exist_ok=True)
            self._start_zookeeper()
            self._advertised = {
                place: (advertised or self.places.__getitem__)(place) for place in self.places
            }
            for node in self._topology.nodes:
                self._write(node)
            for node in self._topology.nodes:
                self._format(node)
            for node in self._topology.nodes:
                self._launch(node)
            self.wait()
        except BaseException:
            self.stop()
            raise

    def wait(self) -> None:
        """Return when all nodes that run are ready.

        Raises:
            CaptureError: one ends, or they are not ready in time; with the end of a log.
        """
        running = set(self._running)
        places = {place: address for place, address in self.places.items() if place.node in running}
        brokers = [node.id for node in self._topology.brokers if node.id in running]
        try:
            told = wait_until_ready(self._apis, places, brokers, timeout_s=self._ready_s, alive=self.check)
            self.cluster_id = self.cluster_id or told
        except CaptureError as error:
            if error.advice:
                raise
            raise CaptureError(error.message, self._log_words(sorted(running)[0])) from error

    def check(self) -> None:
        """See that every node runs that should.

        Raises:
            CaptureError: one has ended, with the end of its log.
        """
        if self._zookeeper is not None and (ended := self._zookeeper.ended):
            raise CaptureError(f"the ZooKeeper of the {self.release} cluster has ended: {ended}")
        for number, process in self._running.items():
            if ended := process.ended:
                raise CaptureError(
                    f"node {number} of the {self.release} cluster has ended: {ended}", self._log_words(number)
                )

    def kill(self, node: int) -> None:
        """End a node at once, as a crash would. Its data stays."""
        self._running.pop(node).kill()

    def restart(self, node: int) -> None:
        """Start a node again that was killed or shut down, with the data it has, and wait for it."""
        self._launch(self._node(node))
        self.wait()

    def renew(self, node: int) -> None:
        """Start a node that was killed or shut down without the data it had, and wait for it."""
        self._empty(self._node(node))
        self.restart(node)

    def rename(self, place: ListenerPlace, host: str) -> None:
        """Have a listener tell another name of the same host, once its node starts again."""
        self._advertised[place] = host, self._advertised[place][1]
        self._write(self._node(place.node))

    def shut_down(self, node: int) -> None:
        """End a node in order. Its data stays."""
        self._end([node])

    def refresh(self) -> None:
        """See `Cluster.refresh`; a cluster of 2.8 begins anew, without data.

        A 2.8 controller that fails at a request, such as to delete a config, resigns, and the quorum takes it
        for its leader still. Restarted with its data it cannot read its log (`RegisterBrokerRecord.read`).
        """
        if ReleaseFeature.READABLE_METADATA_LOG.is_in(self.release) or self._topology.in_zookeeper:
            return
        numbers = sorted(self._running)
        self._end(numbers)
        for number in numbers:
            self._empty(self._node(number))
        for number in numbers:
            self._launch(self._node(number))
        self.wait()

    def stop(self) -> None:
        """End all nodes, brokers first: they want a controller to take their leave of."""
        controllers = {node.id for node in self._topology.nodes if Role.BROKER not in node.roles}
        self._end([number for number in self._running if number not in controllers])
        self._end(list(self._running))
        if self._zookeeper is not None:
            self._zookeeper.stop()
            self._zookeeper = None
        if self._workspace is not None:
            try:
                for node in self._topology.nodes:
                    self._keep_logs(node, str(node.id))
            finally:
                self._workspace.close()
                self._workspace = None

    def _keep_logs(self, node: Node, name: str) -> None:
        if self._disk is not None:
            keep_logs(self._folder(node), self._disk / name)

    def _end(self, numbers: Iterable[int]) -> None:
        """Ask nodes to stop, all at once; kill those that do not."""
        ending = [self._running.pop(number) for number in numbers]
        until = time.monotonic() + _STOP_S
        try:
            for process in ending:
                process.ask_to_stop()
            for process in ending:
                process.wait(max(0.0, until - time.monotonic()))
        finally:
            for process in ending:
                process.kill()

    def _node(self, number: int) -> Node:
        return next(node for node in self._topology.nodes if node.id == number)

    def _folder(self, node: Node) -> Path:
        return self.folder / str(node.id)

    def _start_zookeeper(self) -> None:
        if self._zookeeper_at is None:
            return
        log = self._logs / ZOOKEEPER_LOG
        self._zookeeper = ZooKeeper(self._kafka, self._zookeeper_at, self.folder / "zookeeper", log)
        try:
            self._zookeeper.start(self._ready_s)
        except CaptureError as error:
            raise CaptureError(error.message, f"The end of {log}:\n{log_excerpt(log)}") from error

    def _write(self, node: Node) -> None:
        folder = self._folder(node)
        folder.mkdir(exist_ok=True)
        text = server_properties(
            self.release,
            self._topology,
            node,
            self.places,
            self._advertised.__getitem__,
            folder,
            self._zookeeper_at,
            auto_topics=self._auto_topics,
        )
        (folder / "server.properties").write_text(text, encoding="utf-8")

    def _empty(self, node: Node) -> None:
        """Take a node's data away, and format its storage again. Its logs are kept for the capture."""
        self._lives[node.id] += 1
        self._keep_logs(node, f"{node.id}-{self._lives[node.id]}")
        for data in self._folder(node).iterdir():
            if data.is_dir():
                shutil.rmtree(data)
        self._format(node, anew=True)

    def _format(self, node: Node, *, anew: bool = False) -> None:
        if self._topology.in_zookeeper:  # its storage gets its form at the first start
            return
        config = str(self._folder(node) / "server.properties")
        arguments = ("format", "-t", self.cluster_id, "-c", config, *self._voters(node, anew))
        process = self._kafka.run(
            "kafka.tools.StorageTool", arguments, self._folder(node), self._log(node.id)
        )
        try:
            in_time = process.wait(_FORMAT_S)
        finally:
            process.kill()
        if not in_time or process.ended != "exit code 0":
            how = process.ended if in_time else f"not done after {_FORMAT_S:.0f} s"
            raise CaptureError(
                f"the storage of node {node.id} of a {self.release} cluster cannot be formatted: {how}",
                self._log_words(node.id),
            )

    def _voters(self, node: Node, anew: bool) -> tuple[str, ...]:
        """What the storage of a node is told of a dynamic quorum: who votes at first."""
        if not self._topology.dynamic:
            return ()
        if anew or Role.CONTROLLER not in node.roles:
            return ("--no-initial-controllers",)
        voters = voters_text(self._topology, self._advertised.__getitem__)
        told = [f"{voter}:{self._directories[int(voter.partition('@')[0])]}" for voter in voters]
        return "--initial-controllers", ",".join(told)

    def _launch(self, node: Node) -> None:
        config = str(self._folder(node) / "server.properties")
        self._running[node.id] = self._kafka.run(
            "kafka.Kafka", [config], self._folder(node), self._log(node.id)
        )

    def _log(self, number: int) -> Path:
        return self._logs / f"{number}.log"

    def _log_words(self, number: int) -> str:
        log = self._log(number)
        return f"The end of {log}:\n{log_excerpt(log)}"


def _new_id() -> str:
    """A random id: 22 characters of URL-safe base64. The tool takes a leading hyphen for an option."""
    while True:
        text = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        if not text.startswith("-"):
            return text
