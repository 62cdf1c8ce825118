"""A sample of the faults of `benchmarks/reader_faults.py`: each is found at its variation."""

import importlib
import json
import os
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.capture.shared_node import SharedNode
from tests.support.commands.forked_command import run_command
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.proof.testees.build.launch import prepare_program
from wireproof.proof.testees.description.manifest import shipped_clients

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SAMPLE = {"zstd-not-decompressed": "records-zstd", "short-tail-read": "records-short-tail"}


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module, which is not part of a package."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("reader_faults")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of kafka-python's program, with the environment of the clients that are captured."""
    (manifest,) = (each for each in shipped_clients() if each.name == "python")
    built = prepare_program(manifest, JarStore().cache_dir, lambda line: None).folder
    assert built is not None
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "env").symlink_to(built / "env")
    for path in (BENCHMARKS / "subjects").glob("*.py"):
        shutil.copy(path, folder)
    return folder


def test_each_fault_fits_the_client(faults: ModuleType, home: Path) -> None:
    """The text that it replaces is there once."""
    rows = [each for each in faults.read_faults() if each.client == "kafka-python"]
    assert len(rows) >= 20
    package = faults.python_package(home)
    for each in rows:
        assert each.wrong in each.wrong_text(package / each.file)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_planted_fault_is_found(
    faults: ModuleType, home: Path, shared_node: SharedNode, tmp_path: Path, name: str
) -> None:
    """By the variation that it concerns, and not by another."""
    (fault,) = (each for each in faults.read_faults() if each.name == name)
    program = faults.faulty_python(home, fault, tmp_path / "copy")
    there = "address:{}:{}".format(*shared_node.open)
    command = ["judge", "--vary", "--broker", there, "--format", "json"]
    only = [word for each in ("values-order", SAMPLE[name]) for word in ("--only", each)]
    own = {**os.environ, "RUN_PREFIX": name}  # what another fault left on the node has other names
    done = run_command(tmp_path, *command, *only, "--", *program, env=own)
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert result["outcomes"] == {"values-order": "taken", SAMPLE[name]: "found"}
    assert [each["variation"].partition("@")[0] for each in result["findings"]] == [SAMPLE[name]]
