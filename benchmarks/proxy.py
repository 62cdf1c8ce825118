"""The recording proxy against a direct connection: what it adds to an answer, and what passes a second.

    python benchmarks/proxy.py [--answers N] [--megabytes N]

The node and the proxy are processes of their own. Both ways are measured by turns, and the median of five is
printed. `rewriting` is with addresses replaced, of which there are none in these answers.
"""

import argparse
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.wire.frame_identifier import FrameIdentifier

ROUNDS = 5
CHUNK = 256 * 1024
ASKED = (104).to_bytes(4) + b"\0\x12\0\x03" + bytes(100)
"""A frame of a hundred bytes, as small requests are."""

SINK = b"\x01"
"""The first byte after the size, if the node is to read all and answer at the end."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=3000)
    parser.add_argument("--megabytes", type=int, default=256)
    options = parser.parse_args()
    with ExitStack() as stack:
        node = stack.enter_context(_process(_node))
        ways = {"direct": node}
        for name, rewriting in (("transparent", False), ("rewriting", True)):
            ways[name] = stack.enter_context(_process(_proxy, node, rewriting))
        _table("an answer of 104 bytes, microseconds", ways, lambda way: _answer_us(way, options.answers))
        _table(
            "one connection, MB/s to the node", ways, lambda way: _megabytes_a_second(way, options.megabytes)
        )


def _table(what: str, ways: dict[str, tuple[str, int]], measure: Callable[[tuple[str, int]], float]) -> None:
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            found[name].append(measure(way))
    print(what)
    direct = statistics.median(found["direct"])
    for name, each in found.items():
        median = statistics.median(each)
        print(f"  {name:12} {median:10.1f}  {median / direct:5.2f} of direct")


def _answer_us(way: tuple[str, int], count: int) -> float:
    """The median time of an answer."""
    times = []
    with socket.create_connection(way) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(count):
            start = time.perf_counter()
            client.sendall(ASKED)
            got = 0
            while got < len(ASKED):
                got += len(client.recv(4096))
            times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def _megabytes_a_second(way: tuple[str, int], megabytes: int) -> float:
    """Frames of 1 MB to the node; it answers the end of the stream with a byte."""
    frame = (len(ASKED) - 4 + (1 << 20)).to_bytes(4) + SINK + ASKED[5:] + bytes(1 << 20)
    with socket.create_connection(way) as client:
        start = time.perf_counter()
        for _ in range(megabytes):
            client.sendall(frame)
        client.shutdown(socket.SHUT_WR)
        if client.recv(1) != b"!":
            sys.exit("the node did not get all")
        return megabytes * len(frame) / 1e6 / (time.perf_counter() - start)


@contextmanager
def _process(run: Callable[..., None], *arguments: object) -> Iterator[tuple[str, int]]:
    """A process that says where it listens."""
    ours, theirs = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=run, args=(theirs, *arguments), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send(None)
        process.join()


def _node(said: Connection) -> None:
    """Sends back what it gets; streams marked so it takes, and answers at the end."""
    listening = socket.create_server(("127.0.0.1", 0))
    said.send(listening.getsockname())
    for _ in range(ROUNDS * 6):
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            sink = False
            while data := connection.recv(CHUNK):
                sink = sink or data[4:5] == SINK
                if not sink:
                    connection.sendall(data)
            if sink:
                connection.sendall(b"!")
    said.recv()


def _proxy(said: Connection, node: tuple[str, int], rewriting: bool) -> None:
    naming = FrameIdentifier(load_snapshot(table().find("4.3.1"))) if rewriting else None
    with tempfile.TemporaryDirectory() as folder:
        route = Route(1, "CLIENT", ("127.0.0.1", 0), node)
        with RecordingProxy([route], Path(folder), {}, rewrite=naming) as proxy:
            said.send(proxy.address(1, "CLIENT"))
            said.recv()


if __name__ == "__main__":
    main()
