"""The practical guide's exchange, byte by byte."""

import socket
import threading
from types import SimpleNamespace
from typing import cast

import pytest

from tests.support.schemas import real_layouts
from wireproof.traffic.capture.brokers.existing_cluster import Cluster
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.workloads.first_exchange import FIRST_REQUEST, FirstExchange
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType


def test_the_request_is_the_guides() -> None:
    """ApiVersions 3 with header 2, as our codec writes what the guide's program sets."""
    naming = FrameIdentifier(real_layouts.schemas())
    named = naming.request(18, 3)
    assert isinstance(named, FrameType)
    header = {"requestApiKey": 18, "requestApiVersion": 3, "correlationId": 123, "clientId": "test-client"}
    body = {"clientSoftwareName": "test-client", "clientSoftwareVersion": "1"}
    assert naming.codec(named).encode(header, body) == FIRST_REQUEST


def answered(response: bytes) -> tuple[FirstExchange, bytes]:
    """Run the workload against a server that sends these bytes in two pieces; return what it received."""
    got: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                got.append(connection.recv(1000))
                connection.sendall(response[:3])
                connection.sendall(response[3:])

        thread = threading.Thread(target=serve)
        thread.start()
        address = server.getsockname()
        stage = CaptureStage(
            cast(Cluster, SimpleNamespace()), {ListenerPlace(1, Listener.CLIENT): address}, lambda line: None
        )
        guide = FirstExchange()
        try:
            guide.run(stage)
        finally:
            thread.join()
    return guide, got[0]


def test_the_exchange() -> None:
    """The request goes out as it is; the response's length is kept."""
    guide, got = answered(b"\0\0\0\6" + b"\0\0\0\x7b\0\0")
    assert got == FIRST_REQUEST
    assert guide.facts() == {"bytes": 10}


def test_half_a_response() -> None:
    """An incomplete response is an error."""
    with pytest.raises(CaptureError, match="the broker closed the connection"):
        answered(b"\0\0\0\6\0\0")
