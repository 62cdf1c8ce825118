"""Captures of other clusters than one node from jars, and what their workloads are for."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import real_cluster
from capture_reading import exchanges
from wireproof.capture.brokers import Listener, Place
from wireproof.frames import Naming
from wireproof.releases import load_snapshot, table

RELEASE = "4.3.1"
COMMAND = [sys.executable, "-m", "wireproof", "capture"]


def capture(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "--output", str(folder), *words]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)


def captured(folder: Path, listener: Listener) -> Counter[tuple[str, int]]:
    """What went over all listeners of a kind."""
    naming = Naming(load_snapshot(table().find(RELEASE)))
    found: Counter[tuple[str, int]] = Counter()
    for segment in (folder / "segments").glob(f"*-{listener}.wpseg"):
        found += exchanges(segment, naming)
    return found


def test_an_outage_shows_what_nodes_say_to_each_other(tmp_path: Path) -> None:
    """Votes, epochs that begin and end, replicas that leave and join, registrations, snapshots."""
    done = capture(tmp_path / "x", "--broker", f"jars:{RELEASE}", "--nodes", "3", "--workload", "outage")
    assert done.returncode == 0, done.stderr
    said = {request for request, _ in captured(tmp_path / "x", Listener.CONTROLLER)}
    assert said >= {
        "AlterPartitionRequest",
        "AssignReplicasToDirsRequest",
        "BeginQuorumEpochRequest",
        "BrokerHeartbeatRequest",
        "BrokerRegistrationRequest",
        "ControllerRegistrationRequest",
        "EndQuorumEpochRequest",
        "FetchRequest",
        "FetchSnapshotRequest",
        "VoteRequest",
    }
    assert {"FetchRequest"} <= {request for request, _ in captured(tmp_path / "x", Listener.INTERNAL)}


def test_an_outage_needs_three_brokers(tmp_path: Path) -> None:
    """With one the message says what to add."""
    done = capture(tmp_path / "x", "--broker", f"jars:{RELEASE}", "--workload", "outage")
    assert done.returncode == 5
    assert "--nodes 3" in done.stderr


def test_a_cluster_that_is_there_is_captured_and_goes_on(tmp_path: Path) -> None:
    """Its addresses are replaced on the path: clients stay with the proxy; its own bytes are recorded."""
    with real_cluster.cluster(RELEASE, "1", tmp_path / "logs") as running:
        running.start()
        host, port = running.places[Place(1, Listener.CLIENT)]
        broker = f"address:{host}:{port}"
        done = capture(tmp_path / "x", "--broker", broker, "--release", RELEASE, "--workload", "sweep")
        running.check()
    assert done.returncode == 0, done.stderr
    facts = json.loads((tmp_path / "x" / "capture.json").read_text())
    assert facts["cluster"]["cluster_id"] == running.cluster_id
    (account,) = facts["workloads"][0]["listeners"]
    assert (account["listener"], account["answered"]) == ("CLIENT", 276)
    assert captured(tmp_path / "x", Listener.CLIENT)["MetadataRequest", 13] > 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--broker", "address:127.0.0.1:1"], 2, "Name what is to drive it"),
        (["--broker", "address:127.0.0.1:1", "--workload", "sweep"], 4, "nobody answers"),
        (["--broker", "address:127.0.0.1"], 2, "HOST:PORT"),
        (["--broker", "jars:4.3", "--release", "4.3"], 2, "stands in --broker"),
        (["--broker", "container:x:4.3.1", "--release", "9.9"], 2, "unknown release"),
    ],
)
def test_what_cannot_be_captured_is_told(words: list[str], code: int, told: str, tmp_path: Path) -> None:
    """Before anything is started."""
    done = capture(tmp_path / "x", *words)
    assert done.returncode == code
    assert told in done.stderr
