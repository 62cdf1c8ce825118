"""The recording proxy between real sockets: what passes, what is recorded, and its failures."""

import gc
import re
import resource
import select
import socket
import ssl
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.capture.tcp_servers import Address, connect, echo, receive, tcp_server
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.proxy.proxy_port import RecordingError, Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.wire.segment_format import EntryKind, SegmentDamage, SegmentEntry, StreamDirection
from wireproof.traffic.wire.segment_reader import read_segment, segment_facts

ANY = ("127.0.0.1", 0)
RESET_AT_CLOSE = struct.pack("ii", 1, 0)


def route(target: Address, number: int = 1, **more: bool) -> Route:
    return Route(number, "CLIENT", ANY, target, **more)


def recorded(folder: Path, name: str = "1-CLIENT") -> list[SegmentEntry]:
    """Return the entries of a segment file after its facts; damage fails."""
    with open(folder / "segments" / f"{name}.wpseg", "rb") as file:
        parts = list(read_segment(file))
    assert not [each for each in parts if isinstance(each, SegmentDamage)]
    return [each for each in parts if isinstance(each, SegmentEntry)][1:]


def stream(entries: list[SegmentEntry], direction: StreamDirection, connection: int = 1) -> bytes:
    """Return all bytes of a direction of a connection."""
    of = [each for each in entries if each.kind is EntryKind.DATA and each.connection == connection]
    return b"".join(each.payload for each in of if each.direction is direction)


def kinds(entries: list[SegmentEntry], connection: int = 1) -> list[tuple[str, str]]:
    """Return the entries of a connection without DATA."""
    of = [each for each in entries if each.connection == connection and each.kind is not EntryKind.DATA]
    return [(each.kind.name, each.direction.name) for each in of]


def test_bytes_that_pass_are_recorded(tmp_path: Path) -> None:
    """The file has the bytes of both directions, the ends of the connection, and the facts of capture and
    route."""
    with (
        tcp_server(echo) as there,
        RecordingProxy([route(there)], tmp_path, {"release": "4.3.1"}) as proxy,
        connect(proxy.address(1, "CLIENT")) as client,
    ):
        client.sendall(b"question")
        assert receive(client, 8) == b"question"
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
    with open(tmp_path / "segments" / "1-CLIENT.wpseg", "rb") as file:
        own = segment_facts(file)
    entries = recorded(tmp_path)
    client_facts = entries[0].facts
    assert own == {"release": "4.3.1", "node": 1, "listener": "CLIENT", "mode": "transparent"}
    assert client_facts["broker"] == f"127.0.0.1:{there[1]}"
    assert client_facts["client"].startswith("127.0.0.1:")
    assert {stream(entries, each) for each in StreamDirection} == {b"question"}
    assert kinds(entries) == [
        ("OPEN", "TO_BROKER"),
        ("END", "TO_BROKER"),
        ("END", "TO_CLIENT"),
        ("CLOSE", "TO_BROKER"),
    ]


def test_a_proxy_that_keeps_nothing_relays_without_files(tmp_path: Path) -> None:
    """A long test suite does not fill the disk."""
    with (
        tcp_server(echo) as there,
        RecordingProxy([route(there)], tmp_path, {}, keeps=False) as proxy,
        connect(proxy.address(1, "CLIENT")) as client,
    ):
        client.sendall(b"question")
        assert receive(client, 8) == b"question"
    assert list((tmp_path / "segments").iterdir()) == []


@pytest.mark.parametrize("ends", [False, True], ids=["stays", "ends"])
def test_bytes_that_come_before_the_node_is_there_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
    """Up to Python 3.11.3 a transport that is paused in `connection_made` reads all the same."""

    def add_reader(transport: Any, number: int, callback: Callable[[], None]) -> None:
        transport._loop._add_reader(number, callback)

    monkeypatch.setattr("asyncio.selector_events._SelectorTransport._add_reader", add_reader)
    sent = bytes(range(256)) * 4_000
    with (
        tcp_server(echo) as there,
        RecordingProxy([route(there)], tmp_path, {}) as proxy,
        connect(proxy.address(1, "CLIENT")) as client,
    ):
        client.sendall(sent[:100])
        if ends:
            client.shutdown(socket.SHUT_WR)
            assert receive(client, 100) == sent[:100]
            assert client.recv(1) == b""
        else:
            sender = threading.Thread(target=client.sendall, args=(sent[100:],))
            sender.start()
            assert receive(client, len(sent)) == sent
            sender.join()


def test_the_end_of_a_direction_does_not_end_the_other(tmp_path: Path) -> None:
    """A node may send a long response after its client has finished sending."""

    def answers_at_the_end(connection: socket.socket) -> None:
        while connection.recv(65536):
            pass
        connection.sendall(b"x" * 300_000)

    with (
        tcp_server(answers_at_the_end) as there,
        RecordingProxy([route(there)], tmp_path, {}) as proxy,
        connect(proxy.address(1, "CLIENT")) as client,
    ):
        client.sendall(b"all")
        client.shutdown(socket.SHUT_WR)
        assert receive(client, 300_000) == b"x" * 300_000
        assert client.recv(1) == b""


def test_a_node_that_breaks_the_connection_breaks_the_clients(tmp_path: Path) -> None:
    """The client gets a reset instead of an end, and the file has the same."""

    def breaks(connection: socket.socket) -> None:
        connection.recv(1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)

    with (
        tcp_server(breaks) as there,
        RecordingProxy([route(there)], tmp_path, {}) as proxy,
        connect(proxy.address(1, "CLIENT")) as client,
    ):
        client.sendall(b"?")
        with pytest.raises(ConnectionResetError):
            client.recv(1)
    assert kinds(recorded(tmp_path)) == [
        ("OPEN", "TO_BROKER"),
        ("RESET", "TO_CLIENT"),
        ("CLOSE", "TO_BROKER"),
    ]


def test_a_client_that_breaks_the_connection_breaks_the_nodes(tmp_path: Path) -> None:
    """The node gets a reset too."""
    seen: list[str] = []
    done = threading.Event()

    def watches(connection: socket.socket) -> None:
        connection.sendall(b"!")
        try:
            seen.append(repr(connection.recv(1)))
        except ConnectionResetError:
            seen.append("reset")
        done.set()

    with tcp_server(watches) as there, RecordingProxy([route(there)], tmp_path, {}) as proxy:
        with connect(proxy.address(1, "CLIENT")) as client:
            assert receive(client, 1) == b"!"
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)
        assert done.wait(30)
    assert seen == ["reset"]
    assert ("RESET", "TO_BROKER") in kinds(recorded(tmp_path))


def test_an_unreachable_node_is_reported_once_and_recorded(tmp_path: Path) -> None:
    """Its clients are reset; other routes work; the proxy reaches the node once it listens."""
    reported: list[str] = []
    with tcp_server(echo) as there, socket.create_server(ANY) as lost:
        absent = lost.getsockname()
        lost.close()
        with RecordingProxy([route(there), route(absent, 2)], tmp_path, {}, report=reported.append) as proxy:
            for _ in range(3):
                with pytest.raises(ConnectionResetError), connect(proxy.address(2, "CLIENT")) as client:
                    client.recv(1)
            with connect(proxy.address(1, "CLIENT")) as client:
                client.sendall(b"here")
                assert receive(client, 4) == b"here"
            with tcp_server(echo, absent[1]), connect(proxy.address(2, "CLIENT")) as client:
                client.sendall(b"come")
                assert receive(client, 4) == b"come"
    reason = f"no connection to 127.0.0.1:{absent[1]}: Connection refused"
    assert reported == [f"node 2, listener CLIENT: {reason}"]
    entries = recorded(tmp_path, "2-CLIENT")
    assert [each.payload.decode() for each in entries if each.kind is EntryKind.RESET][:3] == [reason] * 3
    assert stream(entries, StreamDirection.TO_CLIENT, 4) == b"come"


def test_a_thousand_connections_at_once(tmp_path: Path) -> None:
    """All connections are open together, each gets its own bytes, and each is in the file."""
    with tcp_server(echo) as there, RecordingProxy([route(there)], tmp_path, {}) as proxy:
        clients = [connect(proxy.address(1, "CLIENT")) for _ in range(1000)]
        for number, client in enumerate(clients):
            client.sendall(b"%08d" % number)
        assert [receive(client, 8) for client in clients] == [b"%08d" % number for number in range(1000)]
        for client in clients:
            client.close()
    entries = recorded(tmp_path)
    sent = {each.payload for each in entries if each.kind is EntryKind.DATA}
    assert sent == {b"%08d" % number for number in range(1000)}
    assert len({each.connection for each in entries}) == 1000


def test_clients_that_connect_while_the_proxy_stops_leave_no_socket_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python reports each socket and transport that nobody closed."""
    left: list[str] = []
    gc.collect()
    monkeypatch.setattr(sys, "unraisablehook", lambda each: left.append(str(each.exc_value)))
    with tcp_server(echo) as there, warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(8):
            proxy = RecordingProxy([route(there)], tmp_path / str(number), {})
            proxy.start()
            clients = [threading.Thread(target=_connect_until_refused, args=(proxy,)) for _ in range(3)]
            for each in clients:
                each.start()
            threading.Event().wait(0.01 + 0.003 * number)
            proxy.stop()
            for each in clients:
                each.join()
            del proxy, clients, each
            gc.collect()
    assert left == []


def _connect_until_refused(proxy: RecordingProxy) -> None:
    open_sockets: list[socket.socket] = []
    with suppress(OSError):
        while len(open_sockets) < 100:
            open_sockets.append(connect(proxy.address(1, "CLIENT")))
    for each in open_sockets:
        each.close()


def test_a_node_that_takes_no_more_stops_its_client(tmp_path: Path) -> None:
    """The bytes in flight are limited, and all of them arrive when the node reads again."""
    go_on = threading.Event()
    total: list[int] = []
    arrived = threading.Event()

    def reads_late(connection: socket.socket) -> None:
        assert go_on.wait(30)
        total.append(0)
        while data := connection.recv(1 << 20):
            total[0] += len(data)
        arrived.set()

    with (
        tcp_server(reads_late) as there,
        RecordingProxy([route(there)], tmp_path, {}) as proxy,
        connect(proxy.address(1, "CLIENT")) as client,
    ):
        sent = _send_until_stopped(client, 128 << 20)
        assert sent < 128 << 20
        go_on.set()
        client.shutdown(socket.SHUT_WR)
        assert arrived.wait(30)
    assert total == [sent]
    assert len(stream(recorded(tmp_path), StreamDirection.TO_BROKER)) == sent


def _send_until_stopped(client: socket.socket, most: int) -> int:
    """Send as long as the socket accepts bytes; return their number."""
    client.setblocking(False)
    chunk, sent = bytes(1 << 20), 0
    while sent < most and select.select([], [client], [], 1.0)[1]:
        sent += client.send(chunk)
    client.settimeout(30)
    return sent


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Limit the size of this process's files, like a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_without_a_writable_file_no_bytes_pass(tmp_path: Path) -> None:
    """All connections break, those of other routes too; the error is reported, and the file has all bytes
    that passed."""
    reported: list[str] = []
    with tcp_server(echo) as there, files_of_at_most(200_000):
        proxy = RecordingProxy([route(there), route(there, 2)], tmp_path, {}, report=reported.append)
        proxy.start()
        with connect(proxy.address(2, "CLIENT")) as other, connect(proxy.address(1, "CLIENT")) as client:
            other.sendall(b"1")
            assert receive(other, 1) == b"1"
            got = _echoed_until_broken(client)
            assert _echoed_until_broken(other) == 0
        with pytest.raises(RecordingError, match=r"recording stopped.*File too large"):
            proxy.__exit__(None, None, None)
    assert len(reported) == 1
    assert "1-CLIENT.wpseg" in reported[0]
    assert got > 50_000
    assert got <= len(stream(recorded(tmp_path), StreamDirection.TO_CLIENT)) <= got + 5000


def _echoed_until_broken(client: socket.socket) -> int:
    """Return the bytes that came back before the connection broke."""
    got = 0
    try:
        while True:
            client.sendall(bytes(5000))
            got += len(receive(client, 5000))
    except (ConnectionResetError, BrokenPipeError, EOFError):
        return got


def test_a_used_port_is_an_error(tmp_path: Path) -> None:
    """The error has the route, the port and the reason; free ports are released again."""
    with socket.create_server(ANY) as taken, socket.create_server(ANY) as free:
        first = free.getsockname()
        free.close()
        routes = [Route(1, "CLIENT", first, ANY), Route(2, "CONTROLLER", taken.getsockname(), ANY)]
        with pytest.raises(
            CaptureError, match=r"node 2, listener CONTROLLER: no port 127.0.0.1:\d+: Address"
        ):
            RecordingProxy(routes, tmp_path, {})
        socket.create_server(first).close()


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    """A second capture into the same folder is refused, and the first keeps its bytes."""
    with RecordingProxy([route(ANY)], tmp_path, {"capture": 1}):
        pass
    with pytest.raises(CaptureError, match=r"1-CLIENT\.wpseg is there already"):
        RecordingProxy([route(ANY)], tmp_path, {"capture": 2})
    with open(tmp_path / "segments" / "1-CLIENT.wpseg", "rb") as file:
        assert segment_facts(file)["capture"] == 1


@pytest.mark.parametrize("name", ["", "../CLIENT", "A/B", "x" * 65])
def test_an_invalid_name_of_a_listener_is_refused(name: str) -> None:
    """Names of listeners are parts of file names."""
    with pytest.raises(ValueError, match="is not the name of a listener"):
        Route(1, name, ANY, ANY)


def test_tls_ends_in_the_proxy(tmp_path: Path) -> None:
    """The client sees the throwaway certificate; the node and the file get plain bytes."""
    with tcp_server(echo) as there, RecordingProxy([route(there, tls_to_client=True)], tmp_path, {}) as proxy:
        trusting = ssl.create_default_context(cafile=proxy.certificate)
        plain = connect(proxy.address(1, "CLIENT"))
        with trusting.wrap_socket(plain, server_hostname="127.0.0.1") as client:
            client.sendall(b"secret")
            assert receive(client, 6) == b"secret"
    assert {stream(recorded(tmp_path), each) for each in StreamDirection} == {b"secret"}
    assert "PRIVATE" not in proxy.certificate.read_text()


def test_a_proxy_speaks_tls_to_a_node(tmp_path: Path) -> None:
    """Two proxies in a row have TLS between them, and plain bytes on both sides."""
    with (
        tcp_server(echo) as there,
        RecordingProxy([route(there, tls_to_client=True)], tmp_path / "2", {}) as second,
    ):
        to_second = route(second.address(1, "CLIENT"), tls_to_node=True)
        with (
            RecordingProxy([to_second], tmp_path / "1", {}) as first,
            connect(first.address(1, "CLIENT")) as client,
        ):
            client.sendall(b"secret")
            assert receive(client, 6) == b"secret"
            client.shutdown(socket.SHUT_WR)
            assert client.recv(1) == b""
    for each in ("1", "2"):
        assert stream(recorded(tmp_path / each), StreamDirection.TO_BROKER) == b"secret"


def test_plain_bytes_on_a_port_of_tls_are_reported(tmp_path: Path) -> None:
    """A client that does not speak TLS is refused; others are not."""
    reported: list[str] = []
    with (
        tcp_server(echo) as there,
        RecordingProxy([route(there, tls_to_client=True)], tmp_path, {}, report=reported.append) as proxy,
    ):
        with connect(proxy.address(1, "CLIENT")) as client:
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
            with suppress(ConnectionResetError):
                assert client.recv(1) == b""
        trusting = ssl.create_default_context(cafile=proxy.certificate)
        plain = connect(proxy.address(1, "CLIENT"))
        with trusting.wrap_socket(plain, server_hostname="localhost") as client:
            client.sendall(b"!")
            assert receive(client, 1) == b"!"
    assert len(reported) == 1
    assert re.match(
        r"node 1, listener CLIENT: a client, 127.0.0.1:\d+, does not speak TLS: .*HTTP", reported[0]
    )
