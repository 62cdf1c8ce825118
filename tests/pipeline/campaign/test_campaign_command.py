"""`wireproof campaign` finds what `wireproof run` finds."""

import json
from pathlib import Path
from typing import Any

from tests.support.mutants.project_copy import wireproof_in
from tests.support.mutants.wrong_size import CELL, wrong_size


def findings_in(events: Path) -> list[dict[str, Any]]:
    """The failures and sums of an event file, without times."""
    lines = [json.loads(line) for line in events.read_text("utf-8").splitlines()]
    findings = [line for line in lines if line["event"] in ("failed", "shrunk", "cell")]
    for line in findings:
        line.pop("seconds", None)
        line.pop("secondsByPhase", None)
        line.pop("coverage", None)
    return sorted(findings, key=lambda line: (line["event"], line.get("case", "")))


def test_the_command_finds_what_a_run_finds(tmp_path: Path) -> None:
    """A size that forgets a byte at length 127, against Kafka's classes: the events of `wireproof run`, word
    for word, and its exit code; the failure that is written down is tried again, from either place. Once more
    it is refused, because it is whole."""
    copy = wrong_size(tmp_path)
    words = ("--cell", CELL, "--cases", "2000", "--events")
    ran = wireproof_in(copy, "run", "--phase", "enumerated", "--phase", "bulk", *words, "run.jsonl")
    there = wireproof_in(copy, "campaign", "--output", "out", "--master", "local[1]", *words, "there.jsonl")
    assert there.returncode == ran.returncode == 1, there.stderr
    assert findings_in(copy / "there.jsonl") == findings_in(copy / "run.jsonl")
    assert "1 of 1 cells" in there.stderr.splitlines()[-1]
    (kept, *_) = sorted(copy.glob("out/failures/*.json"))
    assert kept.read_text() == (copy / ".wireproof" / "failures" / kept.name).read_text()
    assert wireproof_in(copy, "replay", str(kept)).returncode == 1
    again = wireproof_in(copy, "campaign", "--output", "out", "--master", "local[1]", *words, "again.jsonl")
    assert again.returncode == 2
    assert "whole" in again.stderr
