"""A small broker over sockets, right or wrong in one way. It offers ApiVersions and SaslHandshake."""

import re
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from kafkawire.errors import DecodeError
from kafkawire.values import StructValue
from tests.support.capture.tcp_servers import Address, tcp_server
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType

LARGEST = 100 << 20
NEWEST = 4
UNSUPPORTED_VERSION, INVALID_REQUEST, ILLEGAL_SASL_STATE = 35, 42, 34
OFFERED = {17: (0, 1), 18: (0, NEWEST)}
_LEGAL = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
_NAMING = FrameIdentifier(load_snapshot(table().find("4.3.1")))


def frame(content: bytes) -> bytes:
    """Put the size before a content."""
    return len(content).to_bytes(4) + content


@dataclass
class SmallBroker:
    """Answers as Kafka does. A test replaces one of the functions.

    Attributes:
        answer: makes the answer to the content of a request; None closes the connection.
        deliver: sends an answer.
        is_size: whether a frame may have this size; None keeps the connection open, and reads no more.
        listed: the APIs of the answer of a version of ApiVersions.
        one_segment: a frame has to come in one segment, of which it is all.
        greet: what happens before a connection is read; false ends it.
        half_open: keep a connection whose client sends no more.
    """

    answer: "Callable[[SmallBroker, bytes], bytes | None]" = field(
        default=lambda self, content: self.right(content)
    )
    deliver: Callable[[socket.socket, bytes], object] = socket.socket.sendall
    is_size: Callable[[int], bool | None] = lambda size: 0 < size < LARGEST
    listed: Callable[[int], list[tuple[int, int, int]]] = lambda _: [(k, *v) for k, v in OFFERED.items()]
    one_segment: bool = False
    greet: Callable[[socket.socket], bool] = lambda _: True
    half_open: bool = False
    end: threading.Event = field(default_factory=threading.Event)
    dead: bool = False

    def right(self, content: bytes) -> bytes | None:
        """Return the right answer to a request; None if the connection has to end."""
        if len(content) < 10:
            return None
        key, version = (int.from_bytes(content[at : at + 2], signed=True) for at in (0, 2))
        correlation_id = content[4:8]
        named = _NAMING.request(key, version)
        body: StructValue = {}
        if key in OFFERED and isinstance(named, FrameType):
            try:
                _, body = _NAMING.codec(named).decode(frame(content))
            except DecodeError:
                return None
        if key == 18:
            return correlation_id + self.api_versions(version, body)
        if key == 17 and 0 <= version <= 1:
            return correlation_id + ILLEGAL_SASL_STATE.to_bytes(2) + bytes(4)
        return None

    def api_versions(self, version: int, request: StructValue) -> bytes:
        """Return the body of an answer to ApiVersions."""
        if not 0 <= version <= NEWEST:
            return self.body(0, UNSUPPORTED_VERSION, [(18, 0, NEWEST)])
        if version >= 3 and not _legal_software(request):
            return self.body(version, INVALID_REQUEST, [])
        return self.body(version, 0, self.listed(version))

    def body(self, version: int, error: int, listed: list[tuple[int, int, int]]) -> bytes:
        flexible = version >= 3
        count = (len(listed) + 1).to_bytes(1) if flexible else len(listed).to_bytes(4)
        rows = [
            b"".join(number.to_bytes(2, signed=True) for number in row) + bytes(flexible) for row in listed
        ]
        return error.to_bytes(2) + count + b"".join(rows) + bytes(4 * (version >= 1)) + bytes(flexible)

    def serve(self, connection: socket.socket) -> None:
        """Serve one connection."""
        if self.dead or not self.greet(connection):
            return
        received = b""
        while True:
            data = connection.recv(1 << 16)
            if not data:
                if self.half_open:
                    self.end.wait()
                return
            received = data if self.one_segment else received + data
            while len(received) >= 4:
                size = int.from_bytes(received[:4], signed=True)
                allowed = self.is_size(size)
                if allowed is None:
                    self.end.wait()
                if not allowed:
                    return
                if len(received) < 4 + size:
                    break
                answer = self.answer(self, received[4 : 4 + size])
                if answer is None:
                    return
                self.deliver(connection, frame(answer))
                received = b"" if self.one_segment else received[4 + size :]

    def wait(self, connection: socket.socket) -> bool:
        """Read, and say nothing, until the test ends."""
        while not self.end.is_set():
            readable, _, _ = select.select([connection], [], [], 0.05)
            if readable and not connection.recv(1 << 16):
                break
        return False

    @contextmanager
    def listen(self) -> Iterator[Address]:
        """Serve until the test ends."""
        with tcp_server(self.serve) as address:
            try:
                yield address
            finally:
                self.end.set()


def _legal_software(body: StructValue) -> bool:
    """Check name and version of the software as KIP-511 has them."""
    return all(_LEGAL.fullmatch(body[name]) for name in ("clientSoftwareName", "clientSoftwareVersion"))


def one_byte_a_turn(broker: SmallBroker) -> Callable[[socket.socket, bytes], None]:
    """Return a delivery that sends a byte, and waits a tenth of a second before the next one."""

    def deliver(connection: socket.socket, data: bytes) -> None:
        with suppress(OSError):
            for at in range(len(data)):
                connection.sendall(data[at : at + 1])
                if broker.end.wait(0.1):
                    return

    return deliver
