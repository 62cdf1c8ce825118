"""Clusters of released jars as they really are: they start, say what they take, and leave nothing behind."""

import re
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

import real_cluster
from wireproof.capture import CaptureError
from wireproof.capture.brokers import Listener, Place, StartedCluster, Topology, advertised
from wireproof.capture.brokers.workspace import sweep
from wireproof.capture.caller import Answered, Caller

WAIT_S = 60.0
PAIRS = {
    "4.3.1": (279, 116),
    "3.9.2": (271, 130),
    "3.0.2": (204, 77),
    "2.8.2": (155, 67),
}
"""Pairs of API and version on the listeners for clients and for controllers, as they were seen."""


@pytest.mark.parametrize("release", PAIRS)
def test_one_node(release: str, tmp_path: Path) -> None:
    """A node is ready when it is told to be, advertises what the release has, and is gone when stopped."""
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


def test_nothing_is_left_of_a_killed_capture(tmp_path: Path) -> None:
    """After kill -9 of who has the cluster its node is gone, and its data when the next begins."""
    program = [sys.executable, real_cluster.__file__, "4.3.1", str(tmp_path)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid, folder = owner.stdout.readline().split()
        node = psutil.Process(int(pid))
        assert Path(folder).is_dir()
        owner.kill()
        owner.wait()
        _, alive = psutil.wait_procs([node], WAIT_S)
    assert alive == []
    sweep()
    assert not Path(folder).exists()


def test_three_nodes_lose_one_and_get_it_back(tmp_path: Path) -> None:
    """The others elect a leader without it; restarted, it is in the metadata of all of them again."""
    with real_cluster.cluster("4.3.1", "3", tmp_path) as running:
        running.start()
        running.kill(1)
        running.wait()
        running.restart(1)
        running.check()
        at = running.places[Place(2, Listener.CLIENT)]
        with Caller(real_cluster.apis("4.3.1"), at, timeout_s=WAIT_S) as caller:
            answer = caller.call("MetadataRequest", 12, {"topics": []})
    assert isinstance(answer, Answered)
    assert sorted(each["nodeId"] for each in answer.body["brokers"]) == [1, 2, 3]


def test_controllers_of_their_own(tmp_path: Path) -> None:
    """A broker and a controller apart: the one takes clients, the other the rest."""
    with real_cluster.cluster("4.3.1", "1+1", tmp_path) as running:
        running.start()
        assert {place.node for place in running.places if place.listener is Listener.CONTROLLER} == {101}
        assert len(running.pids) == 2


def test_a_broker_that_dies_says_why(tmp_path: Path) -> None:
    """Without one of its jars it ends at the start: the message has the end of its log."""
    whole = real_cluster.kafka("4.3.1")
    maimed = replace(whole, class_path=[jar for jar in whole.class_path if "metrics-core" not in jar.name])
    running = StartedCluster(maimed, real_cluster.apis("4.3.1"), Topology.parse("1"), tmp_path)
    with pytest.raises(CaptureError, match="exit code") as caught:
        running.start()
    assert re.search(r"NoClassDefFoundError|ClassNotFoundException", caught.value.advice)
    assert running.pids == ()


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    """Taken between the choice and the start; nothing is left of the node."""
    running = real_cluster.cluster("4.3.1", "1", tmp_path)
    with socket.create_server(running.places[Place(1, Listener.CLIENT)]):
        with pytest.raises(CaptureError, match="node 1") as caught:
            running.start()
        assert "Address already in use" in caught.value.advice
    assert running.pids == ()


def test_a_broker_that_never_gets_ready_is_told(tmp_path: Path) -> None:
    """When the time is over, what was missing is named, and nothing is left of the node."""
    running = StartedCluster(
        real_cluster.kafka("4.3.1"), real_cluster.apis("4.3.1"), Topology.parse("1"), tmp_path, ready_s=0.0
    )
    with pytest.raises(CaptureError, match=r"not ready after 0 s: no answer from 1-CLIENT") as caught:
        running.start()
    assert str(tmp_path / "1.log") in caught.value.advice
    assert running.pids == ()
