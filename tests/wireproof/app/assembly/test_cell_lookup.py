"""Selections that leave no cell: the message names what there is."""

import pytest

from wireproof.app.assembly.inputs.cell_lookup import no_cell
from wireproof.base.exit_codes import ExitCode
from wireproof.model import Cell
from wireproof.proof.config import Selection

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
