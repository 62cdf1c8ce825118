"""A testee in a container: the engine, and the protocol over the input and output that it attaches."""

import contextlib
import selectors
import shlex
import socket
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from wireproof.base.container_engine import ContainerEngine
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.process.transport import LineReader, Outbox, ProcessEnd
from wireproof.proof.testees.testee_errors import ProtocolViolationError, TesteeError

if TYPE_CHECKING:
    from docker.models.containers import Container as EngineContainer
    from testcontainers.core.docker_client import DockerClient


_ENGINE: Final = ContainerEngine(TesteeError)
_LABEL: Final = "io.wireproof.run"
_PROCESSORS: Final = 1
"""The processors of a testee: it answers one request after the other."""
_GONE: Final = frozenset({404, 409})
"""The engine's status codes for a container that does not exist, or that is being removed."""


def has_image(image: str) -> bool:
    """Return whether the engine has an image, so that it need not be built.

    Raises:
        TesteeError: there is no engine.
    """
    with _ENGINE.errors(f"an answer about {image}"), contextlib.ExitStack() as stack:
        from docker.errors import ImageNotFound

        client = _ENGINE.connect().client
        stack.callback(client.close)
        try:
            client.images.get(image)
        except ImageNotFound:
            return False
        return True


def create_container(
    engine: "DockerClient", image: str, command: Sequence[str], run: str, limits: ResourceLimits
) -> "EngineContainer":
    """Create a container, not started yet, with all limits that the engine supports.

    Args:
        command: replaces the image's own; empty for that.
        run: the label of the run's containers.
    """
    from docker.types import LogConfig, Ulimit

    return engine.create(
        image,
        command=list(command) or None,
        labels={_LABEL: run},
        stdin_open=True,
        network="none",
        mem_limit=limits.memory_bytes,
        memswap_limit=limits.memory_bytes,
        nano_cpus=_PROCESSORS * 10**9,
        pids_limit=limits.processes,
        ulimits=[
            Ulimit(name="nofile", soft=limits.descriptors, hard=limits.descriptors),
            Ulimit(name="core", soft=0, hard=0),
        ],
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        log_config=LogConfig(type="none"),
    )


def read_enforced(engine: "DockerClient", container: "EngineContainer") -> dict[str, str]:
    """Return the limits that the engine reports for a container and can enforce, as text by name."""
    info = engine.client.info()
    container.reload()
    given = container.attrs["HostConfig"]

    def limit(name: str, value: object) -> str:
        return str(value) if info.get(name) else "not limited: the engine cannot"

    limits = {each["Name"]: each["Hard"] for each in given["Ulimits"]}
    return {
        "network": given["NetworkMode"],
        "memory": limit("MemoryLimit", given["Memory"]),
        "processors": limit("CpuCfsQuota", given["NanoCpus"] / 10**9),
        "processes": limit("PidsLimit", given["PidsLimit"]),
        "descriptors": str(limits["nofile"]),
        "core dumps": str(limits["core"]),
    }


def remove_container(container: "EngineContainer") -> None:
    """Remove a container, unless it is already gone or being removed."""
    from docker.errors import APIError

    try:
        container.remove(force=True, v=True)
    except APIError as error:
        if error.response is None or error.response.status_code not in _GONE:
            raise


def remove_containers(run: str) -> None:
    """Remove all containers of a run, running or not, also those that other processes started."""
    with contextlib.suppress(TesteeError), _ENGINE.errors("its list"), contextlib.ExitStack() as stack:
        client = _ENGINE.connect().client
        stack.callback(client.close)
        for left in client.containers.list(all=True, filters={"label": f"{_LABEL}={run}"}):
            remove_container(left)


_READ_BYTES: Final = 1 << 18
_STDERR_BYTES: Final = 16384
_POLL_S: Final = 0.1
_GRACE_S: Final = 2.0
_HEAD: Final = struct.Struct(">BxxxI")
"""The header of each piece of an attached stream: its number (1 output, 2 error) and its length."""
_OUTPUT: Final = 1


@dataclass(frozen=True, slots=True)
class Container:
    """An image whose containers run the testee.

    Args:
        command: replaces the image's own; empty for that.
        run: a unique text for the run: the label of its containers.
    """

    image: str
    run: str
    command: tuple[str, ...] = ()
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    advice: str = ""

    @property
    def location(self) -> str:
        return f"containers of {self.image}"

    @property
    def by_hand(self) -> str:
        return shlex.join(
            ["docker", "run", "--rm", "--interactive", "--network", "none", self.image, *self.command]
        )

    def open(self) -> "TesteeContainer":
        """Start a container.

        Raises:
            TesteeError: there is no engine, or no such image.
        """
        return TesteeContainer(self)


class TesteeContainer:
    """A `Transport` to a running container, with its streams attached. Closing it removes the container.

    Raises:
        TesteeError: it cannot be started.
    """

    def __init__(self, image: Container) -> None:
        self.limits = image.limits
        self._outbox = Outbox()
        self._reader = LineReader(image.limits.answer_bytes)
        self._attached = b""
        self._stderr = b""
        self.ended = False
        with _ENGINE.errors(f"a container of {image.image}"):
            self._docker = _ENGINE.connect()
            self._container: EngineContainer = create_container(
                self._docker, image.image, image.command, image.run, image.limits
            )
            try:
                self._stream: Any = self._attach()
                self._socket: socket.socket = getattr(self._stream, "_sock", self._stream)
                self._socket.setblocking(False)
                self._container.start()
                self.enforced: Mapping[str, str] = read_enforced(self._docker, self._container)
            except BaseException:
                remove_container(self._container)
                raise
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)

    def _attach(self) -> Any:
        """Attach the streams before the container starts: earlier output would be lost."""
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        return self._docker.client.api.attach_socket(str(self._container.id), params=streams)

    def send(self, line: bytes) -> None:
        self._outbox.add(line)
        if not self.ended:
            self._selector.modify(self._socket, selectors.EVENT_READ | selectors.EVENT_WRITE)

    def read(self, timeout_s: float) -> list[bytes]:
        for _, ready in () if self.ended else self._selector.select(timeout_s):
            if ready & selectors.EVENT_WRITE:
                self._write()
            if ready & selectors.EVENT_READ:
                return self._read_lines()
        return []

    def _write(self) -> None:
        if self._outbox.flush(self._socket.send):
            self._selector.modify(self._socket, selectors.EVENT_READ)

    def _read_lines(self) -> list[bytes]:
        try:
            data = self._socket.recv(_READ_BYTES)
        except BlockingIOError:
            return []
        except ConnectionResetError:
            data = b""
        if not data:
            self.ended = True
            self._selector.unregister(self._socket)
            return []
        self._attached += data
        lines: list[bytes] = []
        for piece in self._output_pieces():
            lines += self._reader.take(piece)
        return lines

    def _output_pieces(self) -> Iterator[bytes]:
        """Yield the whole pieces of standard output; keep the end of standard error."""
        position = 0
        while len(self._attached) >= position + _HEAD.size:
            stream, length = _HEAD.unpack_from(self._attached, position)
            end = position + _HEAD.size + length
            if len(self._attached) < end:
                break
            piece = self._attached[position + _HEAD.size : end]
            if stream == _OUTPUT:
                yield piece
            else:
                self._stderr = (self._stderr + piece)[-_STDERR_BYTES:]
            position = end
        self._attached = self._attached[position:]

    def stderr_text(self) -> str:
        return self._stderr.decode("utf-8", "replace")

    def cpu_s(self) -> float:
        """Return the processor time of the container so far, as the engine counts it."""
        with contextlib.suppress(TesteeError), _ENGINE.errors("the processor time"):
            stats = self._docker.client.api.stats(str(self._container.id), stream=False, one_shot=True)
            return float(stats["cpu_stats"]["cpu_usage"]["total_usage"]) / 1e9
        return 0.0

    def clock_s(self) -> None:
        """Return None: only the engine counts it, and asking it takes milliseconds."""

    def asleep(self) -> bool:
        """Return True: the engine counts processor time only, which the caller checks as well."""
        return True

    def end(self) -> ProcessEnd:
        """Remove the container, and describe how it ended."""
        message = "was ended by wireproof"
        with contextlib.suppress(TesteeError), _ENGINE.errors("the end"):
            message = self._own_end() or message
        self.close()
        return ProcessEnd(message, self._stderr.decode("utf-8", "replace"))

    def _own_end(self) -> str:
        """Describe how it ended by itself; empty if it did not."""
        state = self._state()
        if state["Running"]:
            return "closed its standard output" if self.ended else ""
        code = int(state["ExitCode"])
        if state["OOMKilled"]:
            return f"was killed: it wanted more than {self.limits.memory_bytes} bytes of memory"
        return f"was killed by signal {code - 128}" if code >= 128 else f"ended with exit code {code}"

    def _state(self) -> Mapping[str, Any]:
        """Return its state. If its output has ended, first give it time to stop."""
        until = time.monotonic() + (_GRACE_S if self.ended else 0)
        while True:
            self._container.reload()
            state: Mapping[str, Any] = self._container.attrs["State"]
            if not state["Running"] or time.monotonic() >= until:
                return state
            time.sleep(_POLL_S)

    def close(self) -> None:
        """Remove the container, with everything that runs in it."""
        if not self.ended:
            self._selector.unregister(self._socket)
        self.ended = True
        self._selector.close()
        self._socket.close()
        # Close the response of the stream, too. Otherwise the garbage collector closes its buffer later,
        # finds the stream closed, and warns.
        getattr(self._stream, "_response", self._stream).close()
        with contextlib.suppress(TesteeError), _ENGINE.errors("the container"):
            remove_container(self._container)
        self._docker.client.close()

    def stop(self, line: bytes) -> bool:
        self.send(line)
        until = time.monotonic() + _GRACE_S
        with contextlib.suppress(ProtocolViolationError):
            while not self.ended and time.monotonic() < until:
                self.read(_POLL_S)
        return self.end().message == "ended with exit code 0"
