"""The Pythons of this machine, and empty environments with what was built."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from uv import find_uv_bin

MINIMUM: Final = (3, 11)
"""`requires-python`; tests/distribution/test_installs.py compares it with the project file."""

_PROBE: Final = (
    "import json, sys; print(json.dumps([*sys.version_info[:3], sys.executable,"
    " sys.prefix == sys.base_prefix, sys.implementation.name]))"
)


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter of this machine.

    Attributes:
        version: such as (3, 13, 0).
        program: its path.
    """

    version: tuple[int, int, int]
    program: str

    @property
    def minor(self) -> str:
        """The version without its last number, such as ``3.13``."""
        return f"{self.version[0]}.{self.version[1]}"


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment in which one distribution and its dependencies are installed."""

    folder: Path

    def run(
        self, *words: str, programs: Sequence[Path] = (), **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the folder beside it, with output as text.

        Args:
            programs: further folders of the path; the environment's own is always its first.
            variables: further variables of the environment.
        """
        binaries = self.folder / "bin"
        path = os.pathsep.join(map(str, [binaries, *programs]))
        return subprocess.run(
            [str(binaries / words[0]), *words[1:]],
            cwd=self.folder.parent,
            env={**clean_environ("JAVA_HOME"), "PATH": path, **variables},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )


def clean_environ(*without: str) -> dict[str, str]:
    """The variables of this process, but those for its own Python and those in `without`."""
    own = {"VIRTUAL_ENV", *without}
    return {
        name: text for name, text in os.environ.items() if not name.startswith("PYTHON") and name not in own
    }


def uv(*words: str, **variables: str) -> str:
    """Run uv, which never downloads a Python; its standard output.

    Raises:
        AssertionError: it failed; the text has its standard error.
    """
    done = subprocess.run(
        [find_uv_bin(), *words],
        env={**clean_environ(), "UV_PYTHON_DOWNLOADS": "never", "UV_NO_CONFIG": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"uv {' '.join(words)}: {done.stderr}"
    return done.stdout


def create_environment(python: Python, folder: Path, *requirements: str) -> Environment:
    """Create a virtual environment with these requirements and what they need, and nothing else."""
    uv("venv", "--quiet", "--python", python.program, str(folder))
    uv("pip", "install", "--quiet", "--python", str(folder), *requirements)
    uv("pip", "check", "--quiet", "--python", str(folder))
    return Environment(folder)


def find_pythons() -> list[Python]:
    """One CPython of each minor version from 3.11 on, ascending; the newest of the path, of pyenv and of uv.

    The version of the running Python is always there.
    """
    found = [python for program in _programs() if (python := _probe(program)) is not None]
    newest: dict[str, Python] = {}
    for python in sorted(found, key=lambda each: each.version):
        newest[python.minor] = python
    return list(newest.values())


def _programs() -> list[str]:
    """Programs that may be Pythons; a program of the path comes last, since many are shims."""
    base = Path(sys.base_prefix, "bin")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    own = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"), "uv", "python")
    folders = [base, *pyenv.glob("3.*/bin"), *own.glob("cpython-3.*/bin")]
    folders += map(Path, os.environ["PATH"].split(os.pathsep))
    return [
        str(program)
        for folder in folders
        for minor in range(MINIMUM[1], MINIMUM[1] + 10)
        if (program := folder / f"python3.{minor}").is_file()
    ]


def _probe(program: str) -> Python | None:
    done = subprocess.run(
        [program, "-I", "-c", _PROBE], env=clean_environ(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        return None  # a shim of a Python that is not chosen
    major, minor, micro, executable, whole, name = json.loads(done.stdout)
    usable = whole and name == "cpython" and (major, minor) >= MINIMUM
    return Python((major, minor, micro), executable) if usable else None
