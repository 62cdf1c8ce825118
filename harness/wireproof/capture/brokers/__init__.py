"""Clusters to be captured, whatever they are made of: one face, made in several ways."""

from wireproof.capture.brokers.cluster import Cluster
from wireproof.capture.brokers.jars import JarCluster, Kafka
from wireproof.capture.brokers.properties import SASL_PASSWORD, SASL_USER
from wireproof.capture.brokers.readiness import advertised, wait_until_ready
from wireproof.capture.brokers.topology import Listener, Node, Place, Role, Topology, Whereabouts

__all__ = [
    "SASL_PASSWORD",
    "SASL_USER",
    "Cluster",
    "JarCluster",
    "Kafka",
    "Listener",
    "Node",
    "Place",
    "Role",
    "Topology",
    "Whereabouts",
    "advertised",
    "wait_until_ready",
]
