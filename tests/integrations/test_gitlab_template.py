"""The GitLab template: its script, run line by line as a job's runner does."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from wireproof.proof.testees.build.scaffold import start_testee

ROOT: Final = Path(__file__).parents[2]
TEMPLATE: Final = ROOT / "integrations" / "gitlab" / "wireproof.yml"


@pytest.fixture
def job() -> dict[str, Any]:
    parsed = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    assert parsed.keys() == {".wireproof"}
    return dict(parsed[".wireproof"])


def run_script(job: dict[str, Any], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    values = {name: os.path.expandvars(str(value)) for name, value in job["variables"].items()}
    values["WIREPROOF_CACHE"] = os.environ.get("WIREPROOF_CACHE", str(Path.home() / ".cache" / "wireproof"))
    # Those for this Python, such as warnings as errors, are not for the job's.
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])],
        cwd=folder,
        env={**ours, **values, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_job_writes_the_reports_of_a_merge_request(job: dict[str, Any], tmp_path: Path):
    """Each artifact that the template names is there."""
    start_testee(tmp_path / "codec", "python")
    ran = run_script(job, tmp_path, WIREPROOF_TESTEE="./codec", WIREPROOF_SOURCE=f"{ROOT}[oracle]")

    assert ran.returncode == 0, ran.stderr
    artifacts = job["artifacts"]
    assert artifacts["when"] == "always"
    for name in (*artifacts["paths"], *artifacts["reports"].values()):
        assert (tmp_path / name).is_file(), name
    assert json.loads((tmp_path / artifacts["reports"]["codequality"]).read_text()) == []


def test_a_job_without_a_source_says_what_to_set(job: dict[str, Any], tmp_path: Path):
    """Before it installs anything."""
    ran = run_script(job, tmp_path, WIREPROOF_TESTEE="./codec")

    assert (ran.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "Set WIREPROOF_SOURCE" in ran.stdout
