"""Brokers by the words of a command line: which one, of which jars, and where what is captured goes."""

from pathlib import Path
from typing import TYPE_CHECKING

from wireproof.cli.options import Fatal
from wireproof.releases import JarStore, Release, ReleaseError, broker_jars, broker_releases, table
from wireproof.run import ExitCode

if TYPE_CHECKING:
    from wireproof.capture.brokers import Cluster
    from wireproof.capture.caller import Apis
    from wireproof.capture.folder import CaptureFolder

__all__ = ["find_java", "make_cluster", "open_folder", "wanted_broker"]


def wanted_broker(broker: str) -> Release:
    """The release that the option names; `newest` is the newest whose brokers start."""
    way, _, word = broker.partition(":")
    if way != "jars" or not word:
        raise Fatal(f"--broker: {broker!r} is none", "Write jars:4.3.1, or jars:newest.", ExitCode.USAGE)
    try:
        return table().find(broker_releases()[0] if word == "newest" else word)
    except ReleaseError as error:
        raise Fatal(error.message, error.advice, ExitCode.USAGE) from error


def open_folder(path: Path) -> "CaptureFolder":
    from wireproof.capture import CaptureError
    from wireproof.capture.folder import CaptureFolder

    try:
        return CaptureFolder(path)
    except CaptureError as error:
        raise Fatal(f"--output: {error.message}", error.advice, ExitCode.USAGE) from error


def make_cluster(
    release: Release, store: JarStore, apis: "Apis", nodes: str, folder: "CaptureFolder", java: Path
) -> "Cluster":
    from wireproof.capture import CaptureError
    from wireproof.capture.brokers import JarCluster, Kafka, Topology

    try:
        topology = Topology.parse(nodes)
    except CaptureError as error:
        raise Fatal(f"--nodes: {error.message}", error.advice, ExitCode.USAGE) from error
    digests = {jar.file_name: jar.sha256 for jar in broker_jars(release)}
    return JarCluster(
        Kafka(release.version, store.broker_jars(release), java, digests), apis, topology, folder.logs
    )


def find_java() -> Path:
    """The program that runs brokers and clients."""
    from wireproof.oracle import RuntimeMissingError, find_runtime

    try:
        java = find_runtime().tool("java")
    except RuntimeMissingError as error:
        advice = "Install Java 17 or newer, or: pip install 'wireproof[java]'"
        raise Fatal(str(error), advice, ExitCode.MISSING) from error
    assert java is not None  # what find_runtime takes for one has it
    return java
