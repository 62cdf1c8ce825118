"""Servers of a test's own on a free port of this machine, for the recording proxy to stand before."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Address = tuple[str, int]
WAIT_S = 30.0
"""How long anything may take before the test fails for it."""


@contextmanager
def node(serve: Callable[[socket.socket], None], port: int = 0) -> Iterator[Address]:
    """A server that gives each connection to `serve` in a thread, and closes it behind that."""
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
    """Sends back what comes, to the end."""
    while data := connection.recv(65536):
        connection.sendall(data)


def connect(address: Address) -> socket.socket:
    """A client's socket that does not wait for ever."""
    return socket.create_connection(address, timeout=WAIT_S)


def receive(connection: socket.socket, size: int) -> bytes:
    """Exactly so many bytes."""
    parts = bytearray()
    while len(parts) < size:
        data = connection.recv(size - len(parts))
        if not data:
            raise EOFError(f"{len(parts)} of {size} bytes came")
        parts += data
    return bytes(parts)
