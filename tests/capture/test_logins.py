"""A cluster that is there and wants a login, with and without TLS: what gets in, and what is kept of it."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import real_cluster
from wireproof.capture.address import LOOPBACK, Address
from wireproof.capture.brokers import SASL_PASSWORD, SASL_USER, Listener, Place, StartedCluster
from wireproof.capture.caller import Answered, Caller
from wireproof.capture.proxy import RecordingProxy, Route

RELEASE = "4.3.1"
PASSWORD = "pencil-of-alice"
SALT = b"salt" * 4
SHA_512 = 2
CONFIG = """security.protocol={protocol}
sasl.mechanism={mechanism}
sasl.jaas.config=org.apache.kafka.LoginModule required username="{user}" password="{password}";
"""


@dataclass(frozen=True)
class Locked:
    """A node whose listener with logins tells its clients of a port with TLS before it."""

    cluster: StartedCluster
    tls: Address

    @property
    def plain(self) -> Address:
        return self.cluster.places[Place(1, Listener.SASL)]


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locked]:
    """With a user `alice` by SCRAM-SHA-512 beside the one by PLAIN. What ends TLS is a proxy of our own."""
    folder = tmp_path_factory.mktemp("locked")
    sasl = Place(1, Listener.SASL)
    with real_cluster.cluster(RELEASE, "1", folder) as cluster:
        route = Route(1, sasl.listener, (LOOPBACK, 0), cluster.places[sasl], tls_to_client=True)
        with RecordingProxy([route], folder, {}) as before:
            tls = before.address(1, sasl.listener)
            cluster.start(lambda place: tls if place == sasl else cluster.places[place])
            _make_alice(cluster)
            yield Locked(cluster, tls)


def _make_alice(cluster: StartedCluster) -> None:
    salted = hashlib.pbkdf2_hmac("sha512", PASSWORD.encode(), SALT, 4096)
    user = {"name": "alice", "mechanism": SHA_512, "iterations": 4096, "salt": SALT, "saltedPassword": salted}
    address = cluster.places[Place(1, Listener.CLIENT)]
    with Caller(real_cluster.apis(RELEASE), address, timeout_s=30) as caller:
        answer = caller.call("AlterUserScramCredentialsRequest", 0, {"deletions": [], "upsertions": [user]})
    assert isinstance(answer, Answered)
    assert answer.body["results"][0]["errorCode"] == 0


def capture(
    folder: Path, address: Address, config: str | None, *words: str
) -> subprocess.CompletedProcess[str]:
    """`wireproof capture` of a listener of that address; the configuration is a file."""
    command = [sys.executable, "-m", "wireproof", "capture", "--output", str(folder / "capture")]
    command += ["--broker", f"address:{address[0]}:{address[1]}", "--release", RELEASE]
    if config is not None:
        (folder / "client.properties").write_text(config, "utf-8")
        command += ["--command-config", str(folder / "client.properties")]
    command += words
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)


def facts(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "capture/capture.json").read_text())
    return found


PLAIN = {"mechanism": "PLAIN", "user": SASL_USER, "password": SASL_PASSWORD}
ALICE = {"mechanism": "SCRAM-SHA-512", "user": "alice", "password": PASSWORD}


@pytest.fixture(scope="module")
def swept(locked: Locked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sweep by SCRAM behind TLS; afterwards the cluster has topics of all kinds."""
    folder = tmp_path_factory.mktemp("swept")
    config = CONFIG.format(protocol="SASL_SSL", **ALICE)
    done = capture(folder, locked.tls, config, "--workload", "sweep")
    assert done.returncode == 0, done.stderr
    assert PASSWORD not in done.stderr
    return folder


def test_our_own_sweep_logs_in(swept: Path) -> None:
    """By SCRAM behind TLS: what a listener without either answers is answered. No file has the password."""
    (account,) = facts(swept)["workloads"][0]["listeners"]
    assert account["answered"] == 276
    assert account["with_content"] >= 0.7 * account["advertised"]
    told = facts(swept)["cluster"]
    assert (told["tls"], told["login"]) == (True, "SCRAM-SHA-512")
    for path in (swept / "capture").rglob("*"):
        assert path.is_dir() or PASSWORD.encode() not in path.read_bytes()


@pytest.mark.usefixtures("swept")
def test_a_login_is_redacted(locked: Locked, tmp_path: Path) -> None:
    """By PLAIN the password itself is on the wire, and so in the segment file; it is in no corpus, nor is
    the user's name. What the login was for is there: records of internal topics."""
    config = CONFIG.format(protocol="SASL_SSL", **PLAIN)
    done = capture(tmp_path, locked.tls, config, "--workload", "internal-topics")
    assert done.returncode == 0, done.stderr
    assert facts(tmp_path)["workloads"][0]["records"]["__consumer_offsets"] > 0
    assert SASL_PASSWORD.encode() in (tmp_path / "capture/segments/1-CLIENT.wpseg").read_bytes()
    command = [sys.executable, "-m", "wireproof", "corpus", "add", "--no-java", str(tmp_path / "capture")]
    added = subprocess.run([*command, "--output", str(tmp_path / "corpus")], check=False, capture_output=True)
    assert added.returncode == 0, added.stderr
    assert list((tmp_path / "corpus").rglob("SaslAuthenticateRequest.ndjson"))
    for data in (path.read_bytes() for path in (tmp_path / "corpus").rglob("*") if path.is_file()):
        for secret in (SASL_PASSWORD, SASL_USER):
            assert secret.encode() not in data
            assert secret.encode().hex().encode() not in data
    for secret in (SASL_PASSWORD, SASL_USER):
        assert secret not in done.stderr + added.stderr.decode()


@pytest.mark.parametrize(
    ("config", "tls", "words"),
    [
        (None, False, "If it wants a login, say who you are: --command-config FILE"),
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
def test_who_does_not_get_in_is_told_why(
    locked: Locked, tmp_path: Path, config: str | None, tls: bool, words: str
) -> None:
    """With what to do, before anything is recorded: exit code 4."""
    done = capture(tmp_path, locked.tls if tls else locked.plain, config, "--workload", "sweep")
    assert done.returncode == 4
    assert words in done.stderr
    assert "guessed" not in done.stderr
    assert not list((tmp_path / "capture").rglob("*.wpseg"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--broker", "jars:4.3.1"], "what wireproof starts lets it in"),
        (["--workload", "java-clients"], "java-clients cannot log in"),
        (["--command-config", "nowhere"], "nowhere: No such file"),
    ],
)
def test_usage(words: list[str], told: str, tmp_path: Path) -> None:
    """Before anybody is asked: exit code 2."""
    done = capture(tmp_path, (LOOPBACK, 1), CONFIG.format(protocol="SASL_SSL", **ALICE), *words)
    assert done.returncode == 2
    assert told in done.stderr
