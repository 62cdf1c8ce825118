"""The distributions under test, and the Pythons of this machine."""

import os
from pathlib import Path

import pytest

from tests.distribution.builds import Distributions, build
from tests.distribution.project_files import copy_project
from tests.distribution.pythons import Python, find_pythons


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The sdist of a copy, and the wheel that is built from the sdist: what an installer makes of it."""
    folder = tmp_path_factory.mktemp("first")
    project = copy_project(folder / "project", 0o022, 1_500_000_000)
    return build(project, folder / "out", mask=0o022, TZ="UTC", LC_ALL="C", PYTHONHASHSEED="1")


@pytest.fixture(scope="session")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Both from another copy: a longer path with blanks; other times, permissions, time zone and locale."""
    folder = tmp_path_factory.mktemp("second") / "in another place" / "of this machine"
    project = copy_project(folder / "wireproof", 0o077, 1_700_000_000)
    circumstances = {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"}
    return build(project, folder / "out", "--sdist", "--wheel", mask=0o077, **circumstances)


@pytest.fixture(scope="session")
def pythons() -> list[Python]:
    """One Python of each minor version of this machine, ascending."""
    return find_pythons()


@pytest.fixture(scope="session")
def java_folder() -> Path:
    """The folder of the machine's `java`."""
    home = os.environ.get("JAVA_HOME")
    folders = [Path(home, "bin")] if home else []
    folders += map(Path, os.environ["PATH"].split(os.pathsep))
    found = next((folder for folder in folders if (folder / "java").is_file()), None)
    assert found is not None, "java is missing: install Java 17 or newer, or set JAVA_HOME"
    return found
