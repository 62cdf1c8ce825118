"""``wireproof matrix`` with Kafka's classes: our own codec behind the protocol, right and wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from own_testee import FLAWS

OWN = Path(__file__).parents[1] / "own_testee.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A testee whose variants are the flaws of our own codec."""
    made = tmp_path_factory.mktemp("testees") / "own"
    made.mkdir()
    run = [sys.executable, str(OWN), "--flaw", "{variant}", "4.4.0", "MetadataRequest"]
    told = {"name": "own", "language": "python", "version": "0", "run": run, "variants": ["none", *FLAWS]}
    (made / "testee.toml").write_text(
        "".join(f"{key} = {json.dumps(value)}\n" for key, value in told.items())
    )
    return made


def matrix(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    named = ("--testee", str(folder), "--testee", f"{folder}:null-as-empty")
    command = [sys.executable, "-m", "wireproof", "matrix", "--jobs", "2", *named, *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder.parent, check=False)


def test_the_one_that_is_wrong_is_seen(folder: Path) -> None:
    """Only encoding shows it, also where there is no null to write: it has to be refused. The same again is
    the same text."""
    words = ("--cell", "4.4.0/Metadata*/0", "--cell", "4.4.0/Metadata*/12", "--format", "json")
    ran = matrix(folder, *words)
    assert ran.returncode == 0, ran.stderr
    assert matrix(folder, *words).stdout == ran.stdout
    told = json.loads(ran.stdout)
    right, wrong = "own:none@0", "own:null-as-empty@0"
    assert [each["name"] for each in told["codecs"]] == ["kafkawire", right, wrong]
    assert told["unclaimed"] == ["MetadataResponse"]
    (message,) = told["messages"]
    both = {"proven": "0, 12"}
    assert message["codecs"][right] == {"encode": both, "decode": both, "malformed": both, "verdicts": {}}
    assert message["codecs"][wrong]["encode"] == {"failed": "0, 12"}
    assert message["codecs"][wrong]["decode"] == both
    assert {each["question"] for each in told["disagreements"]} == {"encode"}
    parties = [camp["parties"] for camp in told["disagreements"][0]["camps"]]
    assert parties == [["Kafka", "kafkawire", right], [wrong]]


def test_a_case_is_told_in_full(folder: Path) -> None:
    """Who writes what, with the names of the fields; 1 where they differ, 0 where they do not."""
    ran = matrix(folder, "--case", "4.4.0/MetadataRequest/12/enumerated/message/nulls")
    assert ran.returncode == 1, ran.stderr
    assert "Kafka, kafkawire, own:none@0: writes" in ran.stdout
    assert "own:null-as-empty@0: writes" in ran.stdout
    assert "topics is null" in ran.stdout
    assert matrix(folder, "--case", "4.4.0/MetadataRequest/12/enumerated/message/default").returncode == 0
    assert matrix(folder, "--case", "4.4.0/MetadataRequest/12/enumerated/none").returncode == 2


def test_strict_and_incomplete_have_their_exit_codes(folder: Path) -> None:
    """Codecs that differ are no failure unless asked; cells that were not reached are incomplete."""
    words = ("--cell", "4.4.0/MetadataRequest/12", "--phase", "enumerated", "--format", "tsv")
    strict = matrix(folder, "--strict", *words)
    assert strict.returncode == 1
    assert len(strict.stdout.splitlines()) == 3
    cut = matrix(folder, "--message", "MetadataRequest", "--budget", "0.001", "--format", "tsv")
    assert cut.returncode == 7
    # Claimed and not reached, in all three questions.
    assert cut.stdout.splitlines()[0].split("\t")[5:17] == ["0", "0", "0", "14"] * 3
    assert matrix(folder, "--message", "FetchRequest").returncode == 3
    assert matrix(folder, "--testee", "no-such-codec").returncode == 4
    assert matrix(folder, "--testee", str(folder)).returncode == 2
