"""Clusters of released jars: they start, advertise their versions, and leave no process or file."""

import re
import socket
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.support.capture import real_cluster
from wireproof.traffic.capture.brokers.existing_cluster import advertised
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace, Topology
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.capture_error import CaptureError

PAIRS = {"4.3.1": (279, 116), "3.9.2": (271, 130), "3.0.2": (204, 77), "2.8.2": (155, 67)}
"""Pairs of API and version on the listeners for clients and for controllers, as they were seen."""


@pytest.mark.parametrize("release", PAIRS)
def test_one_node(release: str, tmp_path: Path) -> None:
    """A node is ready after its start, advertises the versions of its release, and is gone after its stop."""
    with real_cluster.cluster(release, "1", tmp_path) as running:
        running.start()
        processes = [psutil.Process(pid) for pid in running.pids]
        folder = running.folder
        found = {
            place.listener: advertised(real_cluster.apis(release), address)
            for place, address in running.places.items()
        }
        running.check()
    pairs = [
        sum(1 for versions in (found[each] or {}).values() for _ in versions)
        for each in (Listener.CLIENT, Listener.CONTROLLER)
    ]
    assert tuple(pairs) == PAIRS[release]
    assert not any(process.is_running() for process in processes)
    assert not folder.exists()
    assert "started" in (tmp_path / "1.log").read_text().lower()


def test_a_broker_that_dies_says_why(tmp_path: Path) -> None:
    """Without one of its jars it ends at the start: the message has the end of its log."""
    whole = real_cluster.kafka("4.3.1")
    maimed = replace(whole, class_path=[jar for jar in whole.class_path if "metrics-core" not in jar.name])
    running = StartedCluster(maimed, real_cluster.apis("4.3.1"), Topology.parse("1"), tmp_path)
    with pytest.raises(CaptureError, match="exit code") as caught:
        running.start()
    assert re.search(r"NoClassDefFoundError|ClassNotFoundException", caught.value.advice)
    assert running.pids == ()


def test_a_port_that_is_taken_is_reported(tmp_path: Path) -> None:
    """Taken between the choice and the start; nothing is left of the node."""
    running = real_cluster.cluster("4.3.1", "1", tmp_path)
    with socket.create_server(running.places[ListenerPlace(1, Listener.CLIENT)]):
        with pytest.raises(CaptureError, match="node 1") as caught:
            running.start()
        assert "Address already in use" in caught.value.advice
    assert running.pids == ()


def test_a_broker_that_never_gets_ready_is_reported(tmp_path: Path) -> None:
    """When the time is over, what was missing is named, and nothing is left of the node."""
    running = StartedCluster(
        real_cluster.kafka("4.3.1"), real_cluster.apis("4.3.1"), Topology.parse("1"), tmp_path, ready_s=0.0
    )
    with pytest.raises(CaptureError, match=r"not ready after 0 s: no answer from 1-CLIENT") as caught:
        running.start()
    assert str(tmp_path / "1.log") in caught.value.advice
    assert running.pids == ()
