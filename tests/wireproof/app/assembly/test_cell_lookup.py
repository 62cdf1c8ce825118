"""Selections that leave no cell: the message names what there is. Cells that are kept for pytest."""

from pathlib import Path

import pytest

from wireproof.app.assembly.inputs.cell_lookup import keep_cells, kept_cells, no_cell
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Cell
from wireproof.proof.config.selection import Selection

CELLS = [Cell("4.4.0", "clients", "FetchRequest", version) for version in range(4, 19)]


@pytest.mark.parametrize(
    ("pattern", "message", "advice"),
    [
        ("FetchReqest/12", "no cell matches 'FetchReqest/12'", "Did you mean FetchRequest?"),
        ("FetchReqest", "no cell matches 'FetchReqest'", "Did you mean FetchRequest?"),
        (
            "FetchRequest/99",
            "no cell matches 'FetchRequest/99'",
            "FetchRequest has the versions 4 to 18 in the chosen releases.",
        ),
        ("Zebra/*", "no cell matches", "`wireproof cells` lists them all, and takes the same options."),
    ],
)
def test_a_pattern_that_leaves_no_cell_is_answered(pattern: str, message: str, advice: str) -> None:
    """By a name like the typed one, or by the versions of the message."""
    error = no_cell(CELLS, Selection(patterns=(pattern,)))
    assert (error.message, error.advice, error.exit_code) == (message, advice, ExitCode.NOTHING_RAN)


@pytest.mark.parametrize("garbage", ["", "[", "[[1]]", "{}", "null", '[["4.4.0", "clients", "X", "x"]]'])
def test_an_entry_that_cannot_be_read_has_no_cells(tmp_path: Path, garbage: str) -> None:
    """It is written again, and read then."""
    file = tmp_path / "cells" / "entry.json"
    keep_cells(file, CELLS)
    file.write_text(garbage)
    assert kept_cells(file) == ()
    keep_cells(file, CELLS)
    assert kept_cells(file) == tuple(CELLS)
