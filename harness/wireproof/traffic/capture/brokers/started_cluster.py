"""A cluster that wireproof starts for a capture, as child processes or in containers.

Each node is formatted with `kafka.tools.StorageTool` and started with `kafka.Kafka`; with ZooKeeper no format
is needed. A node that SIGTERM ends has exit code 143, as the JVM defines.
"""

import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, InitVar, dataclass, field
from pathlib import Path
from typing import Any, Final

from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.traffic.capture.brokers.existing_cluster import wait_until_ready
from wireproof.traffic.capture.brokers.node_storage import NodeStorage, free_ports, new_id
from wireproof.traffic.capture.brokers.processes.node_process import KafkaPrograms, RunningNode, log_excerpt
from wireproof.traffic.capture.brokers.server_properties import (
    AddressLookup,
    ListenerPlace,
    Node,
    Role,
    Topology,
)
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.broker_access import OPEN_ACCESS
from wireproof.traffic.capture.raw_client.raw_client import LOOPBACK, Address, ApiCatalog, attempts

ZOOKEEPER_LOG: Final = "zookeeper.log"
_MAIN: Final = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
_TICK_MS: Final = 500
"""Sessions last 2 to 20 ticks: ZooKeeper then notices a crashed broker after seconds instead of 18."""
_TRY_S: Final = 1.0
_PAUSE_S: Final = 0.1


@dataclass(slots=True)
class ZooKeeper:
    """A ZooKeeper server.

    Args:
        address: the address to listen at.
        folder: the folder of its data; `start` makes it.
        log: the server's output is appended to this file.
    """

    kafka: KafkaPrograms
    address: Address
    folder: Path
    log: Path
    _process: RunningNode | None = None

    def start(self, timeout_s: float) -> None:
        """Start the server, and return when it accepts connections.

        Raises CaptureError if it ends, or accepts none in time.
        """
        self.folder.mkdir()
        config = self.folder / "zookeeper.properties"
        config.write_text(self._properties(), encoding="utf-8")
        self._process = self.kafka.run(_MAIN, [str(config)], self.folder, self.log)
        self._wait(timeout_s)

    @property
    def ended(self) -> str:
        """The end of the process as text; ``""`` while it runs."""
        assert self._process is not None
        return self._process.ended

    def stop(self) -> None:
        """Kill the server, if it was started. Its data is not needed any more."""
        if self._process is not None:
            self._process.kill()

    def _wait(self, timeout_s: float) -> None:
        for _ in attempts(timeout_s, _PAUSE_S):
            if ended := self.ended:
                raise CaptureError(f"ZooKeeper has ended: {ended}")
            with suppress(OSError):
                socket.create_connection(self.address, _TRY_S).close()
                return
        raise CaptureError(f"ZooKeeper accepts no connection after {timeout_s:.0f} s")

    def _properties(self) -> str:
        host, port = self.address
        settings = {
            "dataDir": self.folder / "data",
            "clientPortAddress": host,
            "clientPort": port,
            "tickTime": _TICK_MS,
            "maxClientCnxns": 0,
            "admin.enableServer": "false",
        }
        return "".join(f"{key}={value}\n" for key, value in settings.items())


READY_S: Final = 120.0
_STOP_S: Final = 30.0


@dataclass(eq=False)
class StartedCluster:
    """Nodes of one release on this machine.

    Args:
        logs: a folder; the output of each node is in `NODE.log` there, and stays.
        disk: a folder for the record logs of the nodes; None for no copies. `NODE` holds the logs at the
            stop; `NODE-1`, `NODE-2`, ... hold those from before each restart without data.
        auto_topics: True if brokers create topics that clients ask for.
    """

    kafka: KafkaPrograms
    apis: ApiCatalog
    topology: Topology
    logs: Path
    _: KW_ONLY
    disk: InitVar[Path | None] = None
    ready_s: float = READY_S
    auto_topics: InitVar[bool] = False
    can_advertise = True
    access = OPEN_ACCESS
    _zookeeper: ZooKeeper | None = None
    _running: dict[int, RunningNode] = field(default_factory=dict)

    def __post_init__(self, disk: Path | None, auto_topics: bool) -> None:
        kafka, topology = self.kafka, self.topology
        self.release = kafka.release
        *ports, spare = free_ports(len(topology.places) + 1)
        self.places: Mapping[ListenerPlace, Address] = {
            place: (LOOPBACK, port) for place, port in zip(topology.places, ports, strict=True)
        }
        self.cluster_id = "" if topology.in_zookeeper else new_id()
        self._zookeeper_at = (LOOPBACK, spare) if topology.in_zookeeper else None
        where = self.cluster_id, self.places, self.logs, disk, self._zookeeper_at
        self._storage = NodeStorage(kafka, topology, *where, auto_topics=auto_topics)

    @property
    def brokers(self) -> tuple[int, ...]:
        return tuple(node.id for node in self.topology.brokers)

    @property
    def in_zookeeper(self) -> bool:
        """True if ZooKeeper keeps the metadata."""
        return self.topology.in_zookeeper

    @property
    def voters(self) -> tuple[int, ...]:
        """The initial voters of a dynamic quorum; none if the quorum is static."""
        return tuple(node.id for node in self.topology.controllers) if self.topology.dynamic else ()

    @property
    def running(self) -> frozenset[int]:
        """The nodes that are expected to run."""
        return frozenset(self._running)

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(process.pid for process in self._running.values())

    @property
    def folder(self) -> Path:
        """The folder of the nodes' data; it exists from the start to the stop."""
        return self._storage.root

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            **self.kafka.facts,
            "cluster_id": self.cluster_id,
            "nodes": [{"id": node.id, "roles": list(node.roles)} for node in self.topology.nodes],
            "metadata": "zookeeper" if self.topology.in_zookeeper else "kraft",
        }

    def __enter__(self) -> "StartedCluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, advertised: AddressLookup | None = None) -> None:
        """Format and start all nodes; see `Cluster.start`. Without addresses they advertise their own.

        With ZooKeeper the cluster has no id before this call.
        """
        self._storage.open()
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
            self._start_zookeeper()
            self._storage.advertised.update(
                {place: (advertised or self.places.__getitem__)(place) for place in self.places}
            )
            for node in self.topology.nodes:
                self._storage.write(node)
            for node in self.topology.nodes:
                self._storage.format(node)
            for node in self.topology.nodes:
                self._launch(node)
            self.wait()
        except BaseException:
            self.stop()
            raise

    def wait(self) -> None:
        """Return when all running nodes are ready.

        Raises CaptureError if a node ended, or one is not ready in time; the advice holds the end of a log.
        """
        running = set(self._running)
        places = {place: address for place, address in self.places.items() if place.node in running}
        brokers = [node.id for node in self.topology.brokers if node.id in running]
        try:
            found = wait_until_ready(self.apis, places, brokers, timeout_s=self.ready_s, alive=self.check)
            self.cluster_id = self.cluster_id or found
        except CaptureError as error:
            if error.advice:
                raise
            raise CaptureError(error.message, self._storage.log_advice(sorted(running)[0])) from error

    def check(self) -> None:
        """Check that every expected node runs.

        Raises CaptureError if a node has ended; the advice holds the end of its log.
        """
        if self._zookeeper is not None and (ended := self._zookeeper.ended):
            raise CaptureError(f"the ZooKeeper of the {self.release} cluster has ended: {ended}")
        for number, process in self._running.items():
            if ended := process.ended:
                raise CaptureError(
                    f"node {number} of the {self.release} cluster has ended: {ended}",
                    self._storage.log_advice(number),
                )

    def kill(self, node: int) -> None:
        """Kill a node. Its data stays."""
        self._running.pop(node).kill()

    def restart(self, node: int) -> None:
        """Start a killed or stopped node with its data, and wait for it."""
        self._launch(self._node(node))
        self.wait()

    def renew(self, node: int) -> None:
        """Start a killed or stopped node without its data, and wait for it."""
        self._storage.empty(self._node(node))
        self.restart(node)

    def rename(self, place: ListenerPlace, host: str) -> None:
        """Let a listener advertise another name of the same host, from the next start of its node on."""
        advertised = self._storage.advertised
        advertised[place] = host, advertised[place][1]
        self._storage.write(self._node(place.node))

    def shut_down(self, node: int) -> None:
        """Stop a node in order. Its data stays."""
        self._end([node])

    def refresh(self) -> None:
        """Restart a cluster of 2.8 without its data; see `Cluster.refresh`.

        A 2.8 controller that fails at a request, such as to delete a config, resigns, but stays the leader of
        the quorum. After a restart with its data it cannot read its log (`RegisterBrokerRecord.read`).
        """
        if ReleaseFeature.READABLE_METADATA_LOG.is_in(self.release) or self.topology.in_zookeeper:
            return
        numbers = sorted(self._running)
        self._end(numbers)
        for number in numbers:
            self._storage.empty(self._node(number))
        for number in numbers:
            self._launch(self._node(number))
        self.wait()

    def stop(self) -> None:
        """Stop all nodes, brokers first: a controlled shutdown needs a controller."""
        controllers = {node.id for node in self.topology.nodes if Role.BROKER not in node.roles}
        self._end([number for number in self._running if number not in controllers])
        self._end(list(self._running))
        if self._zookeeper is not None:
            self._zookeeper.stop()
            self._zookeeper = None
        self._storage.close()

    def _end(self, numbers: Iterable[int]) -> None:
        """Ask all of the nodes to stop; kill those that do not."""
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
        return next(node for node in self.topology.nodes if node.id == number)

    def _start_zookeeper(self) -> None:
        if self._zookeeper_at is None:
            return
        log = self.logs / ZOOKEEPER_LOG
        self._zookeeper = ZooKeeper(self.kafka, self._zookeeper_at, self._storage.root / "zookeeper", log)
        try:
            self._zookeeper.start(self.ready_s)
        except CaptureError as error:
            raise CaptureError(error.message, f"The end of {log}:\n{log_excerpt(log)}") from error

    def _launch(self, node: Node) -> None:
        storage = self._storage
        self._running[node.id] = self.kafka.run(
            "kafka.Kafka", [str(storage.config(node))], storage.folder(node), storage.log(node.id)
        )
