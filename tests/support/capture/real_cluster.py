"""Clusters of released jars for tests, and what a test asks of them."""

from pathlib import Path

from wireproof.kafka.oracle.java_runtime import find_runtime
from wireproof.kafka.releases.broker_classpath import broker_jars
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.processes.node_process import JarPrograms
from wireproof.traffic.capture.brokers.server_properties import Topology
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog

READY_S = 240.0
"""A busy machine takes its time."""


def kafka(release: str) -> JarPrograms:
    """The jars of a release, fetched if they must be, and a Java to run them."""
    found = table().find(release)
    java = find_runtime().tool("java")
    assert java is not None
    digests = {jar.file_name: jar.sha256 for jar in broker_jars(found)}
    return JarPrograms(found.version, JarStore().broker_jars(found), java, digests)


def apis(release: str) -> ApiCatalog:
    return ApiCatalog(load_snapshot(table().find(release)))


def cluster(release: str, nodes: str, logs: Path) -> StartedCluster:
    """A cluster that is not started yet."""
    return StartedCluster(kafka(release), apis(release), Topology.parse(nodes), logs, ready_s=READY_S)
