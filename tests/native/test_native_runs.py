"""Runs with the native codec and without it: the same events, the same verdict."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OWN = ROOT / "tests/support/testees/own_testee.py"
SELECTED = ("--no-java", str(ROOT / "corpus/golden/4.3.1"), "--cell", "4.3.1/Metadata*/13")
LEFT_OUT = re.compile("command|seconds")
"""The members of events that differ from run to run."""


def wireproof(native: bool, folder: Path, *words: str) -> tuple[int, str, str]:
    environment = {**os.environ, "WIREPROOF_NATIVE": str(int(native)), "PYTHONWARNINGS": "default"}
    command = [sys.executable, "-m", "wireproof", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder, check=False)
    return done.returncode, done.stdout, done.stderr


def events(native: bool, folder: Path, *words: str) -> tuple[int, list[Any]]:
    """Return the exit code and the events, without times and the name of the form."""
    code, out, errors = wireproof(
        native, folder, "run", "--jobs", "1", "--shrink", "0", "--events", "-", *words
    )
    assert out, errors
    plain = out.replace("kafkawire[native]", "kafkawire[compiled]")
    return code, [untimed(json.loads(line)) for line in plain.splitlines()]


def untimed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: untimed(held) for key, held in value.items() if not LEFT_OUT.match(key)}
    return [untimed(held) for held in value] if isinstance(value, list) else value


def test_our_codec_has_the_same_events(tmp_path: Path) -> None:
    """The native form and the compiled one are proven by the same cases."""
    native = events(True, tmp_path, *SELECTED, "--twin", "native")
    assert native == events(False, tmp_path, *SELECTED, "--twin", "compiled")
    assert native[0] == 0


@pytest.mark.parametrize("defect", ["none", "null-as-empty"])
def test_a_testee_has_the_same_events(tmp_path: Path, defect: str) -> None:
    """A right testee and wrong ones get the same verdict from a harness with the native codec and without."""
    folder = tmp_path / "own"
    folder.mkdir()
    run = [sys.executable, str(OWN), "--defect", defect, "4.3.1", "MetadataRequest", "MetadataResponse"]
    settings = {"name": "own", "language": "python", "version": "0", "run": run}
    (folder / "testee.toml").write_text(
        "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    )
    words = (*SELECTED, "--testee", str(folder))
    assert events(True, tmp_path, *words) == events(False, tmp_path, *words)


def test_all_forms_are_proven_where_they_are_installed(tmp_path: Path) -> None:
    """The native form comes first; without it the run has the two others."""
    forms = [events_of_forms(native, tmp_path) for native in (True, False)]
    assert forms[0] == [
        "kafkawire[native]",
        "kafkawire[compiled]",
        "kafkawire[interpreted]",
        "kafkawire[records]",
    ]
    assert forms[1] == forms[0][1:]


def events_of_forms(native: bool, folder: Path) -> list[str]:
    code, out, errors = wireproof(native, folder, "run", "--jobs", "1", "--events", "-", *SELECTED)
    assert code == 0, errors
    found: list[str] = json.loads(out.splitlines()[0])["subjects"]
    return found


def test_a_named_form_is_never_replaced(tmp_path: Path) -> None:
    """``--twin native`` without the native codec is an error that says why."""
    code, _, errors = wireproof(False, tmp_path, "run", *SELECTED, "--twin", "native")
    assert code == 4
    assert "the native codec is not in use: WIREPROOF_NATIVE=0 turns it off" in errors
