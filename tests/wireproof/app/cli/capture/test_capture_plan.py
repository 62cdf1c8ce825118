"""Which clusters a capture has, and what drives each: the plan of a command line."""

import pytest

from wireproof.app.cli.capture.capture_command import (
    EVERY,
    NAMED_ALONE,
    WORKLOADS,
    ClusterPlan,
    plan_clusters,
)
from wireproof.app.cli.capture.clusters import wanted_broker
from wireproof.base.exit_codes import FatalError

USUAL = tuple(name for name in WORKLOADS if name not in NAMED_ALONE)


def plans(release: str, nodes: list[str], workloads: list[str]) -> list[ClusterPlan]:
    return plan_clusters(wanted_broker(f"jars:{release}"), nodes, workloads)


def test_one_cluster_gets_what_was_asked_for() -> None:
    """In the order in which workloads run; without a word, what the release is used as, and the usual."""
    assert plans("4.3.1", ["3"], ["sweep", "outage"]) == [ClusterPlan("3", ("outage", "sweep"))]
    assert plans("4.3.1", [], []) == [ClusterPlan("1", USUAL)]
    assert plans("2.8.2", [], []) == [ClusterPlan("1+zk", USUAL)]


def test_of_several_each_gets_what_it_is_fit_for() -> None:
    """Outages are for three brokers of a quorum that stays, voters for one that may change."""
    asked = ["outage", "voters", "sweep"]
    assert plans("4.3.1", ["1", "3", "1+3v"], asked) == [
        ClusterPlan("1", ("sweep",)),
        ClusterPlan("3", ("outage", "sweep")),
        ClusterPlan("1+3v", ("voters", "sweep")),
    ]


@pytest.mark.parametrize(
    ("release", "clusters"),
    [
        ("4.3.1", ["1", "3", "1+3v"]),
        ("3.9.2", ["1", "3", "1+3v", "1+zk", "3+zk"]),
        ("3.0.2", ["1", "3", "1+zk", "3+zk"]),
        ("2.8.2", ["1", "1+zk", "3+zk"]),
    ],
)
def test_every_kind_of_cluster_with_every_workload(release: str, clusters: list[str]) -> None:
    """Each has something that shows nowhere else; all workloads run, but for voters before 3.9. Quorums of
    2.8 know no outage: their nodes cannot start again."""
    found = plans(release, [EVERY], [])
    assert [each.nodes for each in found] == clusters
    driven = {name for each in found for name in each.workloads}
    assert driven == set(WORKLOADS) - ({"voters"} if "1+3v" not in clusters else set())
    for plan in found:
        assert list(plan.workloads) == [name for name in WORKLOADS if name in plan.workloads]


def test_every_kind_with_some_workloads() -> None:
    """Clusters that nothing drives then are left out."""
    assert plans("2.8.2", [EVERY], ["sweep"]) == [
        ClusterPlan("1", ("sweep",)),
        ClusterPlan("1+zk", ("sweep",)),
    ]


@pytest.mark.parametrize(
    ("release", "nodes", "workloads", "words"),
    [
        ("4.3.1", [EVERY, "3"], [], "every includes all others"),
        ("4.3.1", ["3", "3"], [], "--nodes 3 is named twice"),
        ("4.3.1", ["1", "x"], [], "'x' is not a set of nodes"),
        ("4.3.1", ["1", "3+zk"], [], "4.3.1 has no ZooKeeper"),
        ("2.8.2", [EVERY], ["voters"], "--workload voters: no cluster of 1, 1+zk, 3+zk is for it"),
        ("4.3.1", ["1", "3v"], ["outage"], "--workload outage: no cluster of 1, 3v is for it"),
        ("4.3.1", [], ["outage"], "--workload outage: --nodes 1 is not for it"),
        ("4.3.1", ["3"], ["sweep", "voters"], "--workload voters: --nodes 3 is not for it"),
        ("4.3.1", ["1", "3"], ["outage"], "--nodes 1: no workload is for it"),
    ],
)
def test_what_cannot_be_meant_is_reported(
    release: str, nodes: list[str], workloads: list[str], words: str
) -> None:
    """With exit code 2, before anything is started."""
    with pytest.raises(FatalError) as caught:
        plans(release, nodes, workloads)
    assert words in caught.value.message
    assert caught.value.exit_code == 2


def test_a_cluster_that_is_there_has_the_nodes_it_has() -> None:
    """It is one, and not asked to be another."""
    wanted = wanted_broker("address:localhost:9092")
    assert plan_clusters(wanted, [], ["sweep"]) == [ClusterPlan("1", ("sweep",))]
    for nodes in ([EVERY], ["1", "3"]):
        with pytest.raises(FatalError, match="an existing cluster keeps its nodes"):
            plan_clusters(wanted, nodes, ["sweep"])
