"""The nodes that a text means, and their configuration."""

from pathlib import Path

import pytest

from wireproof.capture import CaptureError
from wireproof.capture.brokers import Listener, ListenerPlace, Role, Topology
from wireproof.capture.brokers.server_properties import server_properties

FOLDER = Path("/data")


def test_a_number_means_combined_nodes() -> None:
    """Each of them is broker and controller, with ids from 1 on."""
    nodes = Topology.parse("3").nodes
    assert [node.id for node in nodes] == [1, 2, 3]
    assert all(node.roles == (Role.BROKER, Role.CONTROLLER) for node in nodes)


def test_a_sum_means_brokers_and_controllers_of_their_own() -> None:
    """A controller alone has one listener; brokers alone have none for controllers."""
    topology = Topology.parse("2+1")
    assert [node.id for node in topology.brokers] == [1, 2]
    assert [node.places for node in topology.controllers] == [(ListenerPlace(101, Listener.CONTROLLER),)]
    assert all(
        place.listener is not Listener.CONTROLLER for node in topology.brokers for place in node.places
    )


def test_brokers_may_have_a_zookeeper() -> None:
    """Then no node is a controller of a quorum, and none has a listener for such."""
    topology = Topology.parse("3+zk")
    assert topology.in_zookeeper
    assert all(node.roles == (Role.BROKER,) for node in topology.nodes)
    assert not any(Topology.parse(words).in_zookeeper for words in ("3", "3+1"))


def test_voters_may_change_where_that_is_asked_for() -> None:
    """The configuration then names the nodes to ask instead of the voters: those are in the log."""
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
def test_words_that_mean_no_nodes_are_refused(words: str) -> None:
    """None, more than nine, or no number; the advice shows how it is written."""
    with pytest.raises(CaptureError) as caught:
        Topology.parse(words)
    assert "3+1" in caught.value.advice


def properties(release: str, words: str = "1", node: int = 1) -> dict[str, str]:
    """A node's configuration: bound at ports from 1000 on, advertised at those from 2000 on."""
    topology = Topology.parse(words)
    real = {place: ("127.0.0.1", 1000 + number) for number, place in enumerate(topology.places)}
    proxy = {place: ("127.0.0.1", 2000 + number) for number, place in enumerate(topology.places)}
    (found,) = [each for each in topology.nodes if each.id == node]
    zookeeper = ("127.0.0.1", 3000) if topology.in_zookeeper else None
    text = server_properties(release, topology, found, real, proxy.__getitem__, FOLDER, zookeeper)
    return dict(line.split("=", 1) for line in text.splitlines())


def test_topics_are_created_where_that_is_asked_for() -> None:
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


def test_controllers_are_advertised_where_that_is_allowed() -> None:
    """Before 3.9 a controller's listener among the advertised ones is refused at the start."""
    assert "CONTROLLER" not in properties("3.0.2")["advertised.listeners"]
    assert "CONTROLLER" in properties("3.9.2")["advertised.listeners"]
    assert "advertised.listeners" not in properties("3.0.2", "1+1", 101)


def test_a_controller_alone_has_nothing_of_a_broker() -> None:
    """It has no listener between brokers and no topics of its own to configure."""
    found = properties("4.3.1", "1+1", 101)
    assert found["process.roles"] == "controller"
    assert "inter.broker.listener.name" not in found
    assert "offsets.topic.replication.factor" not in found


def test_releases_get_what_they_have() -> None:
    """An authorizer without ZooKeeper since 3.2, two folders of logs since 3.7, share groups since 3.9."""
    old, new = properties("3.0.2"), properties("4.3.1")
    assert "authorizer.class.name" not in old
    assert "authorizer.class.name" in new
    assert (old["log.dirs"], new["log.dirs"]) == ("/data/a", "/data/a,/data/b")
    assert "group.coordinator.rebalance.protocols" not in old
    assert "share" in new["group.coordinator.rebalance.protocols"]


@pytest.mark.parametrize("release", ["2.8.2", "3.0.2", "3.9.2"])
def test_with_a_zookeeper_a_broker_has_what_a_quorum_came_to_later(release: str) -> None:
    """ACLs, delegation tokens and several folders in each release, and nothing that is about a quorum."""
    found = properties(release, "3+zk")
    assert (found["broker.id"], found["zookeeper.connect"]) == ("1", "127.0.0.1:3000")
    assert found["log.dirs"] == "/data/a,/data/b"
    assert "authorizer.class.name" in found
    assert "delegation.token.secret.key" in found
    assert not any(key.startswith(("controller.", "process.", "group.coordinator")) for key in found)
    assert ":10" not in found["advertised.listeners"]
