"""TCP servers on a free port of this machine, as targets of the recording proxy."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Address = tuple[str, int]
WAIT_S = 30.0
"""Longest wait before a test fails."""


@contextmanager
def tcp_server(serve: Callable[[socket.socket], None], port: int = 0) -> Iterator[Address]:
    """Start a server that passes each connection to `serve` in a thread and closes it afterwards."""
    listening = socket.create_server(("127.0.0.1", port), backlog=1024)
    accepting = threading.Thread(target=_accept, args=(listening, serve), daemon=True)
    accepting.start()
    try:
        yield listening.getsockname()
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        accepting.join()
        listening.close()


def _accept(listening: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=_served, args=(connection, serve), daemon=True).start()


def _served(connection: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    with connection:
        connection.settimeout(WAIT_S)
        with suppress(OSError):  # the test's client broke it
            serve(connection)


def echo(connection: socket.socket) -> None:
    """Send back all data until the client ends."""
    while data := connection.recv(65536):
        connection.sendall(data)


def connect(address: Address) -> socket.socket:
    """Connect with a timeout."""
    return socket.create_connection(address, timeout=WAIT_S)


def receive(connection: socket.socket, size: int) -> bytes:
    """Receive exactly `size` bytes."""
    parts = bytearray()
    while len(parts) < size:
        data = connection.recv(size - len(parts))
        if not data:
            raise EOFError(f"{len(parts)} of {size} bytes came")
        parts += data
    return bytes(parts)
