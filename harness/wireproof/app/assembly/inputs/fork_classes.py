"""The Java classes of a fork's messages: from the fork's own jars, or made by Kafka's generator."""

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Final

from wireproof.base.text.wording import first_names
from wireproof.kafka.releases.jar_store import JarStore, generator_releases
from wireproof.kafka.releases.release_table import Fork, Release, ReleaseError
from wireproof.model.kafka.releases import release_line
from wireproof.model.oracle import OracleError

FORK_JAR: Final = "fork"
"""The name of the first jar with a fork's classes, beside Kafka's modules. Java searches it before these."""
_LISTED: Final = 5


@dataclass(frozen=True, slots=True)
class ForkClasses:
    """The classes of a fork's messages.

    Attributes:
        jars: jars by name, in the order in which Java searches them: before the jars of the release.
        words: their origin, for reports: ``the classes of acme-clients.jar``.
    """

    jars: Mapping[str, Path]
    words: str


def fork_digests(release: Release, jars: Mapping[str, Path]) -> dict[str, str]:
    """Return the digests of a fork's definitions and of the jars with its classes, by name.

    Args:
        jars: those of the release and of the fork, by module; empty where no classes are asked.
    """
    if release.fork is None:
        return {}
    digests = {release.fork.digest_name: release.fork.sha256}
    for name, jar in jars.items():
        if name.startswith(FORK_JAR):
            with jar.open("rb") as file:
                digests[jar.name] = file_digest(file, "sha256").hexdigest()
    return digests


def fork_classes(release: Release, jars: Mapping[str, Path], store: JarStore) -> ForkClasses:
    fork = release.fork
    assert fork is not None
    if not fork.jars:
        return _generated(release, fork, jars, store)
    _check_classes(release, fork.jars)
    named = {f"{FORK_JAR}{number or ''}": jar for number, jar in enumerate(fork.jars)}
    return ForkClasses(named, f"the classes of {', '.join(jar.name for jar in fork.jars)}")


def _generated(release: Release, fork: Fork, jars: Mapping[str, Path], store: JarStore) -> ForkClasses:
    """Return the classes that Kafka's generator makes."""
    from wireproof.kafka.oracle.fork_jar import GeneratedModule, make_fork_jar

    version = _pinned_generator(release)
    generator, _ = store.generator_jars(version)
    modules = [
        GeneratedModule(
            release.module(name).package,
            jars[name],
            release.module(name).prefix,
            {message: fork.texts[message] for message in messages},
        )
        for name, messages in sorted(fork.modules.items())
    ]
    needed = [*jars.values(), *generator]
    folder = store.cache_dir / "forks"
    ecj = partial(store.tool_jar, "ecj")
    name = f"{fork.name}-{release.original}"
    try:
        jar = make_fork_jar(name, modules, generator, needed, folder, ecj)
    except OracleError as error:
        raise ReleaseError(error.message, error.advice) from error
    return ForkClasses({FORK_JAR: jar}, f"classes that Kafka's generator {version} made of the definitions")


def generator_of(version: str) -> str | None:
    """The release of the generator that belongs to the line of a release; None if there is none."""
    line = release_line(version)
    return next((each for each in generator_releases() if release_line(each) == line), None)


def _pinned_generator(release: Release) -> str:
    found = generator_of(release.version)
    if found is None:
        lines = sorted({release_line(each) for each in generator_releases()}, reverse=True)
        known = ", ".join(f"{major}.{minor}" for major, minor in lines)
        raise ReleaseError(
            f"no generator of Kafka {release.original} is pinned, to make the classes of {release}",
            f"Name a release of the lines {known}, or the jar of the fork: --schemas-jar FILE.",
        )
    return found


def _check_classes(release: Release, jars: Sequence[Path]) -> None:
    """Check that a fork's jars have the class of each of its messages."""
    assert release.fork is not None
    held: set[str] = set()
    for jar in jars:
        try:
            with zipfile.ZipFile(jar) as archive:
                held.update(archive.namelist())
        except (OSError, zipfile.BadZipFile) as error:
            raise ReleaseError(f"cannot read {jar}: {error}", "Name a jar with Java classes.") from error
    missing = []
    for module, messages in release.fork.modules.items():
        package = release.module(module).package.replace(".", "/")
        for name, spec in messages.items():
            if not spec.retired and not {f"{package}/{name}Data.class", f"{package}/{name}.class"} & held:
                missing.append(f"{package}/{name}Data.class")
    if missing:
        raise ReleaseError(
            f"{', '.join(map(str, jars))} lacks {first_names(missing, _LISTED)}",
            "Build the jar from these definitions, in Kafka's packages.",
        )
