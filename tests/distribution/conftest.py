"""The distributions under test, each built twice, under circumstances as unlike as possible."""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.distribution.builds import Distributions, build, litter
from tests.distribution.project_files import copy_project

FIRST: Final = {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1"}
SECOND: Final = {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"}
"""The variables of the two builds."""


@pytest.fixture(scope="session")
def first_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout."""
    return litter(copy_project(tmp_path_factory.mktemp("first") / "project", 0o022, 1_500_000_000))


@pytest.fixture(scope="session")
def second_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another one: a longer path with blanks, other times, other permissions."""
    folder = tmp_path_factory.mktemp("second") / "in another place" / "of this machine"
    return litter(copy_project(folder / "wireproof", 0o077, 1_700_000_000))


@pytest.fixture(scope="session")
def built(first_copy: Path) -> Distributions:
    """The sdist of a copy, and the wheel that is built from the sdist: what an installer makes of it."""
    return build(first_copy, first_copy.parent / "out", mask=0o022, **FIRST)


@pytest.fixture(scope="session")
def rebuilt(second_copy: Path) -> Distributions:
    """Both from the other copy, under another umask, time zone, locale and seed."""
    return build(second_copy, second_copy.parent / "out", "--sdist", "--wheel", mask=0o077, **SECOND)


@pytest.fixture(scope="session")
def built_corpus(first_copy: Path) -> Distributions:
    """The corpus as a package, built like `built`."""
    return build(first_copy / "corpus", first_copy.parent / "corpus", mask=0o022, **FIRST)


@pytest.fixture(scope="session")
def rebuilt_corpus(second_copy: Path) -> Distributions:
    """The corpus as a package, built like `rebuilt`."""
    output = second_copy.parent / "corpus"
    return build(second_copy / "corpus", output, "--sdist", "--wheel", mask=0o077, **SECOND)


@pytest.fixture(scope="session")
def java_folder() -> Path:
    """The folder of the machine's `java`."""
    home = os.environ.get("JAVA_HOME")
    folders = [Path(home, "bin")] if home else []
    folders += map(Path, os.environ["PATH"].split(os.pathsep))
    found = next((folder for folder in folders if (folder / "java").is_file()), None)
    assert found is not None, "java is missing: install Java 17 or newer, or set JAVA_HOME"
    return found
