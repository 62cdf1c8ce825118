"""Clusters to capture: one protocol, and several kinds of clusters that implement it."""

from wireproof.traffic.capture.brokers.existing_cluster import Cluster, ExistingCluster
from wireproof.traffic.capture.brokers.processes.node_process import JarPrograms
from wireproof.traffic.capture.brokers.readiness import advertised
from wireproof.traffic.capture.brokers.server_properties import SASL_PASSWORD, SASL_USER
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.brokers.topology import Listener, ListenerPlace, Topology

__all__ = [
    "SASL_PASSWORD",
    "SASL_USER",
    "Cluster",
    "ExistingCluster",
    "JarPrograms",
    "Listener",
    "ListenerPlace",
    "StartedCluster",
    "Topology",
    "advertised",
]
