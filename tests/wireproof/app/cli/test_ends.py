"""How every command ends where a package is missing or nothing can be written: a code, and no traceback."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands.forked_command import run_command
from tests.support.reports.sample_events import EVENTS
from wireproof.base.exit_codes import ExitCode
from wireproof.base.extras import _MODULES
from wireproof.verdict.report.events.event_json import EventFile

ROOT: Final = Path(__file__).parents[4]

COMMANDS: Final = {
    "run": ["--offline"],
    "report": ["{tmp}/events.ndjson"],
    "merge": ["{tmp}/events.ndjson", "--output", "-"],
    "diff": ["{tmp}/events.ndjson", "{tmp}/events.ndjson"],
    "trend": ["{tmp}"],
    "cells": [],
    "show": ["4.4.0/FetchRequest/12"],
    "schema": ["check", "4.3", "4.4"],
    "schema downgrade": ["--from", "4.4", "--to", "3.9"],
    "decode": ["00000000", "--cell", "4.4.0/FetchRequest/12"],
    "campaign": ["--offline", "--output", "{tmp}/campaign", "--cell", "4.4.0/FetchRequest/12"],
    "power": ["--list"],
    "matrix": ["--offline", "python-kafka-python"],
    "testee": ["list"],
    "corpus": ["lint", str(ROOT / "corpus" / "golden" / "4.3.1")],
    "judge": ["--offline", "--", "true"],
    "proxy": ["--listen", "0", "--broker", "localhost:9092"],
    "pcap": ["export", str(ROOT / "corpus" / "sample"), "--output", "{tmp}/out.pcapng"],
    "pipeline": ["run", "--offline", "--input", str(ROOT / "corpus" / "sample"), "--output", "{tmp}/job"],
    "capture": ["--offline", "--broker", "jars:4.3.1", "--output", "{tmp}/capture"],
    "broker": ["image", "4.3.1", "--offline"],
    "ledger": ["list", "--ledger", str(ROOT / "codecs" / "testees" / "python-kio" / "ledger.toml")],
    "replay": ["4.4.0/FetchRequest/12/enumerated/message/default", "--offline"],
    "releases": [],
    "explain": ["bytes"],
    "completion": ["bash"],
    "doctor": [],
}
"""Every command, and some sub-commands, with arguments that bring it to its work; none reaches a network."""

BLOCK: Final = """
import os, sys

class Missing:
    names = frozenset(os.environ["MISSING_MODULES"].split())

    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        if first in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if "." not in name:
            with open(os.environ["WANTED_MODULES"], "a") as stream:
                stream.write(f"{name}\\n")

sys.meta_path.insert(0, Missing())
"""
"""In each process some modules are missing, and the names of those that are looked for are kept."""


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    search = [path for path in sys.path if path]
    return {
        "WIREPROOF_CACHE": str(tmp_path / "cache"),
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *search]),
        **more,
    }


def arguments(command: str, tmp_path: Path) -> list[str]:
    with (tmp_path / "events.ndjson").open("w", encoding="utf-8") as stream:
        for event in EVENTS:
            EventFile(stream)(event)
    return [*command.split(), *(word.format(tmp=tmp_path) for word in COMMANDS[command])]


def ended_well(returncode: int, stderr: str) -> bool:
    return returncode in {int(code) for code in ExitCode} and "Traceback" not in stderr


def test_every_command_is_tried() -> None:
    """The table above names them all."""
    from wireproof.app.cli.app import _COMMANDS

    assert {command.split()[0] for command in COMMANDS} == set(_COMMANDS)


def without(extra: str, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Return how a command ended where the modules of an extra are missing; none of them without an extra."""
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site" / "sitecustomize.py").write_text(BLOCK)
    missing = " ".join(module for module, name in _MODULES.items() if name == extra)
    more = {"MISSING_MODULES": missing, "WANTED_MODULES": str(folder / "wanted")}
    return subprocess.run(
        [sys.executable, "-m", "wireproof", *arguments(command, folder)],
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_extra(command: str, tmp_path: Path) -> None:
    """The code is 4 and the line names what to install; an extra that nothing looks for cannot be missed."""
    whole = without("", command, tmp_path)
    assert ended_well(whole.returncode, whole.stderr), whole.stderr
    wanted = set((tmp_path / "wanted").read_text().split())
    assert "wireproof" in wanted
    for extra in sorted({_MODULES[module] for module in wanted & _MODULES.keys()}):
        ran = without(extra, command, tmp_path)
        assert ended_well(ran.returncode, ran.stderr), (extra, ran.stderr)
        if "not installed" in ran.stderr:
            assert "pip install" in ran.stderr


@pytest.mark.parametrize("command", ["pipeline", "campaign"])
def test_a_command_says_which_package_it_needs(command: str, tmp_path: Path) -> None:
    """Without the packages of its extra it ends with 4, whatever else is missing."""
    ran = without("pipeline", command, tmp_path)
    assert ran.returncode == ExitCode.MISSING
    assert "pip install" in ran.stderr


def closed_pipe() -> int:
    """The writing end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def outputs() -> Iterator[tuple[str, int]]:
    yield "closed", closed_pipe()
    yield "full", os.open("/dev/full", os.O_WRONLY)
    yield "unwritable", os.open(os.devnull, os.O_RDONLY)


def test_no_room_for_the_output_of_python_itself(tmp_path: Path) -> None:
    """The interpreter opens the stream, and writes the rest of its buffer at its end."""
    for name, output in outputs():
        ran = subprocess.run(
            [sys.executable, "-m", "wireproof", *arguments("cells", tmp_path)],
            env=environment(tmp_path),
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        os.close(output)
        assert ended_well(ran.returncode, ran.stderr), (name, ran.stderr)
        assert "Exception ignored" not in ran.stderr, name


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_from_the_beginning(closed: str, tmp_path: Path) -> None:
    """Its output is discarded, and no other file takes its place."""
    script = f'exec "$@" {closed}'
    words = [sys.executable, "-m", "wireproof", "cells", "--message", "ApiVersionsRequest"]
    ran = subprocess.run(
        ["sh", "-c", script, "sh", *words],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, "Error" in ran.stderr) == (0, False), ran.stderr
    assert bool(ran.stdout) is (closed in ("<&-", "2>&-"))


def test_an_input_that_is_closed_from_the_beginning_is_empty(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "wireproof", "decode", "--cell", "ApiVersionsRequest/3", "-"]
    ran = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *words],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == ExitCode.DIVERGENCE, ran.stderr
    assert "cannot be read: truncated" in ran.stdout + ran.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_no_room_for_the_output(command: str, tmp_path: Path) -> None:
    """Standard output closed by its reader, on a full disk, or open for reading alone."""
    for name, output in outputs():
        words = arguments(command, tmp_path)
        ran = run_command(tmp_path, *words, env=environment(tmp_path), output=output)
        os.close(output)
        assert ended_well(ran.returncode, ran.stderr), (name, ran.stderr)
        assert "Exception ignored" not in ran.stderr, name
