"""A bug that the bulk phase finds: reported, shrunk and replayed with one command."""

import json
from pathlib import Path

import pytest

from tests.support.mutants.project_copy import wireproof_in
from tests.support.mutants.wrong_size import CELL, FILE, RIGHT, WRONG, wrong_size


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The size that is announced forgets a byte at length 127."""
    return wrong_size(tmp_path)


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
    # The finding shows the smallest of its cases, which need not be the first one.
    assert any(f"wireproof replay {failure['case']}" in ran.stderr for failure in failed)

    (recorded,) = [path for path in copy.glob(".wireproof/failures/*.json") if case in path.read_text()]
    assert json.loads(recorded.read_text())["shrunk"]["value"] == shrunk[0]["value"]
    assert wireproof_in(copy, "replay", case).returncode == 1
    kept = copy / "kept.json"
    recorded.rename(kept)
    assert wireproof_in(copy, "replay", case).returncode == 1

    (copy / FILE).write_text((copy / FILE).read_text().replace(WRONG, RIGHT))
    assert wireproof_in(copy, "replay", case).returncode == 0
    assert wireproof_in(copy, "replay", str(kept)).returncode == 0
