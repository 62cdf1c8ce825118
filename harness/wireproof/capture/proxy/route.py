"""Where a port of the proxy leads."""

from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["UNKNOWN_NODE", "Address", "Route"]

Address: TypeAlias = tuple[str, int]
"""Host and port."""

UNKNOWN_NODE: Final = -1
"""The node of a bootstrap address: who answers there is not known beforehand."""


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

    @property
    def name(self) -> str:
        """Of the segment file, without its suffix: unique among the routes of a capture."""
        node = "bootstrap" if self.node == UNKNOWN_NODE else str(self.node)
        return f"{node}-{self.listener}"
