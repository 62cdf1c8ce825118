"""Captures of other clusters than one node from jars, and what their workloads are for."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.support.capture.segment_contents import answers, exchanges
from tests.support.commands.forked_command import run_command
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.corpus.corpus_folder import read_coverage_report
from wireproof.traffic.wire.frame_identifier import FrameIdentifier

RELEASE = "4.3.1"


def capture(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder.parent, "capture", "--output", str(folder), *words)


def captured(folder: Path, listener: Listener, release: str = RELEASE) -> Counter[tuple[str, int]]:
    """Return the traffic of all listeners of a kind."""
    naming = FrameIdentifier(load_snapshot(table().find(release)))
    found: Counter[tuple[str, int]] = Counter()
    for segment in (folder / "segments").glob(f"*-{listener}.wpseg"):
        found += exchanges(segment, naming)
    return found


def test_an_outage_shows_what_nodes_say_to_each_other(tmp_path: Path) -> None:
    """Votes, epochs that begin and end, replicas that leave and join, registrations, snapshots. A node is
    back when it is in the metadata of all of them again."""
    three = tmp_path / "x"
    done = capture(three, "--broker", f"jars:{RELEASE}", "--nodes", "3", "--workload", "outage")
    assert done.returncode == 0, done.stderr
    said = {request for request, _ in captured(three, Listener.CONTROLLER)}
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
    assert {"FetchRequest"} <= {request for request, _ in captured(three, Listener.INTERNAL)}
    naming = FrameIdentifier(load_snapshot(table().find(RELEASE)))
    segments = (three / "segments").glob("*-CLIENT.wpseg")
    advertised = [each["brokers"] for path in segments for each in answers(path, naming, "MetadataResponse")]
    assert {tuple(sorted(each["nodeId"] for each in brokers)) for brokers in advertised} >= {(1, 2, 3)}
    steps = json.loads((three / "capture.json").read_text())["workloads"][0]["steps"]
    assert [words.partition(" ")[2].partition(" ")[2] for words in steps] == [
        "are there",
        "crashed",
        "is back",
        "the active controller, took its leave",
        "is back",
        "crashed",
        "is back, without its data",
    ]


def test_every_kind_of_cluster_of_an_old_release(tmp_path: Path) -> None:
    """Nodes of 2.8 as a quorum, and as users have them, with their metadata in a ZooKeeper: there between
    brokers goes what the controller asks of them, and what they ask of it. One command captures both, and
    makes the corpus of what they show."""
    whole, corpus = tmp_path / "x", tmp_path / "corpus"
    words = ["--broker", "jars:2.8.2", "--nodes", "every", "--workload", "sweep", "--corpus", str(corpus)]
    done = capture(whole, *words)
    assert done.returncode == 0, done.stderr
    assert "against our codec and Kafka's classes: " in done.stderr
    found = {path.name: json.loads((path / "capture.json").read_text()) for path in whole.iterdir()}
    kinds = {name: facts["cluster"]["metadata"] for name, facts in found.items()}
    assert kinds == {"1": "kraft", "1+zk": "zookeeper"}
    assert len(found["1+zk"]["cluster"]["cluster_id"]) == 22
    reach = read_coverage_report(corpus, "2.8.2").listeners
    for name, pairs in (("CLIENT", 237), ("INTERNAL", 237), ("CONTROLLER", 67)):
        assert len(reach[name].advertised & reach[name].answered) == len(reach[name].advertised) == pairs
        assert len(reach[name].with_content) >= 0.6 * pairs
    accounts = {each["listener"]: each for each in found["1+zk"]["workloads"][0]["listeners"]}
    assert (accounts["CLIENT"]["advertised"], accounts["CLIENT"]["answered"]) == (235, 235)
    assert accounts["CLIENT"]["with_content"] >= 200
    own = {pair["request"]: pair["answered"] for pair in accounts["INTERNAL"]["pairs"]}
    said = captured(whole / "1+zk", Listener.INTERNAL, "2.8.2")
    for request, newest in (("LeaderAndIsr", 5), ("UpdateMetadata", 7), ("ControlledShutdown", 3)):
        assert said[f"{request}Request", newest] > own[f"{request}Request"]


def test_voters_of_a_quorum_change(tmp_path: Path) -> None:
    """A voter leaves, joins, moves and starts again: its own requests reach the controllers, which are
    separate nodes here, without the broker."""
    three = tmp_path / "x"
    done = capture(three, "--broker", f"jars:{RELEASE}", "--nodes", "1+3v", "--workload", "voters")
    assert done.returncode == 0, done.stderr
    facts = json.loads((three / "capture.json").read_text())
    assert len(facts["workloads"][0]["steps"]) == 2 * 2 + 3
    asked = captured(three, Listener.CLIENT)
    assert min(asked["AddRaftVoterRequest", version] for version in (0, 1)) > 0
    assert asked["RemoveRaftVoterRequest", 0] >= 3
    assert captured(three, Listener.CONTROLLER)["UpdateRaftVoterRequest", 0] > 0
    places = {path.stem for path in (three / "segments").iterdir()}
    assert {place for place in places if place.endswith("CONTROLLER")} == {
        f"{node}-CONTROLLER" for node in (101, 102, 103)
    }


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["--broker", "jars:4.3.1", "--workload", "outage"], 2, "--nodes 3"),
        (["--broker", "jars:4.3.1", "--nodes", "3", "--workload", "voters"], 2, "--nodes 3v"),
        (
            ["--broker", "address:127.0.0.1:1", "--workload", "outage"],
            2,
            "an existing cluster does not support it",
        ),
        (["--broker", "address:127.0.0.1:1"], 2, "needs a workload"),
        (["--broker", "address:127.0.0.1:1", "--workload", "sweep"], 4, "no broker answers"),
        (["--broker", "address:127.0.0.1"], 2, "HOST:PORT"),
        (["--broker", "jars:4.3", "--release", "4.3"], 2, "--broker jars:RELEASE has the release"),
        (["--broker", "container:x:4.3.1", "--release", "9.9"], 2, "unknown release"),
        (["--broker", "jars:4.3.1", "--nodes", "1+zk"], 2, "4.3.1 has no ZooKeeper"),
        (["--broker", "jars:3.0.2", "--nodes", "3v"], 2, "Kafka 3.0.2 does not support changing voters"),
    ],
)
def test_what_cannot_be_captured_is_reported(
    words: list[str], code: int, problem: str, tmp_path: Path
) -> None:
    """Before anything is started."""
    done = capture(tmp_path / "x", *words)
    assert done.returncode == code
    assert problem in done.stderr
