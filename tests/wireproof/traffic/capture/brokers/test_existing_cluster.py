"""An address without a broker: the error names the protocol that answers there, and the next step."""

import socket
from collections.abc import Callable

import pytest

from tests.support.capture.tcp_servers import tcp_server
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.existing_cluster import ExistingCluster
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.broker_access import BrokerAccess
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.wire.frame_identifier import FrameType

APIS = ApiCatalog(load_snapshot(table().find("4.3.1")))


def saying(data: bytes) -> Callable[[socket.socket], None]:
    """Run a server that sends the same response to any request."""

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
def test_a_server_of_another_protocol_is_an_error(data: bytes, why: str, advice: str) -> None:
    """The protocol is recognized by its response."""
    with tcp_server(saying(data)) as address, pytest.raises(CaptureError, match=why) as caught:
        ExistingCluster(APIS, address)
    assert advice in caught.value.advice


@pytest.mark.parametrize(
    ("brokers", "why"),
    [
        ([], "names no brokers of its cluster"),
        ([(1, "a..b", 9092)], r"node 1 of the cluster is not reachable at a\.\.b:9092"),
        ([(1, "", -5)], "node 1 of the cluster is not reachable at :-5"),
    ],
)
def test_a_cluster_without_an_address_to_connect_to_is_an_error(
    brokers: list[tuple[int, str, int]], why: str
) -> None:
    """Its metadata has no broker, or something else than a host and a port."""
    versions = APIS.naming.response(18, 0), {"errorCode": 35, "apiKeys": []}
    rows = [{"nodeId": node, "host": host, "port": port, "rack": None} for node, host, port in brokers]
    body = {"throttleTimeMs": 0, "brokers": rows, "clusterId": "c", "controllerId": 1, "topics": []}
    answers = {18: versions, 3: (APIS.naming.response(3, 4), body)}

    def serve(connection: socket.socket) -> None:
        while data := connection.recv(1 << 16):
            named, value = answers[int.from_bytes(data[4:6])]
            assert isinstance(named, FrameType)
            header = {"correlationId": int.from_bytes(data[8:12])}
            connection.sendall(APIS.naming.codec(named).encode(header, value))

    with tcp_server(serve) as address, pytest.raises(CaptureError, match=why):
        ExistingCluster(APIS, address).check()


def test_a_closed_port_is_an_error() -> None:
    """The error has the system's own text; with TLS the advice doubts that."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(CaptureError, match="Connection refused"):
            ExistingCluster(APIS, bound.getsockname())
    with tcp_server(saying(b"\0\0\0\x04\0\0\0\x07")) as address, pytest.raises(CaptureError) as caught:
        ExistingCluster(APIS, address, BrokerAccess(tls=True))
    assert caught.value.advice == "Does it speak TLS there? security.protocol in --command-config says so."
