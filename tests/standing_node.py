"""A node that stands while tests capture it, and wants of clients what they like: nothing, a login, TLS."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import real_cluster
from wireproof.capture.brokers import Listener, ListenerPlace, StartedCluster
from wireproof.capture.proxy import RecordingProxy, Route
from wireproof.capture.raw_client.raw_client import AnsweredCall, RawClient
from wireproof.capture.raw_client.socket_address import LOOPBACK, Address

RELEASE = "4.3.1"
PASSWORD = "pencil-of-alice"
ALICE = {"mechanism": "SCRAM-SHA-512", "user": "alice", "password": PASSWORD}
_SALT = b"salt" * 4
_SHA_512 = 2
_CLIENT, _SASL = ListenerPlace(1, Listener.CLIENT), ListenerPlace(1, Listener.SASL)


@dataclass(frozen=True)
class Standing:
    """A node whose listener with logins tells its clients of a port with TLS before it."""

    cluster: StartedCluster
    tls: Address

    @property
    def open(self) -> Address:
        """Where anybody may come."""
        return self.cluster.places[_CLIENT]

    @property
    def plain(self) -> Address:
        """Where one has to log in, without TLS."""
        return self.cluster.places[_SASL]


@contextmanager
def standing_node(folder: Path) -> Iterator[Standing]:
    """With a user `alice` by SCRAM-SHA-512 beside the one by PLAIN. What ends TLS is a proxy of our own."""
    with real_cluster.cluster(RELEASE, "1", folder) as cluster:
        route = Route(1, _SASL.listener, (LOOPBACK, 0), cluster.places[_SASL], tls_to_client=True)
        with RecordingProxy([route], folder, {}) as before:
            tls = before.address(1, _SASL.listener)
            cluster.start(lambda place: tls if place == _SASL else cluster.places[place])
            _make_alice(cluster)
            yield Standing(cluster, tls)
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
