"""A case tried again, against Kafka's classes."""

import json
import subprocess
import sys
from pathlib import Path

CASE = "4.4.0/MetadataRequest/12/enumerated/topics/null"


def replay(word: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wireproof", "replay", word]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def test_a_case_is_made_again_by_its_name(tmp_path: Path) -> None:
    """An enumerated case needs nothing but its id; our codec passes it."""
    ran = replay(CASE, tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert f"gone: {CASE} agrees with Kafka" in ran.stderr


def test_a_recorded_failure_is_tried_with_the_value_recorded(tmp_path: Path) -> None:
    """A file from elsewhere is enough; a value that the cell cannot hold is told as such."""
    recorded = {"case": "4.4.0/MetadataRequest/12/random/seed-0", "value": '{"topics":null}', "header": None}
    place = tmp_path / "failure.json"
    place.write_text(json.dumps(recorded))
    assert replay(str(place), tmp_path).returncode == 0

    place.write_text(json.dumps({**recorded, "value": '{"weather":"fine"}'}))
    ran = replay(str(place), tmp_path)
    assert ran.returncode == 2
    assert "is no value of 4.4.0/MetadataRequest/12" in ran.stderr


def test_a_frame_is_tried_with_its_header(tmp_path: Path) -> None:
    """Frame cases are found by name, header and all."""
    ran = replay("4.4.0/MetadataRequest/12/frame/header-clientId/null", tmp_path)

    assert ran.returncode == 0, ran.stderr
