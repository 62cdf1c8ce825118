"""Replay of a case, against Kafka's classes."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.commands.forked_command import run_command

CASE = "4.4.0/MetadataRequest/12/enumerated/topics/null"


def replay(word: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "replay", word)


def test_a_case_is_repeated_by_its_name(tmp_path: Path) -> None:
    """An enumerated case only needs its id; our codec passes it."""
    ran = replay(CASE, tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert f"gone: {CASE}: our own codec (kafkawire) agrees with Kafka" in ran.stderr


def test_a_recorded_failure_is_tried_with_the_recorded_value(tmp_path: Path) -> None:
    """A file from elsewhere is enough; a value that is invalid for the cell is an error."""
    recorded = {"case": "4.4.0/MetadataRequest/12/random/seed-0", "value": '{"topics":null}', "header": None}
    place = tmp_path / "failure.json"
    place.write_text(json.dumps(recorded))
    assert replay(str(place), tmp_path).returncode == 0

    place.write_text(json.dumps({**recorded, "value": '{"weather":"fine"}'}))
    ran = replay(str(place), tmp_path)
    assert ran.returncode == 2
    assert "is not a value of 4.4.0/MetadataRequest/12" in ran.stderr


@pytest.mark.parametrize(
    "case",
    [
        "4.4.0/RecordBatch/2/enumerated/v2/zstd/headers-unicode",
        "4.4.0/RecordBatch/1/enumerated/v1/snappy/foreign-raw-block",
        "4.4.0/RecordBatch/0/random/seed-3",
        "4.4.0/FetchResponse/12/records/mixed-magics",
    ],
)
def test_record_sets_are_repeated_by_name(tmp_path: Path, case: str) -> None:
    """These are named sets, random ones and messages with sets in them."""
    ran = replay(case, tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert f"gone: {case}: our own codec (kafkawire) agrees with Kafka" in ran.stderr
    if "random" not in case:
        assert replay(f"{case}-not", tmp_path).returncode == 2


def test_a_recorded_record_set_is_tried_with_its_value(tmp_path: Path) -> None:
    """The value is the one recorded by a run that found it at random."""
    value = (
        '{"batches":[{"magic":2,"records":[{"key":"6b","headers":[{"key":"h","value":null}]}]}],"tail":""}'
    )
    place = tmp_path / "failure.json"
    place.write_text(json.dumps({"case": "4.4.0/RecordBatch/2/random/seed-0", "value": value}))
    ran = replay(str(place), tmp_path)

    assert ran.returncode == 0, ran.stderr


def test_a_frame_is_tried_with_its_header(tmp_path: Path) -> None:
    """A frame case is found by its name, with its header."""
    ran = replay("4.4.0/MetadataRequest/12/frame/header-clientId/null", tmp_path)

    assert ran.returncode == 0, ran.stderr
