"""Rewriting of addresses in responses; all other bytes pass unchanged."""

import socket
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.capture.tcp_servers import Address, connect, receive, tcp_server
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.proxy.address_rewriting import AddressRewriting
from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import FrameSplitter
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection
from wireproof.traffic.wire.segment_reader import read_segment

NAMING = FrameIdentifier(load_snapshot(table().find("4.3.1")))
METADATA, FETCH, COORDINATOR, QUORUM = 3, 1, 10, 55


def request(api_key: int, version: int, correlation_id: int = 1, body: dict[str, Any] | None = None) -> bytes:
    """Return a request's frame."""
    named = NAMING.request(api_key, version)
    assert isinstance(named, FrameType)
    header = {
        "requestApiKey": api_key,
        "requestApiVersion": version,
        "correlationId": correlation_id,
        "clientId": "me",
    }
    return NAMING.codec(named).encode(header, body or {})


def response(api_key: int, version: int, body: dict[str, Any], correlation_id: int = 1) -> bytes:
    """Return a response's frame."""
    named = NAMING.response(api_key, version)
    assert isinstance(named, FrameType)
    return NAMING.codec(named).encode({"correlationId": correlation_id}, body)


def body_of(api_key: int, version: int, data: bytes) -> Any:
    """Return the body of a response's frame."""
    named = NAMING.response(api_key, version)
    assert isinstance(named, FrameType)
    return NAMING.codec(named).decode(data)[1]


def to_proxy(number: int, listener: str, address: Address) -> Address:
    """Make a redirection whose result shows its arguments."""
    return f"proxy-{number}-{listener}-{address[0]}", address[1] + 1


def passed(asked: bytes, answered: bytes, piece: int = 1 << 20) -> bytes:
    """Return the bytes that a client gets for a response in pieces."""
    filtering = AddressRewriting(NAMING, to_proxy)
    assert filtering.passed(StreamDirection.TO_BROKER, asked) == asked
    pieces = [answered[start : start + piece] for start in range(0, len(answered), piece)]
    return b"".join(filtering.passed(StreamDirection.TO_CLIENT, each) for each in pieces) + filtering.rest(
        StreamDirection.TO_CLIENT
    )


@pytest.mark.parametrize("piece", [1, 5, 1000])
def test_brokers_of_metadata_are_replaced(piece: int) -> None:
    """Each broker's address is replaced by that of its node, in whatever pieces the response comes."""
    brokers = [{"nodeId": each, "host": f"b{each}.example", "port": 9092, "rack": None} for each in (1, 2)]
    got = passed(request(METADATA, 12), response(METADATA, 12, {"brokers": brokers, "topics": []}), piece)
    got_brokers = [
        (each["nodeId"], each["host"], each["port"]) for each in body_of(METADATA, 12, got)["brokers"]
    ]
    assert got_brokers == [(1, "proxy-1--b1.example", 9093), (2, "proxy-2--b2.example", 9093)]


def test_a_coordinator_at_the_top_of_its_message_is_replaced() -> None:
    """FindCoordinator before version 4 is itself the address."""
    answer = {"errorCode": 0, "nodeId": 3, "host": "h", "port": 1}
    got = body_of(COORDINATOR, 2, passed(request(COORDINATOR, 2), response(COORDINATOR, 2, answer)))
    assert (got["host"], got["port"]) == ("proxy-3--h", 2)


def test_an_empty_host_is_not_replaced() -> None:
    """If the host is empty, the same bytes pass."""
    answer = response(COORDINATOR, 2, {"errorCode": 15, "nodeId": -1, "host": "", "port": -1})
    assert passed(request(COORDINATOR, 2), answer) == answer


def test_nodes_of_a_quorum_name_their_listeners() -> None:
    """The node's id is outside of the address, and the listener's name is in it."""
    nodes = [{"nodeId": 7, "listeners": [{"name": "CONTROLLER", "host": "h", "port": 9093}]}]
    got = body_of(QUORUM, 2, passed(request(QUORUM, 2), response(QUORUM, 2, {"nodes": nodes})))
    assert got["nodes"][0]["listeners"][0]["host"] == "proxy-7-CONTROLLER-h"


def test_other_responses_pass_unchanged() -> None:
    """The response has no address, an unknown api, an unreadable body, or no request."""
    plain = response(18, 3, {"errorCode": 0})
    assert passed(request(18, 3), plain) == plain
    unknown = b"\0\0\0\x0a\x03\x84\0\0\0\0\0\x01\xff\xff"
    answer = b"\0\0\0\x05\0\0\0\x01x"
    assert passed(unknown, answer) == answer
    assert passed(request(METADATA, 12), answer) == answer
    assert passed(b"", answer) == answer


def test_another_protocol_passes_unchanged() -> None:
    """Bytes that are not frames are not held back."""
    filtering = AddressRewriting(NAMING, to_proxy)
    assert filtering.passed(StreamDirection.TO_CLIENT, b"HTTP/1.1 200") == b"HTTP/1.1 200"
    assert filtering.passed(StreamDirection.TO_CLIENT, b" OK\r\n") == b" OK\r\n"


def test_an_unfinished_response_passes_unchanged() -> None:
    """The bytes held back pass at the end."""
    whole = response(METADATA, 12, {"brokers": [], "topics": []})
    assert passed(request(METADATA, 12), whole[:-1]) == whole[:-1]


def _answers(own: list[Address], connection: socket.socket) -> None:
    """Run a node that answers any request with Metadata of two nodes, one of them at another address."""
    splitter = FrameSplitter()
    while data := connection.recv(65536):
        for frame in splitter.feed(data):
            correlation_id = int.from_bytes(frame.data[8:12])
            brokers = [
                {"nodeId": number, "host": host, "port": port} for number, (host, port) in enumerate(own, 1)
            ]
            answer = {"brokers": brokers, "topics": [], "clusterId": "c"}
            connection.sendall(response(METADATA, 12, answer, correlation_id))


def test_a_cluster_that_cannot_advertise_is_captured_completely(tmp_path: Path) -> None:
    """From one bootstrap address each node that a response names gets a port and a file. Clients see only the
    proxy, and the files have the nodes' own bytes."""
    own: list[Address] = []
    serve = partial(_answers, own)
    with tcp_server(serve) as first, tcp_server(serve) as second:
        own += [first, ("localhost", second[1])]
        bootstrap = Route(-1, "CLIENT", ("127.0.0.1", 0), first)
        with RecordingProxy([bootstrap], tmp_path, {}, rewrite=NAMING) as proxy:
            start = proxy.address(-1, "CLIENT")
            brokers = _ask(start)
            assert not {start, first, second, own[1]} & set(brokers)
            assert brokers == [proxy.address(1, "CLIENT"), proxy.address(2, "CLIENT")]
            assert [_ask(each) for each in brokers] == [brokers, brokers]
    for name in ("bootstrap-CLIENT", "1-CLIENT", "2-CLIENT"):
        answer = body_of(METADATA, 12, _to_client(tmp_path / "segments" / f"{name}.wpseg"))
        assert [(each["host"], each["port"]) for each in answer["brokers"]] == own


def _ask(address: Address) -> list[Address]:
    """Return the brokers that Metadata from there names."""
    with connect(address) as client:
        client.sendall(request(METADATA, 12))
        size = receive(client, 4)
        brokers = body_of(METADATA, 12, size + receive(client, int.from_bytes(size)))["brokers"]
    return [(each["host"], each["port"]) for each in brokers]


def _to_client(path: Path) -> bytes:
    with path.open("rb") as file:
        parts = list(read_segment(file))
    of = [each for each in parts if isinstance(each, SegmentEntry) and each.kind is EntryKind.DATA]
    return b"".join(each.payload for each in of if each.direction is StreamDirection.TO_CLIENT)
