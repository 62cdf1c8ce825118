"""The folders of a cluster's nodes: configuration, formatted storage, and the logs kept for the capture."""

import base64
import os
import random
import shutil
import socket
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from wireproof.base.files.own_folders import OwnFolder
from wireproof.base.files.replacement import open_private
from wireproof.traffic.capture.brokers.processes.node_process import KafkaPrograms, log_excerpt
from wireproof.traffic.capture.brokers.server_properties import (
    ListenerPlace,
    Node,
    Role,
    Topology,
    server_properties,
    voters_text,
)
from wireproof.traffic.capture.capture_error import CaptureError, as_capture_error
from wireproof.traffic.capture.raw_client.raw_client import LOOPBACK, Address

_SUFFIXES: Final = (".log", ".checkpoint")


def keep_logs(data: Path, target: Path) -> None:
    """Copy the files of a node that hold records, by log folder and partition, for their owner alone.

    Empty files are skipped.

    Args:
        data: the node's own folder.
        target: the folder of the copies; it is made with the first copy.

    Raises:
        CaptureError: a file cannot be copied.
    """
    with as_capture_error(f"the logs of a node cannot be copied to {target}", "Make room."):
        for path in sorted(data.glob("*/*-*/*")):
            if path.suffix in _SUFFIXES and path.stat().st_size > 0:
                copy = target / path.relative_to(data)
                copy.parent.mkdir(parents=True, exist_ok=True)
                with path.open("rb") as source, open_private(copy, "xb") as target_file:
                    shutil.copyfileobj(source, target_file)


_FORMAT_S: Final = 60.0


@dataclass(slots=True)
class NodeStorage:
    """The folders of all nodes, below one workspace that exists until `close`.

    Args:
        cluster_id: the id to format storage with; ``""`` for a cluster with ZooKeeper, which needs no format.
        places: the addresses that the listeners are bound to.
        logs: the output of each node is in `NODE.log` in this folder.
        disk: a folder for copies of the nodes' record logs; None for no copies.
        zookeeper: the address of the ZooKeeper that keeps the metadata, if any.
        auto_topics: True if brokers create topics that clients ask for.

    Attributes:
        advertised: the address that each listener advertises; the caller fills it before `write`.
    """

    kafka: KafkaPrograms
    topology: Topology
    cluster_id: str
    places: Mapping[ListenerPlace, Address]
    logs: Path
    disk: Path | None
    zookeeper: Address | None
    auto_topics: bool
    advertised: dict[ListenerPlace, Address] = field(default_factory=dict)
    _directories: dict[int, str] = field(init=False)
    _workspace: OwnFolder | None = None
    _lives: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._directories = {node.id: new_id() for node in self.topology.controllers}

    @property
    def root(self) -> Path:
        """The folder that holds all of them; it exists from `open` to `close`."""
        return self._own().path

    def _own(self) -> OwnFolder:
        assert self._workspace is not None
        return self._workspace

    def open(self) -> None:
        self._workspace = OwnFolder("brokers")

    def close(self) -> None:
        """Copy the record logs of all nodes, and remove the workspace.

        Raises CaptureError if the logs cannot be copied; the workspace is removed in any case.
        """
        if self._workspace is None:
            return
        try:
            for node in self.topology.nodes:
                self._keep_logs(node, str(node.id))
        finally:
            self._workspace.remove()
            self._workspace = None

    def folder(self, node: Node) -> Path:
        return self.root / str(node.id)

    def config(self, node: Node) -> Path:
        return self.folder(node) / "server.properties"

    def log(self, node: int) -> Path:
        """Return the path of a node's output."""
        return self.logs / f"{node}.log"

    def log_advice(self, node: int) -> str:
        """Return the end of a node's output, as the advice of an error."""
        log = self.log(node)
        return f"The end of {log}:\n{log_excerpt(log)}"

    def write(self, node: Node) -> None:
        folder = self.folder(node)
        folder.mkdir(exist_ok=True)
        text = server_properties(
            self.kafka.release,
            self.topology,
            node,
            self.places,
            self.advertised.__getitem__,
            folder,
            self.zookeeper,
            auto_topics=self.auto_topics,
        )
        self.config(node).write_text(text, encoding="utf-8")

    def empty(self, node: Node) -> None:
        """Remove a node's data, and format its storage again. Its record logs are copied first."""
        self._lives[node.id] += 1
        self._keep_logs(node, f"{node.id}-{self._lives[node.id]}")
        for data in self.folder(node).iterdir():
            if data.is_dir():
                self._own().remove_inside(data)
        self.format(node, first=False)

    def format(self, node: Node, *, first: bool = True) -> None:
        """Format a node's storage with Kafka's own tool; with ZooKeeper the first start does that.

        Args:
            first: False if the node was in the cluster before.

        Raises:
            CaptureError: the tool fails, or takes too long.
        """
        if self.topology.in_zookeeper:
            return
        config = str(self.config(node))
        arguments = ("format", "-t", self.cluster_id, "-c", config, *self._voters(node, first))
        process = self.kafka.run("kafka.tools.StorageTool", arguments, self.folder(node), self.log(node.id))
        try:
            in_time = process.wait(_FORMAT_S)
        finally:
            process.kill()
        if not in_time or process.ended != "exit code 0":
            reason = process.ended if in_time else f"not done after {_FORMAT_S:.0f} s"
            raise CaptureError(
                f"cannot format the storage of node {node.id} of a {self.kafka.release} cluster: {reason}",
                self.log_advice(node.id),
            )

    def _voters(self, node: Node, first: bool) -> tuple[str, ...]:
        """Return the tool's arguments about the initial voters of a dynamic quorum."""
        if not self.topology.dynamic:
            return ()
        if not first or Role.CONTROLLER not in node.roles:
            return ("--no-initial-controllers",)
        voters = voters_text(self.topology, self.advertised.__getitem__)
        texts = [f"{voter}:{self._directories[int(voter.partition('@')[0])]}" for voter in voters]
        return "--initial-controllers", ",".join(texts)

    def _keep_logs(self, node: Node, name: str) -> None:
        if self.disk is not None:
            keep_logs(self.folder(node), self.disk / name)


def new_id() -> str:
    """Return a random id: 22 characters of URL-safe base64.

    The storage tool would read a leading hyphen as an option, so there is none.
    """
    while True:
        text = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        if not text.startswith("-"):
            return text


_FIRST: Final = 20_000
_LAST: Final = 32_000
"""The highest port: below the ephemeral ports, which outgoing connections might take before a node is up."""
_TRIES: Final = 200


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback address that are free now. Raises CaptureError if there are not enough."""
    found: list[int] = []
    for _ in range(_TRIES):
        port = random.randint(_FIRST, _LAST)
        if port not in found and _is_free(port):
            found.append(port)
        if len(found) == count:
            return found
    raise CaptureError(f"fewer than {count} of the ports {_FIRST} to {_LAST} are free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
