"""`wireproof judge broker` and nodes of Kafka: no finding, alone or beside another; planted faults found."""

import json
import subprocess
from pathlib import Path

from tests.support.capture import real_cluster
from tests.support.capture.faulty_proxy import FAULTS, MOMENTARY, faulty_proxy
from tests.support.capture.shared_node import SharedNode
from tests.support.commands.forked_command import run_command
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace

ANSWERED = 270
"""Message versions that a node of 4.3.1 answers, of 279 that it offers; it closes on Produce 0 to 2."""
ENTRY = """
[[accepted]]
message = "{message}"
field = "{field}"
rule = "{fault}"
reason = "the broker is old"
date = 2026-11-28
"""
CLIENT = ListenerPlace(1, Listener.CLIENT)


def judge_broker(address: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Judge what listens at an address by the classes of 4.3.1; standard output has the summary as JSON."""
    command = ["judge", "broker", "--release", "4.3.1", "--format", "json"]
    return run_command(folder, *command, *words, address)


def test_a_node_of_kafka_has_no_finding(shared_node: SharedNode, tmp_path: Path) -> None:
    """Every part passes: the rules are Kafka's own, and its classes read each of its answers."""
    host, port = shared_node.open
    done = judge_broker(f"{host}:{port}", tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["findings"] == []
    assert len(summary["messages"]) > ANSWERED


def test_two_nodes_of_a_release_show_no_difference(tmp_path: Path) -> None:
    """Nothing that differs by chance, or for a moment, is a finding."""
    with real_cluster.cluster("4.3.1", "1", tmp_path / "node") as cluster:
        cluster.start()
        faults = {fault.api_key: fault for fault in MOMENTARY}
        with faulty_proxy(cluster.places[CLIENT], faults) as (host, port):
            done = judge_broker(f"{host}:{port}", tmp_path, "--only", "answers", "--beside", "jars:4.3.1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["findings"] == []


def test_each_planted_fault_is_a_finding_of_its_request(tmp_path: Path) -> None:
    """A proxy changes one thing in the answers to each of 36 requests; the right rule finds it."""
    with real_cluster.cluster("4.3.1", "1", tmp_path / "node") as cluster:
        cluster.start()
        faults = {fault.api_key: fault for fault in FAULTS}
        with faulty_proxy(cluster.places[CLIENT], faults) as (host, port):
            words = ["--only", "handshake", "--only", "answers", "--beside", "jars:4.3.1", "--timeout", "3"]
            done = judge_broker(f"{host}:{port}", tmp_path, *words)
    assert done.returncode == 1, done.stderr
    found = {(each["message"], each["fault"]) for each in json.loads(done.stdout)["findings"]}
    missed = [
        fault.name
        for fault in FAULTS
        if not any((f"{fault.request}Request", rule) in found for rule in fault.rules)
    ]
    assert missed == []
    assert "answers otherwise than the fresh node" in done.stderr
    assert len(faults) == len(FAULTS) == 36


def test_accepted_findings_of_a_broker_do_not_fail(shared_node: SharedNode, tmp_path: Path) -> None:
    """A file with all findings of a run makes the next run pass."""
    fault = next(each for each in FAULTS if each.request == "ApiVersions")
    with faulty_proxy(shared_node.open, {fault.api_key: fault}) as (host, port):
        words = (f"{host}:{port}", tmp_path, "--only", "handshake")
        failed = judge_broker(*words)
        found = json.loads(failed.stdout)["findings"]
        entries = [ENTRY.format(**{"field": "", **each}) for each in found]
        (tmp_path / "known.toml").write_text("".join(entries))
        done = judge_broker(*words, "--accepted", "known.toml")
    assert (failed.returncode, len(found)) == (1, 2), failed.stderr
    assert done.returncode == 0, done.stderr
    accepted = [each["fault"] for each in json.loads(done.stdout)["accepted"]]
    assert sorted(accepted) == sorted(each["fault"] for each in found)
