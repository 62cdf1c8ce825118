"""The GitHub Action, run step by step as a runner does, on a repository with a small codec."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.integrations.codec_repository import plant, start_repository
from tests.integrations.composite_action import ActionRun, run_action

ROOT: Final = Path(__file__).parents[2]
ACTION: Final = ROOT / "integrations" / "github"
KEPT: Final = ("PATH", "HOME", "WIREPROOF_CACHE", "JAVA_HOME")
PINNED: Final = {"actions/cache", "actions/upload-artifact"}


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder, in which the first run installs wireproof."""
    return tmp_path_factory.mktemp("runner temp")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A checkout with a blank in its path, and a codec in it."""
    return start_repository(tmp_path / "my repository", "my codec")


def act(repository: Path, temp: Path, **inputs: str) -> ActionRun:
    env = {name: os.environ[name] for name in KEPT if name in os.environ}
    given = {"testee": "./my codec", "extras": "oracle", **inputs}
    dashed = {name.replace("_", "-"): text for name, text in given.items()}
    return run_action(ACTION, repository, temp, dashed, env)


def reports_of(repository: Path) -> Mapping[str, str]:
    return {
        path.name: path.read_text(encoding="utf-8") for path in (repository / "wireproof-reports").iterdir()
    }


def test_a_right_codec_passes(repository: Path, temp: Path):
    """Every report is there, the summary of the step shows the verdict, and no annotation is printed."""
    ran = act(repository, temp)

    assert (ran.failed, ran.outputs["run"]) == ("", {"exit-code": "0"}), ran.output
    assert "::error" not in ran.output
    assert "without a divergence" in ran.summary
    reports = reports_of(repository)
    assert reports.keys() == {
        "events.ndjson",
        "junit.xml",
        "summary.md",
        "wireproof.sarif",
        "badge.json",
        "report.html",
    }
    assert json.loads(reports["badge.json"])["color"] == "brightgreen"
    assert ran.used.keys() == PINNED
    assert ran.used["actions/upload-artifact"]["path"] == "wireproof-reports"


def test_a_planted_regression_fails_with_its_annotation(repository: Path, temp: Path):
    """The job fails in its last step, with the reports kept; the annotation names field and replay line."""
    plant(repository / "my codec")
    ran = act(repository, temp, upload_sarif="true", reports="my reports")

    assert (ran.failed, ran.outputs["run"]) == ("Verdict", {"exit-code": "1"}), ran.output
    (annotation, *_) = [line for line in ran.output.splitlines() if line.startswith("::error ")]
    source = (repository / "my codec" / "adapter.py").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if "ApiVersionsRequest" in text)
    assert annotation.startswith(f"::error file=my codec/adapter.py,line={line},title=")
    assert "ApiVersionsRequest version 3" in annotation
    assert "clientSoftware" in annotation
    assert "wireproof replay --testee './my codec'" in annotation
    assert ran.used["github/codeql-action/upload-sarif"]["sarif_file"] == "my reports/wireproof.sarif"
    sarif = json.loads((repository / "my reports" / "wireproof.sarif").read_text())
    places = [each["locations"][0]["physicalLocation"] for each in sarif["runs"][0]["results"]]
    assert {place["artifactLocation"]["uri"].partition("/")[0] for place in places} == {"my%20codec"}


def test_an_input_is_never_run(repository: Path, temp: Path):
    """Each is a word of wireproof's command line, which refuses it, or the name of a folder."""
    hostile = "$(touch pwned);touch pwned #`touch pwned`"
    names = ("testee", "arguments", "shard", "release", "profile", "reports")
    ran = act(repository, temp, **dict.fromkeys(names, hostile))

    assert ran.failed == "Verdict", ran.output
    assert not [path for path in repository.rglob("pwned") if path.parent.name != hostile]
    assert sorted(path.name for path in repository.iterdir()) == [hostile, "my codec"]


def test_the_actions_of_others_have_a_version():
    """And every input and output is described."""
    described = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
    used = [step["uses"] for step in described["runs"]["steps"] if "uses" in step]

    assert {each.partition("@")[0] for each in used} == {*PINNED, "github/codeql-action/upload-sarif"}
    assert all(each.partition("@v")[2].isdecimal() for each in used)
    assert all(each["description"].endswith(".") for each in described["inputs"].values())
    assert described["outputs"].keys() == {"exit-code"}
