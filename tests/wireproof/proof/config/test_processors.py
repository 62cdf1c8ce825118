"""The default number of workers: the processors of the machine, or fewer in a container with a limit."""

import os
from pathlib import Path

import pytest

from wireproof.proof.config import processors
from wireproof.proof.config.run_config import RunConfig

SEEN = 8


@pytest.fixture(autouse=True)
def a_machine_of_eight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(SEEN)))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, SEEN),
        ({"cpu.max": "max 100000\n"}, SEEN),
        ({"cpu.max": "200000 100000\n"}, 2),
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "1000 100000\n"}, 1),
        ({"cpu.max": "1600000 100000\n"}, SEEN),
        ({"cpu.max": "0 0\n"}, SEEN),
        ({"cpu.max": "\xff\n"}, SEEN),
        ({"cpu.max": ""}, SEEN),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, SEEN),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
        ({"cpu/cpu.cfs_quota_us": "300000\n"}, SEEN),
    ],
)
def test_a_limit_of_processor_time(files: dict[str, str], expected: int, tmp_path: Path) -> None:
    """Both versions of control groups; a part of a processor counts as one; a broken file sets none."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "latin-1")
    assert processors.available_processors(tmp_path) == expected


def test_a_run_takes_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Unless the user gives a number."""
    (tmp_path / "cpu.max").write_text("300000 100000\n")
    monkeypatch.setattr(processors.available_processors, "__defaults__", (tmp_path,))
    assert RunConfig().processes == 3
    assert RunConfig(jobs=5).processes == 5
