"""Which nodes a cluster has, what each of them does, and where it listens."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from wireproof.capture.capture_error import CaptureError
from wireproof.capture.raw_client.socket_address import Address

__all__ = ["Listener", "Node", "ListenerPlace", "Role", "Topology", "AddressLookup"]


ZOOKEEPER: Final = "zk"
DYNAMIC: Final = "v"
_NODES: Final = re.compile(rf"([1-9])(?:\+{ZOOKEEPER}|(?:\+([1-9]))?({DYNAMIC}?))")


class Role(StrEnum):
    """What a node does; the words are those of Kafka's `process.roles`."""

    BROKER = "broker"
    CONTROLLER = "controller"


class Listener(StrEnum):
    """A listener; who talks to a node through it."""

    CLIENT = "CLIENT"
    """Clients."""
    SASL = "SASL"
    """Clients that log in, over plain text."""
    INTERNAL = "INTERNAL"
    """Other brokers."""
    CONTROLLER = "CONTROLLER"
    """Brokers and controllers that talk to a controller of a quorum."""


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
"""Where a listener is to be reached by those who are told of it."""


@dataclass(frozen=True, slots=True)
class Node:
    """A process of Kafka."""

    id: int
    roles: tuple[Role, ...]

    @property
    def places(self) -> tuple[ListenerPlace, ...]:
        """Where it listens."""
        return tuple(ListenerPlace(self.id, listener) for role in self.roles for listener in _LISTENERS[role])


@dataclass(frozen=True, slots=True)
class Topology:
    """The nodes of a cluster, by id.

    Attributes:
        dynamic: whether controllers may leave the quorum and join it (KIP-853).
    """

    nodes: tuple[Node, ...]
    dynamic: bool = False

    @classmethod
    def combined(cls, count: int, *, dynamic: bool = False) -> "Topology":
        """So many nodes that are broker and controller, from id 1 on."""
        roles = Role.BROKER, Role.CONTROLLER
        return cls(tuple(Node(number, roles) for number in range(1, count + 1)), dynamic)

    @classmethod
    def separate(cls, brokers: int, controllers: int, *, dynamic: bool = False) -> "Topology":
        """Brokers from id 1 on, and controllers from the id 101 on; a ZooKeeper where there is none."""
        return cls(
            (
                *(Node(number, (Role.BROKER,)) for number in range(1, brokers + 1)),
                *(Node(100 + number, (Role.CONTROLLER,)) for number in range(1, controllers + 1)),
            ),
            dynamic,
        )

    @classmethod
    def parse(cls, words: str) -> "Topology":
        """``3``: three combined nodes; ``3+1``: three brokers and a controller; ``3+zk``: three brokers, of
        which one is the controller, by a ZooKeeper. A ``v`` behind it: the voters of the quorum may change.

        Raises:
            CaptureError: the words mean none.
        """
        found = _NODES.fullmatch(words)
        if found is None:
            raise CaptureError(
                f"{words!r} tells no nodes",
                "Write 3 for three that are broker and controller, 3+1 for three brokers and a controller, "
                "3+zk for three brokers and a ZooKeeper; 3v or 1+3v where voters of the quorum shall change.",
            )
        brokers, controllers, dynamic = found.groups()
        if ZOOKEEPER in words:
            return cls.separate(int(brokers), 0)
        if controllers is None:
            return cls.combined(int(brokers), dynamic=bool(dynamic))
        return cls.separate(int(brokers), int(controllers), dynamic=bool(dynamic))

    @property
    def in_zookeeper(self) -> bool:
        """Whether a ZooKeeper keeps the metadata: there are no nodes of Kafka for it."""
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
        words = [f"{node.id} ({', '.join(node.roles)})" for node in self.nodes]
        if self.in_zookeeper:
            words.append("a ZooKeeper")
        return f"{len(self.nodes)} nodes: {'; '.join(words)}" if len(words) > 1 else f"1 node: {words[0]}"
