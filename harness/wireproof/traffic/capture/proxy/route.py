"""Routes of the proxy."""

import re
from dataclasses import dataclass
from typing import Final

from wireproof.traffic.capture.raw_client.socket_address import Address

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
