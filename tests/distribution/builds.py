"""Builds of the project: wheel and sdist out of a copy of the checkout, under chosen circumstances."""

import hashlib
import os
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.distribution.project_files import ROOT
from tests.distribution.pythons import uv

LITTER: Final = (
    "codecs/clients/go/client",
    "codecs/kafkawire/__pycache__/wire.cpython-311.pyc",
    "codecs/testees/go-sarama/adapter",
    "codecs/testees/javascript-kafkajs/node_modules/kafkajs/package.json",
    "codecs/testees/python-kio/env/site.py",
    "codecs/testees/rust-kafka-protocol/target/adapter.d",
    "corpus/dist/wireproof_corpus-1.0.0.tar.gz",
    "corpus/golden/build/missing.ndjson",
    "corpus/wireproof_corpus/__pycache__/__init__.cpython-311.pyc",
    "dist/wireproof-0.0.1.tar.gz",
    "golden/4.3.1/notes.txt",
    "harness/wireproof/.mypy_cache/missing_stubs",
    "harness/wireproof/kafka/oracle/wireproof-oracle.jar",
    "java/target/classes/Release.class",
    ".tox/dist/log.txt",
    ".venv/pyvenv.cfg",
)
"""Files that work in a checkout leaves there; `.gitignore` names each. No distribution may have one."""


@dataclass(frozen=True, slots=True)
class Distributions:
    """A wheel and an sdist."""

    wheel: Path
    sdist: Path

    def digests(self) -> dict[str, str]:
        """The SHA-256 of each file, by its name."""
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (self.wheel, self.sdist)}

    def wheel_names(self) -> set[str]:
        """The paths in the wheel, without those of its metadata."""
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
        assert len(names) == len(set(names))
        return {name for name in names if ".dist-info/" not in name}

    def sdist_names(self) -> set[str]:
        """The paths in the sdist, without its first folder."""
        with tarfile.open(self.sdist) as archive:
            return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def commit_time() -> str:
    """The time of the last commit, seconds since 1970: SOURCE_DATE_EPOCH of a release."""
    shown = subprocess.run(
        ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True
    )
    return shown.stdout.strip()


def litter(project: Path) -> Path:
    """Write the files of `LITTER` into a copy of the checkout."""
    for name in LITTER:
        file = project / name
        assert not file.exists(), f"{name} is tracked"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("litter")
    return project


def build(project: Path, output: Path, *kinds: str, mask: int, **variables: str) -> Distributions:
    """Build a wheel and an sdist.

    Args:
        project: the folder of a pyproject.toml.
        kinds: ``--sdist`` and ``--wheel`` to build both from the project. Default: the wheel from the sdist.
        mask: the umask of the build.
        variables: variables of the build, such as TZ.
    """
    before = os.umask(mask)
    try:
        words = ("build", "--quiet", *kinds, "--out-dir", str(output), str(project))
        uv(*words, SOURCE_DATE_EPOCH=commit_time(), **variables)
    finally:
        os.umask(before)
    (wheel,), (sdist,) = output.glob("*.whl"), output.glob("*.tar.gz")
    return Distributions(wheel, sdist)
