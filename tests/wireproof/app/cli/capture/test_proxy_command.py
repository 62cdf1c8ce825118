"""`wireproof proxy --vary` as a process, before a broker that answers ApiVersions alone."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.capture.broker_answers import answers
from tests.support.capture.tcp_servers import connect, tcp_server
from tests.support.commands.forked_command import run_command

REQUEST = bytes.fromhex("00000011 0012 0003 00000001 0001 63 00 0261 0231 00".replace(" ", ""))
FRAME = next(
    frame
    for each, frame in answers("ApiVersionsResponse")
    if each.version == 3 and not each.body["errorCode"]
)


def sized(frame: bytes) -> bytes:
    return (len(frame) - 4).to_bytes(4, "big") + frame[4:]


def serve(connection: socket.socket) -> None:
    while connection.recv(1 << 16):
        connection.sendall(FRAME[:4] + REQUEST[8:12] + FRAME[8:])


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_answers_are_varied_until_a_signal(end: signal.Signals) -> None:
    """It names its port, varies, and counts at the end."""
    with tcp_server(serve) as (host, port):
        words = ["proxy", "--vary", "--only", "tags-root", "--listen", "0", "--broker", f"{host}:{port}"]
        command = [sys.executable, "-m", "wireproof", *words]
        # Python's developer mode prints a line for each long step, as on a machine with other work.
        plain = {**os.environ, "PYTHONDEVMODE": ""}
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=plain) as proxy:
            try:
                assert proxy.stderr is not None
                line = proxy.stderr.readline()
                found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+); variations: tags-root\n", line)
                assert found, line
                with connect(("127.0.0.1", int(found[1]))) as client:
                    client.sendall(sized(REQUEST))
                    size = int.from_bytes(client.recv(4), "big")
                    got = b""
                    while len(got) < size:
                        got += client.recv(size)
                assert len(FRAME) - 4 < size == len(got)
                proxy.send_signal(end)
                rest = proxy.stderr.read()
                assert proxy.wait(30) == 0
            finally:
                proxy.kill()
    assert rest == "tags-root: 1 answer\n1 connection, 1 request\n"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--listen", "0", "--broker", "localhost:9092"], "without --vary"),
        (["--vary", "--listen", "0", "--broker", "localhost"], "is not HOST:PORT"),
        (["--vary", "--only", "no", "--listen", "0", "--broker", "a:1"], "is not a variation"),
        (["--vary", "--only", "tags-root@Fetch", "--listen", "0", "--broker", "a:1"], "no response 'Fetch'"),
        (["--vary", "--release", "1.0", "--listen", "0", "--broker", "a:1"], "--release"),
    ],
)
def test_a_wrong_option_is_named(words: list[str], text: str) -> None:
    """The exit code is 2."""
    ran = run_command(Path.cwd(), "proxy", *words)
    assert ran.returncode == 2
    assert text in ran.stderr
