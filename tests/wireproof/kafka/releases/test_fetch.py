"""Fetching through jgo, from a local repository that answers well or badly."""

import errno
import gc
import os
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.wireproof.kafka.releases.small_releases import CLIENTS, jar_of
from wireproof.kafka.releases.broker_classpath import FetchError, JgoFetcher
from wireproof.kafka.releases.release_table import Jar

# jgo leaves the socket of an unwanted answer to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

JAR = jar_of("clients", CLIENTS)


class Repository(ThreadingHTTPServer):
    """A repository with one jar.

    Attributes:
        status: its response for the jar.
        sent_bytes: the bytes of the jar that it sends before it disconnects.
        broken_answers: how many answers have only the first byte of the jar.
        asked: the requested paths.
    """

    status = 200
    sent_bytes = len(CLIENTS)
    broken_answers = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/maven2"


class Answer(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        is_jar = self.path.endswith(".jar")
        self.send_response(self.server.status if is_jar else 404)
        self.send_header("Content-Length", str(len(CLIENTS) if is_jar else 0))
        self.end_headers()
        if is_jar:
            broken = self.server.broken_answers > 0
            self.server.broken_answers -= 1
            self.wfile.write(CLIENTS[: 1 if broken else self.server.sent_bytes])

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Repository() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
    gc.collect()  # within the filter below, not in a later test


def fetch(
    repository: Repository,
    folder: Path,
    seen: list[int] | None = None,
    pause: Callable[[float], object] = lambda seconds: None,
) -> Path:
    def note(jar: Jar, there_bytes: int) -> None:
        if seen is not None:
            seen.append(there_bytes)

    return JgoFetcher({"here": repository.address}, pause).fetch(JAR, folder, note)


def test_fetches_the_jar_alone(repository: Repository, tmp_path: Path) -> None:
    """The jar arrives whole, below the given folder; poms and dependencies are not requested."""
    path = fetch(repository, tmp_path)
    assert path.read_bytes() == CLIENTS
    assert path.is_relative_to(tmp_path)
    assert repository.asked[0] == f"/maven2/{JAR.maven_path}"
    assert all(asked.startswith(repository.asked[0]) for asked in repository.asked)


def test_progress_grows_to_the_whole(repository: Repository, tmp_path: Path) -> None:
    """Progress is the sum so far, and ends with the size of the jar."""
    seen: list[int] = []
    fetch(repository, tmp_path, seen)
    assert seen == sorted(seen)
    assert seen[-1] == JAR.size_bytes


@pytest.mark.parametrize("status", [404, 403, 500])
def test_an_error_of_the_repository_is_reported(repository: Repository, tmp_path: Path, status: int) -> None:
    """Any response without the jar is an error."""
    repository.status = status
    with pytest.raises(FetchError, match="does not give it") as caught:
        fetch(repository, tmp_path)
    assert caught.value.not_found


def test_a_lost_connection_is_a_network_failure(repository: Repository, tmp_path: Path) -> None:
    """A connection that ends early is a network failure, and does not give a short jar."""
    repository.sent_bytes = 10
    with pytest.raises(FetchError, match="the network failed") as caught:
        fetch(repository, tmp_path)
    assert not caught.value.not_found


@pytest.mark.parametrize("broken", [1, 2])
def test_a_fetch_is_tried_again_after_a_pause(repository: Repository, tmp_path: Path, broken: int) -> None:
    """The network may fail twice. The pause grows, and the jar is whole."""
    repository.broken_answers = broken
    pauses: list[float] = []
    assert fetch(repository, tmp_path, pause=pauses.append).read_bytes() == CLIENTS
    assert pauses == [1.0, 5.0][:broken]


def test_a_jar_that_does_not_exist_is_asked_for_once(repository: Repository, tmp_path: Path) -> None:
    """Another try would not change the answer."""
    repository.status = 404
    pauses: list[float] = []
    with pytest.raises(FetchError, match="does not give it"):
        fetch(repository, tmp_path, pause=pauses.append)
    assert pauses == []


def test_a_missing_server_is_a_network_failure(tmp_path: Path) -> None:
    """Without a server the error has the plain reason, without the layers above it."""
    with Repository() as closed:
        pass
    with pytest.raises(FetchError, match=r"the network failed: .*[Rr]efused"):
        fetch(closed, tmp_path)


def test_an_error_of_the_disk_is_not_a_network_failure(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the folder stays the system's own error."""

    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(OSError, match="No space left"):
        fetch(repository, tmp_path)


def test_a_missing_jgo_is_reported(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the missing package, at the first try."""
    monkeypatch.setitem(sys.modules, "jgo.maven", None)
    pauses: list[float] = []
    with pytest.raises(FetchError, match=r"jgo.* is not installed"):
        fetch(repository, tmp_path, pause=pauses.append)
    assert pauses == []
