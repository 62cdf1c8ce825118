"""The files that belong into wheel and sdist, read from git and from pyproject.toml's build tables."""

import os
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]

_GENERATED_BY_HOOK: Final = "wireproof/kafka/oracle/wireproof-oracle.jar"
_KIT: Final = "codecs/testees/kits/python/"


def tracked_files(root: Path = ROOT) -> list[str]:
    """The paths of all files that git tracks, relative to the checkout."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True)
    names = [name.decode() for name in listed.stdout.split(b"\0") if name]
    return [name for name in names if (root / name).is_file()]


def copy_project(target: Path, mask: int, time_s: int) -> Path:
    """Copy the tracked files into a folder.

    Args:
        mask: the permission bits that no file has; git itself keeps one bit, whether a file is a program.
        time_s: the modification time of each file, seconds since 1970.
    """
    for name in tracked_files():
        copied = target / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes((ROOT / name).read_bytes())
        program = (ROOT / name).stat().st_mode & 0o100
        copied.chmod((0o777 if program else 0o666) & ~mask)
        os.utime(copied, (time_s, time_s))
    return target


def wheel_files() -> set[str]:
    """The paths in the wheel, without its metadata: the tracked files in their places, and the jar."""
    return {_GENERATED_BY_HOOK, *_placed(tracked_files(), _project_file())}


def sdist_files() -> set[str]:
    """The paths in the sdist, without its first folder: the tracked files and the metadata."""
    return {"PKG-INFO", *tracked_files()}


def corpus_wheel_files() -> set[str]:
    """The paths in the wheel of wireproof-corpus, without its metadata."""
    return set(_placed(_corpus_files(), _project_file("corpus")))


def corpus_sdist_files() -> set[str]:
    """The paths in the sdist of wireproof-corpus, without its first folder."""
    left_out = ("sample/", "schemas/")
    return {"PKG-INFO", ".gitignore", *(name for name in _corpus_files() if not name.startswith(left_out))}


def _corpus_files() -> list[str]:
    return [name.removeprefix("corpus/") for name in tracked_files() if name.startswith("corpus/")]


def _placed(tracked: list[str], project: Mapping[str, Any]) -> Iterator[str]:
    """The place in the wheel of each file that the project file includes."""
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    places = {name: name for name in wheel["only-include"]} | wheel["sources"] | wheel["force-include"]
    for name in tracked:
        for source, place in places.items():
            if name == source or name.startswith(f"{source}/"):
                yield f"{place}{name.removeprefix(source)}"
        if name.startswith(_KIT) and name.endswith(".py"):
            yield name.removeprefix(_KIT)


def _project_file(folder: str = "") -> dict[str, Any]:
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))
