"""Where a port of the proxy leads."""

import re
from dataclasses import dataclass
from typing import Final

from wireproof.capture.raw_client.socket_address import Address

__all__ = ["UNKNOWN_NODE", "Address", "Route", "address_text", "is_listener"]

UNKNOWN_NODE: Final = -1
"""The node of a bootstrap address: who answers there is not known beforehand."""

_LISTENER: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Route:
    """A port of the proxy and the listener of a node behind it.

    Attributes:
        node: its id; `UNKNOWN_NODE` for a bootstrap address.
        listener: its name, such as ``CLIENT``: letters, digits, ``_``, ``-`` and ``.``.
        bind: where the proxy listens; port 0 takes a free one.
        target: where the node listens; it need not do so yet.
        tls_to_client: clients talk TLS to the proxy, which ends it with a throwaway certificate.
        tls_to_node: the node wants TLS; its certificate is not checked.
    """

    node: int
    listener: str
    bind: Address
    target: Address
    tls_to_client: bool = False
    tls_to_node: bool = False

    def __post_init__(self) -> None:
        if not is_listener(self.listener):
            raise ValueError(f"{self.listener!r} is no name of a listener: letters, digits, _, - and . are")

    def __str__(self) -> str:
        who = "bootstrap" if self.node == UNKNOWN_NODE else f"node {self.node}"
        return f"{who}, listener {self.listener}"

    @property
    def name(self) -> str:
        """Of the segment file, without its suffix: unique among the routes of a capture."""
        node = "bootstrap" if self.node == UNKNOWN_NODE else str(self.node)
        return f"{node}-{self.listener}"


def is_listener(name: str) -> bool:
    """Whether it can be the name of a listener, and so stand in a file's name."""
    return _LISTENER.fullmatch(name) is not None


def address_text(address: Address) -> str:
    """``host:port``."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
