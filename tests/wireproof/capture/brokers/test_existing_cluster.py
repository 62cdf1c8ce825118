"""An address without a broker: the error names what answers there, and the next step."""

import socket
from collections.abc import Callable

import pytest

from tests.support.capture.tcp_servers import tcp_server
from wireproof.capture import CaptureError
from wireproof.capture.brokers import ExistingCluster
from wireproof.capture.raw_client.broker_access import BrokerAccess
from wireproof.capture.raw_client.raw_client import ApiCatalog
from wireproof.releases import load_snapshot, table

APIS = ApiCatalog(load_snapshot(table().find("4.3.1")))


def saying(data: bytes) -> Callable[[socket.socket], None]:
    """A server that answers whatever comes with the same."""

    def serve(connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.sendall(data)

    return serve


@pytest.mark.parametrize(
    ("data", "why", "advice"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "look like HTTP", "where a broker of the cluster listens"),
        (b"<!DOCTYPE HTML>", "look like HTML", "where a broker of the cluster listens"),
        (b"SSH-2.0-x\r\n", "look like SSH", "where a broker of the cluster listens"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "look like TLS", "If it speaks TLS there, say so"),
        (b"", "closed without an answer", "If it speaks TLS there, say so"),
        (b"\0\0\0\x09abc", "closed in the middle of an answer", "If it speaks TLS there, say so"),
        (b"\0\0\0\x04\0\0\0\x07", "cannot be read", "If it speaks TLS there, say so"),
    ],
)
def test_what_does_not_answer_as_a_broker_does(data: bytes, why: str, advice: str) -> None:
    """By what it sends in place of an answer."""
    with tcp_server(saying(data)) as address, pytest.raises(CaptureError, match=why) as caught:
        ExistingCluster(APIS, address)
    assert advice in caught.value.advice


def test_a_closed_port() -> None:
    """The error holds the system's own text; with TLS the advice doubts that."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(CaptureError, match="Connection refused"):
            ExistingCluster(APIS, bound.getsockname())
    with tcp_server(saying(b"\0\0\0\x04\0\0\0\x07")) as address, pytest.raises(CaptureError) as caught:
        ExistingCluster(APIS, address, BrokerAccess(tls=True))
    assert caught.value.advice == "Does it speak TLS there? security.protocol in --command-config says so."
