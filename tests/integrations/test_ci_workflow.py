"""The workflow for pull requests runs the script of the maintainers, without a right to write."""

from pathlib import Path
from typing import Any, Final

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
