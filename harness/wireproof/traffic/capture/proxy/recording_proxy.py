"""The recording proxy: its ports, its thread and its messages."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, Final

from wireproof.traffic.capture.capture_error import CaptureError, as_capture_error
from wireproof.traffic.capture.proxy.address_rewriting import AddressRewriting
from wireproof.traffic.capture.proxy.certificate import TlsHandshake, throwaway_context
from wireproof.traffic.capture.proxy.proxy_port import (
    BACKLOG,
    UNKNOWN_NODE,
    ProxyPort,
    RecordingError,
    Route,
    SegmentRecorder,
    allow_descriptors,
    bind_route,
    is_listener,
)
from wireproof.traffic.capture.proxy.relay import CONNECT_S, FilterFactory, Relay
from wireproof.traffic.capture.raw_client.raw_client import Address, unverified_tls_context
from wireproof.traffic.wire.frame_identifier import FrameIdentifier
from wireproof.traffic.wire.segment_format import SEGMENT_SUFFIX, SEGMENTS

_PASSES: Final = 8
"""The passes of the event loop within which it makes a waiting client's relay, or closes an aborted one."""
_OF_NODES: Final = frozenset({"INTERNAL", "CONTROLLER"})
"""Listeners without clients: answers there are never varied."""


class RecordingProxy:
    """A proxy between clients and nodes, in its own thread; it writes all bytes before it sends them on.

    The constructor binds its ports, so brokers can advertise them before they start; an early client waits
    for `start`. An unreachable node breaks only the connections to it.

    Args:
        folder: the folder of the capture. The proxy writes ``segments/NODE-LISTENER.wpseg``, which must not
            exist.
        facts: facts for the header of each file; the proxy adds node, listener and mode.
        rewrite: identifies frames, so that the proxy can replace addresses in responses by its own, for
            clusters that cannot advertise it; nodes named there get ports, too. None: the proxy parses
            nothing.
        vary: makes the filter of each connection that varies answers; None for unchanged answers.
        keeps: false to relay without segment files.
        report: receives each problem as a sentence, on the proxy's thread.

    Attributes:
        failure: the reason why the proxy stopped recording and relaying; None while it works.
        certificate: the file that clients must trust if a route has TLS towards them.

    Raises:
        CaptureError: a port is taken, or a file cannot be made or exists.
    """

    def __init__(
        self,
        routes: Iterable[Route],
        folder: Path,
        facts: Mapping[str, Any],
        *,
        rewrite: FrameIdentifier | None = None,
        vary: FilterFactory | None = None,
        keeps: bool = True,
        report: Callable[[str], None] = lambda trouble: None,
    ) -> None:
        self.failure: RecordingError | None = None
        self.certificate = folder / "proxy.pem"
        self._rewrite = rewrite
        self._vary = vary
        self._keeps = keeps
        self._report = report
        self._relays: set[Relay] = set()
        self._servers: list[asyncio.Server] = []
        self._ports: dict[tuple[int, str], ProxyPort] = {}
        self._loop: asyncio.AbstractEventLoop
        self._stopping: asyncio.Event
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recording proxy", daemon=True)
        self._folder = folder / SEGMENTS
        self._facts = facts
        self._listening: set[asyncio.Task[None]] = set()
        with as_capture_error(f"{self._folder} cannot be made"):
            self._folder.mkdir(parents=True, exist_ok=True)
        routes = list(routes)
        try:
            hosts = {route.bind[0] for route in routes if route.tls_to_client}
            self._tls = throwaway_context({*hosts, "localhost"}, self.certificate) if hosts else None
            for route in routes:
                self._add(route)
        except CaptureError:
            self._close_ports()
            raise

    def address(self, node: int, listener: str) -> Address:
        """Return the proxy's address for a node's listener. Raises KeyError if there is no such route."""
        return self._ports[node, listener].address

    def recorders(self) -> Mapping[tuple[int, str], SegmentRecorder]:
        """Return the segment files by node and listener, with their counts so far."""
        return {key: port.recorder for key, port in self._ports.items()}

    def start(self) -> None:
        """Begin to accept connections."""
        allow_descriptors()
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """Break open connections, and close the files. The recorded segments are complete."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
        self._close_ports()

    def settle(self) -> None:
        """Wait until the proxy has taken up the connections of clients that have connected."""
        if self._thread.is_alive():
            with suppress(RuntimeError, TimeoutError, CancelledError):  # the thread ends at this moment
                asyncio.run_coroutine_threadsafe(_pass_on(), self._loop).result(CONNECT_S)

    def __enter__(self) -> "RecordingProxy":
        self.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, *_: object) -> None:
        """Stop the proxy and close its files.

        Raises RecordingError if recording failed, and no other exception is active.
        """
        self.stop()
        if self.failure is not None and error is None:
            raise self.failure

    # Calls by relays.

    def joined(self, relay: Relay) -> None:
        self._relays.add(relay)

    def left(self, relay: Relay) -> None:
        self._relays.discard(relay)

    def unreachable(self, route: Route, reason: str) -> None:
        """Report an unreachable node, once until the proxy reaches it."""
        port = self._ports[route.node, route.listener]
        if not port.refused:
            port.refused = True
            self._report(f"{route}: {reason}")

    def failed(self, error: RecordingError) -> None:
        """Stop all relaying, because recording failed."""
        if self.failure is not None:
            return
        self.failure = error
        self._report(str(error))
        for relay in list(self._relays):
            relay.drop()
        self._relays.clear()
        self._stopping.set()

    # The thread.

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._report_loop_error)
        self._stopping = asyncio.Event()
        for port in list(self._ports.values()):
            await self._listen(port)
        self._ready.set()
        await self._stopping.wait()
        await self._end_connections()

    async def _end_connections(self) -> None:
        """Stop accepting, and reset every connection.

        The servers close last: asyncio never closes a socket that it accepted before and handles after that.
        """
        await _pass_on()
        for listening in chain.from_iterable(server.sockets for server in self._servers):
            self._loop.remove_reader(listening.fileno())
        for _ in range(_PASSES):
            for relay in list(self._relays):
                relay.abort("the proxy was stopped")
            await asyncio.sleep(0)
        for server in self._servers:
            server.close()

    async def _listen(self, port: ProxyPort) -> None:
        def client() -> asyncio.Protocol:
            end = self._relay(port).client
            return (
                TlsHandshake(end, self._tls, partial(self._report_no_tls, port))
                if port.route.tls_to_client
                else end
            )

        self._servers.append(await self._loop.create_server(client, sock=port.listening, backlog=BACKLOG))

    def _report_no_tls(self, port: ProxyPort, client: str, reason: str) -> None:
        """Report a client that does not speak TLS."""
        self._report(f"{port.route}: a client, {client}, does not speak TLS: {reason}")

    def _relay(self, port: ProxyPort) -> Relay:
        rewriting: AddressRewriting | None = None
        if self._rewrite is not None:
            rewriting = AddressRewriting(self._rewrite, partial(self._redirect, port))
        vary = None if port.route.listener in _OF_NODES else self._vary
        return Relay(self, port.route, port.recorder, partial(self._dial, port), rewriting, vary)

    def _redirect(self, origin: ProxyPort, node: int, listener: str, target: Address) -> Address:
        """Return the proxy's address for one that a node advertised; open a port for a new one."""
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

    def _discover(self, port: ProxyPort) -> None:
        """Serve a port that a response made necessary; early clients wait."""
        task = self._loop.create_task(self._listen(port))
        self._listening.add(task)
        task.add_done_callback(self._listening.discard)

    def _dial(self, port: ProxyPort, made: Callable[[], asyncio.Protocol]) -> asyncio.Task[None]:
        async def connected() -> None:
            async with asyncio.timeout(CONNECT_S):
                tls = unverified_tls_context() if port.route.tls_to_node else None
                await self._loop.create_connection(made, *port.route.target, ssl=tls)
            port.refused = False

        return self._loop.create_task(connected())

    def _report_loop_error(self, loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        """Report an error of the event loop, such as a connection refused for lack of descriptors."""
        error = context.get("exception")
        self._report(f"{context['message']}: {error}" if error else context["message"])

    def _add(self, route: Route, *, given: bool = True) -> ProxyPort:
        key = (route.node, route.listener)
        if key in self._ports:
            raise CaptureError(f"two routes lead to {route}")
        listening = bind_route(route)
        mode = "transparent" if self._rewrite is None else "rewriting"
        facts = {**self._facts, "node": route.node, "listener": route.listener, "mode": mode}
        try:
            path = self._folder / f"{route.name}{SEGMENT_SUFFIX}"
            recorder = SegmentRecorder(path if self._keeps else Path(os.devnull), facts)
        except CaptureError:
            listening.close()
            raise
        self._ports[key] = ProxyPort(route, listening, recorder, given=given)
        return self._ports[key]

    def _close_ports(self) -> None:
        for port in self._ports.values():
            port.close()


async def _pass_on() -> None:
    """Let the loop do what is ready, and what follows from it."""
    for _ in range(_PASSES):
        await asyncio.sleep(0)
