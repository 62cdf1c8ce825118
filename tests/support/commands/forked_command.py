"""The command in a process of its own, forked from one that has imported it.

Python and the modules of the command are imported once for each process of tests, not once for each command.
The schemas of the newest release are read once, too, after the first command that reads schemas of releases,
and so are the cells of all releases, which a command with a ledger looks up.
The command has its own working directory, environment, streams and exit code, and ends as every process of
Python does. A test of imports, of signals or of the interpreter starts Python itself.
"""

import atexit
import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final

from wireproof.app.cli import main
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import ReleaseError

_REQUEST_BYTES: Final = 1 << 20
_STREAMS: Final = 3
_PROGRAM: Final = f"import sys; import {__name__} as forked; forked.serve(int(sys.argv[1]))"
_ENVIRONMENT: Final = dict(os.environ)
"""As it was before any test changed it."""
_PLANNING: Final = "wireproof.app.assembly.inputs.run_inputs"
"""The module that reads the schemas of releases."""
_LEDGERS: Final = "wireproof.app.assembly.ledger_in_use"
"""The module that reads the schemas of all releases for ledgers."""
_KEPT: Final = ("hypothesis", "kafkawire", "rich", "tomlkit", "wireproof")
"""The packages whose modules are kept for later commands, once a command has imported them."""


def run_command(
    folder: Path, *words: str, env: Mapping[str, str] | None = None, text: str = "", output: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Return how ``wireproof WORDS`` ended, with its output.

    Args:
        folder: its working directory.
        env: its whole environment; None for that of the tests.
        text: its standard input.
        output: the file descriptor of its standard output; None to return what it prints there.
    """
    request = {"words": words, "folder": str(folder), "env": dict(os.environ if env is None else env)}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(text.encode())
        given.seek(0)
        server = _server()
        streams = [given.fileno(), out.fileno() if output is None else output, err.fileno()]
        socket.send_fds(server, [json.dumps(request).encode()], streams)
        code = int(server.recv(16))
        printed = []
        for stream in (out, err):
            stream.seek(0)
            printed.append(stream.read().decode())
    return subprocess.CompletedProcess(["wireproof", *words], code, *printed)


@cache
def _server() -> socket.socket:
    """Start the process from which commands are forked; it ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(theirs.fileno())],
        env={**_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        pass_fds=[theirs.fileno()],
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def serve(number: int) -> None:
    """Fork a process for each request of a socket, until the socket is closed.

    Args:
        number: the socket's file descriptor.
    """
    with socket.socket(fileno=number) as requests, tempfile.TemporaryFile() as imported:
        while True:
            data, streams, _, _ = socket.recv_fds(requests, _REQUEST_BYTES, _STREAMS)
            if not data:
                return
            gc.freeze()  # a collection in the child would copy every page
            child = os.fork()
            if child == 0:
                requests.close()
                _run(json.loads(data), streams, imported)
                return
            for each in streams:
                os.close(each)
            _, status = os.waitpid(child, 0)
            requests.send(str(os.waitstatus_to_exitcode(status)).encode())
            _import_all(imported)


def _run(request: dict[str, Any], streams: Sequence[int], imported: IO[bytes]) -> None:
    """Run the command of a request in this process; write the names of the modules that it imports."""
    _become(request, streams)
    known = set(sys.modules)
    try:
        main()
    finally:
        names = [name for name in sys.modules if name not in known and name.partition(".")[0] in _KEPT]
        os.write(imported.fileno(), "\n".join(names).encode())


def _import_all(names: IO[bytes]) -> None:
    """Import the modules that the last command imported; empty the file of their names."""
    names.seek(0)
    for name in names.read().decode().split():
        module = import_module(name)
        if name == _PLANNING:
            _read_newest()
        elif name == _LEDGERS:
            module.catalogue()
    names.seek(0)
    names.truncate()


def _read_newest() -> None:
    """Read the schemas of the newest release, if its jars are there; `run_inputs` keeps them."""
    planning = import_module(_PLANNING)
    with contextlib.suppress(ReleaseError):
        planning.prepare(planning.table().choose("newest"), JarStore(offline=True), ())


def _become(request: dict[str, Any], streams: Sequence[int]) -> None:
    """Take the arguments, the environment with its search path, the folder and the streams of a request."""
    for target, each in enumerate(streams):
        os.dup2(each, target)
        os.close(each)
    sys.stdin, sys.stdout, sys.stderr = (
        open(target, "r" if target == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - they stay open
        for target in range(_STREAMS)
    )
    sys.stderr.reconfigure(line_buffering=True, errors="backslashreplace")
    os.environ.clear()
    os.environ.update(request["env"])
    given = request["env"].get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [path for path in given if path and path not in sys.path]
    os.chdir(request["folder"])
    sys.argv = ["wireproof", *request["words"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)
