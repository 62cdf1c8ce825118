"""Testees are built once, in the cache: by the ecosystem's own tool, from its registry.

The name of a build folder holds the testee's, the version under test and a digest of its files and the kit's.
It is built beside its place and renamed: a killed build leaves nothing that looks finished, and of two builds
at once one wins.
"""

import atexit
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final, Protocol, assert_never
from uuid import uuid4

from wireproof.model import FatalSites, HangBudget
from wireproof.testees.build.toolchains import installs, no_default_toolchain
from wireproof.testees.description.manifest import (
    READS,
    Manifest,
    TesteeWord,
    filled,
    read_manifest,
    shipped,
    shipped_folder,
)
from wireproof.testees.limits.resource_limits import ResourceLimits
from wireproof.testees.process.child_process import ChildProcess
from wireproof.testees.process.testee_container import Container, has_image, remove_containers
from wireproof.testees.session.local_session import LiveObject, LocalSession, PythonObject
from wireproof.testees.session.process_session import ProcessSession
from wireproof.testees.session.testee_session import TesteeSession
from wireproof.testees.testee_errors import TesteeError

__all__ = ["Launch", "is_built", "place_of", "prepare_program", "prepare_testee"]

_LEFT_OUT: Final = frozenset({"env", "node_modules", "target", "__pycache__", ".pytest_cache", ".mypy_cache"})
"""Folders that building makes: what lies in them in a checkout is not the testee's."""
_STDERR_LINES: Final = 15
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;]*m")
_IN_PROCESS: Final = "python:"
_CONTAINER: Final = "container:"


class SessionWrapper(Protocol):
    """Stands between a testee and who asks it; plain data, so that it can be pickled."""

    def wrap(self, testee: TesteeSession) -> TesteeSession:
        """What is asked in place of the testee."""
        ...


_RELEASE: Final = re.compile(r"\d+\.\d+\.\d+")
"""The version of a Kafka release; no table dates the bugs of any other build."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a testee is started; plain data.

    Attributes:
        name: ``python-kafka-python:compiled@3.0.12``, or the word itself.
        home: the testee's own folder, where its ledger lies; None for a command.
        instead_of: the version of its codec that the folder names, where another was asked for; else empty.
        wrapper: stands between the testee and who asks it: a bug that was planted in it; None for the testee
            as it is.
        kafka_release: the release whose own classes the testee is; empty for any other codec.
    """

    name: str
    way: ChildProcess | Container | LiveObject | PythonObject
    home: Path | None = None
    instead_of: str = ""
    wrapper: SessionWrapper | None = None
    kafka_release: str = ""

    def hastened(self, cpu_s: float) -> "Launch":
        """The same with no more than so much processor time between two answers."""
        limits = replace(self.way.limits, cpu_s=min(self.way.limits.cpu_s, cpu_s))
        return replace(self, way=replace(self.way, limits=limits))

    def converse(self, harness: str, hangs: HangBudget | None = None) -> TesteeSession:
        """The testee, started when it is first asked.

        Args:
            harness: who asks: ``wireproof 0.1.0``.
            hangs: the time that may be spent on its hangs.
        """
        testee = self._testee(harness, hangs)
        return testee if self.wrapper is None else self.wrapper.wrap(testee)

    def _testee(self, harness: str, hangs: HangBudget | None) -> TesteeSession:
        fatal = FatalSites(self.name, hangs)
        match self.way:
            case LiveObject() | PythonObject():
                return LocalSession(self.name, self.way.load, harness, self.way.limits, fatal)
            case ChildProcess() | Container():
                return ProcessSession(self.name, self.way, harness, fatal)
            case _:
                assert_never(self.way)


def prepare_testee(
    text: str, cache_dir: Path, tell: Callable[[str], object], *, offline: bool = False
) -> Launch:
    """What a word starts, built if it has to be.

    Args:
        text: ``NAME[:VARIANT][@VERSION]`` of a testee that comes with wireproof, the same with a folder in
            place of the name, the path of a program, ``container:IMAGE``, ``python:MODULE:OBJECT`` or
            ``python:FILE.py``.
        tell: told what is being built, for that takes its time.
        offline: whether nothing may be built: a build fetches packages.

    Raises:
        TesteeError: there is no such testee, or it does not build.
    """
    if text.startswith(_CONTAINER):
        return Launch(text, _container(text.removeprefix(_CONTAINER)))
    if text.startswith(_IN_PROCESS):
        thing = PythonObject.parse(text.removeprefix(_IN_PROCESS))
        return Launch(text, thing, thing.home)
    word = TesteeWord(text) if Path(text).is_dir() else TesteeWord.parse(text)
    folder = _folder(word.name)
    if folder is None:
        return _program(text)
    manifest = read_manifest(folder)
    variant = _variant(manifest, word.variant)
    version = word.version or manifest.version
    values = {"python": sys.executable, "version": version, "variant": variant}
    (image,) = filled([manifest.container], values)
    place = place_of(manifest, version, cache_dir)
    if image and manifest.build and not has_image(image):
        shutil.rmtree(place, ignore_errors=True)  # what was built there is not in this engine (any more)
    _build(manifest, values, place, tell, offline)
    named = f"{manifest.name}:{variant}" if variant else manifest.name
    usual = "" if version == manifest.version else manifest.version
    if image:
        run = filled(manifest.run, {**values, "folder": str(manifest.folder)})
        way: ChildProcess | Container = _container(image, run, manifest.limits)
    else:
        way = ChildProcess(_command(manifest, values, place), place, manifest.limits)
    kafka = version if manifest.kafka and _RELEASE.fullmatch(version) else ""
    return Launch(f"{named}@{version}", way, folder, usual, kafka_release=kafka)


def prepare_program(
    manifest: Manifest, cache_dir: Path, tell: Callable[[str], object], *, offline: bool = False
) -> ChildProcess:
    """A program that is no testee, built if it has to be.

    Raises:
        TesteeError: it does not build.
    """
    values = {"python": sys.executable, "version": manifest.version}
    place = place_of(manifest, manifest.version, cache_dir)
    _build(manifest, values, place, tell, offline)
    return ChildProcess(_command(manifest, values, place), place, manifest.limits)


def _command(manifest: Manifest, values: Mapping[str, str], place: Path) -> tuple[str, ...]:
    """What starts it; a program that was built is named by its whole path."""
    run = filled(manifest.run, {**values, "folder": str(manifest.folder)})
    if "/" in run[0] and not run[0].startswith("/"):
        run[0] = str(place / run[0])
    return tuple(run)


def _container(image: str, command: Sequence[str] = (), limits: ResourceLimits | None = None) -> Container:
    """An image to start; what is left of its containers goes when this process ends, however it ends.

    A worker that is killed, as all are after Ctrl-C, cannot remove its own.
    """
    run = uuid4().hex
    atexit.register(remove_containers, run)
    return Container(image, run, tuple(command), limits or ResourceLimits())


def _folder(name: str) -> Path | None:
    """The folder that a name means; None where it means a program."""
    if name in shipped():
        return shipped_folder() / name
    path = Path(name)
    return path if path.is_dir() else None


def _program(text: str) -> Launch:
    path = Path(text)
    found = str(path.resolve()) if path.is_file() and os.access(path, os.X_OK) else None
    if found is None:
        known = ", ".join(shipped()) or "none"
        raise TesteeError(
            f"{text} is no testee: not one that comes with wireproof, no folder, no program",
            f"Those that come with it: {known}. `wireproof testee new` starts one.",
        )
    return Launch(text, ChildProcess((found,)))


def _variant(manifest: Manifest, asked: str) -> str:
    if asked and asked not in manifest.variants:
        known = ", ".join(manifest.variants) or "none"
        raise TesteeError(f"{manifest.name} has no variant {asked!r}", f"It has: {known}.")
    return asked or (manifest.variants[0] if manifest.variants else "")


def place_of(manifest: Manifest, version: str, cache_dir: Path) -> Path:
    """The build folder."""
    return cache_dir / "testees" / f"{manifest.name}@{version}-{_digest(manifest)[:12]}"


def _build(
    manifest: Manifest,
    values: Mapping[str, str],
    place: Path,
    tell: Callable[[str], object],
    offline: bool,
) -> None:
    """Fill the build folder, unless it is there."""
    if place.is_dir():
        return
    if offline and manifest.build:
        raise TesteeError(
            f"{manifest.name} with {values['version']} of its {manifest.kind} is not built, and --offline "
            "forbids to fetch what it is built of",
            "Run once without --offline.",
        )
    tell(f"building {manifest.name} with {values['version']} of its {manifest.kind}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{manifest.name}-", dir=place.parent))
    except OSError as error:
        raise TesteeError(
            f"cannot build {manifest.name} in {place.parent}: {error.strerror}",
            "Set WIREPROOF_CACHE to a folder that can be written to.",
        ) from error
    try:
        for source in _sources(manifest):
            _copy(source, fresh)
        for command in manifest.build:
            _run(manifest, filled(command, values), fresh)
        fresh.chmod(0o755)
        with contextlib.suppress(OSError):  # somebody else was faster
            fresh.rename(place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    if not place.is_dir():
        raise TesteeError(f"cannot keep what was built of {manifest.name} as {place}")


def is_built(manifest: Manifest, cache_dir: Path) -> bool:
    """Whether the version that a testee names is built already."""
    return place_of(manifest, manifest.version, cache_dir).is_dir()


def _sources(manifest: Manifest) -> Sequence[Path]:
    if not manifest.kit:
        return [manifest.folder]
    kit = shipped_folder() / "kits" / manifest.kit
    if not kit.is_dir():
        raise TesteeError(f"{manifest.folder}: there is no kit {manifest.kit}", f"Kits are in {kit.parent}.")
    return [kit, manifest.folder]


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=lambda _, names: _LEFT_OUT.intersection(names))


def _digest(manifest: Manifest) -> str:
    """Of all files that go into the build, wireproof's own among them, and of the interpreter."""
    hashed = sha256(sys.version.encode())
    for package in manifest.reads:
        hashed.update(files(f"wireproof.{package}").joinpath(READS[package]).read_bytes())
    for source in _sources(manifest):
        for path in sorted(source.rglob("*")):
            inside = path.relative_to(source)
            if path.is_file() and not _LEFT_OUT.intersection(inside.parts) and inside.name != "ledger.toml":
                hashed.update(f"{inside}\0{path.stat().st_size}\0".encode())
                hashed.update(path.read_bytes())
    return hashed.hexdigest()


def _run(manifest: Manifest, command: Sequence[str], folder: Path) -> None:
    program = command[0]
    if "/" in program and not program.startswith("/"):
        program = str(folder / program)
    try:
        done = subprocess.run(
            [program, *command[1:]], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise TesteeError(
            f"{manifest.name} does not build: cannot start {command[0]}: {error.strerror}",
            _advice(manifest, command[0]),
        ) from error
    if done.returncode != 0:
        said = _words(done.stderr) or _words(done.stdout)  # Maven complains on standard output
        if line := no_default_toolchain("\n".join(said)):
            raise TesteeError(
                f"{manifest.name} does not build: {command[0]} has no default Rust toolchain", f"Type: {line}"
            )
        end = "\n".join(f"  {line}" for line in said[-_STDERR_LINES:])
        raise TesteeError(
            f"{manifest.name} does not build: {' '.join(command)} ended with {done.returncode}:\n{end}"
        )


def _advice(manifest: Manifest, program: str) -> str:
    line = installs(program)
    if line:
        return f"Type: {line}"
    return f"It is written in {manifest.language}: install what builds that."


def _words(output: bytes) -> list[str]:
    """The lines of a tool's output, without colours."""
    text = _ESCAPE.sub("", output.decode("utf-8", "replace"))
    return [line for line in text.splitlines() if line.strip()]
