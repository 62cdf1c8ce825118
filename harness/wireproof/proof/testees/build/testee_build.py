"""Builds of testees, in the cache: by the language's own tool, from its registry.

The name of a build folder contains the testee's name, the version under test, and a digest of its files and
the kit's. A build runs in a temporary folder beside it, which is renamed at the end: a killed build leaves
nothing that looks finished, and of two builds at once one wins. A new build removes those of the same testee
that no run used for a week: each edit of an adapter makes a build, of up to some hundred megabytes.
"""

import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

from wireproof.base.files.own_folders import OwnFolder, remove_own_folder
from wireproof.proof.testees.description.manifest import (
    READS,
    TESTEE_FILE,
    Manifest,
    fill_placeholders,
    shipped_folder,
)
from wireproof.proof.testees.testee_errors import TesteeError

_APT: Final = {
    "go": "golang-go",
    "gofmt": "golang-go",
    "node": "nodejs",
    "npm": "npm",
    "mvn": "maven",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "cargo": "rustup",
    "rustc": "rustup",
    "rustfmt": "rustup",
}
"""The Debian package of each program."""

_BREW: Final = {"node": "node", "npm": "node", "mvn": "maven", "java": "openjdk", "javac": "openjdk"}
"""The Homebrew formula of a program; those that are not listed here have the name of their language."""

_RUSTUP: Final = "rustup default stable"
_NO_DEFAULT: Final = ("no default is configured", "could not choose a version", "no default toolchain")
"""The messages of rustup's ``cargo`` if no toolchain is chosen."""


def install_command(program: str, platform: str = sys.platform) -> str:
    """Return the command that installs a program; empty for an unknown program."""
    package = _APT.get(program)
    if package is None:
        return ""
    if platform == "darwin":
        line = f"brew install {_BREW.get(program, package.removesuffix('lang-go'))}"
    else:
        line = f"apt-get install {package}"
    return f"{line} && {_RUSTUP}" if package == "rustup" else line


def missing_toolchain_command(output: str) -> str:
    """Return the command to type if rustup has no default toolchain; empty for other failures."""
    return _RUSTUP if any(words in output for words in _NO_DEFAULT) else ""


EXCLUDED_FOLDERS: Final = frozenset(
    {"env", "node_modules", "target", "__pycache__", ".pytest_cache", ".mypy_cache", ".git", ".wireproof"}
)
"""Folders that builds and tools write: in a checkout their files are not part of the testee."""
_MADE_BY: Final = {
    "env": '["{python}", "-m", "venv", "env"]',
    "node_modules": '["npm", "ci"]',
    "target": '["cargo", "build", "--release"]',
}
"""Folders that a testee needs at run time, and a command of `build` that makes each."""
_STDERR_LINES: Final = 15
_UNUSED_S: Final = 7 * 86_400
"""Seconds after which a build that no run used is removed."""
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;]*m")


def build_folder(manifest: Manifest, version: str, cache_dir: Path) -> Path:
    """Return the folder of a testee's build."""
    return cache_dir / "testees" / f"{manifest.name}@{version}-{_digest(manifest)[:12]}"


def is_built(manifest: Manifest, cache_dir: Path) -> bool:
    """Return whether the version that a testee names is built already."""
    return build_folder(manifest, manifest.version, cache_dir).is_dir()


def build_testee(
    manifest: Manifest,
    values: Mapping[str, str],
    folder: Path,
    report: Callable[[str], object],
    *,
    offline: bool,
) -> None:
    """Fill a build folder, unless it exists.

    Args:
        values: for the placeholders of the commands.
        report: called with a line before the build.
        offline: forbid builds, which fetch packages.

    Raises:
        TesteeError: it does not build, or its adapter does not take the version.
    """
    if values["version"] not in manifest.takes:
        raise TesteeError(
            f"{manifest.name} takes versions of its {manifest.kind} {manifest.takes}; "
            f"{values['version']} is not one",
            f"Ask for such a version, or adapt the adapter and `takes` in {manifest.folder / manifest.file}.",
        )
    if folder.is_dir():
        with contextlib.suppress(OSError):  # a cache that is shared and read only
            os.utime(folder)
        return
    if offline and manifest.build:
        raise TesteeError(
            f"{manifest.name} with {values['version']} of its {manifest.kind} is not built, and --offline "
            "forbids to fetch what it is built of",
            "Run once without --offline.",
        )
    report(f"building {manifest.name} with {values['version']} of its {manifest.kind}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = OwnFolder("build", folder.parent, mode=0o755)
    except OSError as error:
        raise TesteeError(
            f"cannot build {manifest.name} in {folder.parent}: {error.strerror}",
            "Set WIREPROOF_CACHE to a folder that can be written to.",
        ) from error
    try:
        for source in _sources(manifest):
            _copy(source, temporary.path)
        for command in manifest.build:
            _run(manifest, fill_placeholders(command, values), temporary.path)
        with contextlib.suppress(OSError):  # another process was faster
            temporary.publish(folder, marked=True)
    finally:
        temporary.remove()
    if not folder.is_dir():
        raise TesteeError(f"cannot keep what was built of {manifest.name} as {folder}")
    _remove_unused(manifest, folder)


def missing_folder_advice(manifest: Manifest, folder: Path) -> str:
    """Return what to do about folders that the testee has and its build lacks; empty if there are none."""
    return "\n".join(
        f"{manifest.folder / name} is not copied into the cache. "
        f"Let `build` in its {TESTEE_FILE} make it there, such as: build = [{command}]"
        for name, command in _MADE_BY.items()
        if (manifest.folder / name).is_dir() and not (folder / name).exists()
    )


def _remove_unused(manifest: Manifest, kept: Path) -> None:
    """Remove the testee's finished builds that no run used for a week."""
    oldest = time.time() - _UNUSED_S
    for each in kept.parent.glob(f"{glob.escape(manifest.name)}@*"):
        with contextlib.suppress(OSError):
            if each != kept and each.lstat().st_mtime < oldest:
                remove_own_folder(each)


def _sources(manifest: Manifest) -> Sequence[Path]:
    if not manifest.kit:
        return [manifest.folder]
    kit = shipped_folder() / "kits" / manifest.kit
    if not kit.is_dir():
        raise TesteeError(f"{manifest.folder}: there is no kit {manifest.kit}", f"Kits are in {kit.parent}.")
    return [kit, manifest.folder]


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(
        source, target, dirs_exist_ok=True, ignore=lambda _, names: EXCLUDED_FOLDERS.intersection(names)
    )


def _digest(manifest: Manifest) -> str:
    """Hash all files that go into the build, wireproof's own among them, and the interpreter's version."""
    hashed = sha256(sys.version.encode())
    for package, name in (READS[word] for word in manifest.reads):
        hashed.update(files(package).joinpath(name).read_bytes())
    for source in _sources(manifest):
        for path in sorted(source.rglob("*")):
            inside = path.relative_to(source)
            if (
                path.is_file()
                and not EXCLUDED_FOLDERS.intersection(inside.parts)
                and inside.name != "ledger.toml"
            ):
                hashed.update(f"{inside}\0{path.stat().st_size}\0".encode())
                hashed.update(path.read_bytes())
    return hashed.hexdigest()


def _run(manifest: Manifest, command: Sequence[str], folder: Path) -> None:
    program = command[0]
    if "/" in program and not program.startswith("/"):
        program = str(folder / program)
    try:
        result = subprocess.run(
            [program, *command[1:]], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise TesteeError(
            f"{manifest.name} does not build: cannot start {command[0]}: {error.strerror}",
            _advice(manifest, command[0]),
        ) from error
    if result.returncode != 0:
        output = _text_lines(result.stderr) or _text_lines(result.stdout)  # Maven writes errors to stdout
        if line := missing_toolchain_command("\n".join(output)):
            raise TesteeError(
                f"{manifest.name} does not build: {command[0]} has no default Rust toolchain", f"Type: {line}"
            )
        end = "\n".join(f"  {line}" for line in output[-_STDERR_LINES:])
        raise TesteeError(
            f"{manifest.name} does not build: {' '.join(command)} ended with {result.returncode}:\n{end}",
            missing_folder_advice(manifest, folder),
        )


def _advice(manifest: Manifest, program: str) -> str:
    line = install_command(program)
    if line:
        return f"Type: {line}"
    return f"It is written in {manifest.language}: install what builds that."


def _text_lines(output: bytes) -> list[str]:
    """Return the lines of a tool's output, without colours and empty lines."""
    text = _ESCAPE.sub("", output.decode("utf-8", "replace"))
    return [line for line in text.splitlines() if line.strip()]
