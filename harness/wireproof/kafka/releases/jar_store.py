"""The places where jars are searched: a given folder, the cache, the Maven repository, in this order.

The cache is flat (``<cache>/jars/kafka-clients-4.4.0.jar``). A jar is downloaded to a temporary folder in the
cache, checked, and moved into its place in one step. So a killed fetch leaves no broken jar, and two fetches
at once only do the same work twice. Every jar is checked against its pinned digest each time it is handed
out: 10 MB take about 10 ms.
"""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.files.replacement import move_file
from wireproof.kafka.releases.broker_classpath import (
    Fetcher,
    FetchError,
    JgoFetcher,
    Progress,
    broker_jars,
    coordinator_jars,
    fault_of,
    pinned_jars,
)
from wireproof.kafka.releases.release_table import Jar, Release, ReleaseError, ReleaseTable, table

_CLIENTS = "kafka-clients"


def generator_releases() -> tuple[str, ...]:
    """The releases whose generator is pinned, newest first."""
    return tuple(pinned_jars("generators"))


def generator_jars(release: str) -> tuple[tuple[Jar, ...], Jar]:
    """The generator of a release with its dependencies, and the release's clients.

    Args:
        release: a patch release such as ``4.3.1``. Generator and clients are of one release.

    Raises:
        ReleaseError: no generator of this release is pinned.
    """
    try:
        jars = pinned_jars("generators")[release]
    except KeyError:
        known = ", ".join(generator_releases())
        raise ReleaseError(
            f"there are no pinned jars of the generator of Kafka {release}", f"Known are: {known}."
        ) from None
    (clients,) = [jar for jar in jars if jar.artifact == _CLIENTS]
    return tuple(jar for jar in jars if jar is not clients), clients


JARS: Final = "WIREPROOF_JARS"
"""The environment variable with a folder of jars, as `--jars` takes it. Container images set it."""


class JarState(StrEnum):
    """The state of a jar, as far as it is known without the network."""

    READY = "ready"
    """It is there and is the pinned one."""
    WRONG = "wrong"
    """A file of this name is there, but it is not the pinned one."""
    MISSING = "missing"
    """It is not there; it would be fetched when wanted."""


@dataclass(frozen=True, slots=True)
class JarStatus:
    """One jar as the store sees it.

    Attributes:
        module: the module whose messages it carries, or the name of an extra jar; ``""`` for a support jar
            or a tool.
        path: the file that was checked; for a missing jar, the path where it would be stored.
        detail: the defect of a wrong jar; else empty.
    """

    jar: Jar
    module: str
    path: Path
    state: JarState
    detail: str = ""


def cache_folder() -> Path:
    """``$WIREPROOF_CACHE``, else ``wireproof`` in the user's XDG cache folder. It may not exist yet.

    Raises ReleaseError if the user has no home folder to put it into.
    """
    try:
        if own := os.environ.get("WIREPROOF_CACHE"):
            return Path(own).expanduser().absolute()
        xdg = os.environ.get("XDG_CACHE_HOME", "")
        # The XDG specification: a relative path is invalid and is to be ignored.
        folder = Path(xdg) if os.path.isabs(xdg) else Path.home() / ".cache"
    except RuntimeError as error:
        raise ReleaseError(f"no home folder: {error}", "Set WIREPROOF_CACHE to a folder.") from error
    return folder / "wireproof"


def _refuse_shared(cache: Path) -> None:
    """Refuse a cache that other users can write, because programs in it are run.

    Raises ReleaseError if every user may write to it, or if another user made it in a folder of all users.
    """
    try:
        found, outer = cache.stat(), cache.parent.stat()
    except OSError:
        return  # made when something is fetched
    if found.st_mode & stat.S_IWOTH:
        reason = f"every user can write to it (mode {stat.S_IMODE(found.st_mode):o})"
    elif outer.st_mode & stat.S_IWOTH and found.st_uid not in (0, os.geteuid()):
        reason = f"user {found.st_uid} made it, and every user can write to {cache.parent}"
    else:
        return
    raise ReleaseError(
        f"{cache} is not safe as a cache: {reason}",
        "Programs in the cache are run. Set WIREPROOF_CACHE to a folder that only you can write to.",
    )


def _own_jars() -> Path | None:
    """``$WIREPROOF_JARS``; None if it is not set."""
    own = os.environ.get(JARS)
    return Path(own).absolute() if own else None


class JarStore:
    """Hands out the jars that the release table pins; raises `ReleaseError` for any other file.

    Args:
        cache_dir: the cache; `cache_folder()` if None. It is created when a jar is fetched; it may be
            read-only if it has all jars that are needed.
        jars_dir: a folder that is searched first, flat or laid out like a Maven repository; the folder
            ``$WIREPROOF_JARS`` if None.
        offline: never touch the network.
        releases: the table that names support jars and tools.
    """

    def __init__(
        self,
        cache_dir: Path | None = None,
        *,
        jars_dir: Path | None = None,
        offline: bool = False,
        progress: Progress | None = None,
        fetcher: Fetcher | None = None,
        releases: ReleaseTable | None = None,
    ) -> None:
        self._jars_dir, self._named = (_own_jars(), JARS) if jars_dir is None else (jars_dir, "--jars")
        if self._jars_dir is not None and not self._jars_dir.is_dir():
            raise ReleaseError(f"{self._named}: there is no folder {self._jars_dir}")
        self.cache_dir = cache_folder() if cache_dir is None else cache_dir
        _refuse_shared(self.cache_dir)
        self.offline = offline
        self._progress: Progress = progress or (lambda jar, there_bytes: None)
        self._fetcher: Fetcher = fetcher or JgoFetcher()
        self._table = releases or table()

    def release_jars(self, release: Release, modules: Iterable[str] | None = None) -> dict[str, Path]:
        """Module name to jar, for all modules of the release or for those named."""
        wanted = release.modules if modules is None else [release.module(name) for name in modules]
        return {module.name: self.jar(module.jar) for module in wanted}

    def extra_jars(self, release: Release) -> dict[str, Path]:
        """Name to jar, for the additional jars that the release's framings of embedded data need."""
        return {extra.name: self.jar(extra.jar) for extra in release.extras}

    def broker_jars(self, release: Release) -> list[Path]:
        """The class path of a broker."""
        return [self.jar(jar) for jar in broker_jars(release)]

    def generator_jars(self, release: str) -> tuple[list[Path], Path]:
        """Kafka's message generator of a release with its dependencies, and the release's clients."""
        program, clients = generator_jars(release)
        return [self.jar(jar) for jar in program], self.jar(clients)

    def coordinator_jars(self, release: Release) -> dict[str, Path]:
        """Name to jar, for the readers of a release's coordinators and all that they need."""
        own = {jar.file_name: self.jar(jar) for jar in coordinator_jars(release)}
        return {**self.release_jars(release), **self.extra_jars(release), **own}

    def support_jars(self) -> list[Path]:
        """The jars of the class loader that all releases share."""
        return [self.jar(jar) for jar in self._table.support]

    def tool_jar(self, name: str) -> Path:
        """The program of this name, such as ``ecj``."""
        if name not in self._table.tools:
            raise ReleaseError(
                f"there is no tool {name!r}", f"The table has: {', '.join(self._table.tools)}."
            )
        return self.jar(self._table.tools[name])

    def jar(self, jar: Jar) -> Path:
        """The jar itself, checked; fetched if it must be.

        Raises ReleaseError if it cannot be had; the advice says what to do.
        """
        given = self._given(jar)
        if given is not None:
            if fault := fault_of(given, jar):
                raise ReleaseError(
                    f"{given} is not {jar}: {fault}",
                    f"Put the file as it was released there, or do without {self._named}.",
                )
            return given
        cached = self._place(jar)
        fault = fault_of(cached, jar) if _is_file(cached) else ""
        if not fault and _is_file(cached):
            return cached
        return self._fetch(
            jar, f"{cached} is damaged ({fault})" if fault else f"{jar.file_name} is not in the cache"
        )

    def status(self, release: Release) -> list[JarStatus]:
        """Return the state of a release's jars, with the support jars and tools it needs. Never fetches."""
        jars = [(module.jar, module.name) for module in release.modules]
        jars += [(extra.jar, extra.name) for extra in release.extras]
        jars += [(jar, "") for jar in (*self._table.support, *self._table.tools.values())]
        return [self._status(jar, module) for jar, module in jars]

    def _status(self, jar: Jar, module: str) -> JarStatus:
        path = self._given(jar) or self._place(jar)
        if not _is_file(path):
            return JarStatus(jar, module, path, JarState.MISSING)
        fault = fault_of(path, jar)
        return JarStatus(jar, module, path, JarState.WRONG if fault else JarState.READY, fault)

    def _place(self, jar: Jar) -> Path:
        return self.cache_dir / "jars" / jar.file_name

    def _given(self, jar: Jar) -> Path | None:
        """The file in the folder that the user gave, if it has one."""
        if self._jars_dir is None:
            return None
        places = self._jars_dir / jar.file_name, self._jars_dir / jar.maven_path
        return next((place for place in places if _is_file(place)), None)

    def _fetch(self, jar: Jar, why: str) -> Path:
        """Get the jar from elsewhere; `why` says what is wrong with what is here."""
        if self._jars_dir is not None:
            why += f", and {self._jars_dir} does not have it"
        if self.offline:
            raise ReleaseError(
                f"{why}, and --offline forbids to fetch {jar}",
                "Run once without --offline, or point --jars to a folder that has it.",
            )
        try:
            return self._fetch_into_cache(jar)
        except FetchError as error:
            raise ReleaseError(f"{why}, and {jar} cannot be fetched: {error}", _advice(error)) from error
        except OSError as error:
            raise ReleaseError(
                f"{why}, and {jar} cannot be put into {self.cache_dir}: {error.strerror}",
                "Set WIREPROOF_CACHE to a folder that can be written, or point --jars to one with the jar.",
            ) from error

    def _fetch_into_cache(self, jar: Jar) -> Path:
        self.cache_dir.mkdir(parents=True, exist_ok=True)
        with temporary_folder("fetch", self.cache_dir) as folder:
            self._progress(jar, 0)
            arrived = self._fetcher.fetch(jar, folder, self._progress)
            if fault := fault_of(arrived, jar):
                raise FetchError(f"what came is not the pinned file: {fault}")
            return _move(arrived, self._place(jar), jar)


def _move(arrived: Path, place: Path, jar: Jar) -> Path:
    try:
        move_file(arrived, place)
    except OSError:
        # Windows refuses while another process that fetched the same jar has it open.
        if not (_is_file(place) and fault_of(place, jar) == ""):
            raise
    return place


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder on the path may not be entered: the file counts as missing
        return False


def _advice(error: FetchError) -> str:
    if error.not_found:
        return "Check that the release is still published, or point --jars to a folder that has the jar."
    return "Check the network and run again, or point --jars to a folder that has the jar."
