"""The nodes that a text describes, and their configuration."""

from pathlib import Path

import pytest

from wireproof.traffic.capture.brokers.server_properties import (
    Listener,
    ListenerPlace,
    Role,
    Topology,
    server_properties,
)
from wireproof.traffic.capture.capture_error import CaptureError

FOLDER = Path("/data")


def test_a_number_means_combined_nodes() -> None:
    """Each node is broker and controller, with ids from 1 on."""
    nodes = Topology.parse("3").nodes
    assert [node.id for node in nodes] == [1, 2, 3]
    assert all(node.roles == (Role.BROKER, Role.CONTROLLER) for node in nodes)


def test_a_sum_means_separate_brokers_and_controllers() -> None:
    """A controller has one listener; a broker has no controller listener."""
    topology = Topology.parse("2+1")
    assert [node.id for node in topology.brokers] == [1, 2]
    assert [node.places for node in topology.controllers] == [(ListenerPlace(101, Listener.CONTROLLER),)]
    assert all(
        place.listener is not Listener.CONTROLLER for node in topology.brokers for place in node.places
    )


def test_brokers_may_have_a_zookeeper() -> None:
    """Then no node is a controller of a quorum, and no node has a controller listener."""
    topology = Topology.parse("3+zk")
    assert topology.in_zookeeper
    assert all(node.roles == (Role.BROKER,) for node in topology.nodes)
    assert not any(Topology.parse(words).in_zookeeper for words in ("3", "3+1"))


def test_voters_may_change_if_requested() -> None:
    """The configuration then names the nodes to ask instead of the voters, which are in the log."""
    assert [Topology.parse(words).dynamic for words in ("3v", "1+3v", "3", "3+1", "3+zk")] == [
        *(True, True),
        *(False, False, False),
    ]
    found = properties("4.3.1", "3v")
    assert "controller.quorum.voters" not in found
    assert found["controller.quorum.bootstrap.servers"].count("127.0.0.1:20") == 3


@pytest.mark.parametrize(
    "words", ["3+zkv", "v3", "", "0", "10", "1+0", "1+1+1", "-1", "many", "zk", "1+zk+1"]
)
def test_an_invalid_number_of_nodes_is_refused(words: str) -> None:
    """There are no nodes, more than nine, or the text is not a number; the advice shows the form."""
    with pytest.raises(CaptureError) as caught:
        Topology.parse(words)
    assert "3+1" in caught.value.advice


def properties(release: str, words: str = "1", node: int = 1) -> dict[str, str]:
    """Return a node's configuration: it binds ports from 1000 on, and advertises those from 2000 on."""
    topology = Topology.parse(words)
    real = {place: ("127.0.0.1", 1000 + number) for number, place in enumerate(topology.places)}
    proxy = {place: ("127.0.0.1", 2000 + number) for number, place in enumerate(topology.places)}
    (found,) = [each for each in topology.nodes if each.id == node]
    zookeeper = ("127.0.0.1", 3000) if topology.in_zookeeper else None
    text = server_properties(release, topology, found, real, proxy.__getitem__, FOLDER, zookeeper)
    return dict(line.split("=", 1) for line in text.splitlines())


def test_topics_are_created_automatically_if_requested() -> None:
    """A judged program may rely on it, as with Kafka's default; the workloads create their own topics."""
    topology = Topology.parse("1")
    real = {place: ("127.0.0.1", 1000 + number) for number, place in enumerate(topology.places)}
    (node,) = topology.nodes
    for asked in (True, False):
        text = server_properties("4.3.1", topology, node, real, real.__getitem__, FOLDER, auto_topics=asked)
        assert f"auto.create.topics.enable={str(asked).lower()}\n" in text


@pytest.mark.parametrize("release", ["2.8.2", "3.0.2", "3.9.2", "4.3.1"])
def test_a_node_advertises_only_the_proxy(release: str) -> None:
    """A node binds its own ports; the addresses that it advertises, and the voters, are the proxy's."""
    found = properties(release, "3")
    advertised = found["advertised.listeners"] + found["controller.quorum.voters"]
    assert ":10" not in advertised
    assert ":20" not in found["listeners"]
    assert len(found["controller.quorum.voters"].split(",")) == 3


def test_controllers_are_advertised_in_releases_that_allow_it() -> None:
    """Before 3.9 a node with an advertised controller listener does not start."""
    assert "CONTROLLER" not in properties("3.0.2")["advertised.listeners"]
    assert "CONTROLLER" in properties("3.9.2")["advertised.listeners"]
    assert "advertised.listeners" not in properties("3.0.2", "1+1", 101)


def test_a_controller_has_no_settings_of_a_broker() -> None:
    """It has no inter-broker listener and no settings of topics."""
    found = properties("4.3.1", "1+1", 101)
    assert found["process.roles"] == "controller"
    assert "inter.broker.listener.name" not in found
    assert "offsets.topic.replication.factor" not in found


def test_a_release_gets_the_settings_that_it_supports() -> None:
    """There is an authorizer without ZooKeeper since 3.2, two log folders since 3.7, and share groups since
    3.9."""
    old, new = properties("3.0.2"), properties("4.3.1")
    assert "authorizer.class.name" not in old
    assert "authorizer.class.name" in new
    assert (old["log.dirs"], new["log.dirs"]) == ("/data/a", "/data/a,/data/b")
    assert "group.coordinator.rebalance.protocols" not in old
    assert "share" in new["group.coordinator.rebalance.protocols"]


@pytest.mark.parametrize("release", ["2.8.2", "3.0.2", "3.9.2"])
def test_a_broker_with_zookeeper_has_features_that_a_quorum_got_later(release: str) -> None:
    """It has ACLs, delegation tokens and several folders in each release, and no settings of a quorum."""
    found = properties(release, "3+zk")
    assert (found["broker.id"], found["zookeeper.connect"]) == ("1", "127.0.0.1:3000")
    assert found["log.dirs"] == "/data/a,/data/b"
    assert "authorizer.class.name" in found
    assert "delegation.token.secret.key" in found
    assert not any(key.startswith(("controller.", "process.", "group.coordinator")) for key in found)
    assert ":10" not in found["advertised.listeners"]
