"""The workflow for pull requests runs the script of the maintainers, without a right to write."""

import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[2]
WORKFLOW: Final[dict[Any, Any]] = yaml.safe_load(
    (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
)


def test_a_pull_request_runs_the_whole_script() -> None:
    """One step runs `.ci/run`. The history is whole: its length selects a part of the older releases."""
    assert WORKFLOW[True].keys() == {"push", "pull_request"}  # YAML 1.1 reads the key `on` as true
    (job,) = WORKFLOW["jobs"].values()
    assert job["steps"][-1]["run"].endswith(" bash .ci/run")
    assert (ROOT / ".ci" / "run").is_file()
    assert job["steps"][0]["with"] == {"persist-credentials": False, "fetch-depth": 0}


def test_the_script_of_a_stranger_may_not_write() -> None:
    """The token reads the repository, and no secret is in the file."""
    (job,) = WORKFLOW["jobs"].values()
    assert (WORKFLOW["permissions"], job["permissions"]) == ({}, {"contents": "read"})
    assert "secrets." not in (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")


def test_the_tools_of_all_languages_are_set_up() -> None:
    """Python, Java, Go and Node; the image of the runner has Rust and Maven."""
    (job,) = WORKFLOW["jobs"].values()
    used = {step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step}
    assert used >= {f"actions/setup-{tool}" for tool in ("python", "java", "go", "node")}


@pytest.mark.parametrize(
    ("command", "status", "expected"),
    [
        ("", 0, "NOT AUDITED: cargo-audit is missing"),
        ('echo "error: couldn\'t fetch advisory database: offline"; exit 1', 0, "NOT AUDITED: no database"),
        ("echo 'Crate: pyo3, ID: RUSTSEC-2099-0001'; exit 1", 1, "RUSTSEC-2099-0001"),
        ("echo 'error: not found: Cargo.lock'; exit 2", 2, "not found"),
        ("echo Scanning $5; exit 0", 0, "Scanning codecs/native/Cargo.lock"),
    ],
)
def test_an_audit_that_did_not_happen_is_said(
    tmp_path: Path, command: str, status: int, expected: str
) -> None:
    """Without the command or its database the script ends well and says so; a finding is a failure."""
    for tool in ("bash", "dirname", "timeout"):
        found = next(each for each in ("/usr/bin", "/bin") if (Path(each) / tool).exists())
        (tmp_path / tool).symlink_to(Path(found) / tool)
    if command:
        (tmp_path / "cargo-audit").write_text(f"#!/usr/bin/env bash\n{command}\n", "utf-8")
        (tmp_path / "cargo-audit").chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key != "GITHUB_ACTIONS"}
    done = subprocess.run(
        ["bash", ".ci/audit"],
        cwd=ROOT,
        env={**environment, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert expected in done.stdout
    assert ("NOT AUDITED" in done.stdout) == ("NOT AUDITED" in expected)
