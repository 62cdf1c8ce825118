"""The clusters that a command line names, and the folder of a capture."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, assert_never

import click

from wireproof.app.assembly.prerequisites import found_runtime
from wireproof.app.cli.options import Decorator, option_group
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.parsing import read_text
from wireproof.kafka.releases.broker_classpath import broker_jars, broker_releases
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import Release, ReleaseError, table
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.traffic.capture.brokers.existing_cluster import Cluster, ExistingCluster
from wireproof.traffic.capture.brokers.processes.container_programs import KafkaImage
from wireproof.traffic.capture.brokers.processes.node_process import JarPrograms, KafkaPrograms
from wireproof.traffic.capture.brokers.server_properties import Topology
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_folder import CaptureFolder
from wireproof.traffic.capture.raw_client.broker_access import (
    OPEN_ACCESS,
    BrokerAccess,
    parse_client_properties,
)
from wireproof.traffic.capture.raw_client.raw_client import Address, ApiCatalog

_WAYS: Final = "Write jars:4.3.1, jars:newest, container:IMAGE:TAG or address:HOST:PORT."


def login_option(help_text: str) -> Decorator:
    """Return the option of the file with the login to an existing cluster."""
    return click.option(
        "--command-config",
        type=click.Path(path_type=Path, dir_okay=False),
        envvar="WIREPROOF_COMMAND_CONFIG",
        show_envvar=True,
        metavar="FILE",
        help=help_text,
    )


broker_options: Final = option_group(
    click.option(
        "--broker",
        default="jars:newest",
        show_default=True,
        metavar="WAY",
        help="Choose the cluster. jars:RELEASE: nodes of a release, from its jars. container:IMAGE: nodes in "
        "containers. address:HOST:PORT: an existing cluster, which keeps running afterwards.",
    ),
    click.option(
        "--release",
        metavar="RELEASE",
        help="Name the release of brokers in containers or of an existing cluster. Default: the tag of the "
        "image if it is a release, otherwise the newest release whose brokers wireproof starts.",
    ),
    login_option(
        "Log in to an existing cluster with this file, in the format of Kafka's own tools: "
        "security.protocol, sasl.mechanism (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512), sasl.jaas.config."
    ),
)
"""The options that choose a cluster, except its nodes."""

NODES_HELP: Final = (
    "Start so many nodes. 3: each is broker and controller; 3+1: brokers, and separate controllers; 3+zk: "
    "brokers, and a ZooKeeper (before 4.0); 3v, 1+3v: with a quorum whose voters can change (since 3.9). "
    "Default: 1; 1+zk for releases before 3.3."
)


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
    """An existing cluster, by the address of one of its brokers."""

    release: Release
    address: Address
    access: BrokerAccess


Wanted = OfJars | InContainers | Existing


def host_and_port(text: str, what: str, advice: str) -> Address:
    """Parse an address; `FatalError`, beginning with `what`, if it is not one."""
    host, _, port = text.rpartition(":")
    if not (_is_host(host) and port.isdecimal() and 0 < int(port) < 1 << 16):
        raise FatalError(f"{what}{text!r} is not HOST:PORT", advice)
    return host.strip("[]"), int(port)


def _is_host(text: str) -> bool:
    """Test if a name can be looked up: the parts between its dots have 1 to 63 characters."""
    try:
        return bool(text.encode("idna"))
    except UnicodeError:
        return False


def wanted_broker(broker: str, release: str | None = None, config: Path | None = None) -> Wanted:
    """Parse the option `--broker`.

    Args:
        release: the release of brokers in containers, or of an existing cluster.
        config: a file with the login to an existing cluster.
    """
    way, _, rest = broker.partition(":")
    if not rest:
        raise FatalError(f"--broker: {broker!r} is not valid", _WAYS)
    if config is not None and way != "address":
        words = "--command-config: a cluster that wireproof starts needs no login"
        raise FatalError(words, "Use it with --broker address:HOST:PORT.")
    match way:
        case "jars" if release is None:
            return OfJars(_release(rest))
        case "jars":
            raise FatalError("--release: --broker jars:RELEASE has the release", _WAYS)
        case "container":
            image = rest if ":" in rest.rpartition("/")[2] else f"{rest}:latest"
            return InContainers(_release(release or _tag_or_newest(image)), image)
        case "address":
            address = host_and_port(rest, "--broker: ", _WAYS)
            return Existing(_release(release or "newest"), address, _access(config))
        case _:
            raise FatalError(f"--broker: {broker!r} is not valid", _WAYS)


def _access(config: Path | None) -> BrokerAccess:
    """The login in a file; open access without a file."""
    if config is None:
        return OPEN_ACCESS
    with as_fatal(OSError, ValueError, CaptureError, what=f"--command-config: {config}: "):
        return parse_client_properties(read_text(config))


def _release(word: str) -> Release:
    """The release with a name; `newest` is the newest whose brokers start."""
    with as_fatal(ReleaseError):
        return table().find(broker_releases()[0] if word == "newest" else word)


def _tag_or_newest(image: str) -> str:
    tag = image.rpartition(":")[2]
    return tag if any(tag == release.version for release in table()) else "newest"


def open_folder(path: Path) -> CaptureFolder:
    """Create the folder of a new capture; `FatalError` if the folder is not empty."""
    with as_fatal(CaptureError, what="--output: "):
        return CaptureFolder(path)


def wanted_nodes(nodes: str | None, wanted: Wanted) -> str:
    """The value of `--nodes`; the default is one node."""
    return nodes or ("1" if ReleaseFeature.PRODUCTION_KRAFT.is_in(wanted.release.version) else "1+zk")


def wanted_topology(nodes: str, wanted: Wanted) -> Topology:
    """Parse the value of `--nodes`."""
    with as_fatal(CaptureError, what="--nodes: "):
        topology = Topology.parse(nodes)
    if topology.in_zookeeper and ReleaseFeature.NO_ZOOKEEPER.is_in(wanted.release.version):
        advice = "Write --nodes 3: ZooKeeper needs 3.9, 3.0 or 2.8."
        raise FatalError(f"--nodes: {wanted.release.version} has no ZooKeeper", advice)
    if topology.dynamic and not ReleaseFeature.DYNAMIC_VOTERS.is_in(wanted.release.version):
        advice = "Write --nodes 3: changing voters need 3.9 or later."
        raise FatalError(f"--nodes: Kafka {wanted.release.version} does not support changing voters", advice)
    return topology


def make_cluster(
    wanted: Wanted,
    store: JarStore,
    apis: ApiCatalog,
    nodes: str,
    folder: CaptureFolder,
    *,
    auto_topics: bool = False,
) -> Cluster:
    """Make the cluster; it is not started yet.

    Args:
        auto_topics: true if a started broker creates topics that clients ask for.
    """
    topology = wanted_topology(nodes, wanted)
    match wanted:
        case OfJars(release=release):
            digests = {jar.file_name: jar.sha256 for jar in broker_jars(release)}
            kafka: KafkaPrograms = JarPrograms(
                release.version, store.broker_jars(release), find_java(), digests
            )
        case InContainers(release=release, image=image):
            kafka = KafkaImage(image, release.version)
        case Existing(address=address, access=access):
            with as_fatal(CaptureError, exit_code=ExitCode.MISSING):
                return ExistingCluster(apis, address, access)
        case _:
            assert_never(wanted)
    return StartedCluster(kafka, apis, topology, folder.logs, disk=folder.disk, auto_topics=auto_topics)


def find_java() -> Path:
    """The program that runs brokers and clients; `FatalError` if there is no Java."""
    java = found_runtime().tool("java")
    assert java is not None  # find_runtime accepts only runtimes with it
    return java
