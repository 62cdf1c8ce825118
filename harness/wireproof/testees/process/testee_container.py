"""A testee in a container: the protocol over the standard input and output that the engine attaches.

The engine is reached through testcontainers, the extra ``container``, which is imported when a container is
started. Its reaper is not: whatever is left of a run is found by its label and removed by wireproof itself.
"""

import contextlib
import selectors
import shlex
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from wireproof.extras import install
from wireproof.testees.limits.resource_limits import ResourceLimits
from wireproof.testees.process.line_buffers import LineReader, Outbox
from wireproof.testees.process.transport import ProcessEnd
from wireproof.testees.testee_errors import ProtocolViolationError, TesteeError

if TYPE_CHECKING:
    from docker.models.containers import Container as EngineContainer
    from testcontainers.core.docker_client import DockerClient

__all__ = ["Container", "TesteeContainer", "has_image", "remove_containers"]

_LABEL: Final = "io.wireproof.run"
_PROCESSORS: Final = 1
"""What a testee gets of them: it answers one question after the other."""
_READ_BYTES: Final = 1 << 18
_STDERR_BYTES: Final = 4096
_GRACE_S: Final = 2.0
_HEAD: Final = struct.Struct(">BxxxI")
"""Before each piece of an attached stream: which one (1 output, 2 error), and how many bytes."""
_OUTPUT: Final = 1


@dataclass(frozen=True, slots=True)
class Container:
    """An image to start containers of.

    Args:
        command: in place of the image's own; empty for that.
        run: a word that no other run has: the label of its containers.
    """

    image: str
    run: str
    command: tuple[str, ...] = ()
    limits: ResourceLimits = field(default_factory=ResourceLimits)

    @property
    def words(self) -> str:
        return f"containers of {self.image}"

    @property
    def by_hand(self) -> str:
        return shlex.join(
            ["docker", "run", "--rm", "--interactive", "--network", "none", self.image, *self.command]
        )

    def open(self) -> "TesteeContainer":
        """Start one.

        Raises:
            TesteeError: there is no engine, or no such image.
        """
        return TesteeContainer(self)


def has_image(image: str) -> bool:
    """Whether the engine has an image, so that it need not be built.

    Raises:
        TesteeError: there is no engine.
    """
    with _engine_errors(f"its word about {image}"), contextlib.ExitStack() as stack:
        from docker.errors import ImageNotFound

        client = _engine().client
        stack.callback(client.close)
        try:
            client.images.get(image)
        except ImageNotFound:
            return False
        return True


def remove_containers(run: str) -> None:
    """Remove what is left of a run, whoever started it, running or not."""
    with contextlib.suppress(TesteeError), _engine_errors("its list"), contextlib.ExitStack() as stack:
        client = _engine().client
        stack.callback(client.close)
        for left in client.containers.list(all=True, filters={"label": f"{_LABEL}={run}"}):
            _remove(left)


class TesteeContainer:
    """A running container, attached to. It is removed when closed.

    Raises:
        TesteeError: it cannot be started.
    """

    def __init__(self, way: Container) -> None:
        self.limits = way.limits
        self._outbox = Outbox()
        self._reader = LineReader(way.limits.answer_bytes)
        self._attached = b""
        self._stderr = b""
        self._ended = False
        with _engine_errors(f"a container of {way.image}"):
            self._engine = _engine()
            self._container: EngineContainer = _created(self._engine, way)
            try:
                self._raw: Any = self._attach()
                self._socket: socket.socket = getattr(self._raw, "_sock", self._raw)
                self._socket.setblocking(False)
                self._container.start()
                self.enforced: Mapping[str, str] = _enforced(self._engine, self._container)
            except BaseException:
                _remove(self._container)
                raise
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)

    def _attach(self) -> Any:
        """The streams, before anything is said: what comes before an attachment is lost."""
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        return self._engine.client.api.attach_socket(str(self._container.id), params=streams)

    @property
    def ended(self) -> bool:
        """Whether its standard output is closed: nothing more will come."""
        return self._ended

    def send(self, line: bytes) -> None:
        """Queue a line; it goes out while `read` waits."""
        self._outbox.add(line)
        if not self._ended:
            self._selector.modify(self._socket, selectors.EVENT_READ | selectors.EVENT_WRITE)

    def read(self, timeout_s: float) -> list[bytes]:
        """The lines that come within a time, as soon as there is any; nothing more after the end.

        Raises:
            ProtocolViolationError: a line is longer than an answer may be.
        """
        for _, ready in () if self._ended else self._selector.select(timeout_s):
            if ready & selectors.EVENT_WRITE:
                self._write()
            if ready & selectors.EVENT_READ:
                return self._lines()
        return []

    def _write(self) -> None:
        try:
            self._outbox.flush(self._socket.send)
        except BlockingIOError:
            return
        except (BrokenPipeError, ConnectionResetError):
            self._outbox.clear()
        self._selector.modify(self._socket, selectors.EVENT_READ)

    def _lines(self) -> list[bytes]:
        try:
            data = self._socket.recv(_READ_BYTES)
        except BlockingIOError:
            return []
        except ConnectionResetError:
            data = b""
        if not data:
            self._ended = True
            self._selector.unregister(self._socket)
            return []
        self._attached += data
        lines: list[bytes] = []
        for piece in self._pieces():
            lines += self._reader.take(piece)
        return lines

    def _pieces(self) -> Iterator[bytes]:
        """The whole pieces of standard output; of standard error the end is kept."""
        place = 0
        while len(self._attached) >= place + _HEAD.size:
            stream, length = _HEAD.unpack_from(self._attached, place)
            end = place + _HEAD.size + length
            if len(self._attached) < end:
                break
            piece = self._attached[place + _HEAD.size : end]
            if stream == _OUTPUT:
                yield piece
            else:
                self._stderr = (self._stderr + piece)[-_STDERR_BYTES:]
            place = end
        self._attached = self._attached[place:]

    def heard(self) -> str:
        """The end of what it said on standard error so far."""
        return self._stderr.decode("utf-8", "replace")

    def cpu_s(self) -> float:
        """Processor time of the container so far, as the engine counts it."""
        with contextlib.suppress(TesteeError), _engine_errors("the processor time"):
            told = self._engine.client.api.stats(str(self._container.id), stream=False, one_shot=True)
            return float(told["cpu_stats"]["cpu_usage"]["total_usage"]) / 1e9
        return 0.0

    def spent_s(self) -> None:
        """The engine is asked for it, which takes milliseconds."""

    def asleep(self) -> bool:
        """Taken as it is: the engine tells of processor time alone, and that is judged beside it."""
        return True

    def death(self) -> ProcessEnd:
        """Removes it, and tells how it ended."""
        words = "was ended by wireproof"
        with contextlib.suppress(TesteeError), _engine_errors("the end"):
            words = self._end() or words
        self.close()
        return ProcessEnd(words, self._stderr.decode("utf-8", "replace"))

    def _end(self) -> str:
        """How it ended by itself; empty where it did not."""
        state = self._state()
        if state["Running"]:
            return "closed its standard output" if self._ended else ""
        code = int(state["ExitCode"])
        if state["OOMKilled"]:
            return f"was killed: it wanted more than {self.limits.memory_bytes} bytes of memory"
        return f"was killed by signal {code - 128}" if code >= 128 else f"ended with exit code {code}"

    def _state(self) -> Mapping[str, Any]:
        """Its state; where its output has ended, once it has stopped or had its time to."""
        until = time.monotonic() + (_GRACE_S if self._ended else 0)
        while True:
            self._container.reload()
            state: Mapping[str, Any] = self._container.attrs["State"]
            if not state["Running"] or time.monotonic() >= until:
                return state
            time.sleep(_LOOK_S)

    def close(self) -> None:
        """Remove it, and all that runs in it."""
        if not self._ended:
            self._selector.unregister(self._socket)
        self._ended = True
        self._selector.close()
        self._socket.close()
        # With the response that brought the stream: its buffer, closed last by whoever collects it, would
        # find the stream shut, and say so.
        getattr(self._raw, "_response", self._raw).close()
        with contextlib.suppress(TesteeError), _engine_errors("the container"):
            _remove(self._container)
        self._engine.client.close()

    def stop(self, line: bytes) -> bool:
        """Say the last line, and wait for the orderly end; whether it came."""
        self.send(line)
        until = time.monotonic() + _GRACE_S
        with contextlib.suppress(ProtocolViolationError):
            while not self._ended and time.monotonic() < until:
                self.read(_LOOK_S)
        return self.death().words == "ended with exit code 0"


_LOOK_S: Final = 0.1


def _engine() -> "DockerClient":
    try:
        from testcontainers.core.docker_client import DockerClient
    except ModuleNotFoundError as error:
        raise TesteeError(
            f"a container needs the package {error.name}", f"Type: {install('container')}"
        ) from error
    return DockerClient()


@contextlib.contextmanager
def _engine_errors(what: str) -> Iterator[None]:
    """Tells what the engine says, or that there is none."""
    try:
        from docker.errors import DockerException
        from requests.exceptions import RequestException
    except ModuleNotFoundError as error:
        raise TesteeError(
            f"a container needs the package {error.name}", f"Type: {install('container')}"
        ) from error
    try:
        yield
    except (DockerException, RequestException) as error:
        raise TesteeError(
            f"the container engine does not give {what}: {error}",
            "Is it running, may you use it, is the image there? DOCKER_HOST names another.",
        ) from error


def _created(engine: "DockerClient", way: Container) -> "EngineContainer":
    """A container that is not started yet, with all limits that the engine takes."""
    from docker.types import LogConfig, Ulimit

    limits = way.limits
    return engine.create(
        way.image,
        command=list(way.command) or None,
        labels={_LABEL: way.run},
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


def _enforced(engine: "DockerClient", container: "EngineContainer") -> dict[str, str]:
    """What the engine says it was given, and that it can do."""
    can = engine.client.info()
    container.reload()
    given = container.attrs["HostConfig"]

    def held(name: str, value: object) -> str:
        return str(value) if can.get(name) else "not limited: the engine cannot"

    limits = {limit["Name"]: limit["Hard"] for limit in given["Ulimits"]}
    return {
        "network": given["NetworkMode"],
        "memory": held("MemoryLimit", given["Memory"]),
        "processors": held("CpuCfsQuota", given["NanoCpus"] / 10**9),
        "processes": held("PidsLimit", given["PidsLimit"]),
        "descriptors": str(limits["nofile"]),
        "core dumps": str(limits["core"]),
    }


def _remove(container: "EngineContainer") -> None:
    """Remove it, unless somebody else did or does."""
    from docker.errors import APIError

    try:
        container.remove(force=True, v=True)
    except APIError as error:
        if error.response is None or error.response.status_code not in _GONE:
            raise


_GONE: Final = frozenset({404, 409})
"""What the engine says of a container that is not there, or is being removed."""
