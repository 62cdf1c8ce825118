"""The topology of a cluster, and the configuration of its nodes: Kafka's server.properties."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

from wireproof.model.kafka.releases import ReleaseFeature
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


SASL_USER: Final = "wireproof-user"
"""The user that may log in; `java/workload` uses the same name."""
SASL_PASSWORD: Final = "wireproof-secret"

_SNAPSHOT_BYTES: Final = 2_000
"""The bytes between snapshots: so few that each node has a snapshot when another restarts without data."""
_SESSION_MS: Final = 6_000
"""The time after which ZooKeeper gives a silent broker up; Kafka's default is 18 s."""
_TOKENS: Final = {"delegation.token.secret.key": "wireproof"}


def server_properties(
    release: str,
    topology: Topology,
    node: Node,
    real: Mapping[ListenerPlace, Address],
    advertised: AddressLookup,
    folder: Path,
    zookeeper: Address | None = None,
    *,
    auto_topics: bool = False,
) -> str:
    """Return the text of a node's configuration.

    Args:
        real: the addresses that the node's listeners are bound to.
        advertised: the advertised addresses of all nodes' listeners, voters included.
        folder: the parent of the node's data folders.
        zookeeper: the address of the ZooKeeper that keeps the metadata; None for a quorum of controllers.
        auto_topics: True if the broker creates topics that clients ask for.
    """
    settings = {
        **_listeners(release, node, real, advertised),
        **(_in_zookeeper(node, zookeeper) if zookeeper else _in_quorum(release, topology, node, advertised)),
        "log.dirs": ",".join(str(folder / name) for name in _log_folders(release, zookeeper)),
        **(_broker(len(topology.brokers), auto_topics) if Role.BROKER in node.roles else {}),
        **_all_roles(release),
    }
    return "".join(f"{key}={_escaped(value)}\n" for key, value in settings.items())


def _listeners(
    release: str, node: Node, real: Mapping[ListenerPlace, Address], advertised: AddressLookup
) -> Mapping[str, str]:
    # Before the release that advertises controller listeners, nodes find them in the list of voters.
    controllers = ReleaseFeature.ADVERTISED_CONTROLLERS.is_in(release)
    public = [place for place in node.places if controllers or place.listener is not Listener.CONTROLLER]
    settings = {
        "listeners": ",".join(_endpoint(place, real[place]) for place in node.places),
        "listener.security.protocol.map": ",".join(f"{each}:{_protocol(each)}" for each in Listener),
    }
    if Role.BROKER in node.roles:
        settings["inter.broker.listener.name"] = Listener.INTERNAL.value
        settings |= _logins()
    if public and (Role.BROKER in node.roles or controllers):
        settings["advertised.listeners"] = ",".join(_endpoint(place, advertised(place)) for place in public)
    return settings


def _protocol(listener: Listener) -> str:
    return "SASL_PLAINTEXT" if listener is Listener.SASL else "PLAINTEXT"


def _logins() -> Mapping[str, str]:
    """Return the settings of logins: one user by PLAIN; an admin client creates those of SCRAM."""
    modules = "org.apache.kafka.common.security"
    place = f"listener.name.{Listener.SASL.lower()}"
    return {
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
        f"{place}.plain.sasl.jaas.config": (
            f'{modules}.plain.PlainLoginModule required user_{SASL_USER}="{SASL_PASSWORD}";'
        ),
        **{
            f"{place}.{mechanism}.sasl.jaas.config": f"{modules}.scram.ScramLoginModule required;"
            for mechanism in ("scram-sha-256", "scram-sha-512")
        },
    }


def _endpoint(place: ListenerPlace, address: Address) -> str:
    return f"{place.listener}://{address[0]}:{address[1]}"


def _in_quorum(release: str, topology: Topology, node: Node, advertised: AddressLookup) -> Mapping[str, str]:
    """Return the settings of metadata in a quorum of controllers (KRaft)."""
    settings = {
        "process.roles": ",".join(node.roles),
        "node.id": str(node.id),
        "controller.listener.names": Listener.CONTROLLER.value,
    }
    if topology.dynamic:  # the log holds the voters; these are the nodes to ask for them
        places = [advertised(ListenerPlace(each.id, Listener.CONTROLLER)) for each in topology.controllers]
        settings["controller.quorum.bootstrap.servers"] = ",".join(f"{host}:{port}" for host, port in places)
    else:
        settings["controller.quorum.voters"] = ",".join(voters_text(topology, advertised))
    # Nodes that restart without data then get a snapshot by FetchSnapshot.
    if ReleaseFeature.METADATA_SNAPSHOTS.is_in(release):
        settings["metadata.log.max.record.bytes.between.snapshots"] = str(_SNAPSHOT_BYTES)
    if ReleaseFeature.KRAFT_AUTHORIZER.is_in(release):
        settings |= _authorizer("org.apache.kafka.metadata.authorizer.StandardAuthorizer")
    if ReleaseFeature.KRAFT_DELEGATION_TOKENS.is_in(release):
        settings |= _TOKENS
    if ReleaseFeature.LATER_GROUP_PROTOCOLS.is_in(release) and Role.BROKER in node.roles:
        settings |= _later_groups(release, len(topology.brokers))
    return settings


def voters_text(topology: Topology, advertised: AddressLookup) -> list[str]:
    """Return each voter in Kafka's notation: ``1@127.0.0.1:9093``."""
    places = {
        node.id: advertised(ListenerPlace(node.id, Listener.CONTROLLER)) for node in topology.controllers
    }
    return [f"{number}@{host}:{port}" for number, (host, port) in places.items()]


def _in_zookeeper(node: Node, zookeeper: Address) -> Mapping[str, str]:
    """Return the settings of metadata in ZooKeeper; ACLs and tokens work in every release."""
    host, port = zookeeper
    return {
        "broker.id": str(node.id),
        "zookeeper.connect": f"{host}:{port}",
        "zookeeper.session.timeout.ms": str(_SESSION_MS),
        **_authorizer("kafka.security.authorizer.AclAuthorizer"),
        **_TOKENS,
    }


def _authorizer(name: str) -> Mapping[str, str]:
    return {
        "authorizer.class.name": name,
        "super.users": "User:ANONYMOUS",
        "allow.everyone.if.no.acl.found": "true",
    }


def _log_folders(release: str, zookeeper: Address | None) -> tuple[str, ...]:
    """Return the log folders: two if the release supports more than one (KIP-858)."""
    return ("a", "b") if zookeeper or ReleaseFeature.KRAFT_LOG_FOLDERS.is_in(release) else ("a",)


def _broker(brokers: int, auto_topics: bool) -> Mapping[str, str]:
    copies = str(min(brokers, 3))
    return {
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "group.initial.rebalance.delay.ms": "0",
        "auto.create.topics.enable": str(auto_topics).lower(),
    }


def _later_groups(release: str, brokers: int) -> Mapping[str, str]:
    """Return the settings of the group protocols that came with KRaft."""
    protocols = [
        "classic",
        "consumer",
        "share",
        *(["streams"] if ReleaseFeature.STREAMS_GROUPS.is_in(release) else []),
    ]
    return {
        "group.coordinator.rebalance.protocols": ",".join(protocols),
        "share.coordinator.state.topic.replication.factor": str(min(brokers, 3)),
        "share.coordinator.state.topic.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "1",
    }


def _all_roles(release: str) -> Mapping[str, str]:
    settings: dict[str, str] = {}
    if ReleaseFeature.UNSTABLE_API_VERSIONS.is_in(release):
        settings["unstable.api.versions.enable"] = "true"
    if ReleaseFeature.UNSTABLE_FEATURE_VERSIONS.is_in(release):
        settings["unstable.feature.versions.enable"] = "true"
    return settings


def _escaped(value: str) -> str:
    """Escape a value for java.util.Properties: a backslash begins an escape."""
    return value.replace("\\", "\\\\")
