"""Small releases made of small jars, and a repository that is a dictionary."""

import hashlib
import io
import os
import signal
import zipfile
from collections.abc import Iterable
from multiprocessing.synchronize import Barrier
from pathlib import Path

from wireproof.kafka.releases.broker_classpath import FetchError, Progress
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import Jar, Module, Release, ReleaseTable


class FakeFetcher:
    """A repository in memory.

    Attributes:
        files: file name to content; a name that is not there is "not found".
        failure: raised in place of an answer.
        asked: the file names asked for, in order.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = dict(files)
        self.failure: BaseException | None = None
        self.asked: list[str] = []

    def fetch(self, jar: Jar, folder: Path, progress: Progress) -> Path:
        self.asked.append(jar.file_name)
        if self.failure is not None:
            (folder / jar.file_name).write_bytes(b"half a")
            raise self.failure
        if jar.file_name not in self.files:
            raise FetchError("the repository does not give it", not_found=True)
        path = folder.joinpath(jar.maven_path)
        path.parent.mkdir(parents=True)
        path.write_bytes(self.files[jar.file_name])
        progress(jar, len(self.files[jar.file_name]))
        return path


def zip_of(entries: Iterable[tuple[str, str | bytes]]) -> bytes:
    """Return a jar with these entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as jar:
        for name, text in entries:
            jar.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


def jar_of(artifact: str, content: bytes, version: str = "9.1.0") -> Jar:
    """Return the pin of a jar with this content."""
    return Jar("org.example", artifact, version, hashlib.sha256(content).hexdigest(), len(content))


def module_of(name: str, content: bytes, *, messages: int = 1, cells: int = 1) -> Module:
    """Return a module of 9.1.0 whose jar has this content and its schemas under ``common/message/``."""
    return Module(name, jar_of(name, content), f"org.example.{name}", "common/message/", messages, cells)


CLIENTS = zip_of([("common/message/Ping.json", "{}")])
RAFT = zip_of([("common/message/Vote.json", "{}")])
LOGGER = zip_of([("Logger.class", "")])
COMPILER = zip_of([("Compiler.class", "")])

RELEASE = Release("9.1.0", (module_of("clients", CLIENTS), module_of("raft", RAFT)), ())
"""Two modules of one jar each."""

RELEASES = ReleaseTable(
    (RELEASE,), "9.1.0", (jar_of("logger", LOGGER),), {"ecj": jar_of("compiler", COMPILER)}
)
"""A table of that release, one support jar and one tool."""

FILES = {
    "clients-9.1.0.jar": CLIENTS,
    "raft-9.1.0.jar": RAFT,
    "logger-9.1.0.jar": LOGGER,
    "compiler-9.1.0.jar": COMPILER,
}
"""All files that the table names, as a repository has them."""

CLIENTS_JAR = RELEASE.module("clients").jar


def store(
    cache: Path, fetcher: FakeFetcher, jars_dir: Path | None = None, *, offline: bool = False
) -> JarStore:
    return JarStore(cache, jars_dir=jars_dir, offline=offline, fetcher=fetcher, releases=RELEASES)


class DyingFetcher(FakeFetcher):
    """A fetcher that is killed when half of the jar has arrived."""

    def fetch(self, jar: Jar, folder: Path, progress: Progress) -> Path:
        (folder / jar.file_name).write_bytes(CLIENTS[: len(CLIENTS) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
        return folder


class MeetingFetcher(FakeFetcher):
    """A fetcher that waits in the middle of a download until another process is there too."""

    def __init__(self, meeting: Barrier) -> None:
        super().__init__(FILES)
        self.meeting = meeting

    def fetch(self, jar: Jar, folder: Path, progress: Progress) -> Path:
        self.meeting.wait(60)
        return super().fetch(jar, folder, progress)


def fetch_clients(cache: Path, fetcher: FakeFetcher) -> None:
    """Fetch the jars; the body of another process."""
    assert store(cache, fetcher).jar(CLIENTS_JAR).read_bytes() == CLIENTS
