"""A route and its port of the proxy, with its socket and its segment file."""

import os
import re
import resource
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wireproof.traffic.capture.capture_error import CaptureError, as_capture_error
from wireproof.traffic.capture.raw_client.raw_client import Address
from wireproof.traffic.wire.segment_format import MARKER_BYTES, EntryKind, SegmentWriter, StreamDirection


class RecordingError(CaptureError):
    """The proxy can no longer record, so it relays nothing. The entries written before are complete."""


class SegmentRecorder:
    """A recorder of one route. Each call returns after the write, so a kill of the process loses no entry.

    Args:
        path: the path of the file, which must not exist; `os.devnull` to keep nothing.
        facts: facts about the capture and the route.

    Attributes:
        connections: the number of opened connections.
        data_bytes: the bytes sent in both directions.

    Raises:
        CaptureError: the file cannot be made.
        RecordingError: its header cannot be written.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self.path = path
        self.connections = 0
        self.data_bytes = 0
        try:
            new = 0 if path == Path(os.devnull) else os.O_CREAT | os.O_EXCL
            self._descriptor = os.open(path, new | os.O_WRONLY | os.O_APPEND, 0o600)
        except FileExistsError as error:
            raise CaptureError(
                f"{path} is there already", "Give each capture a folder of its own."
            ) from error
        except OSError as error:
            raise CaptureError(f"{path} cannot be made: {error.strerror}") from error
        self._file = os.fdopen(self._descriptor, "wb", buffering=0)
        self._whole = 0
        self._failure: RecordingError | None = None
        self._writer: SegmentWriter
        self._written(lambda: self._begin(facts))

    def open(self, facts: Mapping[str, Any]) -> int:
        """Record a new connection; return its number, from 1."""
        number = self.connections + 1
        self._written(lambda: self._writer.open(number, time.time_ns(), facts))
        self.connections = number
        return number

    def add(self, kind: EntryKind, connection: int, direction: StreamDirection, payload: bytes = b"") -> None:
        """Record bytes that one side sent, its end or its reset, or the close of both sides."""
        self._written(lambda: self._writer.add(kind, time.time_ns(), connection, direction, payload))
        if kind is EntryKind.DATA:
            self.data_bytes += len(payload)

    def close(self) -> None:
        self._file.close()

    def _begin(self, facts: Mapping[str, Any]) -> None:
        self._writer = SegmentWriter(self._file, os.urandom(MARKER_BYTES), facts, time.time_ns())

    def _written(self, write: Callable[[], None]) -> None:
        """Write an entry; remove a partly written one.

        Raises RecordingError if this write failed, such as for lack of space, or an earlier one did: no entry
        may follow missing bytes.
        """
        if self._failure is not None:
            raise self._failure
        try:
            write()
        except OSError as error:
            os.ftruncate(self._descriptor, self._whole)
            self._failure = RecordingError(
                f"recording stopped: {self.path}: {error.strerror}; the {self._whole} bytes before are whole",
                "Make room, or give a folder on another disk.",
            )
            raise self._failure from error
        self._whole = self._writer.position


UNKNOWN_NODE: Final = -1
"""The node of a bootstrap address, whose id is not known before its first response."""

_LISTENER: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Route:
    """A port of the proxy and the node's listener that it leads to.

    Attributes:
        node: the id of the node; `UNKNOWN_NODE` for a bootstrap address.
        listener: the name of the listener, such as ``CLIENT``: letters, digits, ``_``, ``-`` and ``.``.
        bind: the address of the proxy's port; port 0 takes a free one.
        target: the address of the node's listener; the node may start later.
        tls_to_client: True if clients use TLS to the proxy, which has a throwaway certificate.
        tls_to_node: True if the proxy uses TLS to the node; it does not check the node's certificate.
    """

    node: int
    listener: str
    bind: Address
    target: Address
    tls_to_client: bool = False
    tls_to_node: bool = False

    def __post_init__(self) -> None:
        if not is_listener(self.listener):
            raise ValueError(
                f"{self.listener!r} is not the name of a listener: expected letters, digits, _, - and ."
            )

    def __str__(self) -> str:
        node = "bootstrap" if self.node == UNKNOWN_NODE else f"node {self.node}"
        return f"{node}, listener {self.listener}"

    @property
    def name(self) -> str:
        """The name of the segment file without its suffix; unique among the routes of a capture."""
        node = "bootstrap" if self.node == UNKNOWN_NODE else str(self.node)
        return f"{node}-{self.listener}"


def is_listener(name: str) -> bool:
    """Return True if the text can be the name of a listener, and so a part of a file's name."""
    return _LISTENER.fullmatch(name) is not None


BACKLOG: Final = 1024
"""The queue of connections that a port has not accepted yet."""
_DESCRIPTORS: Final = 16 * 1024


@dataclass(slots=True)
class ProxyPort:
    """A listening port with its file.

    Attributes:
        given: True if the caller named the route; False if a node advertised its address.
        refused: True if the proxy could not reach the node and has reported that.
    """

    route: Route
    listening: socket.socket
    recorder: SegmentRecorder
    given: bool
    refused: bool = False

    @property
    def address(self) -> Address:
        host, port = self.listening.getsockname()[:2]
        return host, port

    def close(self) -> None:
        self.listening.close()
        self.recorder.close()


def bind_route(route: Route) -> socket.socket:
    """Return a socket that listens at the route's address. Raises CaptureError if the port is taken."""
    host, port = route.bind
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with as_capture_error(f"{route}: no port {host}:{port}", "Give another port, or 0 for a free one."):
        return socket.create_server((host, port), family=family, backlog=BACKLOG)


def allow_descriptors() -> None:
    """Raise this process's limit of descriptors: each connection takes two, and many systems allow 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
