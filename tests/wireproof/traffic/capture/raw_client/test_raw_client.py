"""The raw client: each outcome has a class."""

import socket
from functools import cache

from tests.support.capture.tcp_servers import Address, receive, tcp_server
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.raw_client.raw_client import (
    AnsweredCall,
    ApiCatalog,
    CallOutcome,
    ClosedCall,
    RawClient,
    SilentCall,
    UnreadableCall,
)

PATIENCE_S = 30.0
HEARTBEAT = "HeartbeatRequest"


@cache
def apis() -> ApiCatalog:
    return ApiCatalog(load_snapshot(table().find("4.3")))


def call(address: Address, timeout_s: float = PATIENCE_S) -> CallOutcome:
    with RawClient(apis(), address, timeout_s=timeout_s) as caller:
        return caller.call(HEARTBEAT, 4, {"groupId": "g"})


def frame(connection: socket.socket) -> bytes:
    size = receive(connection, 4)
    return size + receive(connection, int.from_bytes(size, "big"))


def answer(request: bytes, body: bytes, correlation_id: bytes | None = None) -> bytes:
    """A response with a header of version 1: correlation id, no tags."""
    content = (correlation_id or request[8:12]) + b"\0" + body
    return len(content).to_bytes(4, "big") + content


def test_a_response_is_read() -> None:
    """In however many pieces it comes: header, body and bytes are there."""

    def serve(connection: socket.socket) -> None:
        data = answer(frame(connection), bytes.fromhex("00000005 0019 00"))
        for byte in data:
            connection.sendall(bytes([byte]))
        connection.recv(1)

    with tcp_server(serve) as address:
        outcome = call(address)
    assert isinstance(outcome, AnsweredCall)
    assert outcome.version == 4
    assert (outcome.body["throttleTimeMs"], outcome.body["errorCode"]) == (5, 25)
    assert len(outcome.data) == 16


def test_silence_is_reported() -> None:
    """The outcome comes after the timeout; the next call makes a new connection."""

    def listen(connection: socket.socket) -> None:
        if connection.recv(1 << 20):
            connection.recv(1)

    with tcp_server(listen) as address:
        assert call(address, 0.05) == SilentCall(0.05)


def test_a_closed_connection_is_reported() -> None:
    """The broker closed the connection, or was never there."""
    with tcp_server(lambda connection: None) as address:
        assert isinstance(call(address), ClosedCall)
    assert isinstance(call(address), ClosedCall)


def test_the_next_call_connects_again() -> None:
    """One lost connection costs one request."""
    connections: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        connections.append(frame(connection))
        if len(connections) == 2:
            connection.sendall(answer(connections[-1], bytes(7)))
            connection.recv(1)

    with tcp_server(serve) as address, RawClient(apis(), address, timeout_s=PATIENCE_S) as caller:
        first = caller.call(HEARTBEAT, 4, {})
        second = caller.call(HEARTBEAT, 4, {})
    assert isinstance(first, ClosedCall)
    assert isinstance(second, AnsweredCall)


def test_another_protocol_is_reported() -> None:
    """The outcome names the protocol of bytes that do not begin a frame."""
    with tcp_server(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as address:
        outcome = call(address)
    assert isinstance(outcome, ClosedCall)
    assert "HTTP" in outcome.how


def test_bytes_that_are_not_a_response_are_reported() -> None:
    """Too few, too many, or the answer to another request: what our codec cannot read is a finding."""
    for body, correlation_id, words in (
        (bytes(2), None, "throttleTimeMs"),
        (bytes(9), None, "1"),
        (bytes(7), bytes(4), "request 0"),
    ):

        def serve(
            connection: socket.socket, body: bytes = body, correlation_id: bytes | None = correlation_id
        ) -> None:
            connection.sendall(answer(frame(connection), body, correlation_id))
            connection.recv(1)

        with tcp_server(serve) as address:
            outcome = call(address)
        assert isinstance(outcome, UnreadableCall)
        assert words in outcome.error


def test_an_unknown_version_is_answered_in_version_0() -> None:
    """A broker answers ApiVersions of a version that it lacks in version 0 (KIP-511)."""
    ranges = bytes.fromhex("00000001 0012 0000 0004")

    def serve(connection: socket.socket) -> None:
        content = frame(connection)[8:12] + bytes.fromhex("0023") + ranges
        connection.sendall(len(content).to_bytes(4, "big") + content)
        connection.recv(1)

    with tcp_server(serve) as address, RawClient(apis(), address, timeout_s=PATIENCE_S) as caller:
        outcome = caller.call("ApiVersionsRequest", 4, {})
    assert isinstance(outcome, AnsweredCall)
    assert outcome.version == 0
    assert outcome.body["errorCode"] == 35
