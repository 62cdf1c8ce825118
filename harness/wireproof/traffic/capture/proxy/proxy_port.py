"""A route and its port of the proxy, with its socket and its segment file."""

import re
import resource
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.proxy.segment_recorder import SegmentRecorder
from wireproof.traffic.capture.raw_client.raw_client import Address

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


def address_text(address: Address) -> str:
    """Return the address as ``host:port``."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


BACKLOG: Final = 1024
"""The queue of connections that a port has not accepted yet."""
_DESCRIPTORS: Final = 16 * 1024


class ProxyPort:
    """A listening port with its file.

    Attributes:
        given: True if the caller named the route; False if a node advertised its address.
        refused: True if the proxy could not reach the node and has reported that.
    """

    def __init__(
        self, route: Route, listening: socket.socket, recorder: SegmentRecorder, *, given: bool
    ) -> None:
        self.route = route
        self.given = given
        self.listening = listening
        self.recorder = recorder
        self.refused = False

    @property
    def address(self) -> Address:
        """The address of the listening socket."""
        host, port = self.listening.getsockname()[:2]
        return host, port

    def close(self) -> None:
        """Close the socket and the file."""
        self.listening.close()
        self.recorder.close()


def make_folder(folder: Path) -> None:
    """Make the folder of the segment files. Raises CaptureError if it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CaptureError(f"{folder} cannot be made: {error.strerror}") from error


def bind_route(route: Route) -> socket.socket:
    """Return a socket that listens at the route's address. Raises CaptureError if the port is taken."""
    host, port = route.bind
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=BACKLOG
        )
    except OSError as error:
        raise CaptureError(
            f"{route}: no port {host}:{port}: {error.strerror}", "Give another port, or 0 for a free one."
        ) from error


def allow_descriptors() -> None:
    """Raise this process's limit of descriptors: each connection takes two, and many systems allow 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
