"""The nodes of a cluster, their roles and their listeners."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.raw_client import Address

ZOOKEEPER: Final = "zk"
DYNAMIC: Final = "v"
_NODES: Final = re.compile(rf"([1-9])(?:\+{ZOOKEEPER}|(?:\+([1-9]))?({DYNAMIC}?))")


class Role(StrEnum):
    """A role of a node, as in Kafka's `process.roles`."""

    BROKER = "broker"
    CONTROLLER = "controller"


class Listener(StrEnum):
    """A kind of listener, by the peers that connect to it."""

    CLIENT = "CLIENT"
    """For clients."""
    SASL = "SASL"
    """For clients that log in, without TLS."""
    INTERNAL = "INTERNAL"
    """For other brokers."""
    CONTROLLER = "CONTROLLER"
    """For brokers and controllers that connect to a controller of a quorum."""


_LISTENERS: Mapping[Role, tuple[Listener, ...]] = {
    Role.BROKER: (Listener.CLIENT, Listener.SASL, Listener.INTERNAL),
    Role.CONTROLLER: (Listener.CONTROLLER,),
}


@dataclass(frozen=True, slots=True, order=True)
class ListenerPlace:
    """A listener of a node."""

    node: int
    listener: Listener

    def __str__(self) -> str:
        return f"{self.node}-{self.listener}"


AddressLookup: TypeAlias = Callable[[ListenerPlace], Address]
"""Returns the address that a listener advertises."""


@dataclass(frozen=True, slots=True)
class Node:
    """A Kafka process."""

    id: int
    roles: tuple[Role, ...]

    @property
    def places(self) -> tuple[ListenerPlace, ...]:
        """The listeners of the node."""
        return tuple(ListenerPlace(self.id, listener) for role in self.roles for listener in _LISTENERS[role])


@dataclass(frozen=True, slots=True)
class Topology:
    """The nodes of a cluster, by id; if `dynamic`, controllers may leave and join the quorum (KIP-853)."""

    nodes: tuple[Node, ...]
    dynamic: bool = False

    @classmethod
    def combined(cls, count: int, *, dynamic: bool = False) -> "Topology":
        """Return nodes that are broker and controller, with ids from 1 on."""
        roles = Role.BROKER, Role.CONTROLLER
        return cls(tuple(Node(number, roles) for number in range(1, count + 1)), dynamic)

    @classmethod
    def separate(cls, brokers: int, controllers: int, *, dynamic: bool = False) -> "Topology":
        """Return brokers with ids from 1 on and controllers from 101 on; no controllers means ZooKeeper."""
        return cls(
            (
                *(Node(number, (Role.BROKER,)) for number in range(1, brokers + 1)),
                *(Node(100 + number, (Role.CONTROLLER,)) for number in range(1, controllers + 1)),
            ),
            dynamic,
        )

    @classmethod
    def parse(cls, text: str) -> "Topology":
        """Parse the value of ``--nodes``.

        ``3`` means three combined nodes; ``3+1`` three brokers and a controller; ``3+zk`` three brokers and a
        ZooKeeper. With a trailing ``v`` the voters of the quorum may change. Raises CaptureError if the text
        is not a topology.
        """
        found = _NODES.fullmatch(text)
        if found is None:
            raise CaptureError(
                f"{text!r} is not a set of nodes",
                "Write 3 for three that are broker and controller, 3+1 for three brokers and a controller, "
                "3+zk for three brokers and a ZooKeeper; 3v or 1+3v for a quorum whose voters may change.",
            )
        brokers, controllers, dynamic = found.groups()
        if ZOOKEEPER in text:
            return cls.separate(int(brokers), 0)
        if controllers is None:
            return cls.combined(int(brokers), dynamic=bool(dynamic))
        return cls.separate(int(brokers), int(controllers), dynamic=bool(dynamic))

    @property
    def in_zookeeper(self) -> bool:
        """True if ZooKeeper keeps the metadata: the topology has no controllers."""
        return not self.controllers

    @property
    def places(self) -> tuple[ListenerPlace, ...]:
        """Every listener of every node."""
        return tuple(place for node in self.nodes for place in node.places)

    @property
    def brokers(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if Role.BROKER in node.roles)

    @property
    def controllers(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if Role.CONTROLLER in node.roles)

    def __str__(self) -> str:
        parts = [f"{node.id} ({', '.join(node.roles)})" for node in self.nodes]
        if self.in_zookeeper:
            parts.append("a ZooKeeper")
        return f"{len(self.nodes)} nodes: {'; '.join(parts)}" if len(parts) > 1 else f"1 node: {parts[0]}"
