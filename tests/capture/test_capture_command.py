"""``wireproof capture`` from beginning to end: what it reaches, and what is left when it is stopped."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from kafkawire.schema import FieldSpec, MessageSpec
from tests.support.capture.segment_contents import exchanges
from tests.support.commands.forked_command import run_command
from wireproof.kafka.releases.broker_classpath import broker_releases
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.corpus.corpus_entry import GoldenEntry
from wireproof.traffic.corpus.corpus_file import read_corpus_file
from wireproof.traffic.corpus.corpus_folder import open_set
from wireproof.traffic.wire.frame_identifier import FrameIdentifier
from wireproof.traffic.wire.segment_format import SegmentDamage
from wireproof.traffic.wire.segment_reader import read_segment

RELEASE = "4.3.1"
CONTENT = 0.7
"""The part of the pairs that must be answered with something that is neither an error nor empty."""
COMMAND = ["capture", "--broker", f"jars:{RELEASE}", "--workload", "sweep"]
ALL = [*COMMAND, "--workload", "java-clients", "--workload", "clients"]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One node, driven by Kafka's own clients and by others, and swept."""
    folder = tmp_path_factory.mktemp("capture") / "whole"
    done = run_command(folder.parent, *ALL, "--output", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def facts(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "capture.json").read_text())
    return found


def listeners(folder: Path) -> list[dict[str, Any]]:
    """The accounts of the sweep."""
    found: list[dict[str, Any]] = summary_of(folder, "sweep")["listeners"]
    return found


def summary_of(folder: Path, workload: str) -> dict[str, Any]:
    """Return the entry of a workload in capture.json."""
    (found,) = [each for each in facts(folder)["workloads"] if each["name"] == workload]
    return dict(found)


def test_all_pairs_but_those_that_do_not_exist_are_answered(captured: Path) -> None:
    """Produce 0 to 2 are advertised for the sake of old clients alone (KAFKA-18659)."""
    accounts = {each["listener"]: each for each in listeners(captured)}
    assert {name: (each["advertised"], each["answered"]) for name, each in accounts.items()} == {
        "CLIENT": (279, 276),
        "SASL": (15, 15),
        "INTERNAL": (279, 276),
        "CONTROLLER": (116, 116),
    }
    missing = [
        (pair["request"], pair["version"]) for pair in accounts["CLIENT"]["pairs"] if not pair["answered"]
    ]
    assert missing == [("ProduceRequest", version) for version in range(3)]


def test_most_answers_have_content(captured: Path) -> None:
    """Neither an error nor empty."""
    for each in listeners(captured):
        if each["listener"] in ("CLIENT", "INTERNAL"):
            assert each["with_content"] >= CONTENT * each["advertised"]


def test_the_facts_are_there(captured: Path) -> None:
    """Release, jars with their digests, times, and each segment file with what it holds."""
    found = facts(captured)
    assert (found["outcome"], found["release"]) == ("complete", RELEASE)
    assert all(len(digest) == 64 for digest in found["cluster"]["jars"].values())
    assert found["started"] < found["ended"]
    files = {each["file"] for each in found["segments"]}
    assert files == {place.name for place in (captured / "segments").iterdir()}


def test_kafkas_own_clients_do_what_they_can(captured: Path) -> None:
    """No step fails or is late; with clients of the broker's own release none is absent; and applications of
    Kafka Streams run with each guarantee, in company and by the protocol of their own."""
    outcomes = {each["step"]: each["outcome"] for each in summary_of(captured, "java-clients")["steps"]}
    assert set(outcomes.values()) <= {"done", "refused", "unsupported"}
    applications = {name: outcome for name, outcome in outcomes.items() if name.startswith("streams/")}
    assert applications == dict.fromkeys(
        (
            f"streams/{name}"
            for name in ("at-least-once", "exactly-once", "company", "group-protocol", "applications")
        ),
        "done",
    )


def test_clients_of_other_languages_do_what_they_can(captured: Path) -> None:
    """All of them are built here; no step fails, and none breaks off."""
    summary = summary_of(captured, "clients")
    assert summary["absent"] == {}
    assert [each["name"] for each in summary["clients"]] == ["go", "javascript", "python"]
    assert not any("broke_off" in each for each in summary["clients"])
    steps = [step for each in summary["clients"] for step in each["steps"]]
    assert [step for step in steps if step["outcome"] not in ("done", "refused")] == []
    names = {step["step"].split("/")[0] for step in steps}
    assert names == {"franz-go", "kafkajs", "kafka-python", "aiokafka"}


def test_every_answered_pair_can_be_read_back(captured: Path) -> None:
    """The segments have the exchanges that the sweep reports, and our codec reads them."""
    naming = FrameIdentifier(load_snapshot(table().find(RELEASE)))
    for account in listeners(captured):
        seen = exchanges(captured / "segments" / f"1-{account['listener']}.wpseg", naming)
        answered = {(pair["request"], pair["version"]) for pair in account["pairs"] if pair["answered"]}
        assert answered <= set(seen)


def test_a_capture_becomes_a_corpus(captured: Path, tmp_path: Path) -> None:
    """Each pair that was answered has an entry, Kafka's classes read all as our codec does, and no
    file identifies the cluster."""
    corpus = tmp_path / "corpus"
    done = run_command(tmp_path, "corpus", "add", str(captured), "--output", str(corpus))
    assert done.returncode == 0, done.stderr
    assert "against our codec and Kafka's classes: " in done.stderr
    cells = {entry.cell for _, part in open_set(corpus).parts() for entry in part.entries}
    for account in listeners(captured):
        for pair in account["pairs"]:
            if pair["answered"]:
                assert f"{RELEASE}/{pair['request']}/{pair['version']}" in cells
    place = corpus / "golden" / RELEASE / "records" / "RecordBatch.ndjson"
    batches = [
        each
        for each in read_corpus_file(place.read_text("utf-8"), "x").entries
        if isinstance(each, GoldenEntry)
    ]
    names = {each.name.partition("[")[2].partition("]")[0] for each in batches}
    assert names >= {"none", "gzip", "snappy", "lz4", "zstd"}
    clients = {line for path in corpus.rglob("*.ndjson") for line in named_clients(path)}
    names = {name.split()[0] for name in clients}
    assert names >= {"apache-kafka-java", "kafka-python", "aiokafka", "kafkajs", "kgo"}
    cluster = facts(captured)["cluster"]["cluster_id"]
    for path in corpus.rglob("*.ndjson"):
        text = path.read_text("utf-8")
        for secret in (cluster, "127.0.0.1", "localhost"):
            assert secret not in text
            assert secret.encode().hex() not in text


def named_clients(path: Path) -> set[str]:
    """A file of a corpus has the sender of each frame."""
    return {json.loads(line).get("client", "wireproof") for line in path.read_text("utf-8").splitlines()}


def test_recipes_name_fields_that_exist(captured: Path) -> None:
    """A key of a recipe that this release has not is one of an older release: no slip of the pen."""
    known: dict[str, set[str]] = {}
    for release in broker_releases():
        for _, spec in load_snapshot(table().find(release)):
            known.setdefault(spec.name, set()).update(paths(spec))
    for account in listeners(captured):
        for request, strange in account["strange"].items():
            assert set(strange) <= known[request], request


def paths(spec: MessageSpec) -> set[str]:
    """The paths of all fields of a message, in any version."""
    structs = {each.name: each.fields for each in spec.common_structs}

    def below(fields: tuple[FieldSpec, ...], prefix: str) -> set[str]:
        found = set()
        for each in fields:
            path = prefix + each.name[0].lower() + each.name[1:]
            found.add(path)
            inner = each.fields or structs.get(str(each.type).removeprefix("[]"), ())
            found |= below(inner, f"{path}.")
        return found

    return below(spec.fields, "")


def test_ctrl_c_keeps_what_was_recorded(tmp_path: Path) -> None:
    """It ends with 130; the segments are whole, capture.json says what happened, and no node is left."""
    folder = tmp_path / "cut"
    program = [sys.executable, "-m", "wireproof", *COMMAND, "--output", str(folder)]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as command:
        assert command.stderr is not None
        for line in command.stderr:
            if "sweep of 1-CLIENT" in line:
                break
        nodes = psutil.Process(command.pid).children(recursive=True)
        command.send_signal(signal.SIGINT)
        command.communicate()
    assert command.returncode == 130
    assert facts(folder)["outcome"] == "interrupted"
    assert nodes
    assert not any(node.is_running() for node in nodes)
    with (folder / "segments" / "1-CLIENT.wpseg").open("rb") as file:
        parts = list(read_segment(file))
    assert len(parts) > 1
    assert not any(isinstance(part, SegmentDamage) for part in parts)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--broker", "jars"], "jars:4.3.1"),
        (["--broker", "jars:9.9"], "unknown release"),
        (["--nodes", "0"], "3+1"),
        (["--output", str(Path(__file__).parent)], "is not empty"),
    ],
)
def test_usage(arguments: list[str], words: str, tmp_path: Path) -> None:
    """Exit code 2 with advice, before anything is started."""
    done = run_command(tmp_path, *COMMAND, "--output", str(tmp_path / "x"), *arguments)
    assert done.returncode == 2
    assert words in done.stderr
