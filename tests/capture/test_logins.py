"""A cluster that is there and wants a login, with and without TLS: what gets in, and what is kept of it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.capture.segment_contents import answers
from tests.support.capture.shared_node import ALICE, PASSWORD, RELEASE, SharedNode
from tests.support.commands.forked_command import run_command
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.server_properties import SASL_PASSWORD, SASL_USER
from wireproof.traffic.capture.raw_client.raw_client import LOOPBACK, Address
from wireproof.traffic.wire.frame_identifier import FrameIdentifier

CONFIG = """security.protocol={protocol}
sasl.mechanism={mechanism}
sasl.jaas.config=org.apache.kafka.LoginModule required username="{user}" password="{password}";
"""


def capture(
    folder: Path, address: Address, config: str | None, *words: str
) -> subprocess.CompletedProcess[str]:
    """`wireproof capture` of a listener of that address; the configuration is a file."""
    command = ["capture", "--output", str(folder / "capture")]
    command += ["--broker", f"address:{address[0]}:{address[1]}", "--release", RELEASE]
    if config is not None:
        (folder / "client.properties").write_text(config, "utf-8")
        command += ["--command-config", str(folder / "client.properties")]
    return run_command(folder, *command, *words)


def facts(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "capture/capture.json").read_text())
    return found


PLAIN = {"mechanism": "PLAIN", "user": SASL_USER, "password": SASL_PASSWORD}


@pytest.fixture(scope="module")
def swept(shared_node: SharedNode, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all clients and a sweep by SCRAM over TLS; afterwards the cluster has topics of all
    kinds."""
    folder = tmp_path_factory.mktemp("swept")
    config = CONFIG.format(protocol="SASL_SSL", **ALICE)
    workloads = ("--workload", "java-clients", "--workload", "clients", "--workload", "sweep")
    done = capture(folder, shared_node.tls, config, *workloads)
    assert done.returncode == 0, done.stderr
    assert PASSWORD not in done.stderr
    return folder


def test_our_own_sweep_logs_in(swept: Path) -> None:
    """By SCRAM over TLS: it gets the same answers as without them. No file has the password."""
    (account,) = facts(swept)["workloads"][2]["listeners"]
    assert account["answered"] == 276
    assert account["with_content"] >= 0.7 * account["advertised"]
    cluster = facts(swept)["cluster"]
    assert (cluster["tls"], cluster["login"]) == (True, "SCRAM-SHA-512")
    for path in (swept / "capture").rglob("*"):
        assert path.is_dir() or PASSWORD.encode() not in path.read_bytes()


def test_clients_log_in(swept: Path) -> None:
    """Kafka's own and those of other languages: every one gets in, and does what it does without a login."""
    kafkas, others, _ = facts(swept)["workloads"]
    steps = [kafkas["steps"], *(each["steps"] for each in others["clients"])]
    assert [len(each) > 20 for each in steps] == [True] * 4
    ends = {end["outcome"] for each in steps for end in each}
    assert ends <= {"done", "refused", "unsupported"}


@pytest.mark.usefixtures("swept")
def test_a_login_is_redacted(shared_node: SharedNode, tmp_path: Path) -> None:
    """By PLAIN the password itself is on the wire, and so in the segment file; it is in no corpus, nor is
    the user's name. What the login was for is there: records of internal topics."""
    config = CONFIG.format(protocol="SASL_SSL", **PLAIN)
    done = capture(tmp_path, shared_node.tls, config, "--workload", "internal-topics")
    assert done.returncode == 0, done.stderr
    assert facts(tmp_path)["workloads"][0]["records"]["__consumer_offsets"] > 0
    assert SASL_PASSWORD.encode() in (tmp_path / "capture/segments/1-CLIENT.wpseg").read_bytes()
    command = ["corpus", "add", "--no-java", str(tmp_path / "capture")]
    added = run_command(tmp_path, *command, "--output", str(tmp_path / "corpus"))
    assert added.returncode == 0, added.stderr
    assert list((tmp_path / "corpus").rglob("SaslAuthenticateRequest.ndjson"))
    for data in (path.read_bytes() for path in (tmp_path / "corpus").rglob("*") if path.is_file()):
        for secret in (SASL_PASSWORD, SASL_USER):
            assert secret.encode() not in data
            assert secret.encode().hex().encode() not in data
    for secret in (SASL_PASSWORD, SASL_USER):
        assert secret not in done.stderr + added.stderr


def test_a_cluster_that_is_there_goes_on(shared_node: SharedNode, tmp_path: Path) -> None:
    """Where anybody may come, too. Its addresses are replaced on the path: clients stay with the proxy; its
    own bytes are recorded. What a sweep reaches so is seen where it logs in."""
    done = capture(tmp_path, shared_node.open, None, "--workload", "guide", "--workload", "internal-topics")
    shared_node.cluster.check()
    assert done.returncode == 0, done.stderr
    assert facts(tmp_path)["cluster"]["cluster_id"] == shared_node.cluster.cluster_id
    naming = FrameIdentifier(load_snapshot(table().find(RELEASE)))
    (segment,) = (tmp_path / "capture/segments").iterdir()
    advertised = [answer["brokers"] for answer in answers(segment, naming, "MetadataResponse")]
    assert {(each["host"], each["port"]) for brokers in advertised for each in brokers} == {shared_node.open}


@pytest.mark.parametrize(
    ("config", "tls", "words"),
    [
        (None, False, "If it requires a login, give one: --command-config FILE"),
        (None, True, "If it speaks TLS there, say so"),
        (CONFIG.format(protocol="SASL_SSL", **ALICE), False, "Does it speak TLS there?"),
        (
            CONFIG.format(protocol="SASL_SSL", **{**ALICE, "password": "x"}),
            True,
            "refuses alice, by SCRAM-SHA-512",
        ),
        (
            CONFIG.format(protocol="SASL_SSL", **{**ALICE, "user": "bob"}),
            True,
            "refuses bob, by SCRAM-SHA-512",
        ),
    ],
)
def test_a_failed_login_has_its_reason(
    shared_node: SharedNode, tmp_path: Path, config: str | None, tls: bool, words: str
) -> None:
    """With what to do, before anything is recorded: exit code 4."""
    done = capture(tmp_path, shared_node.tls if tls else shared_node.plain, config, "--workload", "sweep")
    assert done.returncode == 4
    assert words in done.stderr
    assert "guessed" not in done.stderr
    assert not list((tmp_path / "capture").rglob("*.wpseg"))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--broker", "jars:4.3.1"], "a cluster that wireproof starts needs no login"),
        (["--command-config", "nowhere"], "nowhere: No such file"),
    ],
)
def test_usage(words: list[str], problem: str, tmp_path: Path) -> None:
    """Before anybody is asked: exit code 2."""
    done = capture(tmp_path, (LOOPBACK, 1), CONFIG.format(protocol="SASL_SSL", **ALICE), *words)
    assert done.returncode == 2
    assert problem in done.stderr
