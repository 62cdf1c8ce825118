"""The release table: the known releases, and the jars that have their messages.

The facts are in `table.toml`; this module gives them types and checks that they are consistent.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from kafkawire.schema import MessageSpec
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.model.kafka.releases import base_of, release_number


class ReleaseError(FatalError):
    """A release, a jar or a schema file that is missing or unusable; this is never a verdict on a codec.

    Attributes:
        message: what is wrong, with the names of the release and of the jar.
        advice: what to do next, one sentence; may be empty.
        problems: one line for each finding if schema files are at fault; else empty.
    """

    exit_code = ExitCode.MISSING

    def __init__(self, message: str, advice: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message, advice)
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Fork:
    """Message definitions that are laid over those of a release.

    Attributes:
        name: the part of a cell's id after the plus: ``acme`` in ``4.4.0+acme/PingRequest/0``.
        modules: module name to the fork's messages by name.
        texts: the text of each message's file, by the name of the message.
        sha256: digest of the definitions, without comments and documentation.
        jars: jars with the fork's own classes, before Kafka's on the class path; empty if Kafka's generator
            makes the classes from the definitions.
        changed: names of the fork's messages that replace a message of the release.
    """

    name: str
    folder: Path
    modules: Mapping[str, Mapping[str, MessageSpec]] = field(hash=False)
    texts: Mapping[str, str] = field(hash=False, repr=False)
    sha256: str
    jars: tuple[Path, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def digest_name(self) -> str:
        """The name of the definitions' digest among the digests of jars: ``acme.schemas``."""
        return f"{self.name}.schemas"

    @property
    def messages(self) -> tuple[str, ...]:
        """The names of its messages, in order."""
        return tuple(sorted(name for messages in self.modules.values() for name in messages))


@dataclass(frozen=True, slots=True)
class Jar:
    """One file of the Maven repository. Its SHA-256 (lower-case hex) is pinned: no other file is used."""

    group: str
    artifact: str
    version: str
    sha256: str
    size_bytes: int

    @property
    def file_name(self) -> str:
        """Its name in the cache and in a flat folder: ``kafka-clients-4.4.0.jar``."""
        return f"{self.artifact}-{self.version}.jar"

    @property
    def maven_path(self) -> PurePosixPath:
        """Its place in a Maven repository: ``org/apache/kafka/kafka-clients/4.4.0/...``."""
        return PurePosixPath(*self.group.split("."), self.artifact, self.version, self.file_name)

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"


@dataclass(frozen=True, slots=True)
class Module:
    """A part of a release that carries messages.

    Attributes:
        name: Kafka's name of the part, such as ``group-coordinator``.
        package: the Java package of its generated classes.
        prefix: the folder of its schema files in the jar, with a slash at the end.
        messages: the number of schema files in the jar, including retired messages.
        cells: the number of (message, version) pairs of these files.
    """

    name: str
    jar: Jar
    package: str
    prefix: str
    messages: int
    cells: int


@dataclass(frozen=True, slots=True)
class ExtraJar:
    """A jar of a release without messages: it has classes that frame messages, or dependencies of these."""

    name: str
    jar: Jar


@dataclass(frozen=True, slots=True)
class AbsentModule:
    """A part, or an extra jar, that this release does not offer, and why.

    Attributes:
        unpublished: whether Kafka's release has it, and only the registry lacks it.
    """

    name: str
    reason: str
    unpublished: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """One release of Kafka, such as ``4.4.0``, or a fork of one.

    Attributes:
        version: the number of the release; for a fork, followed by its name: ``4.4.0+acme``.
        modules: the parts that carry messages, as Kafka released them.
        fork: the definitions that a fork lays over those of the release; None for Kafka's own release.
    """

    version: str
    modules: tuple[Module, ...]
    absent: tuple[AbsentModule, ...]
    extras: tuple[ExtraJar, ...] = ()
    fork: Fork | None = None

    @property
    def original(self) -> "Release":
        """Kafka's own release: the release itself, or the release on which the fork is based."""
        return self if self.fork is None else replace(self, version=base_of(self.version), fork=None)

    @property
    def line(self) -> str:
        """The first two parts of the version: ``4.4``."""
        return self.version.rpartition(".")[0]

    @property
    def jars(self) -> tuple[Jar, ...]:
        """The jars of its modules, then the extra ones."""
        return (*(module.jar for module in self.modules), *(extra.jar for extra in self.extras))

    @property
    def messages(self) -> int:
        """The number of messages of all its modules, retired ones included."""
        return sum(module.messages for module in self.modules)

    @property
    def cells(self) -> int:
        return sum(module.cells for module in self.modules)

    def module(self, name: str) -> Module:
        """The module of this name.

        Raises ReleaseError if the release does not offer it (with the reason), or there is no such word.
        """
        for module in self.modules:
            if module.name == name:
                return module
        for gone in self.absent:
            if gone.name == name:
                raise ReleaseError(f"{self.version} does not offer module {name}: {gone.reason}")
        raise ReleaseError(f"there is no module {name!r}", f"{self.version} has: {_names(self.modules)}.")

    def __str__(self) -> str:
        return self.version


@dataclass(frozen=True, slots=True)
class ReleaseTable:
    """All known releases, newest first.

    Attributes:
        newest: the version that the word ``newest`` means.
        support: jars for the class loader that all releases share.
        tools: programs by name, such as ``ecj``.
        errata: incomplete releases that only the known Kafka bugs refer to; not among `releases`.
    """

    releases: tuple[Release, ...]
    newest: str
    support: tuple[Jar, ...]
    tools: Mapping[str, Jar]
    errata: tuple[Release, ...] = ()

    def __iter__(self) -> Iterator[Release]:
        return iter(self.releases)

    def choose(self, word: str) -> tuple[Release, ...]:
        """The releases that a word means: all releases for ``all``, else the release that `find` returns.

        Raises ReleaseError if the word means no release.
        """
        return self.releases if word == "all" else (self.find(word),)

    def find(self, word: str) -> Release:
        """The release that a word of the command line means: ``4.4.0``, ``4.4`` or ``newest``.

        A line (``4.4``) means its newest patch in the table. Raises ReleaseError if the word means no
        release.
        """
        wanted = self.newest if word == "newest" else word
        if base_of(word) != word:
            raise ReleaseError(f"{word} is a fork of {base_of(word)}", "Name its definitions: --schemas DIR.")
        for release in self.releases:
            if wanted in (release.version, release.line):
                return release
        known = ", ".join(release.version for release in self.releases)
        raise ReleaseError(f"unknown release {word!r}", f"Known are {known}, their lines, newest, all.")


@cache
def table() -> ReleaseTable:
    text = files("wireproof.kafka.releases").joinpath("table.toml").read_text(encoding="utf-8")
    return read_table(text)


def read_table(text: str) -> ReleaseTable:
    """A table from TOML text.

    Raises ReleaseError if a release has no entry for a module, a key is missing, or `newest` is no release.
    """
    try:
        raw = tomllib.loads(text)
        releases = [_release(version, raw) for version in raw["release"]]
        releases.sort(key=lambda release: release_number(release.version), reverse=True)
        found = ReleaseTable(
            releases=tuple(releases),
            newest=raw["newest"],
            errata=tuple(
                Release(version, _modules(version, raw["module"], entry["jars"]), ())
                for version, entry in raw.get("errata", {}).items()
            ),
            support=tuple(_jar(entry["version"], entry, entry) for entry in raw["support"].values()),
            tools={name: _jar(entry["version"], entry, entry) for name, entry in raw["tools"].items()},
        )
    except KeyError as error:
        raise ReleaseError(f"the release table lacks {error}") from error
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise ReleaseError(f"the release table cannot be read: {error}") from error
    found.find("newest")
    return found


def _release(version: str, raw: Mapping[str, Any]) -> Release:
    modules, extras, entry = raw["module"], raw.get("extra", {}), raw["release"][version]
    pins = entry.get("extra", {})
    absent, unpublished = entry["absent"], entry.get("unpublished", {})
    _check_complete(version, [*modules, *extras], [*entry["jars"], *pins, *absent, *unpublished])
    reasons = {**absent, **unpublished}
    return Release(
        version=version,
        modules=_modules(version, modules, entry["jars"]),
        absent=tuple(
            AbsentModule(name, reasons[name], name in unpublished)
            for name in (*modules, *extras)
            if name in reasons
        ),
        extras=tuple(
            ExtraJar(name, _jar(version, where, pins[name])) for name, where in extras.items() if name in pins
        ),
    )


def _modules(version: str, modules: Mapping[str, Any], jars: Mapping[str, Any]) -> tuple[Module, ...]:
    return tuple(_module(name, version, where, jars[name]) for name, where in modules.items() if name in jars)


def _check_complete(version: str, known: Sequence[str], listed: Sequence[str]) -> None:
    """Check that every module and extra jar is listed once, with its files or with a reason."""
    if wrong := set(known).symmetric_difference(listed) | {name for name in listed if listed.count(name) > 1}:
        raise ReleaseError(f"the release table lists {version}'s modules wrongly: {', '.join(sorted(wrong))}")


def _module(name: str, version: str, where: Mapping[str, Any], entry: Mapping[str, Any]) -> Module:
    return Module(
        name=name,
        jar=_jar(version, where, entry),
        package=where["package"],
        prefix=where["prefix"],
        messages=entry["messages"],
        cells=entry["cells"],
    )


def _jar(version: str, where: Mapping[str, Any], pin: Mapping[str, Any]) -> Jar:
    group, colon, artifact = where["artifact"].partition(":")
    if not colon or len(bytes.fromhex(pin["sha256"])) != 32:
        raise ValueError(f"bad artifact or digest: {where['artifact']} {version}")
    return Jar(group, artifact, version, pin["sha256"], pin["bytes"])


def _names(modules: tuple[Module, ...]) -> str:
    return ", ".join(module.name for module in modules)
