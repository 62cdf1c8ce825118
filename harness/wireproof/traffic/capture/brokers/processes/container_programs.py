"""Kafka's programs in containers, through testcontainers (the extra ``container``).

Containers share the machine's network: their nodes listen on its loopback address and reach the proxy there,
as child processes do. (With mapped ports a node could not use one address for itself and the proxy.)
Only the files of an image are used, so Kafka's own images and those that wireproof builds start alike.
"""

import contextlib
import os
import subprocess
import tarfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from wireproof.base.container_engine import ContainerEngine
from wireproof.base.files.own_folders import open_unnamed_file
from wireproof.base.files.replacement import open_private
from wireproof.traffic.capture.brokers.processes.node_process import JVM, LOGGING
from wireproof.traffic.capture.capture_error import CaptureError

if TYPE_CHECKING:
    from docker.models.containers import Container

LIBRARIES: Final = "/opt/kafka/libs"
"""The folder of the jars in Kafka's own images."""

_ENGINE: Final = ContainerEngine(CaptureError, "; `wireproof broker image RELEASE` builds an image.")
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
    """An image with Kafka's jars of a release, a Java and a shell; its name has a tag."""

    name: str
    release: str

    @property
    def facts(self) -> Mapping[str, Any]:
        with _ENGINE.errors(self.name), contextlib.closing(_ENGINE.connect().client) as client:
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
            with _ENGINE.errors(image):
                self._client = _ENGINE.connect().client
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
        with _gone():
            self._container.kill("SIGTERM")

    def kill(self) -> None:
        with _gone():
            self._container.kill("SIGKILL")
        self._listening.join()
        if self._fifo >= 0:
            os.close(self._fifo)
            self._fifo = -1
            self._client.close()

    def wait(self, timeout_s: float) -> bool:
        return self._over.wait(timeout_s)

    def _listen(self, log: Path) -> None:
        """Write its output to a file, and note its end; the loss of the engine is an end, too."""
        try:
            with _ENGINE.errors("the container"):
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


_PROGRAMS: Final = ("/bin/sh", "/bin/cat")
_UNUSED: Final = {"jmods", "demo", "man", "include", "src.zip", "legal"}


def build_image(name: str, jars: Sequence[Path], java_home: Path) -> str:
    """Import an image with the jars in the folder of Kafka's own images; return the image's id.

    Args:
        name: the name with a tag.
        java_home: a Java installation; it has the same path in the image.

    Raises:
        CaptureError: there is no engine, or the image cannot be made.
    """
    repository, _, tag = name.rpartition(":")
    changes = [f"ENV JAVA_HOME={java_home}", 'ENTRYPOINT ["/bin/sh"]']
    with open_unnamed_file() as packed:
        try:
            _pack(packed, jars, java_home)
        except OSError as error:
            raise CaptureError(f"cannot pack the files of an image: {error}") from error
        packed.seek(0)
        with _ENGINE.errors(f"an image {name}"), contextlib.closing(_ENGINE.connect().client) as client:
            client.api.import_image_from_data(packed, repository=repository, tag=tag, changes=changes)
            image = client.images.get(name).id
    assert image is not None  # an imported image has an id
    return image


def _pack(packed: BinaryIO, jars: Sequence[Path], java_home: Path) -> None:
    binaries = [Path(name) for name in _PROGRAMS]
    java = [java_home / "bin" / "java", *java_home.glob("lib/**/*.so")]
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as tar:
        for jar in jars:
            tar.add(jar, arcname=f"{LIBRARIES}/{jar.name}".lstrip("/"))
        # Java's own libraries are in both lists: each file is packed once.
        for path in dict.fromkeys([*binaries, *_libraries([*binaries, *java]), *_needed(java_home)]):
            tar.add(path, arcname=str(path).lstrip("/"), recursive=False)
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(folder)


def _libraries(binaries: Iterable[Path]) -> list[Path]:
    """Return the shared libraries of binaries, by the paths under which the linker finds them."""
    listed = subprocess.run(["ldd", *map(str, binaries)], capture_output=True, text=True, check=False).stdout
    paths = {word for word in listed.split() if word.startswith("/") and not word.endswith(":")}
    return sorted(Path(os.path.normpath(path)) for path in paths)


def _needed(java_home: Path) -> Iterator[Path]:
    """Iterate over the files of a Java installation, without those for compiling and reading."""
    for folder, names, files in os.walk(java_home, followlinks=True):
        names[:] = [name for name in names if name not in _UNUSED]
        for name in files:
            path = Path(folder, name)
            if name not in _UNUSED and path.exists():  # distributions leave dangling links
                yield path
