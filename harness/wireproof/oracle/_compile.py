"""Compiling the helper classes of `java/`: with a JDK, or with the Eclipse compiler on a bare runtime.

The wheel's build hook and a source checkout both come here. Standard library only; jgo is imported where
the Eclipse compiler must be fetched.
"""

import hashlib
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from wireproof.oracle._runtime import JavaRuntime, RuntimeMissingError, find_runtime

__all__ = ["CompileError", "compile_jar", "needs_ecj", "source_digest"]

CLASS_FILES: Final = 11
"""The Java release compiled for."""

ECJ_VERSION: Final = "3.33.0"
"""The newest line that still runs on Java 11; Kafka's own oldest runtime for 4.x clients."""

ECJ_SHA256: Final = ""

_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


class CompileError(Exception):
    """The helper classes could not be compiled; the text has the compiler's own words."""


def compile_jar(
    sources: Path, jar: Path, ecj_cache: Path, environ: Mapping[str, str] = os.environ
) -> Path:
    """Compile all Java files below `sources` into `jar`, which appears whole or not at all.

    Args:
        sources: the source root, ``java/src/main/java``.
        ecj_cache: the folder for the Eclipse compiler, fetched only where no JDK is found.

    Raises:
        CompileError: no compiler, or it refused the sources.
    """
    files = _java_files(sources)
    runtime = _runtime(environ)
    jar.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=jar.parent, prefix=".compile-") as folder:
        classes = Path(folder, "classes")
        classes.mkdir()
        _run([*_compiler(runtime, ecj_cache), "-d", str(classes), *map(str, files)])
        packed = Path(folder, jar.name)
        _pack(classes, packed)
        packed.replace(jar)
    return jar


def source_digest(sources: Path) -> str:
    """A digest of the sources and of how they are compiled, 16 hex digits."""
    digest = hashlib.sha256(f"{CLASS_FILES} {ECJ_VERSION}".encode())
    for file in _java_files(sources):
        digest.update(file.relative_to(sources).as_posix().encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def needs_ecj(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether compiling here needs the Eclipse compiler, and so jgo: there is no ``javac``."""
    try:
        return find_runtime(environ).tool("javac") is None
    except RuntimeMissingError:
        return True


def _java_files(sources: Path) -> list[Path]:
    files = sorted(sources.rglob("*.java"))
    if not files:
        raise CompileError(f"no Java sources below {sources}")
    return files


def _runtime(environ: Mapping[str, str]) -> JavaRuntime:
    try:
        return find_runtime(environ)
    except RuntimeMissingError as error:
        raise CompileError(str(error)) from error


def _compiler(runtime: JavaRuntime, ecj_cache: Path) -> list[str]:
    """The compiler's command with its options, without files.

    A bare runtime has no ct.sym, so that ``--release`` fails there: hence -source and -target.
    """
    if (javac := runtime.tool("javac")) is not None:
        return [str(javac), "--release", str(CLASS_FILES), "-proc:none", "-nowarn", "-encoding", "UTF-8"]
    java = runtime.tool("java")
    if java is None:
        raise CompileError(f"{runtime.home} has neither javac nor java")
    level = str(CLASS_FILES)
    options = ["-source", level, "-target", level, "-proc:none", "-nowarn", "-encoding", "UTF-8"]
    return [str(java), "-jar", str(_fetch_ecj(ecj_cache)), *options]


def _fetch_ecj(cache: Path) -> Path:
    """The Eclipse compiler from the Maven repository, checked against its pinned digest."""
    try:
        from jgo.maven import MavenContext  # noqa: PLC0415
    except ImportError as error:
        advice = "install a JDK, or: pip install jgo"
        raise CompileError(f"no javac, and jgo, which fetches the Eclipse compiler, is missing: {advice}") from error
    try:
        context = MavenContext(repo_cache=cache)
        found = context.project("org.eclipse.jdt", "ecj").at_version(ECJ_VERSION).artifact().resolve()
    except (RuntimeError, OSError) as error:
        raise CompileError(f"the Eclipse compiler {ECJ_VERSION} cannot be fetched: {error}") from error
    jar = Path(found)
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    if digest != ECJ_SHA256:
        jar.unlink()
        raise CompileError(f"{jar.name} has the SHA-256 {digest}, pinned is {ECJ_SHA256}; it was deleted")
    return jar


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
