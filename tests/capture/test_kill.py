"""Kill -9 while a real client talks to a real node: what it had received is recorded, nothing is left."""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from kafkawire.records import RecordBatch, decode_records
from tests.capture import recording_client
from tests.support.capture import proxy_process, real_cluster
from tests.support.capture.segment_contents import streams
from wireproof.base.files.own_folders import sweep
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.node_storage import free_ports
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.raw_client.raw_client import LOOPBACK, Address, AnsweredCall, RawClient
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import Exchange, FrameSplitter, UnpairedFrame
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry
from wireproof.traffic.wire.segment_reader import read_segment
from wireproof.traffic.wire.stream_assembler import StreamAssembler

RELEASE = "4.3.1"
WAIT_S = 60.0
MOMENTS = int(os.environ.get("WIREPROOF_KILLS", "5"))
"""The number of moments to try; 20 for a thorough test."""
FEWEST, MOST = 20, 600
"""So many times the client receives something before the kill."""
CLIENT = ListenerPlace(1, Listener.CLIENT)
NAMING = FrameIdentifier(load_snapshot(table().find(RELEASE)))
PRODUCE = 0


@dataclass(frozen=True)
class ProxiedNode:
    """A node that advertises a port before it, on which there may be no proxy."""

    cluster: StartedCluster
    port: int

    @property
    def address(self) -> Address:
        return self.cluster.places[CLIENT]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProxiedNode]:
    """One for all moments."""
    (port,) = free_ports(1)
    with real_cluster.cluster(RELEASE, "1", tmp_path_factory.mktemp("logs")) as cluster:
        cluster.start(lambda place: (LOOPBACK, port) if place == CLIENT else cluster.places[place])
        yield ProxiedNode(cluster, port)
        cluster.check()


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_kill_at_any_moment_loses_nothing(node: ProxiedNode, tmp_path: Path, moment: int) -> None:
    """After a random number of receipts: every byte that had come to the client is in the segment file, and
    every record that the node has taken; the file can be read but for a torn last entry, and the port is
    free for the next."""
    topic = f"kill-{moment}"
    host, port = node.address
    command = [sys.executable, proxy_process.__file__, host, str(port), str(tmp_path), str(node.port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as proxy:
        try:
            assert proxy.stdout is not None
            assert int(proxy.stdout.readline()) == node.port
            came = _clients_share(moment, f"{LOOPBACK}:{node.port}", topic, tmp_path / "came", proxy)
        finally:
            proxy.kill()
    segment = tmp_path / "segments" / f"{CLIENT}.wpseg"
    _has_all(segment, came)
    assert _records_sent(segment) >= _records_kept(node, topic) > 0
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["1-CLIENT.wpseg", "came", "segments"]


def _clients_share(
    moment: int, bootstrap: str, topic: str, log: Path, killed: subprocess.Popen[bytes]
) -> dict[int, bytes]:
    """Run a client for as long as that moment says, kill the other process, then the client; what it had."""
    receipts = random.Random(moment).randrange(FEWEST, MOST)
    command = [sys.executable, "-W", "ignore", recording_client.__file__, bootstrap, topic, str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as client:
        assert client.stdout is not None
        for _ in range(receipts):
            assert client.stdout.readline(), "the client has ended"
        killed.kill()
        killed.wait()
        client.kill()
    return recording_client.received(log)


def test_nothing_is_left_of_a_killed_judge(tmp_path: Path) -> None:
    """The whole of it, with a node of its own and the client as its child: what had come to the client is
    recorded; node and client have ended, and the node's data goes when the next capture begins."""
    log, capture = tmp_path / "came", tmp_path / "capture"
    client = [sys.executable, "-W", "ignore", recording_client.__file__, "{bootstrap}", "judged", str(log)]
    judge = ["judge", "--broker", f"jars:{RELEASE}", "--output", str(capture)]
    command = [sys.executable, "-m", "wireproof", *judge, "--", *client]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        for _ in range(MOST):
            assert process.stdout.readline(), "the client has ended"
        children = psutil.Process(process.pid).children(recursive=True)
        places = {part for child in children for part in child.cmdline() if ".wireproof-brokers-" in part}
        process.kill()
        process.wait()
        _, alive = psutil.wait_procs(children, WAIT_S)
    assert len(children) >= 2
    assert alive == []
    _has_all(capture / "segments" / f"{CLIENT}.wpseg", recording_client.received(log))
    sweep("brokers", Path(tempfile.gettempdir()))
    assert places
    assert not any(Path(place).exists() for place in places)


def _has_all(segment: Path, came: dict[int, bytes]) -> None:
    """A segment file has what came to a client's ports, and can be read but for a torn last entry."""
    recorded, _ = streams(segment)
    frames = 0
    for port, data in came.items():
        assert recorded.get(f"{LOOPBACK}:{port}", b"").startswith(data)
        frames += len(FrameSplitter().feed(data))
    assert frames


def _records_sent(segment: Path) -> int:
    """Count the records in the requests that are whole in a segment file, answered or not."""
    talks: dict[int, StreamAssembler] = {}
    settled: list[object] = []
    with segment.open("rb") as file:
        for part in read_segment(file):
            if isinstance(part, SegmentEntry) and part.kind is not EntryKind.FACTS:
                settled += talks.setdefault(part.connection, StreamAssembler()).feed(part)
    for talk in talks.values():
        settled += talk.close()
    requests = [each.request for each in settled if isinstance(each, Exchange) and each.api_key == PRODUCE]
    requests += [
        each.frame for each in settled if isinstance(each, UnpairedFrame) and each.api_key == PRODUCE
    ]
    count = 0
    for frame in requests:
        named = NAMING.request(PRODUCE, int.from_bytes(frame.data[6:8]))
        assert isinstance(named, FrameType)
        for topic in NAMING.codec(named).decode(frame.data)[1]["topicData"]:
            for partition in topic["partitionData"]:
                batches = decode_records(partition["records"]).batches
                count += sum(len(batch.records) for batch in batches if isinstance(batch, RecordBatch))
    return count


def _records_kept(node: ProxiedNode, topic: str) -> int:
    """Count the records that the node has, without the proxy."""
    partitions = [{"partitionIndex": 0, "currentLeaderEpoch": -1, "timestamp": -1}]
    body = {"replicaId": -1, "isolationLevel": 0, "topics": [{"name": topic, "partitions": partitions}]}
    with RawClient(real_cluster.apis(RELEASE), node.address, timeout_s=WAIT_S) as caller:
        answer = caller.call("ListOffsetsRequest", 7, body)
    assert isinstance(answer, AnsweredCall)
    found: int = answer.body["topics"][0]["partitions"][0]["offset"]
    return found
