"""The proxy killed in the middle of its work: what clients and a node had seen is in the file.

The node is one that reports what reached it, which a real one (`tests/capture/test_kill.py`) does not.
"""

import random
import socket
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path

import pytest

from tests.support.capture import proxy_process
from tests.support.capture.segment_contents import streams
from tests.support.capture.tcp_servers import connect, tcp_server
from wireproof.traffic.wire.request_matcher import FrameSplitter

CLIENTS = 6
MOMENTS = 5


class Client(threading.Thread):
    """A client that sends requests until the connection breaks, and keeps all received bytes.

    Attributes:
        came: the bytes received, those of an unfinished frame among them.
    """

    def __init__(self, port: int, seed: int, answered: threading.Semaphore) -> None:
        super().__init__(daemon=True)
        self._chance = random.Random(seed)
        self._answered = answered
        self.socket = connect(("127.0.0.1", port))
        self.name_on_wire = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.came = bytearray()

    def run(self) -> None:
        splitter = FrameSplitter()
        with self.socket:
            try:
                while True:
                    size = self._chance.choice([0, 10, 1000, 70_000])
                    self.socket.sendall(size.to_bytes(4) + self._chance.randbytes(size))
                    while not self._answer(splitter):
                        pass
                    self._answered.release()
            except OSError:
                return

    def _answer(self, splitter: FrameSplitter) -> bool:
        data = self.socket.recv(16 * 1024)
        if not data:
            raise ConnectionResetError
        self.came += data
        return bool(splitter.feed(data))


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_kill_loses_no_byte_that_a_peer_had_received(tmp_path: Path, moment: int) -> None:
    """After a kill at a random number of responses, with others in flight, the file has every byte that a
    client had received and every byte that the node had. All of it but a torn last entry can be read."""
    chance = random.Random(moment)
    reached: dict[str, bytearray] = defaultdict(bytearray)

    def answers(connection: socket.socket) -> None:
        """Send back the received bytes, and keep them by sender."""
        kept = reached[f"{connection.getpeername()[1]}"]
        while data := connection.recv(16 * 1024):
            kept += data
            connection.sendall(data)

    with tcp_server(answers) as there:
        with subprocess.Popen(
            [sys.executable, proxy_process.__file__, *map(str, there), str(tmp_path)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            answered = threading.Semaphore(0)
            clients = [Client(port, moment * 100 + number, answered) for number in range(CLIENTS)]
            for client in clients:
                client.start()
            came = all(answered.acquire(timeout=30) for _ in range(chance.randrange(400)))
            process.kill()  # in any case, or the end of the block waits for it
            assert came
        for client in clients:
            client.join(30)
    to_client, to_broker = streams(tmp_path / "segments" / "1-CLIENT.wpseg")
    for client in clients:
        assert to_client.get(client.name_on_wire, b"").startswith(client.came)
    assert sum(map(len, to_broker.values())) >= sum(map(len, reached.values()))
    for kept in reached.values():
        assert any(each.startswith(kept) for each in to_broker.values())
