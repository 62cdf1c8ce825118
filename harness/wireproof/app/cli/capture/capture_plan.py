"""The plan of a capture: the clusters, one after the other, and the workloads of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wireproof.app.cli.capture.clusters import (
    Existing,
    Wanted,
    wanted_nodes,
    wanted_topology,
)
from wireproof.base.fatal import FatalError
from wireproof.model import ReleaseFeature
from wireproof.proof.run import ExitCode

EVERY: Final = "every"
WORKLOADS: Final = ("guide", "java-clients", "clients", "voters", "outage", "sweep", "internal-topics")
"""In the order in which they run: later ones use the data of earlier ones."""
NAMED_ALONE: Final = ("clients", "outage", "voters")
"""Workloads that run only if they are named: they need other toolchains, or three nodes."""
_ON_NODES: Final = ("outage", "voters")
_ALL_CALLS: Final = ("guide", "java-clients", "clients", "sweep", "internal-topics")
_LEAST_NODES: Final = 3


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """One cluster to capture, with its workloads.

    Attributes:
        nodes: as in `--nodes`.
        workloads: in order.
    """

    nodes: str
    workloads: tuple[str, ...]


def plan_clusters(wanted: Wanted, nodes: Sequence[str], workloads: Sequence[str]) -> list[ClusterPlan]:
    """Plan the clusters: at least one, each with at least one workload.

    A single cluster gets the named workloads; of several clusters each gets those that it supports.

    Args:
        nodes: the values of `--nodes`; `EVERY` means all kinds of clusters that the release supports.
        workloads: the values of `--workload`; without any, all that the clusters support.

    Raises:
        FatalError: a value is not valid, a workload has no cluster, or a cluster has no workload.
    """
    if isinstance(wanted, Existing) and nodes and (EVERY in nodes or len(nodes) > 1):
        raise FatalError("--nodes: an existing cluster keeps its nodes", "Leave --nodes out.", ExitCode.USAGE)
    if EVERY in nodes:
        if len(nodes) > 1:
            raise FatalError(f"--nodes: {EVERY} includes all others", "Write it alone.", ExitCode.USAGE)
        return _driven(_every(wanted.release.version), workloads)
    if len(set(nodes)) < len(nodes):
        twice = next(each for each in nodes if nodes.count(each) > 1)
        raise FatalError(f"--nodes {twice} is named twice", "Name each cluster once.", ExitCode.USAGE)
    usual = [name for name in WORKLOADS if name in workloads or not (workloads or name in NAMED_ALONE)]
    if isinstance(wanted, Existing):
        for name in _ON_NODES:
            if name in workloads:
                advice = "It stops nodes and starts them: name a --broker from jars or in containers."
                words = f"--workload {name}: an existing cluster does not support it"
                raise FatalError(words, advice, ExitCode.USAGE)
        return [ClusterPlan(wanted_nodes(nodes[0] if nodes else None, wanted), tuple(usual))]
    if len(nodes) < 2:
        return _driven([_fit(wanted_nodes(nodes[0] if nodes else None, wanted), wanted, usual)], workloads)
    plans = _driven([_fit(each, wanted, usual) for each in nodes], workloads)
    for each in nodes:
        if each not in {plan.nodes for plan in plans}:
            advice = "Leave it out, or name a workload that it supports."
            raise FatalError(f"--nodes {each}: no workload is for it", advice, ExitCode.USAGE)
    return plans


def _every(release: str) -> list[ClusterPlan]:
    """All kinds of clusters that a release supports, each with the workloads that need it."""
    plans = [ClusterPlan("1", _ALL_CALLS)]
    if ReleaseFeature.READABLE_METADATA_LOG.is_in(release):
        plans.append(ClusterPlan("3", ("outage",)))
    if ReleaseFeature.DYNAMIC_VOTERS.is_in(release):
        plans.append(ClusterPlan("1+3v", ("voters",)))
    if not ReleaseFeature.NO_ZOOKEEPER.is_in(release):
        plans += [ClusterPlan("1+zk", _ALL_CALLS), ClusterPlan("3+zk", ("outage",))]
    return plans


def _fit(nodes: str, wanted: Wanted, workloads: Sequence[str]) -> ClusterPlan:
    """The workloads that a cluster supports."""
    topology = wanted_topology(nodes, wanted)
    unfit = set()
    if not topology.dynamic or len(topology.controllers) < _LEAST_NODES:
        unfit.add("voters")
    if topology.dynamic or len(topology.brokers) < _LEAST_NODES:
        unfit.add("outage")
    return ClusterPlan(nodes, tuple(name for name in workloads if name not in unfit))


def _driven(plans: Sequence[ClusterPlan], workloads: Sequence[str]) -> list[ClusterPlan]:
    """The clusters with at least one of these workloads.

    Raises:
        FatalError: no cluster supports one of them.
    """
    asked = set(workloads or WORKLOADS)
    found = [
        ClusterPlan(plan.nodes, driven)
        for plan in plans
        if (driven := tuple(name for name in plan.workloads if name in asked))
    ]
    for name in workloads:
        if not any(name in plan.workloads for plan in found):
            words = ", ".join(plan.nodes for plan in plans)
            none = f"--nodes {words} is not" if len(plans) == 1 else f"no cluster of {words} is"
            advice = "outage needs --nodes 3 or 3+zk, voters --nodes 3v or 1+3v (since 3.9)."
            raise FatalError(f"--workload {name}: {none} for it", advice, ExitCode.USAGE)
    return found
