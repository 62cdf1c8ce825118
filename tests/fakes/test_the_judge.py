"""Bugs in the code that judges: each is put into a copy of the project, which runs as a user runs it.

Other bugs here show only between several releases, or at a version that does not exist.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.mutants.project_copy import copy_project, plant, wireproof_in


@dataclass(frozen=True)
class Plant:
    """A bug.

    Attributes:
        file: below the project.
        old: the text to replace, which occurs exactly once.
        cell: the cell of the run.
        checks: one of these must find the bug.
        field: the field of the divergence.
    """

    name: str
    file: str
    old: str
    new: str
    cell: str
    checks: tuple[str, ...]
    field: str


PLANTS = (
    Plant(
        "a null array is canonical as an empty one",
        "codecs/kafkawire/canonical/_printing.py",
        'line(f"{var}, {count} = (), -1")',
        'line(f"{var}, {count} = (), 0")',
        "4.4.0/MetadataRequest/12",
        ("bytes", "oracle-reads"),
        "topics",
    ),
    Plant(
        "the key of a control record has its halves swapped",
        "codecs/kafkawire/records/control.py",
        "version, kind = _KEY.unpack_from(key)",
        "kind, version = _KEY.unpack_from(key)",
        "4.4.0/RecordBatch/2",
        ("oracle-reads",),
        "controlType",
    ),
    Plant(
        "offsets inside a compressed set are taken for absolute",
        "codecs/kafkawire/records/model.py",
        "return _wrapped(self.offset - self.messages[-1].offset + message.offset)",
        "return message.offset",
        "4.4.0/RecordBatch/1",
        ("oracle-reads",),
        "batches[0].baseOffset",
    ),
    Plant(
        "the innermost absent field decides, not the outermost",
        "codecs/kafkawire/schema/absence.py",
        "return not self.chain[0].ignorable",
        "return not self.chain[-1].ignorable",
        "4.4.0/ApiVersionsResponse/0",
        ("absent",),
        "",
    ),
    Plant(
        "a version below the lowest has a layout",
        "codecs/kafkawire/schema/resolution.py",
        "if version not in spec.valid_versions:",
        "if version > spec.valid_versions.highest:",
        "4.4.0/FetchRequest/4",
        ("versions",),
        "",
    ),
    Plant(
        "a version above the highest has a layout",
        "codecs/kafkawire/schema/resolution.py",
        "if version not in spec.valid_versions:",
        "if version < spec.valid_versions.lowest:",
        "4.4.0/FetchRequest/18",
        ("versions",),
        "",
    ),
    Plant(
        "an unknown tag is lost in an older release",
        "harness/wireproof/proof/adapters/own/kafkawire_adapter.py",
        "return Decoded(codec.decode(data))",
        'return Decoded({k: v for k, v in codec.decode(data).items() if k[0] > "_" or cell.release > "4.4"})',
        "4.3.1/StreamsGroupMetadataValue/0",
        ("tags-kept",),
        "",
    ),
    Plant(
        "log-append time does not override the producer's",
        "codecs/kafkawire/records/model.py",
        "return self.max_timestamp if self.log_append_time else",
        "return",
        "4.4.0/RecordBatch/2",
        ("oracle-reads",),
        "batches[0].records[0].timestamp",
    ),
)


def run(folder: Path, cell: str) -> tuple[int, list[tuple[str, str]], str]:
    """Exit code, check and field of each divergence, and what a person saw.

    The named cases of record sets show these bugs; other phases have thousands of cases more.
    """
    words = ["--phase", "enumerated"] if "/RecordBatch/" in cell else ["--examples", "5"]
    ran = wireproof_in(folder, "run", "--cell", cell, *words, "--shrink", "0", "--events", "-")
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    failed = [event for event in events if event["event"] == "failed"]
    found = [(each["check"], each.get("path", "")) for event in failed for each in event["divergences"]]
    return ran.returncode, found, ran.stderr


@pytest.mark.parametrize("cell", ["4.4.0/MetadataRequest/12", "4.4.0/RecordBatch/1"])
def test_the_copy_itself_is_proven(tmp_path: Path, cell: str) -> None:
    """Without a bug the same run ends with 0: what the other test finds is the bug."""
    code, found, words = run(copy_project(tmp_path), cell)

    assert (code, found) == (0, []), words


@pytest.mark.parametrize("bug", PLANTS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_a_bug_of_the_judge_is_found_and_pointed_at(tmp_path: Path, bug: Plant) -> None:
    """Kafka holds another value than what judges it says: exit code 1, and the field."""
    plant(copy_project(tmp_path), bug.file, bug.old, bug.new)

    code, found, words = run(tmp_path, bug.cell)

    assert code == 1, words
    assert any(check in bug.checks and bug.field in path for check, path in found), found
