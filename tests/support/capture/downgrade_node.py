"""A broker of a downgrade with its own folder, ZooKeeper and an old protocol version between brokers."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kafkawire.values import StructValue
from tests.support.capture.real_cluster import apis
from wireproof.kafka.oracle.java_runtime import find_runtime
from wireproof.kafka.releases.broker_classpath import broker_jars, read_broker_table
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.traffic.capture.brokers.node_storage import free_ports
from wireproof.traffic.capture.brokers.processes.node_process import JarPrograms
from wireproof.traffic.capture.raw_client.raw_client import AnsweredCall, RawClient
from wireproof.traffic.wire.inner_messages import InternalLog

PROTOCOL: Final = "3.4"
"""The protocol version between brokers: that of the oldest reader."""

PARTITIONS: Final[Mapping[InternalLog, int]] = {InternalLog.OFFSETS: 6, InternalLog.TRANSACTIONS: 4}
"""The partitions of each log."""

WAIT_S: Final = 120.0
PAUSE_S: Final = 0.2

_TABLE: Final = Path(__file__).with_name("downgrade_brokers.toml")
_NOT_YET: Final = frozenset({14, 15, 16, 38, 51})
"""Errors of a broker that starts: the coordinator loads or is not there, no broker is registered yet, a
transaction still ends."""


def programs(release: str) -> JarPrograms:
    """The jars of a release's broker."""
    pinned = read_broker_table(_TABLE.read_text(encoding="utf-8"))
    jars = pinned[release] if release in pinned else broker_jars(table().find(release))
    java = find_runtime().tool("java")
    assert java is not None
    digests = {jar.file_name: jar.sha256 for jar in jars}
    return JarPrograms(release, [JarStore().jar(jar) for jar in jars], java, digests)


class DowngradeNode:
    """A running broker.

    Args:
        folder: its own folder; the record logs are in ``data``.
    """

    def __init__(self, release: str, folder: Path, zookeeper: tuple[str, int]) -> None:
        folder.mkdir(exist_ok=True)
        (port,) = free_ports(1)
        self.log = folder / "broker.log"
        self._client = apis("3.4.1")
        self._address = "127.0.0.1", port
        config = folder / "server.properties"
        config.write_text(_properties(folder / "data", port, zookeeper), encoding="utf-8")
        self._process = programs(release).run("kafka.Kafka", [str(config)], folder, self.log)

    def call(self, request: str, version: int, body: StructValue, client: str = "downgrade") -> StructValue:
        """The response to a request, repeated until the broker runs and answers."""
        until = time.monotonic() + WAIT_S
        while True:
            with RawClient(self._client, self._address, timeout_s=10.0, client_id=client) as caller:
                answer = caller.call(request, version, body)
            if isinstance(answer, AnsweredCall):
                return answer.body
            assert not self._process.ended, self.log.read_text()[-3000:]
            assert time.monotonic() < until, (request, answer)
            time.sleep(PAUSE_S)

    def until(
        self, request: str, version: int, body: StructValue, error: Callable[[StructValue], int]
    ) -> StructValue:
        """The first response whose error is not one of a coordinator that is not ready."""
        until = time.monotonic() + WAIT_S
        while True:
            answer = self.call(request, version, body)
            if error(answer) not in _NOT_YET:
                return answer
            assert time.monotonic() < until, (request, answer, self.log.read_text()[-3000:])
            time.sleep(PAUSE_S)

    def stop(self) -> None:
        self._process.ask_to_stop()
        self._process.wait(30.0)
        self._process.kill()


def _properties(data: Path, port: int, zookeeper: tuple[str, int]) -> str:
    settings = {
        "broker.id": 1,
        "zookeeper.connect": f"{zookeeper[0]}:{zookeeper[1]}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "log.dirs": data,
        "inter.broker.protocol.version": PROTOCOL,
        "offsets.topic.num.partitions": PARTITIONS[InternalLog.OFFSETS],
        "offsets.topic.replication.factor": 1,
        "transaction.state.log.num.partitions": PARTITIONS[InternalLog.TRANSACTIONS],
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
        "controlled.shutdown.enable": "false",
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


@contextmanager
def node(release: str, folder: Path, zookeeper: tuple[str, int]) -> Iterator[DowngradeNode]:
    """A broker that is stopped in order at the end."""
    running = DowngradeNode(release, folder, zookeeper)
    try:
        yield running
    finally:
        running.stop()
