"""The filter of a connection, and the proxy with it, between sockets."""

import socket
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.capture.broker_answers import answers, apis
from tests.support.capture.tcp_servers import connect, tcp_server
from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.capture.proxy.relay import Piece
from wireproof.traffic.capture.variations.version_variations import pinned_version
from wireproof.traffic.capture.varying.program_runs import VaryingProxy
from wireproof.traffic.capture.varying.varied_run import (
    VariationChoice,
    VariedRun,
    VaryingFilter,
    parse_selection,
)
from wireproof.traffic.wire.frame_identifier import FrameType
from wireproof.traffic.wire.segment_format import StreamDirection

TO_BROKER, TO_CLIENT = StreamDirection.TO_BROKER, StreamDirection.TO_CLIENT
ANSWER, FRAME = [each for each in answers("ApiVersionsResponse") if not each[0].body["errorCode"]][-1]


def request(correlation_id: int | None = None) -> bytes:
    """Return an ApiVersions request of the version of the answer."""
    named = apis().naming.request(18, ANSWER.version)
    assert isinstance(named, FrameType)
    number = ANSWER.header["correlationId"] if correlation_id is None else correlation_id
    header = {
        "requestApiKey": 18,
        "requestApiVersion": ANSWER.version,
        "correlationId": number,
        "clientId": "c",
    }
    return (
        apis().naming.codec(named).encode(header, {"clientSoftwareName": "a", "clientSoftwareVersion": "1"})
    )


def test_a_run_that_keeps_nothing_counts_alone() -> None:
    """A proxy before a long test suite needs the numbers, and no bytes."""
    run = VariedRun([parse_selection("tags-root", lambda name: None)], keeps=False)
    assert passed(run, FRAME, 10_000) != FRAME
    assert [(each.variation.id, each.before, each.after) for each in run.sites] == [("tags-root", b"", b"")]


def run_of(*texts: str) -> VariedRun:
    return VariedRun([parse_selection(text, lambda name: None) for text in texts])


def passed(run: VariedRun, data: bytes, step: int) -> bytes:
    """Return what the client gets if the broker's bytes come in parts of `step`."""
    sent: list[Piece] = []
    one = VaryingFilter(apis().naming, run, sent.extend)
    assert one.passed(TO_BROKER, request()) == request()
    for begin in range(0, len(data), step):
        assert one.passed(TO_CLIENT, data[begin : begin + step]) == b""
    return b"".join(each.data for each in sent) + one.rest(TO_CLIENT)


@pytest.mark.parametrize("step", [1, 7, 10_000])
def test_without_selections_bytes_are_the_same(step: int) -> None:
    """However they come; the requests and the offers are noted."""
    run = run_of()
    assert passed(run, FRAME, step) == FRAME
    assert run.requests == {(18, ANSWER.version): 1}
    assert run.samples == {(18, ANSWER.version): [request()]}
    assert run.offers[1][0] == 4
    assert (run.connections, run.sites) == (1, [])


def test_an_answer_is_varied_and_noted() -> None:
    """The site has the bytes before and after."""
    run = run_of("tags-root", "stream-split")
    got = passed(run, FRAME, 100)
    assert got != FRAME
    first, second = run.sites
    assert (first.variation.id, first.message, first.index) == ("tags-root", "ApiVersionsResponse", 0)
    assert (first.before, first.after) == (FRAME, got)
    assert sum(second.pieces) == len(got)


def test_other_answers_stay_as_they_are() -> None:
    """A selection names a message and an index."""
    for text in ("tags-root@FetchResponse", "tags-root@ApiVersionsResponse#1"):
        assert passed(run_of(text), FRAME, 50) == FRAME


@pytest.mark.parametrize(
    "data", [b"HTTP/1.1 400 no\r\n\r\n", FRAME[:-3], FRAME[:4] + b"\xff" * (len(FRAME) - 4)]
)
def test_bytes_that_are_no_answer_pass_unchanged(data: bytes) -> None:
    """Another protocol, half an answer, and an answer to no request."""
    assert passed(run_of("tags-unknown", "stream-bytes"), data, 5) == data


def test_a_foreign_protocol_of_the_program_is_noted() -> None:
    """TLS to a listener without it, and HTTP."""
    for begin, protocol in ((b"\x16\x03\x01\x02\x00", "TLS"), (b"GET / HTTP/1.1\r\n\r\n", "HTTP")):
        run = run_of()
        one = VaryingFilter(apis().naming, run, lambda pieces: None)
        assert one.passed(TO_BROKER, begin) == begin
        assert run.foreign == {protocol}


def test_a_request_must_be_in_a_version_that_was_offered() -> None:
    """What the varied answer offers counts, from then on, on its connection; ApiVersions has any version."""
    asked = struct.pack(">ihhih", 10, 3, 12, 9, -1)  # Metadata 12 of a client without a name
    pins = [pinned_version("MetadataRequest", 3, 4), pinned_version("ApiVersionsRequest", 18, 0)]
    run = VariedRun([VariationChoice(each) for each in pins])
    first, second = (VaryingFilter(apis().naming, run, lambda pieces: None) for _ in range(2))
    first.passed(TO_BROKER, request())
    first.passed(TO_CLIENT, FRAME)
    first.passed(TO_BROKER, request())
    second.passed(TO_BROKER, asked)
    assert run.not_offered == set()
    first.passed(TO_BROKER, asked)
    assert run.not_offered == {(3, 12)}


def read_through(folder: Path, texts: Sequence[str], count: int) -> tuple[bytes, VariedRun]:
    """Return what a client gets through the proxy for `count` requests, until the connection closes."""

    def serve(connection: socket.socket) -> None:
        for _ in range(count):
            connection.recv(len(request()), socket.MSG_WAITALL)
            connection.sendall(FRAME)

    varying = VaryingProxy(apis().naming)
    run = varying.run = run_of(*texts)
    with tcp_server(serve) as there:
        route = Route(1, "CLIENT", ("127.0.0.1", 0), there)
        with (
            RecordingProxy([route], folder, {}, vary=varying.filter) as proxy,
            connect(proxy.address(1, "CLIENT")) as client,
        ):
            client.sendall(request() * count)
            got = b""
            while data := client.recv(1 << 16):
                got += data
    return got, run


@pytest.mark.parametrize("name", ["split", "size-split", "bytes", "last-byte", "joined", "overlap", "slow"])
def test_pieces_come_whole_and_in_order(tmp_path: Path, name: str) -> None:
    """The end of the broker's stream waits for the pieces."""
    got, run = read_through(tmp_path, [f"stream-{name}"], 3)
    assert got == FRAME * 3
    assert len(run.sites) == 3


def test_the_connection_closes_after_an_answer(tmp_path: Path) -> None:
    """The client has the whole answer, then the end."""
    got, run = read_through(tmp_path, ["stream-close"], 1)
    assert got == FRAME
    assert len(run.sites) <= 1


def test_a_listener_of_nodes_is_not_varied(tmp_path: Path) -> None:
    """Brokers talk to each other as they are."""
    varying = VaryingProxy(apis().naming)
    with tcp_server(lambda connection: connection.sendall(b"x" * 9)) as there:
        route = Route(1, "INTERNAL", ("127.0.0.1", 0), there)
        with (
            RecordingProxy([route], tmp_path, {}, vary=varying.filter) as proxy,
            connect(proxy.address(1, "INTERNAL")) as client,
        ):
            assert client.recv(9, socket.MSG_WAITALL) == b"x" * 9
    assert varying.run.connections == 0
