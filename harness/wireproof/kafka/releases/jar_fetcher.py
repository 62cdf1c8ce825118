"""Getting one jar from the Maven repository, in pure Python."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from wireproof.base.files.own_folders import temporary_folder
from wireproof.kafka.releases.release_table import Jar, ReleaseError

Progress: TypeAlias = Callable[[Jar, int], None]
"""Called while a jar arrives, with the bytes that are there; the whole is `Jar.size_bytes`."""

_PAUSES_S: Final = (1.0, 5.0)
"""The seconds before each further try, after the network failed."""


class FetchError(Exception):
    """The repository did not give the jar; the text says why, for people.

    Attributes:
        not_found: the repository was reached and does not have it.
        network: the network failed, so another try may succeed.
    """

    def __init__(self, reason: str, *, not_found: bool = False, network: bool = False) -> None:
        super().__init__(reason)
        self.not_found = not_found
        self.network = network


def fault_of(path: Path, jar: Jar) -> str:
    """The fault of the file at `path` if it is to be this jar; ``""`` for the pinned one.

    Raises ReleaseError if the file is there and cannot be read.
    """
    try:
        size = path.stat().st_size
        if size != jar.size_bytes:
            return f"it has {size} bytes, the pinned one {jar.size_bytes}"
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ReleaseError(f"cannot read {path}: {error.strerror}") from error
    return "" if digest == jar.sha256 else f"its SHA-256 is {digest}, the pinned one {jar.sha256}"


class Fetcher(Protocol):
    """Something that can get a pinned jar from elsewhere."""

    def fetch(self, jar: Jar, folder: Path, progress: Progress) -> Path:
        """Put the jar somewhere below `folder`, an empty folder of its own, and say where.

        The file is not trusted: the caller checks its digest.

        Raises:
            FetchError: it cannot be had.
            OSError: `folder` cannot be written.
        """
        ...


class JgoFetcher:
    """Maven's repository through `jgo`, which needs neither Java nor Maven.

    Args:
        repositories: name to address of the repositories to ask, in order; Maven Central if None.
        pause: called with the seconds before each further try.
    """

    def __init__(
        self, repositories: Mapping[str, str] | None = None, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self._repositories = None if repositories is None else dict(repositories)
        self._pause = pause

    def fetch(self, jar: Jar, folder: Path, progress: Progress) -> Path:
        """Fetch a jar. A try in which the network fails is followed by up to two more, after a pause."""
        for number, pause_s in enumerate(_PAUSES_S):
            try:
                return self._fetch_once(jar, folder / f"try-{number}", progress)
            except FetchError as error:
                if not error.network:
                    raise
            self._pause(pause_s)
        return self._fetch_once(jar, folder, progress)

    def _fetch_once(self, jar: Jar, folder: Path, progress: Progress) -> Path:
        try:
            # Imported here: a run with all jars in the cache never pays for it.
            from jgo.maven import MavenContext, PythonResolver
        except ModuleNotFoundError as error:
            raise FetchError(f"the Python package {error.name} is not installed") from error

        @contextmanager
        def report(_name: str, _size: int) -> Iterator[Callable[[int], None]]:
            yield _Counter(jar, progress)

        context = MavenContext(
            PythonResolver(progress_callback=report), repo_cache=folder, remote_repos=self._repositories
        )
        artifact = context.project(jar.group, jar.artifact).at_version(jar.version).artifact()
        try:
            path: Path = artifact.resolve()
        except RuntimeError as error:
            raise FetchError("the repository does not give it", not_found=True) from error
        except OSError as error:
            # `requests` derives its errors from OSError, without an errno: those are the network's.
            if error.errno is not None:
                raise
            raise FetchError(f"the network failed: {_root(error)}", network=True) from error
        except ValueError as error:  # the repository asked to wait, in words that jgo does not read
            raise FetchError(str(error)) from error
        return path


def resolve_dependencies(group: str, artifact: str, version: str) -> set[tuple[str, str, str]]:
    """(group, artifact, version) of an artifact and of all that it needs at run time.

    Raises FetchError if the registry does not say.
    """
    from jgo.maven import Dependency, MavenContext, PythonResolver

    with temporary_folder("resolve") as folder:
        context = MavenContext(PythonResolver(), repo_cache=folder)
        root = context.project(group, artifact).at_version(version).artifact()
        try:
            _, nodes = context.resolver.get_dependency_list([Dependency(root)])
        except (RuntimeError, OSError) as error:
            raise FetchError(f"{group}:{artifact}:{version} is not resolved: {_root(error)}") from error
    dependencies = [node.dep for node in nodes]
    if odd := [str(each) for each in dependencies if each.classifier or each.type != "jar"]:
        raise FetchError(f"{group}:{artifact}:{version} needs other than plain jars: {', '.join(odd)}")
    found = {(each.groupId, each.artifactId, each.version) for each in dependencies}
    return found | {(group, artifact, version)}


class _Counter:
    """Turns pieces into a running sum."""

    def __init__(self, jar: Jar, progress: Progress) -> None:
        self._jar = jar
        self._progress = progress
        self._there = 0

    def __call__(self, piece_bytes: int) -> None:
        self._there += piece_bytes
        self._progress(self._jar, self._there)


def _root(error: BaseException) -> BaseException:
    """The first of a chain of errors: `requests` wraps the plain reason four deep."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return error
