"""One testee, several ways in: the report is the same, but for the line that says where it runs."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands.forked_command import run_command

ROOT = Path(__file__).parents[3]
ADAPTER = ROOT / "tests/support/testees/own_adapter.py"
KIT = ROOT / "codecs" / "testees" / "kits" / "python"
WHAT = ("--message", "MetadataRequest", "--message-version", "1,9,12", "--examples", "5", "--jobs", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The adapter as a testee in processes of its own; its variants are its flaws."""
    made = tmp_path_factory.mktemp("ways") / "own"
    made.mkdir()
    environment = [f"PYTHONPATH={os.pathsep.join([*import_path(), str(KIT)])}", "DEFECT={variant}"]
    run = ["/usr/bin/env", *environment, sys.executable, str(ADAPTER)]
    settings = {
        "name": "own",
        "language": "python",
        "version": "0",
        "run": run,
        "variants": ["", "null-as-empty", "raising"],
    }
    (made / "testee.toml").write_text(
        "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    )
    return made


def import_path() -> list[str]:
    """The import path of this process, after the folder of the adapter."""
    return [str(ADAPTER.parent), *(place for place in sys.path if place)]


def run_events(cwd: Path, word: str, *words: str) -> tuple[int, list[dict[str, Any]], str]:
    """The exit code and the events of a run, and what a person sees."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(import_path())}
    command = ("run", "-v", "--events", "-", "--testee", word)
    ran = run_command(cwd, *command, *WHAT, *words, env=environment)
    assert ran.stdout, ran.stderr
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr


def report(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a run says of the codec: no clock, no name of the way, no traces of how it was called."""
    passing = {"seconds", "secondsByPhase", "shrinkSeconds"}
    kept = [each for each in events if each["event"] not in ("header", "shrunk")]
    for divergence in (found for each in kept for found in each.get("divergences", ())):
        if "codec" in divergence:
            divergence["codec"] = divergence["codec"].partition("; its standard error: ")[0]
    return [{key: value for key, value in each.items() if key not in passing} for each in kept]


@pytest.mark.parametrize(
    ("variant", "object_name", "code"),
    [("", "RIGHT", 0), ("null-as-empty", "wrong", 1), ("raising", "raising", 1)],
)
def test_in_this_process_as_in_one_of_its_own(
    folder: Path, tmp_path: Path, variant: str, object_name: str, code: int
) -> None:
    """Cells, cases, classes of values, verdicts and findings agree, whether the codec is right or not."""
    phases = ("--phase", "enumerated", "--phase", "mutations", "--phase", "random", "--shrink", "0")
    apart, behind, seen = run_events(tmp_path, f"{folder}:{variant}" if variant else str(folder), *phases)
    assert apart == code, seen
    together, within, stderr = run_events(tmp_path, f"python:own_adapter:{object_name}", *phases)
    assert together == code, stderr

    assert report(within) == report(behind)
    assert sum(behind[-1]["cases"].values()) > 1000
    assert "It runs in processes of its own, held to: network: " in seen
    assert "It runs in this process, held to: processor time of an answer: 10 s; silence: 60 s; " in stderr
    assert "about to fail" not in stderr


def test_a_program_for_the_kit_as_it_is(folder: Path, tmp_path: Path) -> None:
    """What would serve on standard input and output is run in this process, unchanged."""
    words = ("--phase", "enumerated")
    _, behind, _ = run_events(tmp_path, str(folder), *words)
    code, within, stderr = run_events(tmp_path, f"python:{ADAPTER}", *words)

    assert code == 0, stderr
    assert report(within) == report(behind)
