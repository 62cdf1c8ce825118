"""A bug that volume finds: told, made small, and tried again from one line, against Kafka's classes."""

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
CELL = "4.4.0/ApiVersionsRequest/3"
FILE = "codecs/kafkawire/compiler/_print_size.py"
RIGHT = 'with self.text.block(f"if {length} > 126:"):'
WRONG = 'with self.text.block(f"if {length} > 127:"):'


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Both packages in a folder of their own; the size that is announced forgets a byte at length 127."""
    for package, root in zip(PACKAGES, ("codecs", "harness"), strict=True):
        shutil.copytree(package, tmp_path / root / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    checkout = PACKAGES[1].parents[1]
    for folder in ("java", "corpus"):
        if (checkout / folder).is_dir():
            (tmp_path / folder).symlink_to(checkout / folder)
    text = (tmp_path / FILE).read_text()
    assert text.count(RIGHT) == 1
    (tmp_path / FILE).write_text(text.replace(RIGHT, WRONG))
    return tmp_path


def wireproof_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(folder / "codecs"), str(folder / "harness")])
    return subprocess.run(
        [sys.executable, "-m", "wireproof", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )


def test_volume_finds_it_makes_it_small_and_one_line_tries_it_again(copy: Path):
    """Exit code 1; a text of 127 bytes is left; replay sees it with and without the recorded value."""
    ran = wireproof_in(copy, "run", "--cell", CELL, "--phase", "bulk", "--cases", "2000", "--events", "-")
    assert ran.returncode == 1, ran.stderr
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    failed = [event for event in events if event["event"] == "failed"]
    shrunk = [event for event in events if event["event"] == "shrunk"]
    assert {failure["divergences"][0]["check"] for failure in failed} == {"size"}
    assert shrunk[0]["case"] == failed[0]["case"]
    value = json.loads(shrunk[0]["value"])
    assert {name: text for name, text in value.items() if text} in (
        {"clientSoftwareName": "a" * 127},
        {"clientSoftwareVersion": "a" * 127},
    )
    case = failed[0]["case"]
    assert f"wireproof replay {case}" in ran.stderr

    (recorded,) = [path for path in copy.glob(".wireproof/failures/*.json") if case in path.read_text()]
    assert json.loads(recorded.read_text())["shrunk"]["value"] == shrunk[0]["value"]
    assert wireproof_in(copy, "replay", case).returncode == 1
    kept = copy / "kept.json"
    recorded.rename(kept)
    assert wireproof_in(copy, "replay", case).returncode == 1

    (copy / FILE).write_text((copy / FILE).read_text().replace(WRONG, RIGHT))
    assert wireproof_in(copy, "replay", case).returncode == 0
    assert wireproof_in(copy, "replay", str(kept)).returncode == 0
