"""Kafka's programs in containers, through testcontainers (the extra ``container``).

Containers share the machine's network: their nodes listen on its loopback address and reach the proxy there,
as child processes do. (With mapped ports a node could not use one address for itself and the proxy.)
Only the files of an image are used, so Kafka's own images and those that wireproof builds start alike.
"""

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wireproof.base.extras import install_advice
from wireproof.base.files import open_private
from wireproof.traffic.capture.brokers.processes.kafka_programs import JVM, LOGGING
from wireproof.traffic.capture.capture_error import CaptureError

if TYPE_CHECKING:
    from docker.models.containers import Container
    from testcontainers.core.docker_client import DockerClient

LIBRARIES: Final = "/opt/kafka/libs"
"""The folder of the jars in Kafka's own images."""

_FIFO: Final = "alive"
_PROGRAM: Final = """\
alive=$1; shift
"${JAVA_HOME:+$JAVA_HOME/bin/}java" "$@" & node=$!
trap 'kill -TERM $node' TERM
(cat "$alive" > /dev/null; kill -KILL $node) &
code=129
while kill -0 $node 2> /dev/null; do wait $node; code=$?; done
exit $code
"""
"""The first process of a container. It ends Java once wireproof no longer holds the fifo open."""


@dataclass(frozen=True, slots=True)
class KafkaImage:
    """An image with Kafka's jars, a Java and a shell.

    Attributes:
        name: the name with its tag.
        release: the release of its jars.
    """

    name: str
    release: str

    @property
    def facts(self) -> Mapping[str, Any]:
        with engine_errors(self.name), contextlib.closing(engine().client) as client:
            return {"way": "container", "image": self.name, "image_id": client.images.get(self.name).id}

    def run(self, main: str, arguments: Sequence[str], folder: Path, log: Path) -> "NodeContainer":
        """Start a main class; see `KafkaPrograms.run`."""
        java = [*JVM, *LOGGING, "-cp", f"{LIBRARIES}/*", main, *arguments]
        return NodeContainer(self.name, java, folder, log)


class NodeContainer:
    """A running container. It ends when this process does; the engine then removes it.

    Args:
        java: arguments of Java.

    Raises:
        CaptureError: there is no engine or image, or the container cannot be started.
    """

    def __init__(self, image: str, java: Sequence[str], folder: Path, log: Path) -> None:
        fifo = folder / _FIFO
        if not fifo.exists():
            os.mkfifo(fifo)
        self._fifo = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)
        try:
            with engine_errors(image):
                self._client = engine().client
                try:
                    self._container = _run(self._client, image, [str(fifo), *java], folder)
                    state = self._client.api.inspect_container(str(self._container.id))["State"]
                except BaseException:
                    self._client.close()
                    raise
        except BaseException:
            os.close(self._fifo)
            raise
        self.pid: int = state["Pid"]
        self.ended = ""
        self._over = threading.Event()
        self._listening = threading.Thread(target=self._listen, args=(log,), daemon=True)
        self._listening.start()

    def ask_to_stop(self) -> None:
        """Begin an orderly end."""
        with _gone():
            self._container.kill("SIGTERM")

    def kill(self) -> None:
        """Kill the container, if it runs."""
        with _gone():
            self._container.kill("SIGKILL")
        self._listening.join()
        if self._fifo >= 0:
            os.close(self._fifo)
            self._fifo = -1
            self._client.close()

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; return True if it came."""
        return self._over.wait(timeout_s)

    def _listen(self, log: Path) -> None:
        """Write its output to a file, and note its end; the loss of the engine is an end, too."""
        try:
            with engine_errors("the container"):
                waiter = threading.Thread(target=self._await_end, daemon=True)
                waiter.start()
                with open_private(log, "ab") as output:
                    for data in self._container.logs(stream=True, follow=True):
                        output.write(data)
                waiter.join()
        except CaptureError as error:
            self.ended = self.ended or error.message
        self._over.set()

    def _await_end(self) -> None:
        code = -1
        with _gone():
            code = self._container.wait(condition="removed")["StatusCode"]
        self.ended = f"killed by signal {code - 128}" if code == 137 else f"exit code {code}"


def engine() -> "DockerClient":
    """Return the container engine that the environment names.

    Raises:
        CaptureError: testcontainers is not installed.
    """
    try:
        from testcontainers.core.docker_client import DockerClient
    except ModuleNotFoundError as error:
        raise _not_installed(error) from error
    return DockerClient()


@contextlib.contextmanager
def engine_errors(subject: str) -> Iterator[None]:
    """Convert errors of the engine about a subject.

    Raises:
        CaptureError: the engine reported an error, or there is no engine.
    """
    try:
        from docker.errors import DockerException
        from requests.exceptions import RequestException
    except ModuleNotFoundError as error:
        raise _not_installed(error) from error
    try:
        yield
    except (DockerException, RequestException) as error:
        raise CaptureError(
            f"the container engine does not give {subject}: {error}",
            "Is it running, may you use it, is the image there? DOCKER_HOST names another; "
            "`wireproof broker image RELEASE` builds an image.",
        ) from error


def _not_installed(error: ModuleNotFoundError) -> CaptureError:
    return CaptureError(f"a container needs the package {error.name}", install_advice("container"))


@contextlib.contextmanager
def _gone() -> Iterator[None]:
    """Ignore errors about a container that has ended."""
    from docker.errors import APIError

    with contextlib.suppress(APIError):
        yield


def _run(client: Any, image: str, arguments: Sequence[str], folder: Path) -> "Container":
    container: Container = client.containers.run(
        image,
        entrypoint=["/bin/sh", "-c", _PROGRAM, "node"],
        command=list(arguments),
        detach=True,
        remove=True,
        network_mode="host",
        user=f"{os.getuid()}:{os.getgid()}",
        volumes={str(folder): {"bind": str(folder), "mode": "rw"}},
    )
    return container
