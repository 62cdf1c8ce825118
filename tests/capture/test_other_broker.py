"""`wireproof capture` in front of a broker that is not Apache Kafka: franz-go's kfake, built here."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands.forked_command import run_command

RELEASE = "4.3.1"
SOURCE = Path(__file__).parent / "kfake"
UNKNOWN = "advertised, but the release has no such message"
ANSWERED = 0.9
"""Share of the advertised pairs that kfake must answer; 248 of 269 were answered when this was written."""

pytestmark = pytest.mark.languages("go")


@pytest.fixture(scope="module")
def kfake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running kfake; closing its standard input ends it."""
    program = tmp_path_factory.mktemp("kfake") / "kfake"
    built = subprocess.run(
        ["go", "build", "-o", str(program), "."], cwd=SOURCE, stderr=subprocess.PIPE, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    with subprocess.Popen(
        [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        yield running.stdout.readline().strip()
        running.stdin.close()


def test_a_sweep_reports_versions_that_the_release_lacks(kfake: str, tmp_path: Path) -> None:
    """kfake offers OffsetCommit 0, which 4.3.1 lacks: the sweep logs the reason and plays all others."""
    folder = tmp_path / "capture"
    words = ["--release", RELEASE, "--workload", "sweep", "--output", str(folder)]
    done = run_command(tmp_path, "capture", "--broker", f"address:{kfake}", *words)
    assert done.returncode == 0, done.stderr
    assert f"CLIENT OffsetCommitRequest 0: {UNKNOWN}" in done.stderr
    facts = json.loads((folder / "capture.json").read_text("utf-8"))
    assert facts["outcome"] == "complete"
    ((log,),) = [workload["listeners"] for workload in facts["workloads"]]
    unanswered = {
        (pair["request"], pair["version"]): pair["reason"] for pair in log["pairs"] if not pair["answered"]
    }
    assert set(unanswered.values()) == {UNKNOWN}
    assert ("OffsetCommitRequest", 0) in unanswered
    assert log["answered"] >= ANSWERED * log["advertised"]
    assert log["with_content"] >= ANSWERED * log["answered"]
