"""Entries made by Kafka's own classes: the same again each time, right for our codec, and held against those
classes; a codec that Kafka convicts is convicted by the entries alone."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.support.testees.own_testee import DEFECTS
from wireproof.corpus import CorpusFile, CorpusKind, GoldenEntry, corpus_file_text, head_of, id_of, open_set

ROOT = Path(__file__).parents[2]
OWN = ROOT / "tests/support/testees/own_testee.py"
SELECTED = (
    "--message",
    "ApiVersions*",
    "--message",
    "ConsumerProtocolAssignment",
    "--message",
    "RecordBatch",
)


def wireproof(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wireproof", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of a request, a response, a message without header and record sets; and a testee with flaws."""
    made = tmp_path_factory.mktemp("corpus")
    ran = wireproof(made, "corpus", "make", "4.4.0", "--output", "set", "--jobs", "2", *SELECTED)
    assert ran.returncode == 0, ran.stderr
    (made / "own").mkdir()
    run = [sys.executable, str(OWN), "--defect", "{variant}", "4.4.0", "ApiVersionsRequest"]
    told = {"name": "own", "language": "python", "version": "0", "run": run, "variants": ["none", *DEFECTS]}
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in told.items()]
    (made / "own" / "testee.toml").write_text("".join(lines))
    return made


def test_the_same_bytes_come_again(folder: Path) -> None:
    """With other processes, to standard output, narrowed: file by file what the folder holds."""
    words = ("corpus", "make", "4.4", "--output", "-", "--jobs", "1", "--message", "ApiVersionsResponse")
    ran = wireproof(folder, *words)

    assert ran.returncode == 0, ran.stderr
    places = [
        folder / f"set/{kind}/4.4.0/clients/ApiVersionsResponse.ndjson" for kind in ("golden", "malformed")
    ]
    assert ran.stdout == "".join(place.read_text("utf-8") for place in places)


def test_a_part_of_a_set(tmp_path: Path) -> None:
    """Only wrong bytes, of the newest version with tag sections and the newest without."""
    words = ("--message", "MetadataRequest", "--edges", "--kind", "malformed", "--jobs", "1")
    ran = wireproof(tmp_path, "corpus", "make", "4.4.0", "--output", "-", *words)
    assert ran.returncode == 0, ran.stderr
    head, *entries = map(json.loads, ran.stdout.splitlines())
    assert (head["kind"], head["entries"]) == ("malformed", len(entries))
    assert {each["cell"] for each in entries} == {"4.4.0/MetadataRequest/8", "4.4.0/MetadataRequest/13"}


def test_every_entry_is_as_the_classes_say(folder: Path) -> None:
    """`verify` asks our codec and Kafka's classes; `lint` and the schema find nothing either."""
    ran = wireproof(folder, "corpus", "verify", "set")
    assert ran.returncode == 0, ran.stderr
    assert "against our codec and Kafka's classes" in ran.stderr.splitlines()[-1]
    assert wireproof(folder, "corpus", "lint", "set").returncode == 0

    validator = Draft202012Validator(json.loads((ROOT / "corpus/schema.json").read_text("utf-8")))
    for place in (folder / "set").rglob("*.ndjson"):
        for line in place.read_text("utf-8").split("\n")[:-1]:
            validator.validate(json.loads(line))


def test_compressed_record_sets_are_only_read(folder: Path) -> None:
    """They have other right bytes as well, and such entries say so; there are some of each compression."""
    part = open_set(folder / "set").part_at(str(folder / "set/golden/4.4.0/records/RecordBatch.ndjson"))
    golden = [entry for entry in part.entries if isinstance(entry, GoldenEntry)]
    assert len(golden) == len(part.entries)
    used = [(entry, {batch["compression"] for batch in entry.value["batches"]}) for entry in golden]

    assert all(entry.exact == (compressions <= {0}) for entry, compressions in used)
    assert set().union(*(compressions for _, compressions in used)) == {0, 1, 2, 3, 4}


def test_an_entry_that_kafka_gives_the_lie_is_convicted(folder: Path) -> None:
    """Another value with ids that fit, as a wrong tool might write it: exit code 1, by its id."""
    place = folder / "set/golden/4.4.0/clients/ConsumerProtocolAssignment.ndjson"
    part = open_set(place).part_at(str(place))
    right = part.entries[-1]
    assert isinstance(right, GoldenEntry)
    wrong = replace(right, value={**right.value, "userData": "00ff00"})
    entries = (*part.entries[:-1], wrong)
    (folder / "lying.ndjson").write_text(
        corpus_file_text(CorpusFile(head_of(CorpusKind.GOLDEN, part.head, entries), entries)), "utf-8"
    )
    ran = wireproof(folder, "corpus", "verify", "lying.ndjson")

    assert ran.returncode == 1
    assert f"{wrong.cell}/corpus/{id_of(wrong)}" in ran.stderr.replace("\n", "")
    assert "Kafka writes other bytes than the entry has" in ran.stderr


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_nothing_is_left(tmp_path: Path, signal_: signal.Signals) -> None:
    """Once it has told how far it is: exit code 130, no folder, nothing beside it, no process left."""
    command = [sys.executable, "-m", "wireproof", "corpus", "make", "4.4.0", "--module", "clients"]
    with subprocess.Popen(
        [*command, "--output", "set", "--jobs", "2"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        assert "messages" in process.stderr.readline()
        assert [path.name.startswith(".set.") for path in tmp_path.iterdir()] == [True]
        os.killpg(process.pid, signal_)
        process.stderr.read()  # its end: every process that held it has ended
        assert process.wait() == 130

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("flaw", "code"), [("none", 0), ("null-as-empty", 0), ("size-off-by-one", 1)])
def test_a_testee_is_judged_by_them_as_by_kafka(folder: Path, flaw: str, code: int) -> None:
    """Right, wrong where its message has nothing of the kind, and wrong everywhere: the same with Java and
    without."""
    words = ("run", "--testee", f"own:{flaw}", "--message", "ApiVersionsRequest", "--jobs", "1")
    without = wireproof(folder, *words, "--no-java", "set")

    assert without.returncode == code, without.stderr
    assert wireproof(folder, *words, "--phase", "enumerated").returncode == code
