"""The configuration of a node: what Kafka calls server.properties."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from wireproof.capture.address import Address
from wireproof.capture.brokers.topology import Listener, Node, Place, Role, Topology, Whereabouts

__all__ = ["SASL_PASSWORD", "SASL_USER", "line_of", "server_properties"]

SASL_USER: Final = "wireproof-user"
"""Who may log in; the workload in `java/workload` is this user, too."""
SASL_PASSWORD: Final = "wireproof-secret"

_SNAPSHOT_BYTES: Final = 2_000
"""So few that each node has a snapshot by the time that another begins anew, however fast the machine is."""


def line_of(release: str) -> tuple[int, int]:
    """The line of a release as numbers: (3, 9) of 3.9.2."""
    major, minor = release.split(".")[:2]
    return int(major), int(minor)


def server_properties(
    release: str,
    topology: Topology,
    node: Node,
    real: Mapping[Place, Address],
    advertised: Whereabouts,
    folder: Path,
) -> str:
    """The text of a node's configuration.

    Args:
        real: where each listener of the node is bound.
        advertised: where others reach the listeners of all nodes; voters among them.
        folder: the node keeps its data below.
    """
    line = line_of(release)
    settings = {
        "process.roles": ",".join(node.roles),
        "node.id": str(node.id),
        **_listeners(line, node, real, advertised),
        **_quorum(topology, advertised),
        "log.dirs": ",".join(str(folder / name) for name in _log_folders(line)),
        **(_broker(line, len(topology.brokers)) if Role.BROKER in node.roles else {}),
        **_everybody(line),
    }
    return "".join(f"{key}={_escaped(value)}\n" for key, value in settings.items())


def _listeners(
    line: tuple[int, int], node: Node, real: Mapping[Place, Address], advertised: Whereabouts
) -> Mapping[str, str]:
    # Before 3.9 a controller's listener may not be advertised: voters alone tell where it is.
    told = [place for place in node.places if line >= (3, 9) or place.listener is not Listener.CONTROLLER]
    settings = {
        "listeners": ",".join(_endpoint(place, real[place]) for place in node.places),
        "controller.listener.names": Listener.CONTROLLER.value,
        "listener.security.protocol.map": ",".join(f"{each}:{_protocol(each)}" for each in Listener),
    }
    if Role.BROKER in node.roles:
        settings["inter.broker.listener.name"] = Listener.INTERNAL.value
        settings |= _logins()
    if told and (Role.BROKER in node.roles or line >= (3, 9)):
        settings["advertised.listeners"] = ",".join(_endpoint(place, advertised(place)) for place in told)
    return settings


def _protocol(listener: Listener) -> str:
    return "SASL_PLAINTEXT" if listener is Listener.SASL else "PLAINTEXT"


def _logins() -> Mapping[str, str]:
    """One user may log in by PLAIN; those of SCRAM are made by an admin client, where there can be any."""
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


def _endpoint(place: Place, address: Address) -> str:
    return f"{place.listener}://{address[0]}:{address[1]}"


def _quorum(topology: Topology, advertised: Whereabouts) -> Mapping[str, str]:
    voters = []
    for node in topology.controllers:
        host, port = advertised(Place(node.id, Listener.CONTROLLER))
        voters.append(f"{node.id}@{host}:{port}")
    return {"controller.quorum.voters": ",".join(voters)}


def _log_folders(line: tuple[int, int]) -> tuple[str, ...]:
    """Two where the release can have more than one with KRaft (KIP-858, 3.7)."""
    return ("a", "b") if line >= (3, 7) else ("a",)


def _broker(line: tuple[int, int], brokers: int) -> Mapping[str, str]:
    copies = str(min(brokers, 3))
    settings = {
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "group.initial.rebalance.delay.ms": "0",
        "auto.create.topics.enable": "false",
    }
    if line >= (3, 9):
        protocols = ["classic", "consumer", "share", *(["streams"] if line >= (4, 1) else [])]
        settings["group.coordinator.rebalance.protocols"] = ",".join(protocols)
        settings["share.coordinator.state.topic.replication.factor"] = copies
        settings["share.coordinator.state.topic.min.isr"] = "1"
        settings["share.coordinator.state.topic.num.partitions"] = "1"
    return settings


def _everybody(line: tuple[int, int]) -> Mapping[str, str]:
    settings: dict[str, str] = {}
    if line >= (3, 2):  # the first authorizer that needs no ZooKeeper (KIP-801)
        settings["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
        settings["super.users"] = "User:ANONYMOUS"
        settings["allow.everyone.if.no.acl.found"] = "true"
    if line >= (3, 6):  # delegation tokens with KRaft (KIP-900)
        settings["delegation.token.secret.key"] = "wireproof"
    if line >= (3, 0):  # so that nodes that begin anew are given one, and FetchSnapshot is seen
        settings["metadata.log.max.record.bytes.between.snapshots"] = str(_SNAPSHOT_BYTES)
    if line >= (3, 5):
        settings["unstable.api.versions.enable"] = "true"
    if line >= (3, 8):
        settings["unstable.feature.versions.enable"] = "true"
    return settings


def _escaped(value: str) -> str:
    """As java.util.Properties reads it: a backslash begins an escape."""
    return value.replace("\\", "\\\\")
