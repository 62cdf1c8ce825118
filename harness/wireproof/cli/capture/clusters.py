"""Clusters by the words of a command line: which one, of what, and where what is captured goes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, assert_never

import click

from wireproof.extras import install
from wireproof.fatal import FatalError
from wireproof.model import ReleaseFeature
from wireproof.releases import JarStore, Release, ReleaseError, broker_jars, broker_releases, table
from wireproof.run import ExitCode

if TYPE_CHECKING:
    from wireproof.capture.brokers import Cluster, Topology
    from wireproof.capture.capture_folder import CaptureFolder
    from wireproof.capture.raw_client.broker_access import BrokerAccess
    from wireproof.capture.raw_client.raw_client import ApiCatalog
    from wireproof.capture.raw_client.socket_address import Address

__all__ = [
    "NODES_HELP",
    "Existing",
    "InContainers",
    "OfJars",
    "Wanted",
    "broker_options",
    "find_java",
    "make_cluster",
    "open_folder",
    "wanted_broker",
    "wanted_nodes",
    "wanted_topology",
]

_WAYS: Final = "Write jars:4.3.1, jars:newest, container:IMAGE:TAG or address:HOST:PORT."

_OPTIONS: Final = (
    click.option(
        "--broker",
        default="jars:newest",
        show_default=True,
        metavar="WAY",
        help="Which cluster: jars:RELEASE starts nodes of a release from its jars, container:IMAGE in "
        "containers; address:HOST:PORT is one that is there, and goes on afterwards.",
    ),
    click.option(
        "--release",
        metavar="RELEASE",
        help="What brokers in containers or of such a cluster are; without it the image's tag tells, or the "
        "newest is taken whose brokers wireproof starts.",
    ),
    click.option(
        "--command-config",
        type=click.Path(path_type=Path, dir_okay=False),
        envvar="WIREPROOF_COMMAND_CONFIG",
        show_envvar=True,
        metavar="FILE",
        help="How to get into a cluster that is there, in the file that Kafka's own tools take: "
        "security.protocol, sasl.mechanism (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512), sasl.jaas.config.",
    ),
)
NODES_HELP: Final = (
    "3: nodes that are broker and controller; 3+1: brokers, and controllers of their own; 3+zk: "
    "brokers, and a ZooKeeper (before 4.0); 3v, 1+3v: voters of the quorum may change (since 3.9). "
    "Without it: 1, of releases before 3.3 1+zk."
)


def broker_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which cluster, but for its nodes."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class OfJars:
    """Nodes from the jars of a release."""

    release: Release


@dataclass(frozen=True, slots=True)
class InContainers:
    """Nodes in containers of an image."""

    release: Release
    image: str


@dataclass(frozen=True, slots=True)
class Existing:
    """A cluster that is there, by the address of one of its brokers."""

    release: Release
    address: "Address"
    access: "BrokerAccess"


Wanted = OfJars | InContainers | Existing


def wanted_broker(broker: str, release: str | None = None, config: Path | None = None) -> Wanted:
    """What the option names.

    Args:
        release: of brokers in containers, or of an existing cluster.
        config: a file that says how to get into an existing cluster.

    Raises:
        FatalError: it names nothing.
    """
    way, _, rest = broker.partition(":")
    if not rest:
        raise FatalError(f"--broker: {broker!r} is none", _WAYS, ExitCode.USAGE)
    if config is not None and way != "address":
        words = "--command-config: what wireproof starts lets it in"
        raise FatalError(words, "It goes with --broker address:HOST:PORT.", ExitCode.USAGE)
    match way:
        case "jars" if release is None:
            return OfJars(_release(rest))
        case "jars":
            raise FatalError("--release: the release of jars stands in --broker", _WAYS, ExitCode.USAGE)
        case "container":
            image = rest if ":" in rest.rpartition("/")[2] else f"{rest}:latest"
            return InContainers(_release(release or _tag_or_newest(image)), image)
        case "address":
            host, _, port = rest.rpartition(":")
            if not (host and port.isdigit() and 0 < int(port) < 1 << 16):
                raise FatalError(f"--broker: {rest!r} is no HOST:PORT", _WAYS, ExitCode.USAGE)
            return Existing(_release(release or "newest"), (host.strip("[]"), int(port)), _access(config))
        case _:
            raise FatalError(f"--broker: {broker!r} is none", _WAYS, ExitCode.USAGE)


def _access(config: Path | None) -> "BrokerAccess":
    """What a file says of how to get in; nothing, where there is none."""
    from wireproof.capture import CaptureError
    from wireproof.capture.raw_client.broker_access import OPEN_ACCESS
    from wireproof.capture.raw_client.client_properties import parse_client_properties

    if config is None:
        return OPEN_ACCESS
    try:
        return parse_client_properties(config.read_text("utf-8"))
    except OSError as error:
        raise FatalError(f"--command-config: {config}: {error.strerror}", "", ExitCode.USAGE) from error
    except UnicodeError:
        raise FatalError(f"--command-config: {config} is no UTF-8", "", ExitCode.USAGE) from None
    except CaptureError as error:
        raise FatalError(
            f"--command-config: {config}: {error.message}", error.advice, ExitCode.USAGE
        ) from error


def _release(word: str) -> Release:
    """The release that a word means; `newest` is the newest whose brokers start."""
    try:
        return table().find(broker_releases()[0] if word == "newest" else word)
    except ReleaseError as error:
        raise FatalError(error.message, error.advice, ExitCode.USAGE) from error


def _tag_or_newest(image: str) -> str:
    tag = image.rpartition(":")[2]
    return tag if any(tag == release.version for release in table()) else "newest"


def open_folder(path: Path) -> "CaptureFolder":
    """The folder of a new capture.

    Raises:
        FatalError: there is something in it.
    """
    from wireproof.capture import CaptureError
    from wireproof.capture.capture_folder import CaptureFolder

    try:
        return CaptureFolder(path)
    except CaptureError as error:
        raise FatalError(f"--output: {error.message}", error.advice, ExitCode.USAGE) from error


def wanted_nodes(nodes: str | None, wanted: Wanted) -> str:
    """What `--nodes` says; without it one node, as users of the release have it."""
    return nodes or ("1" if ReleaseFeature.PRODUCTION_KRAFT.is_in(wanted.release.version) else "1+zk")


def wanted_topology(nodes: str, wanted: Wanted) -> "Topology":
    """What the words of `wanted_nodes` mean.

    Raises:
        FatalError: nothing, or nothing that the release can do.
    """
    from wireproof.capture import CaptureError
    from wireproof.capture.brokers import Topology

    try:
        topology = Topology.parse(nodes)
    except CaptureError as error:
        raise FatalError(f"--nodes: {error.message}", error.advice, ExitCode.USAGE) from error
    if topology.in_zookeeper and ReleaseFeature.NO_ZOOKEEPER.is_in(wanted.release.version):
        advice = "It is for 3.9, 3.0 and 2.8; write --nodes 3 for later releases."
        raise FatalError(f"--nodes: {wanted.release.version} has no ZooKeeper", advice, ExitCode.USAGE)
    if topology.dynamic and not ReleaseFeature.DYNAMIC_VOTERS.is_in(wanted.release.version):
        advice = "It is for 3.9 and later; write --nodes 3 for this one."
        raise FatalError(
            f"--nodes: voters of {wanted.release.version} are those they are", advice, ExitCode.USAGE
        )
    return topology


def make_cluster(
    wanted: Wanted,
    store: JarStore,
    apis: "ApiCatalog",
    nodes: str,
    folder: "CaptureFolder",
    *,
    auto_topics: bool = False,
) -> "Cluster":
    """The cluster, not started yet.

    Args:
        nodes: as `wanted_nodes` gives them.
        auto_topics: whether a broker that is started creates topics that clients ask for.

    Raises:
        FatalError: something it needs is missing, or the nodes mean nothing.
        ReleaseError: a jar cannot be had.
    """
    from wireproof.capture import CaptureError
    from wireproof.capture.brokers import ExistingCluster, JarPrograms, StartedCluster
    from wireproof.capture.brokers.processes.container_programs import KafkaImage

    topology = wanted_topology(nodes, wanted)
    match wanted:
        case OfJars(release=release):
            digests = {jar.file_name: jar.sha256 for jar in broker_jars(release)}
            jars = JarPrograms(release.version, store.broker_jars(release), find_java(), digests)
            return StartedCluster(
                jars, apis, topology, folder.logs, disk=folder.disk, auto_topics=auto_topics
            )
        case InContainers(release=release, image=image):
            image_programs = KafkaImage(image, release.version)
            return StartedCluster(
                image_programs, apis, topology, folder.logs, disk=folder.disk, auto_topics=auto_topics
            )
        case Existing(address=address, access=access):
            try:
                return ExistingCluster(apis, address, access)
            except CaptureError as error:
                raise FatalError(error.message, error.advice, ExitCode.MISSING) from error
        case _:
            assert_never(wanted)


def find_java() -> Path:
    """The program that runs brokers and clients.

    Raises:
        FatalError: there is no Java.
    """
    from wireproof.oracle import RuntimeMissingError, find_runtime

    try:
        java = find_runtime().tool("java")
    except RuntimeMissingError as error:
        advice = f"Install Java 17 or newer, or: {install('java')}"
        raise FatalError(str(error), advice, ExitCode.MISSING) from error
    assert java is not None  # what find_runtime takes for one has it
    return java
