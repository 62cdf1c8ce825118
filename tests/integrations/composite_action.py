"""A runner for composite actions: it runs the `run` steps of an action.yml as GitHub's runner does.

It knows the expressions that our action uses and no others. Steps with `uses` are recorded with their inputs:
they are other people's actions, and need GitHub.
"""

import os
import re
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

_EXPRESSION: Final = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
_EQUAL: Final = re.compile(r"(\S+)\s*==\s*'([^']*)'")
PUSH: Final = {
    "github.action_ref": "v1",
    "github.base_ref": "",
    "github.event_name": "push",
    "github.ref_name": "main",
    "github.sha": "c" * 40,
    "github.token": "a token",
}
"""The context of a push."""
PULL_REQUEST: Final = PUSH | {
    "github.base_ref": "main",
    "github.event.pull_request.base.sha": "b" * 40,
    "github.event.pull_request.number": "7",
    "github.event_name": "pull_request",
    "github.ref_name": "7/merge",
}


@dataclass(slots=True)
class ActionRun:
    """The run of an action.

    Attributes:
        output: of all steps, standard output and standard error together.
        used: the inputs of each action that was to be used, by its name.
        outputs: of each step, by its id.
        failed: the name of the step that failed; empty if none did.
        summary: the text of the step summaries.
    """

    output: str = ""
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    failed: str = ""
    summary: str = ""


def run_action(
    action: Path,
    workspace: Path,
    temp: Path,
    inputs: Mapping[str, str],
    env: Mapping[str, str],
    *,
    without: Collection[str] = (),
    event: Mapping[str, str] = PUSH,
) -> ActionRun:
    """Run an action.

    Args:
        action: the folder with its action.yml.
        workspace: the checkout of the user's repository.
        temp: an empty folder, for RUNNER_TEMP and the files by which steps talk to the runner.
        inputs: those that the user gives.
        env: the environment of the job.
        without: the names of steps that are left out.
        event: the context of the event that started the job.
    """
    described = yaml.safe_load((action / "action.yml").read_text(encoding="utf-8"))
    missing = {
        name for name, each in described["inputs"].items() if each.get("required") and name not in inputs
    }
    assert not missing, missing
    assert inputs.keys() <= described["inputs"].keys()
    given = {name: str(each.get("default", "")) for name, each in described["inputs"].items()} | dict(inputs)
    context = {f"inputs.{name}": value for name, value in given.items()}
    context |= {"runner.os": "Linux", "runner.temp": str(temp), "strategy.job-index": "0", **event}
    ran = ActionRun()
    path = [env["PATH"]]
    for step in described["runs"]["steps"]:
        outputs = {
            f"steps.{name}.outputs.{key}": value
            for name, found in ran.outputs.items()
            for key, value in found.items()
        }
        known = context | outputs
        if step["name"] in without or not _wanted(step.get("if", ""), known):
            continue
        if "uses" in step:
            given_inputs = {name: _evaluated(value, known) for name, value in step.get("with", {}).items()}
            ran.used[step["uses"].partition("@")[0]] = given_inputs
            continue
        assert step["shell"] == "bash", step["name"]
        assert "${{" not in step["run"], f"{step['name']}: an input in the text of a script is run as one"
        if not _run_step(step, action, workspace, temp, known, env, path, ran):
            ran.failed = step["name"]
            break
    return ran


def _run_step(
    step: Mapping[str, Any], action: Path, workspace: Path, temp: Path, known: Mapping[str, str],
    env: Mapping[str, str], path: list[str], ran: ActionRun,
) -> bool:  # fmt: skip
    files = {name: temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.write_text("", encoding="utf-8")
    own = {name: _evaluated(value, known) for name, value in step.get("env", {}).items()}
    script = temp / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=workspace,
        env={
            **env,
            **own,
            **{name: str(file) for name, file in files.items()},
            "PATH": os.pathsep.join(path),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(action),
            "GITHUB_REPOSITORY": "owner/codec",
            "GITHUB_WORKSPACE": str(workspace),
            "RUNNER_TEMP": str(temp),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    ran.output += done.stdout
    ran.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    path[:0] = reversed(files["GITHUB_PATH"].read_text(encoding="utf-8").split("\n")[:-1])
    if "id" in step:
        lines = files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()
        ran.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
    return done.returncode == 0


def _wanted(condition: str, known: Mapping[str, str]) -> bool:
    if not condition:
        return True
    inner = _EXPRESSION.fullmatch(condition)
    parts = (inner[1] if inner else condition).split(" && ")
    equal = [_EQUAL.fullmatch(part) for part in parts]
    assert all(equal), f"unknown condition: {condition}"
    return all(known[each[1]] == each[2] for each in equal if each)


def _evaluated(value: object, known: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda found: known[found[1]], str(value))
