"""The ZooKeeper that keeps the metadata of a cluster before 4.0: one server, to which brokers alone talk.

What goes to it is no Kafka protocol, so no proxy stands before it.
"""

import socket
import time
from pathlib import Path
from typing import Final

from wireproof.capture.brokers.processes.kafka_programs import KafkaPrograms, RunningNode
from wireproof.capture.capture_error import CaptureError
from wireproof.capture.raw_client.socket_address import Address

__all__ = ["ZOOKEEPER_LOG", "ZooKeeper"]

ZOOKEEPER_LOG: Final = "zookeeper.log"
_MAIN: Final = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
_TICK_MS: Final = 500
"""Sessions may last from 2 to 20 ticks: a broker that crashed is missed after seconds, not after 18."""
_TRY_S: Final = 1.0
_PAUSE_S: Final = 0.1


class ZooKeeper:
    """A server that is not started yet.

    Args:
        address: where it will listen.
        folder: it keeps its data there; made when it starts.
        log: what it says goes to the end of this file.
    """

    def __init__(self, kafka: KafkaPrograms, address: Address, folder: Path, log: Path) -> None:
        self._kafka = kafka
        self._address = address
        self._folder = folder
        self._log = log
        self._process: RunningNode | None = None

    def start(self, timeout_s: float) -> None:
        """Start it, and return when it takes connections.

        Raises:
            CaptureError: it ends, or takes none in time.
        """
        self._folder.mkdir()
        config = self._folder / "zookeeper.properties"
        config.write_text(self._properties(), encoding="utf-8")
        self._process = self._kafka.run(_MAIN, [str(config)], self._folder, self._log)
        self._wait(timeout_s)

    @property
    def ended(self) -> str:
        """How it ended, in words; ``""`` while it runs."""
        assert self._process is not None
        return self._process.ended

    def stop(self) -> None:
        """End it; nothing where it was not started. Nothing of its data is needed any more."""
        if self._process is not None:
            self._process.kill()

    def _wait(self, timeout_s: float) -> None:
        until = time.monotonic() + timeout_s
        while True:
            if how := self.ended:
                raise CaptureError(f"ZooKeeper has ended: {how}")
            try:
                socket.create_connection(self._address, _TRY_S).close()
            except OSError:
                if time.monotonic() > until:
                    raise CaptureError(f"ZooKeeper takes no connection after {timeout_s:.0f} s") from None
                time.sleep(_PAUSE_S)
            else:
                return

    def _properties(self) -> str:
        host, port = self._address
        settings = {
            "dataDir": self._folder / "data",
            "clientPortAddress": host,
            "clientPort": port,
            "tickTime": _TICK_MS,
            "maxClientCnxns": 0,
            "admin.enableServer": "false",
        }
        return "".join(f"{key}={value}\n" for key, value in settings.items())
