"""Ports for nodes, chosen before they start: other nodes and the proxy need them first."""

import random
import socket
from typing import Final

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.socket_address import LOOPBACK

_FIRST: Final = 20_000
_LAST: Final = 32_000
"""The range is below the ephemeral ports, which outgoing connections might take before a node is up."""
_TRIES: Final = 200


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback address that are free now.

    Raises:
        CaptureError: there are not enough.
    """
    found: list[int] = []
    for _ in range(_TRIES):
        port = random.randint(_FIRST, _LAST)
        if port not in found and _is_free(port):
            found.append(port)
        if len(found) == count:
            return found
    raise CaptureError(f"fewer than {count} of the ports {_FIRST} to {_LAST} are free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
