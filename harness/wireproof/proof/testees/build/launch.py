"""Launches of testees: from the text that names one to the process, container or object that runs it."""

import atexit
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol, assert_never
from uuid import uuid4

from wireproof.base.files.own_folders import remove_own_folder
from wireproof.base.text.wording import did_you_mean
from wireproof.model.codec_ends import FatalSites, HangBudget
from wireproof.proof.testees.build.testee_build import build_folder, build_testee, missing_folder_advice
from wireproof.proof.testees.description.manifest import (
    Manifest,
    TesteeReference,
    fill_placeholders,
    read_manifest,
    shipped,
    shipped_folder,
)
from wireproof.proof.testees.description.source_locations import SourceLocation, adapter_location
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.process.testee_container import Container, has_image, remove_containers
from wireproof.proof.testees.session.in_process_testees import LiveObject, PythonObject
from wireproof.proof.testees.session.local_session import LocalSession
from wireproof.proof.testees.session.process_session import ProcessSession
from wireproof.proof.testees.session.testee_session import TesteeSession
from wireproof.proof.testees.testee_errors import TesteeError

_IN_PROCESS: Final = "python:"
_CONTAINER: Final = "container:"
_RELEASE: Final = re.compile(r"\d+\.\d+\.\d+")
"""The version of a Kafka release; no table dates the bugs of any other build."""


class SessionWrapper(Protocol):
    """Wraps the sessions with a testee; plain data, so that it can be pickled."""

    def wrap(self, testee: TesteeSession) -> TesteeSession:
        """Return the session to use in place of the testee's own."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A testee that is ready to be started; plain data.

    Attributes:
        name: ``python-kafka-python:compiled@3.0.12``, or the text that names it.
        target: the process, container or object that runs it.
        home: the testee's own folder, which has its ledger; None for a command.
        instead_of: the version of its codec that the folder names, if another was asked for; else empty.
        wrapper: wraps its sessions, for example to run a mutant of it; None for the unchanged testee.
        kafka_release: the release whose own classes the testee is; empty for any other codec.
        locations: the lines of source that reports name for its messages.
    """

    name: str
    target: ChildProcess | Container | LiveObject | PythonObject
    home: Path | None = None
    instead_of: str = ""
    wrapper: SessionWrapper | None = None
    kafka_release: str = ""
    locations: tuple[SourceLocation, ...] = ()

    def with_cpu_limit(self, cpu_s: float) -> "Launch":
        """Return the same with at most this processor time between two answers."""
        limits = replace(self.target.limits, cpu_s=min(self.target.limits.cpu_s, cpu_s))
        return replace(self, target=replace(self.target, limits=limits))

    def open_session(self, harness: str, hangs: HangBudget | None = None) -> TesteeSession:
        """Open a session. The testee starts at its first use.

        Args:
            harness: the name and version of the caller: ``wireproof 0.1.0``.
            hangs: the time that may be spent on its hangs.
        """
        session = self._session(harness, hangs)
        return session if self.wrapper is None else self.wrapper.wrap(session)

    def _session(self, harness: str, hangs: HangBudget | None) -> TesteeSession:
        fatal = FatalSites(self.name, hangs)
        match self.target:
            case LiveObject() | PythonObject():
                return LocalSession(self.name, self.target.load, harness, self.target.limits, fatal)
            case ChildProcess() | Container():
                return ProcessSession(self.name, self.target, harness, fatal)
            case _:
                assert_never(self.target)


def prepare_testee(
    text: str, cache_dir: Path, report: Callable[[str], object], *, offline: bool = False
) -> Launch:
    """Find the testee that a text names, and build it if it is not built yet.

    Args:
        text: ``NAME[:VARIANT][@VERSION]`` of a testee that comes with wireproof, the same with a folder in
            place of the name, the path of a program, ``container:IMAGE``, ``python:MODULE:OBJECT`` or
            ``python:FILE.py``.
        report: called with a line before a build, which takes time.
        offline: forbid builds, which fetch packages.

    Raises:
        TesteeError: there is no such testee, or it does not build.
    """
    if text.startswith(_CONTAINER):
        return Launch(text, _container(text.removeprefix(_CONTAINER)))
    if text.startswith(_IN_PROCESS):
        thing = PythonObject.parse(text.removeprefix(_IN_PROCESS))
        if thing.file is None:
            return Launch(text, thing)
        home = thing.file.parent
        return Launch(text, thing, home, locations=adapter_location(home, [thing.file.name]))
    reference, folder = _parse(text)
    if folder is None:
        return _program(text)
    manifest = read_manifest(folder)
    variant = _variant(manifest, reference.variant)
    version = reference.version or manifest.version
    values = {"python": sys.executable, "version": version, "variant": variant}
    (image,) = fill_placeholders([manifest.container], values)
    built = build_folder(manifest, version, cache_dir)
    if image and manifest.build and not has_image(image):
        remove_own_folder(built)  # this engine does not have the image that was built there
    build_testee(manifest, values, built, report, offline=offline)
    name = f"{manifest.name}:{variant}" if variant else manifest.name
    instead_of = "" if version == manifest.version else manifest.version
    if image:
        run = fill_placeholders(manifest.run, {**values, "folder": str(manifest.folder)})
        target: ChildProcess | Container = _container(image, run, manifest.limits)
    else:
        advice = missing_folder_advice(manifest, built)
        target = ChildProcess(_command(manifest, values, built), built, manifest.limits, advice=advice)
    kafka = version if manifest.kafka and _RELEASE.fullmatch(version) else ""
    locations = (*manifest.locations, *adapter_location(folder, manifest.run))
    return Launch(f"{name}@{version}", target, folder, instead_of, kafka_release=kafka, locations=locations)


@dataclass(frozen=True, slots=True)
class TesteeFiles:
    """The files that make a testee.

    Attributes:
        folder: an absolute path without symbolic links.
        program: the only file of the folder that counts; None for all files of it.
        in_process: the testee is imported into wireproof's own process.
    """

    folder: Path
    program: Path | None = None
    in_process: bool = False


def testee_files(text: str) -> TesteeFiles | None:
    """Find the files of the testee that a text names; None for an image, or a module without a file.

    Raises:
        TesteeError: there is no such testee.
    """
    if text.startswith(_CONTAINER):
        return None
    if text.startswith(_IN_PROCESS):
        file = PythonObject.parse(text.removeprefix(_IN_PROCESS)).file
        return None if file is None else TesteeFiles(file.parent.resolve(), in_process=True)
    _, folder = _parse(text)
    if folder is not None:
        return TesteeFiles(folder.resolve())
    _program(text)
    program = Path(text).resolve()
    return TesteeFiles(program.parent, program)


def claims_key(text: str, cache_dir: Path) -> str | None:
    """Return a key that changes with the files of a testee; None if its claims may depend on other files.

    They may for an image, a program, an object, and a folder whose command names files outside of it.

    Raises:
        TesteeError: its description has a mistake.
    """
    reference, folder = _parse(text)
    if folder is None or text.startswith((_CONTAINER, _IN_PROCESS)):
        return None
    manifest = read_manifest(folder)
    outside = any("{folder}" in word or ".." in word or word.startswith("/") for word in manifest.run)
    if manifest.container or outside:
        return None
    return build_folder(manifest, reference.version or manifest.version, cache_dir).name


def prepare_program(
    manifest: Manifest, cache_dir: Path, report: Callable[[str], object], *, offline: bool = False
) -> ChildProcess:
    """Build a program that is not a testee, if it is not built yet.

    Raises:
        TesteeError: it does not build.
    """
    values = {"python": sys.executable, "version": manifest.version}
    built = build_folder(manifest, manifest.version, cache_dir)
    build_testee(manifest, values, built, report, offline=offline)
    return ChildProcess(_command(manifest, values, built), built, manifest.limits)


def _command(manifest: Manifest, values: Mapping[str, str], built: Path) -> tuple[str, ...]:
    """Return the command that starts it; a program that was built gets its absolute path."""
    run = fill_placeholders(manifest.run, {**values, "folder": str(manifest.folder)})
    if "/" in run[0] and not run[0].startswith("/"):
        run[0] = str(built / run[0])
    return tuple(run)


def _container(image: str, command: Sequence[str] = (), limits: ResourceLimits | None = None) -> Container:
    """Return an image to start; its containers are removed when this process exits.

    A worker cannot remove its own containers if it is killed, as all workers are after Ctrl-C.
    """
    run = uuid4().hex
    atexit.register(remove_containers, run)
    return Container(image, run, tuple(command), limits or ResourceLimits())


def _parse(text: str) -> tuple[TesteeReference, Path | None]:
    """Return the parts of a text, and the folder that its name means; None if it means a program."""
    reference = TesteeReference(text) if Path(text).is_dir() else TesteeReference.parse(text)
    if reference.name in shipped():
        return reference, shipped_folder() / reference.name
    path = Path(reference.name)
    return reference, path if path.is_dir() else None


def _program(text: str) -> Launch:
    path = Path(text)
    found = str(path.resolve()) if path.is_file() and os.access(path, os.X_OK) else None
    if found is None:
        known = ", ".join(shipped()) or "none"
        listed = f"Those that come with it: {known}. `wireproof testee new` starts one."
        raise TesteeError(
            f"{text} is not a testee: not one that comes with wireproof, no folder, no program",
            " ".join(filter(None, (did_you_mean(text, shipped()), listed))),
        )
    return Launch(text, ChildProcess((found,)))


def _variant(manifest: Manifest, asked: str) -> str:
    if asked and asked not in manifest.variants:
        known = ", ".join(manifest.variants) or "none"
        raise TesteeError(f"{manifest.name} has no variant {asked!r}", f"It has: {known}.")
    return asked or (manifest.variants[0] if manifest.variants else "")
