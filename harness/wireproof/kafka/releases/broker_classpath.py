"""Getting a jar from the Maven repository, and the jars that a broker of a release runs on.

They are pinned like every other jar, in `brokers.toml`, which only `pin_brokers` writes. A maintainer
resolves the jars of a broker once; from then on they are the same everywhere.
"""

import hashlib
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.files.replacement import replace_file
from wireproof.kafka.releases.release_table import Jar, Release, ReleaseError
from wireproof.model.kafka.releases import release_number

Progress: TypeAlias = Callable[[Jar, int], None]
"""Called during a download with the number of bytes so far; the total is `Jar.size_bytes`."""

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
    """The difference of the file at `path` from the pinned jar; ``""`` if it is the pinned jar.

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
            # Imported here: a run with all jars in the cache does not need it.
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
        except ValueError as error:  # the repository asked to wait, in a form that jgo does not parse
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


SERVER: Final = ("org.apache.kafka", "kafka_2.13")
LOGGING_API: Final = ("org.slf4j", "slf4j-api")
LOGGING: Final = ("org.slf4j", "slf4j-simple")
"""The logger that is added: Kafka's server has none, and without one a broker that fails logs nothing."""

_HEAD: Final = """\
# What a broker of a release runs on: kafka_2.13, its run-time dependencies and slf4j-simple, each pinned.
# Only `wireproof releases RELEASE... --pin-brokers FILE` writes this file.
"""


@cache
def pinned_jars(of: str) -> Mapping[str, tuple[Jar, ...]]:
    """Release to jars of the pinned ``brokers``, ``coordinators`` or ``generators``."""
    text = files("wireproof.kafka.releases").joinpath(f"{of}.toml").read_text(encoding="utf-8")
    return read_broker_table(text, of)


def broker_releases() -> tuple[str, ...]:
    """The releases whose brokers can be started from jars, newest first."""
    return tuple(pinned_jars("brokers"))


def broker_jars(release: Release) -> tuple[Jar, ...]:
    """All jars on the class path of a broker. Raises ReleaseError if no broker of this release is pinned."""
    try:
        return pinned_jars("brokers")[release.version]
    except KeyError:
        known = ", ".join(broker_releases())
        raise ReleaseError(
            f"there are no pinned jars of a broker {release.version}", f"Brokers there are of: {known}."
        ) from None


def coordinator_jars(release: Release) -> tuple[Jar, ...]:
    """The jars that the readers of a release's coordinators need besides its modules and extra jars."""
    return pinned_jars("coordinators").get(release.version, ())


def read_broker_table(text: str, of: str = "brokers") -> dict[str, tuple[Jar, ...]]:
    """Release to jars, from TOML text.

    Args:
        of: the table's subject, for errors.

    Raises:
        ReleaseError: it cannot be read, or two jars would be one file in the cache.
    """
    try:
        found = {
            version: tuple(
                Jar(group, artifact, number, pin["sha256"], pin["bytes"])
                for name, pin in jars.items()
                for group, artifact, number in [name.split(":")]
            )
            for version, jars in tomllib.loads(text)["release"].items()
        }
    except (KeyError, ValueError, tomllib.TOMLDecodeError) as error:
        raise ReleaseError(f"the table of {of} cannot be read: {error}") from error
    by_file: dict[str, Jar] = {}
    for jar in (jar for jars in found.values() for jar in jars):
        if by_file.setdefault(jar.file_name, jar) != jar:
            raise ReleaseError(f"the table of {of} has {jar.file_name} of {jar} and of another")
    return found


def pin_brokers(
    releases: Iterable[Release], table: Path, progress: Progress, fetcher: Fetcher | None = None
) -> None:
    """Resolve the jars that brokers of these releases need, and write them to the table; others stay.

    Raises ReleaseError if the registry does not give it.
    """
    known = read_broker_table(table.read_text(encoding="utf-8")) if table.exists() else {}
    pinned = {jar.file_name: jar for jars in known.values() for jar in jars}
    for release in releases:
        try:
            names = sorted(_with_logging(resolve_dependencies(*SERVER, release.version)))
            jars = [
                pinned.get(jar.file_name) or _pinned(jar, fetcher or JgoFetcher(), progress)
                for jar in (Jar(*name, "", 0) for name in names)
            ]
        except FetchError as error:
            raise ReleaseError(f"what a broker {release} runs on cannot be had: {error}") from error
        pinned |= {jar.file_name: jar for jar in jars}
        known[release.version] = tuple(jars)
    newest_first = sorted(known, key=release_number, reverse=True)
    replace_file(table, _text({version: known[version] for version in newest_first}))


def _with_logging(names: Iterable[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """The same jars and the simple logger, in the version of the logging API."""
    names = set(names)
    (version,) = {version for group, artifact, version in names if (group, artifact) == LOGGING_API}
    return names | {(*LOGGING, version)}


def _pinned(jar: Jar, fetcher: Fetcher, progress: Progress) -> Jar:
    """The jar as the registry has it now, with its size and digest."""
    progress(jar, 0)
    with temporary_folder("pin") as folder:
        data = fetcher.fetch(jar, folder, progress).read_bytes()
    return replace(jar, sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data))


def _text(table: Mapping[str, Iterable[Jar]]) -> str:
    blocks = [_HEAD]
    for version, jars in table.items():
        lines = [f'"{jar}" = {{ bytes = {jar.size_bytes}, sha256 = "{jar.sha256}" }}' for jar in jars]
        blocks.append("\n".join([f'[release."{version}"]', *lines, ""]))
    return "\n".join(blocks)
