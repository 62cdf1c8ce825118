"""The proxy: its ports, its thread, and what it says."""

import asyncio
import resource
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from wireproof.capture.capture_error import CaptureError
from wireproof.capture.proxy.address_rewriting import AddressRewriting
from wireproof.capture.proxy.certificate import throwaway_context
from wireproof.capture.proxy.relay import CONNECT_S, Relay
from wireproof.capture.proxy.route import UNKNOWN_NODE, Address, Route, is_listener
from wireproof.capture.proxy.segment_recorder import RecordingError, SegmentRecorder
from wireproof.capture.proxy.tls_handshake import TlsHandshake
from wireproof.capture.raw_client.unverified_tls import unverified_tls_context
from wireproof.wire import FrameIdentifier

__all__ = ["RecordingProxy"]

_BACKLOG: Final = 1024
_DESCRIPTORS: Final = 16 * 1024
_SEGMENTS: Final = "segments"
_SUFFIX: Final = ".wpseg"


class _Port:
    """A port that is listened at, with its file.

    Attributes:
        given: the caller named the route; else a node told its address.
        refused: the node behind it could not be reached, and that was told.
    """

    def __init__(
        self, route: Route, listening: socket.socket, recorder: SegmentRecorder, *, given: bool
    ) -> None:
        self.route = route
        self.given = given
        self.listening = listening
        self.recorder = recorder
        self.refused = False

    @property
    def address(self) -> Address:
        host, port = self.listening.getsockname()[:2]
        return host, port


class RecordingProxy:
    """Stands between clients and nodes, in a thread of its own, and writes what passes.

    Its ports are bound when the object is made, so that brokers can be told of them before they start; a
    client that comes before `start` waits. A node that is not there breaks the connection of who asks for
    it, and no other.

    Args:
        routes: the ports.
        folder: of the capture. The proxy writes ``segments/NODE-LISTENER.wpseg``, which must not be there.
        facts: of the capture, for the head of each file; node, listener and mode are added.
        rewrite: the schemas by which addresses in responses are found and replaced by those of the proxy, for
            clusters that cannot be told of it; what nodes are named there get ports, too. Without it the
            proxy parses nothing.
        report: is given each trouble as a sentence, on the proxy's thread.

    Attributes:
        failure: why nothing passes any more; None as long as all is well.
        certificate: the file that clients must trust where a route has TLS towards them.

    Raises:
        CaptureError: a port is taken, a file cannot be made, or is there.
    """

    def __init__(
        self,
        routes: Iterable[Route],
        folder: Path,
        facts: Mapping[str, Any],
        *,
        rewrite: FrameIdentifier | None = None,
        report: Callable[[str], None] = lambda trouble: None,
    ) -> None:
        self.failure: RecordingError | None = None
        self.certificate = folder / "proxy.pem"
        self._rewrite = rewrite
        self._report = report
        self._relays: set[Relay] = set()
        self._servers: list[asyncio.Server] = []
        self._ports: dict[tuple[int, str], _Port] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recording proxy", daemon=True)
        self._folder = folder / _SEGMENTS
        self._facts = facts
        self._listening: set[asyncio.Task[None]] = set()
        _make_folder(self._folder)
        routes = list(routes)
        try:
            self._tls = self._tls_context(routes)
            for route in routes:
                self._add(route)
        except CaptureError:
            self._close_ports()
            raise

    def address(self, node: int, listener: str) -> Address:
        """Where clients of a node's listener shall connect to.

        Raises:
            KeyError: there is no such route.
        """
        return self._ports[node, listener].address

    def recorders(self) -> Mapping[tuple[int, str], SegmentRecorder]:
        """The files by node and listener, with what went into them so far."""
        return {key: port.recorder for key, port in self._ports.items()}

    def start(self) -> None:
        """Begin to take connections."""
        _allow_descriptors()
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """Break what is still open, and close the files. What was recorded is whole."""
        if self._loop is not None and self._stopping is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
        self._close_ports()

    def __enter__(self) -> "RecordingProxy":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop.

        Raises:
            RecordingError: recording failed on the way, and no other error is under way.
        """
        self.stop()
        if self.failure is not None and error is None:
            raise self.failure

    # What relays ask.

    def joined(self, relay: Relay) -> None:
        """A connection began."""
        self._relays.add(relay)

    def left(self, relay: Relay) -> None:
        """A connection is over."""
        self._relays.discard(relay)

    def unreachable(self, route: Route, reason: str) -> None:
        """A node could not be reached: told once, until it was."""
        port = self._ports[route.node, route.listener]
        if not port.refused:
            port.refused = True
            self._report(f"{route}: {reason}")

    def failed(self, error: RecordingError) -> None:
        """Recording failed: nothing may pass any more."""
        if self.failure is not None:
            return
        self.failure = error
        self._report(str(error))
        for relay in list(self._relays):
            relay.drop()
        self._relays.clear()
        if self._stopping is not None:
            self._stopping.set()

    # The thread.

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._strange)
        self._stopping = asyncio.Event()
        for port in list(self._ports.values()):
            await self._listen(port)
        self._ready.set()
        await self._stopping.wait()
        for server in self._servers:
            server.close()
        for relay in list(self._relays):
            relay.abort("the proxy was stopped")
        await asyncio.sleep(0)  # lets the loop close what was aborted

    async def _listen(self, port: _Port) -> None:
        assert self._loop is not None

        def client() -> asyncio.Protocol:
            end = self._relay(port).client
            return (
                TlsHandshake(end, self._tls, partial(self._mute, port)) if port.route.tls_to_client else end
            )

        self._servers.append(await self._loop.create_server(client, sock=port.listening, backlog=_BACKLOG))

    def _mute(self, port: _Port, client: str, reason: str) -> None:
        """A client could not be talked to."""
        self._report(f"{port.route}: a client, {client}, does not speak TLS: {reason}")

    def _relay(self, port: _Port) -> Relay:
        changed: AddressRewriting | None = None
        if self._rewrite is not None:
            changed = AddressRewriting(self._rewrite, partial(self._redirect, port))
        return Relay(self, port.route, port.recorder, partial(self._dial, port), changed)

    def _redirect(self, origin: _Port, node: int, listener: str, target: Address) -> Address:
        """The proxy's address for one that a node told; from now on it has one."""
        for port in self._ports.values():
            if target == port.address or (
                target == port.route.target and node in (port.route.node, UNKNOWN_NODE)
            ):
                return port.address
        given = self._ports.get((node, origin.route.listener))
        if not listener and given is not None and given.given:
            return given.address  # the same listener by another name, such as localhost
        listener = listener if is_listener(listener) else origin.route.listener
        names = chain([listener], (f"{listener}.{number}" for number in count(2)))
        name = next(each for each in names if (node, each) not in self._ports)
        bind = (origin.address[0], 0)
        route = replace(origin.route, node=node, listener=name, bind=bind, target=target)
        try:
            port = self._add(route, given=False)
        except CaptureError as error:
            self._report(f"{error}: {target[0]}:{target[1]} is not captured")
            return target
        self._discover(port)
        return port.address

    def _discover(self, port: _Port) -> None:
        """Serve a port that was not there from the beginning; who connects before that waits."""
        assert self._loop is not None
        task = self._loop.create_task(self._listen(port))
        self._listening.add(task)
        task.add_done_callback(self._listening.discard)

    def _dial(self, port: _Port, made: Callable[[], asyncio.Protocol]) -> asyncio.Task[None]:
        async def connected() -> None:
            assert self._loop is not None
            async with asyncio.timeout(CONNECT_S):
                tls = unverified_tls_context() if port.route.tls_to_node else None
                await self._loop.create_connection(made, *port.route.target, ssl=tls)
            port.refused = False

        assert self._loop is not None
        return self._loop.create_task(connected())

    def _strange(self, loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        """What the loop could not do for us, such as taking a connection for want of descriptors."""
        error = context.get("exception")
        self._report(f"{context['message']}: {error}" if error else context["message"])

    def _add(self, route: Route, *, given: bool = True) -> _Port:
        key = (route.node, route.listener)
        if key in self._ports:
            raise CaptureError(f"two routes lead to {route}")
        listening = _bound(route)
        mode = "transparent" if self._rewrite is None else "rewriting"
        facts = {**self._facts, "node": route.node, "listener": route.listener, "mode": mode}
        try:
            recorder = SegmentRecorder(self._folder / f"{route.name}{_SUFFIX}", facts)
        except CaptureError:
            listening.close()
            raise
        self._ports[key] = _Port(route, listening, recorder, given=given)
        return self._ports[key]

    def _tls_context(self, routes: Sequence[Route]) -> ssl.SSLContext | None:
        hosts = {route.bind[0] for route in routes if route.tls_to_client}
        return throwaway_context({*hosts, "localhost"}, self.certificate) if hosts else None

    def _close_ports(self) -> None:
        for port in self._ports.values():
            port.listening.close()
            port.recorder.close()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CaptureError(f"{folder} cannot be made: {error.strerror}") from error


def _bound(route: Route) -> socket.socket:
    """A socket that listens where the route says; from now on nobody else has the port."""
    host, port = route.bind
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=_BACKLOG
        )
    except OSError as error:
        raise CaptureError(
            f"{route}: no port {host}:{port}: {error.strerror}",
            "Give another port, or 0 for a free one.",
        ) from error


def _allow_descriptors() -> None:
    """A connection takes two descriptors, and many systems allow a process 1,024 unless it asks for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
