"""A one-line bug anywhere in the codecs, the schema reader or `resolve` is found, and pointed at."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kafkawire
import wireproof
from plants import PLANTS, Plant
from record_plants import RECORD_PLANTS

PACKAGES = (Path(kafkawire.__file__).parent, Path(wireproof.__file__).parent)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Both packages in a folder of their own, beside the Java sources where this is a checkout."""
    for package, root in zip(PACKAGES, ("codecs", "harness"), strict=True):
        shutil.copytree(package, tmp_path / root / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    checkout = PACKAGES[1].parents[1]
    for folder in ("java", "corpus"):
        if (checkout / folder).is_dir():
            (tmp_path / folder).symlink_to(checkout / folder)
    return tmp_path


def run(folder: Path, cell: str, phase: str = "") -> tuple[int, list[dict], str]:
    """Exit code, events and what a person saw."""
    paths = os.pathsep.join([str(folder / "codecs"), str(folder / "harness")])
    command = [sys.executable, "-m", "wireproof", "run", "--cell", cell, "--examples", "5", "--events", "-"]
    command += ["--phase", phase] if phase else []
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr


def plant(folder: Path, bug: Plant) -> None:
    package = "codecs" if bug.file.startswith("kafkawire") else "harness"
    file = folder / package / bug.file
    text = file.read_text()
    assert text.count(bug.old) == 1, f"{bug.file} has the line of {bug.name!r} {text.count(bug.old)} times"
    file.write_text(text.replace(bug.old, bug.new))


def test_the_copy_itself_is_proven(copy: Path):
    """Without a bug the same run ends with 0: what the others find is the bug."""
    code, events, words = run(copy, "4.4.0/ApiVersionsRequest/3")

    assert code == 0, words
    assert events[-1]["event"] == "footer"


@pytest.mark.parametrize("bug", [*PLANTS, *RECORD_PLANTS], ids=lambda bug: bug.name.replace(" ", "-"))
def test_a_planted_bug_is_found_and_pointed_at(copy: Path, bug: Plant):
    """Exit code 1, and a divergence of the right check at the right field."""
    plant(copy, bug)
    code, events, words = run(copy, bug.cell, bug.phase)

    assert code == 1, words
    if not bug.checks:
        assert bug.field in words
        return
    seen = [
        (divergence["check"], divergence.get("path", ""))
        for event in events
        if event["event"] == "failed"
        for divergence in event["divergences"]
    ]
    assert any(check in bug.checks and bug.field in path for check, path in seen), seen or words
