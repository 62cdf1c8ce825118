"""A node that tests share: its listeners take clients without a login, with one, and with TLS."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.capture import real_cluster
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.capture.raw_client.raw_client import LOOPBACK, Address, AnsweredCall, RawClient

RELEASE = "4.3.1"
PASSWORD = "pencil-of-alice"
ALICE = {"mechanism": "SCRAM-SHA-512", "user": "alice", "password": PASSWORD}
_SALT = b"salt" * 4
_SHA_512 = 2
_CLIENT, _SASL = ListenerPlace(1, Listener.CLIENT), ListenerPlace(1, Listener.SASL)


@dataclass(frozen=True)
class SharedNode:
    """A running node; its SASL listener advertises a TLS port of a proxy."""

    cluster: StartedCluster
    tls: Address

    @property
    def open(self) -> Address:
        """The listener without logins."""
        return self.cluster.places[_CLIENT]

    @property
    def plain(self) -> Address:
        """The SASL listener, without TLS."""
        return self.cluster.places[_SASL]


@contextmanager
def start_shared_node(folder: Path) -> Iterator[SharedNode]:
    """Start a node with a user `alice` (SCRAM-SHA-512) besides the PLAIN user. A recording proxy ends TLS."""
    with real_cluster.cluster(RELEASE, "1", folder) as cluster:
        route = Route(1, _SASL.listener, (LOOPBACK, 0), cluster.places[_SASL], tls_to_client=True)
        with RecordingProxy([route], folder, {}) as before:
            tls = before.address(1, _SASL.listener)
            cluster.start(lambda place: tls if place == _SASL else cluster.places[place])
            _make_alice(cluster)
            yield SharedNode(cluster, tls)
            cluster.check()


def _make_alice(cluster: StartedCluster) -> None:
    salted = hashlib.pbkdf2_hmac("sha512", PASSWORD.encode(), _SALT, 4096)
    user = {
        "name": "alice",
        "mechanism": _SHA_512,
        "iterations": 4096,
        "salt": _SALT,
        "saltedPassword": salted,
    }
    with RawClient(real_cluster.apis(RELEASE), cluster.places[_CLIENT], timeout_s=30) as caller:
        answer = caller.call("AlterUserScramCredentialsRequest", 0, {"deletions": [], "upsertions": [user]})
    assert isinstance(answer, AnsweredCall)
    assert answer.body["results"][0]["errorCode"] == 0
