"""Clusters to be captured, whatever they are made of: one face, made in several ways."""

from wireproof.capture.brokers.cluster import Cluster
from wireproof.capture.brokers.existing import ExistingCluster
from wireproof.capture.brokers.jars import Jars
from wireproof.capture.brokers.properties import SASL_PASSWORD, SASL_USER
from wireproof.capture.brokers.readiness import advertised, wait_until_ready
from wireproof.capture.brokers.started import StartedCluster
from wireproof.capture.brokers.topology import Listener, Node, Place, Role, Topology, Whereabouts

__all__ = [
    "SASL_PASSWORD",
    "SASL_USER",
    "Cluster",
    "ExistingCluster",
    "Jars",
    "Listener",
    "Node",
    "Place",
    "Role",
    "StartedCluster",
    "Topology",
    "Whereabouts",
    "advertised",
    "wait_until_ready",
]
