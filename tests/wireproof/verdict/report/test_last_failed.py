"""The record of the cells that failed last."""

from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.support.reports.sample_events import CELL, DONE, FAILED, FINISHED
from wireproof.proof.run.core.cell_events import LostCell
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.failure_files import FailedCells, read_failed_cells

OTHER = replace(CELL, version=13)
RIGHT = replace(DONE, failed_cases=0)


def record(path: Path, *events: RunEvent, testee: str = "") -> None:
    cells = FailedCells(path, testee)
    for event in (*events, FINISHED):
        cells(event)


def record_often(path: Path, testee: str) -> None:
    for _ in range(200):
        record(path, FAILED, DONE, testee=testee)


def test_a_cell_leaves_the_record_when_it_agrees(tmp_path: Path):
    """Cells that a later run does not judge stay in it."""
    path = tmp_path / "hidden" / "last-failed.json"
    record(path, FAILED, DONE, LostCell(OTHER, "killed"))
    assert read_failed_cells(path, "") == {CELL.id, OTHER.id}

    record(path, RIGHT)
    assert read_failed_cells(path, "") == {OTHER.id}
    record(path, replace(RIGHT, cell=OTHER))
    assert read_failed_cells(path, "") == frozenset()
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_a_cell_that_was_not_finished_is_in_the_record(tmp_path: Path):
    """`--maxfail` ends a run in the middle of a cell; a lost case fails its cell whatever else agrees."""
    path = tmp_path / "last-failed.json"
    record(path, FAILED, LostCell(OTHER, "killed"), replace(RIGHT, cell=OTHER))

    assert read_failed_cells(path, "") == {CELL.id, OTHER.id}


def test_each_codec_has_its_own_cells(tmp_path: Path):
    """A run of one codec leaves those of another alone."""
    path = tmp_path / "last-failed.json"
    record(path, FAILED, DONE, testee="./a")
    record(path, RIGHT, testee="./b")

    assert read_failed_cells(path, "./a") == {CELL.id}
    assert read_failed_cells(path, "./b") == frozenset()


def test_nothing_is_written_while_all_agrees(tmp_path: Path):
    """No folder is made for it."""
    record(tmp_path / "hidden" / "last-failed.json", RIGHT)

    assert not (tmp_path / "hidden").exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format":2,"failed":{"":["x"]}}', '{"format":1,"failed":{"":7}}', "[" * 9999]
)
def test_a_damaged_record_is_an_empty_one(text: str, tmp_path: Path):
    """It only decides what comes first; the next run writes it again."""
    path = tmp_path / "last-failed.json"
    path.write_text(text)
    assert read_failed_cells(path, "") == frozenset()

    record(path, FAILED, DONE)
    assert read_failed_cells(path, "") == {CELL.id}


def test_runs_that_end_at_once_do_not_disturb_each_other(tmp_path: Path):
    """Four processes write the record again and again: none fails, and the last one is whole."""
    path = tmp_path / "last-failed.json"
    with get_context("spawn").Pool(4) as pool:
        pool.starmap(record_often, [(path, f"./{name}") for name in "abcd"])

    assert [each.name for each in tmp_path.iterdir() if each.name != ".gitignore"] == [path.name]
    assert any(read_failed_cells(path, f"./{name}") == {CELL.id} for name in "abcd")
