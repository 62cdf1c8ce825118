"""The ZooKeeper that keeps the metadata of a cluster before 4.0: one server, used by brokers only.

Brokers do not use Kafka's protocol with it, so no proxy records that traffic.
"""

import socket
import time
from pathlib import Path
from typing import Final

from wireproof.traffic.capture.brokers.processes.node_process import KafkaPrograms, RunningNode
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.raw_client import Address

ZOOKEEPER_LOG: Final = "zookeeper.log"
_MAIN: Final = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
_TICK_MS: Final = 500
"""Sessions last 2 to 20 ticks: ZooKeeper then notices a crashed broker after seconds instead of 18."""
_TRY_S: Final = 1.0
_PAUSE_S: Final = 0.1


class ZooKeeper:
    """A ZooKeeper server.

    Args:
        address: the address to listen at.
        folder: the folder of its data; `start` makes it.
        log: the server's output is appended to this file.
    """

    def __init__(self, kafka: KafkaPrograms, address: Address, folder: Path, log: Path) -> None:
        self._kafka = kafka
        self._address = address
        self._folder = folder
        self._log = log
        self._process: RunningNode | None = None

    def start(self, timeout_s: float) -> None:
        """Start the server, and return when it accepts connections.

        Raises CaptureError if it ends, or accepts none in time.
        """
        self._folder.mkdir()
        config = self._folder / "zookeeper.properties"
        config.write_text(self._properties(), encoding="utf-8")
        self._process = self._kafka.run(_MAIN, [str(config)], self._folder, self._log)
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
        until = time.monotonic() + timeout_s
        while True:
            if ended := self.ended:
                raise CaptureError(f"ZooKeeper has ended: {ended}")
            try:
                socket.create_connection(self._address, _TRY_S).close()
            except OSError:
                if time.monotonic() > until:
                    raise CaptureError(f"ZooKeeper accepts no connection after {timeout_s:.0f} s") from None
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
