"""Copies of installed codecs, with one mistake fixed by a diff.

A diff begins with lines ``codec: NAME``, ``cells: MESSAGE/VERSION ...``, ``phase: NAME``, ``cause: ID``: the
testee, the cells and the phase that show the mistake, and the cause that is to disappear.
"""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from tests.support.testees.inline_run import prove_here
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.model.cell import Cell
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.testees.build.launch import Launch, prepare_testee
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.verdict.report.run_summary import RunSummary

_PACKAGES: Final = {
    "python-kafka-python": "kafka",
    "python-aiokafka": "aiokafka",
    "python-kio": "kio",
    "javascript-kafkajs": "node_modules",
}
Causes: TypeAlias = Mapping[str, tuple[frozenset[Cell], frozenset[str]]]
"""By id: the cells and the fields that show a cause."""
_BEFORE: Final[dict[tuple[str, tuple[str, ...], str], Causes]] = {}
"""The causes of codecs as they are: several fixes are tried in the same cells."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A diff with its header."""

    diff: Path
    codec: str
    cells: tuple[str, ...]
    phase: str
    cause: str

    @classmethod
    def read(cls, diff: Path) -> "Fix":
        """Read the header of a diff."""
        head = diff.read_text(encoding="utf-8").split("--- a/", 1)[0]
        rows = dict(line.split(": ", 1) for line in head.splitlines())
        return cls(diff, rows["codec"], tuple(rows["cells"].split()), rows["phase"], rows["cause"])


FIXES: Final = [Fix.read(each) for each in sorted((Path(__file__).parent / "diffs").glob("*.diff"))]


def fixed(fix: Fix, folder: Path) -> Launch:
    """Return the codec out of a copy in a folder, to which the diff is applied."""
    launch = prepare_testee(fix.codec, cache_folder(), print)
    assert isinstance(launch.target, ChildProcess)
    built = launch.target.folder
    assert built is not None
    package = _PACKAGES[fix.codec.partition(":")[0]]
    for each in built.iterdir():
        if each.name == "env":
            (folder / "env").symlink_to(each)
            (installed,) = each.glob(f"lib/python3*/site-packages/{package}")
            shutil.copytree(installed, folder / package)  # before the installed one on the import path
        elif each.is_dir():
            shutil.copytree(each, folder / each.name)
        else:
            shutil.copy(each, folder)
    subprocess.run(["git", "apply", str(fix.diff)], cwd=folder, check=True)
    return replace(launch, target=replace(launch.target, folder=folder))


def before(fix: Fix) -> Causes:
    """Return the causes of the codec as it is installed."""
    key = fix.codec, fix.cells, fix.phase
    if key not in _BEFORE:
        _BEFORE[key] = causes_of(fix, prepare_testee(fix.codec, cache_folder(), print))
    return _BEFORE[key]


def causes_of(fix: Fix, launch: Launch) -> Causes:
    """Return the causes of a codec in the cells of a fix."""
    config = RunConfig(
        cell=fix.cells, phase=(fix.phase,), mutations=MutationSet.SLICE, ledger="none", shrink=0, jobs=1
    )
    summary = RunSummary()
    for event in prove_here(config, launch):
        summary(event)
    return {
        each.id: (frozenset(each.cells), each.deviation.all_fields | each.shortest.fields)
        for each in summary.causes.ranked()
    }
