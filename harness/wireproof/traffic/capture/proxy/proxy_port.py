"""A port of the proxy: its socket, its route and its segment file."""

import resource
import socket
from pathlib import Path
from typing import Final

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.proxy.route import Route
from wireproof.traffic.capture.proxy.segment_recorder import SegmentRecorder
from wireproof.traffic.capture.raw_client.socket_address import Address

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
    """Make the folder of the segment files.

    Raises:
        CaptureError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CaptureError(f"{folder} cannot be made: {error.strerror}") from error


def bind_route(route: Route) -> socket.socket:
    """Return a socket that listens at the route's address.

    Raises:
        CaptureError: the port is taken.
    """
    host, port = route.bind
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=BACKLOG
        )
    except OSError as error:
        raise CaptureError(
            f"{route}: no port {host}:{port}: {error.strerror}",
            "Give another port, or 0 for a free one.",
        ) from error


def allow_descriptors() -> None:
    """Raise this process's limit of descriptors: each connection takes two, and many systems allow 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
