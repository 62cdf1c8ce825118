"""What judges cannot be mutated beside itself: a bug in a copy of the project, run as a user runs it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kafkawire
import wireproof

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


def run(folder: Path) -> tuple[int, list[tuple[str, str]], str]:
    """Exit code, check and field of each divergence, and what a person saw."""
    paths = os.pathsep.join([str(folder / "codecs"), str(folder / "harness")])
    words = ["run", "--cell", "4.4.0/MetadataRequest/12", "--examples", "5", "--events", "-"]
    ran = subprocess.run(
        [sys.executable, "-m", "wireproof", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    failed = [event for event in events if event["event"] == "failed"]
    found = [(each["check"], each.get("path", "")) for event in failed for each in event["divergences"]]
    return ran.returncode, found, ran.stderr


def test_the_copy_itself_is_proven(copy: Path) -> None:
    """Without a bug the same run ends with 0: what the other test finds is the bug."""
    code, found, words = run(copy)

    assert (code, found) == (0, []), words


def test_a_wrong_canonical_form_is_found_and_pointed_at(copy: Path) -> None:
    """A null array that is canonical as an empty one: Kafka holds another value than it should."""
    file = copy / "codecs/kafkawire/canonical/_printing.py"
    text, line = file.read_text(), 'line(f"{var}, {count} = (), -1")'
    assert text.count(line) == 1
    file.write_text(text.replace(line, line.replace("-1", "0")))

    code, found, words = run(copy)

    assert code == 1, words
    assert any(check in ("bytes", "oracle-reads") and "topics" in path for check, path in found), found
