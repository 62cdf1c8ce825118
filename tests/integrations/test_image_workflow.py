"""The workflow that publishes the container image: its rights, its order, and files that exist."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[2]
WORKFLOW: Final = ROOT / ".github" / "workflows" / "image.yml"
DOCKERFILE: Final = "integrations/container/Dockerfile"


@pytest.fixture
def jobs() -> dict[str, Any]:
    parsed = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert parsed["permissions"] == {}
    assert parsed[True].keys() == {"push", "pull_request"}  # YAML 1.1 reads the key `on` as true
    assert parsed[True]["push"] == {"tags": ["v*"]}
    return dict(parsed["jobs"])


def steps_using(job: dict[str, Any], action: str) -> list[dict[str, Any]]:
    return [step for step in job["steps"] if step.get("uses", "").partition("@")[0] == action]


def test_only_the_pushing_job_may_write(jobs: dict[str, Any]) -> None:
    """A pull request gets neither that job nor a token that can write."""
    assert jobs["try"]["permissions"] == {"contents": "read"}
    assert jobs["push"]["permissions"] == {
        "contents": "read",
        "packages": "write",
        "id-token": "write",
        "attestations": "write",
    }
    assert jobs["push"]["needs"] == "try"
    assert jobs["push"]["if"] == "github.event_name == 'push'"
    for job in jobs.values():
        (checkout,) = steps_using(job, "actions/checkout")
        assert checkout["with"] == {"persist-credentials": False}


def test_what_is_pushed_is_attested(jobs: dict[str, Any]) -> None:
    """By the digest of the push, with provenance and a bill of materials from the build."""
    (build,) = steps_using(jobs["push"], "docker/build-push-action")
    (attest,) = steps_using(jobs["push"], "actions/attest-build-provenance")
    assert jobs["push"]["steps"].index(build) < jobs["push"]["steps"].index(attest)
    assert build["with"]["file"] == DOCKERFILE
    assert (build["with"]["push"], build["with"]["provenance"], build["with"]["sbom"]) == (
        True,
        "mode=max",
        True,
    )
    assert attest["with"]["subject-digest"] == f"${{{{ steps.{build['id']}.outputs.digest }}}}"
    (described,) = steps_using(jobs["push"], "docker/metadata-action")
    assert described["with"]["images"] == attest["with"]["subject-name"]


def test_scripts_and_names_come_from_outside_by_variables_alone(jobs: dict[str, Any]) -> None:
    """No expression is in the text of a script, where it would be run; no registry has its host here."""
    for job in jobs.values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
    assert not re.findall(r"\b[\w-]+\.(?:io|com|org|dev|net)\b", WORKFLOW.read_text(encoding="utf-8"))


def test_each_argument_is_one_of_the_build_file(jobs: dict[str, Any]) -> None:
    """Both jobs build the same file, with arguments that it declares."""
    declared = set(re.findall(r"^ARG (\w+)", (ROOT / DOCKERFILE).read_text(encoding="utf-8"), re.MULTILINE))
    (build,) = steps_using(jobs["push"], "docker/build-push-action")
    (tried,) = [step for step in jobs["try"]["steps"] if step.get("name") == "Build"]
    assert f"--file {DOCKERFILE} " in tried["run"]
    given = {build["with"]["build-args"].partition("=")[0], *re.findall(r'--build-arg "(\w+)=', tried["run"])}
    assert given == {"BASE"} <= declared
    assert tried["env"]["BASE"] == build["with"]["build-args"].partition("=")[2]
