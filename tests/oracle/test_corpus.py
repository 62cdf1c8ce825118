"""Entries made by Kafka's own classes are reproducible, right for our codec, and compared with those classes.
A codec that fails with Kafka also fails with the entries alone."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.support.commands.forked_command import run_command
from tests.support.testees.inline_run import run_here
from tests.support.testees.own_testee import DEFECTS
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, id_of
from wireproof.traffic.corpus.corpus_file import CorpusFile, CorpusKind, corpus_file_text, head_of
from wireproof.traffic.corpus.corpus_folder import open_set

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
    return run_command(folder, *words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a corpus of a request, a response, a message without header and record sets; and a testee with
    faults."""
    made = tmp_path_factory.mktemp("corpus")
    ran = wireproof(made, "corpus", "make", "4.4.0", "--output", "set", "--jobs", "2", *SELECTED)
    assert ran.returncode == 0, ran.stderr
    (made / "own").mkdir()
    run = [sys.executable, str(OWN), "--defect", "{variant}", "4.4.0", "ApiVersionsRequest"]
    manifest = {
        "name": "own",
        "language": "python",
        "version": "0",
        "run": run,
        "variants": ["none", *DEFECTS],
    }
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in manifest.items()]
    (made / "own" / "testee.toml").write_text("".join(lines))
    return made


def test_a_corpus_is_reproducible(folder: Path) -> None:
    """With other processes, on standard output and narrowed, each file has the bytes of the folder."""
    words = ("corpus", "make", "4.4", "--output", "-", "--jobs", "1", "--message", "ApiVersionsResponse")
    ran = wireproof(folder, *words)

    assert ran.returncode == 0, ran.stderr
    places = [
        folder / f"set/{kind}/4.4.0/clients/ApiVersionsResponse.ndjson" for kind in ("golden", "malformed")
    ]
    assert ran.stdout == "".join(place.read_text("utf-8") for place in places)


def test_a_part_of_a_corpus_can_be_made(tmp_path: Path) -> None:
    """Only malformed bytes, of the newest version with tag sections and the newest without."""
    words = ("--message", "MetadataRequest", "--edges", "--kind", "malformed", "--jobs", "1")
    ran = wireproof(tmp_path, "corpus", "make", "4.4.0", "--output", "-", *words)
    assert ran.returncode == 0, ran.stderr
    head, *entries = map(json.loads, ran.stdout.splitlines())
    assert (head["kind"], head["entries"]) == ("malformed", len(entries))
    assert {each["cell"] for each in entries} == {"4.4.0/MetadataRequest/8", "4.4.0/MetadataRequest/13"}


def test_every_entry_agrees_with_the_classes(folder: Path) -> None:
    """`verify` asks our codec and Kafka's classes; `lint` and the schema find no problem either."""
    ran = wireproof(folder, "corpus", "verify", "set")
    assert ran.returncode == 0, ran.stderr
    assert "against our codec and Kafka's classes" in ran.stderr.splitlines()[-1]
    assert wireproof(folder, "corpus", "lint", "set").returncode == 0

    validator = Draft202012Validator(json.loads((ROOT / "corpus/schema.json").read_text("utf-8")))
    for place in (folder / "set").rglob("*.ndjson"):
        for line in place.read_text("utf-8").split("\n")[:-1]:
            validator.validate(json.loads(line))


def test_compressed_record_sets_are_only_read(folder: Path) -> None:
    """Other compressed bytes are right too, and such entries say so; each compression has some."""
    part = open_set(folder / "set").part_at(str(folder / "set/golden/4.4.0/records/RecordBatch.ndjson"))
    golden = [entry for entry in part.entries if isinstance(entry, GoldenEntry)]
    assert len(golden) == len(part.entries)
    used = [(entry, {batch["compression"] for batch in entry.value["batches"]}) for entry in golden]

    assert all(entry.exact == (compressions <= {0}) for entry, compressions in used)
    assert set().union(*(compressions for _, compressions in used)) == {0, 1, 2, 3, 4}


def test_an_entry_that_kafka_contradicts_fails(folder: Path) -> None:
    """A wrong tool might write another value with matching ids: exit code 1, with the entry's id."""
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


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_command_leaves_no_files(tmp_path: Path, signal_: signal.Signals) -> None:
    """After its first file: exit code 130, no folder, no temporary file, and no process left."""
    command = [sys.executable, "-m", "wireproof", "corpus", "make", "4.4.0", "--module", "clients"]
    with subprocess.Popen(
        [*command, "--output", "set", "--jobs", "2"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        while process.poll() is None and not any(tmp_path.rglob("*.ndjson")):
            time.sleep(0.01)
        assert [path.name.startswith(".wireproof-corpus-") for path in tmp_path.iterdir()] == [True]
        os.killpg(process.pid, signal_)
        process.stderr.read()  # its end: every process that held it has ended
        assert process.wait() == 130

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("variant", "code"), [("none", 0), ("null-as-empty", 0), ("size-off-by-one", 1)])
def test_a_testee_is_judged_by_entries_as_by_kafka(folder: Path, variant: str, code: int) -> None:
    """The codec is right, wrong in nothing that its message has, or wrong everywhere: the result is the same
    with Java and without."""
    words = ("--message", "ApiVersionsRequest", "--message-version", "0,4")
    alone = ("--no-java", "set", "--jobs", "1")
    without = wireproof(folder, "run", "--testee", f"own:{variant}", *words, *alone)

    assert without.returncode == code, without.stderr
    assert run_here("--testee", f"{folder}/own:{variant}", *words, "--phase", "enumerated")[0] == code
