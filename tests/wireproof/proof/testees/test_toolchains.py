"""Tools of other languages: the error of a missing tool has the command that installs it."""

import configparser
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.testees.other_languages import TOOLS
from tests.support.testees.toolchains import tool_problem
from wireproof.proof.testees.build.testee_build import install_command
from wireproof.proof.testees.description.manifest import read_manifest, shipped, shipped_folder

ROOT = Path(__file__).parents[4]
KIT = ROOT / "tests/testees/kits/test_javascript_kit.py"


def test_every_tool_of_a_shipped_testee_has_a_line() -> None:
    """The first word of each build and run command is a known tool, Python, or a file of the build."""
    for name in shipped():
        read = read_manifest(shipped_folder() / name)
        programs = {command[0] for command in (*read.build, read.run)}
        unknown = [
            each for each in programs if not install_command(each) and "/" not in each and each != "{python}"
        ]
        assert unknown == [], name


@pytest.mark.parametrize("tool", sorted({tool for tools in TOOLS.values() for tool in tools}))
def test_a_missing_tool_has_an_install_command(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The problem has the tool's name and the command to type."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tool_problem(tool) == f"{tool} is not on the PATH. Type: {install_command(tool)}"
    assert install_command(tool, "linux").startswith("apt-get install ")
    assert install_command(tool, "darwin").startswith("brew install ")


def test_rustup_without_a_default_toolchain_has_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cargo is on the PATH and does nothing: the command chooses a toolchain."""
    (tmp_path / "cargo").write_text("#!/bin/sh\necho 'error: no default is configured.' >&2\nexit 1\n")
    (tmp_path / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    monkeypatch.setenv("RUSTUP_HOME", "/home/new/.rustup")
    assert tool_problem("cargo") == (
        "cargo has no toolchain in /home/new/.rustup. Type: rustup default stable"
    )


def test_a_test_that_needs_a_missing_tool_fails(tmp_path: Path) -> None:
    """The test is not skipped, and there is no error of a fixture: the failure is the command to type."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(KIT)]
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == pytest.ExitCode.TESTS_FAILED, ran.stdout
    assert f"node is not on the PATH. Type: {install_command('node')}" in ran.stdout


def test_each_test_runs_in_one_environment() -> None:
    """`test` leaves out the tests that `languages` selects, and `.ci/run` runs each of them once."""
    read = configparser.ConfigParser(interpolation=None)
    read.read(ROOT / "tox.ini")
    assert read["testenv"]["commands"].startswith('pytest -m "not languages" ')
    assert "commands" not in read["testenv:test"]
    assert read["testenv:languages"]["commands"].strip().startswith("pytest -m languages ")
    text = (ROOT / ".ci/run").read_text()
    parts = re.findall(r"^(?:\w+=\S+ )*part \d+ (\S+)", text, re.MULTILINE)
    environments = [name for each in parts for name in each.split(",")]
    assert environments.count("test") == environments.count("languages") == 1
