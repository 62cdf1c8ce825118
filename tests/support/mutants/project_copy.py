"""Both packages in a folder of their own, where a test plants a bug and runs the command."""

import os
import shutil
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import kafkawire
import wireproof

_PACKAGES = (Path(kafkawire.__file__).parent, Path(wireproof.__file__).parent)


def copy_project(folder: Path) -> Path:
    """Copy both packages, beside the Java sources where this is a checkout.

    Compiled modules are copied, too: else each run would compile the whole project.
    """
    for package, root in zip(_PACKAGES, ("codecs", "harness"), strict=True):
        unfinished = shutil.ignore_patterns("*.pyc.*")
        shutil.copytree(package, folder / root / package.name, ignore=unfinished)
    checkout = _PACKAGES[1].parents[1]
    for name in ("java", "corpus"):
        if (checkout / name).is_dir():
            (folder / name).symlink_to(checkout / name)
    return folder


def plant(folder: Path, file: str, old: str, new: str) -> None:
    """Replace a text, which occurs exactly once, in a file of the copy."""
    path = folder / file
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def wireproof_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(folder / "codecs"), str(folder / "harness")])
    return subprocess.run(
        [sys.executable, "-m", "wireproof", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
