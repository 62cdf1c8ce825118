"""Long lines of a report in a terminal."""

import io

import pytest
from rich.console import Console

from wireproof.verdict.report.text.escaping import wrapped

_LONG = "alpha beta gamma delta epsilon zeta eta theta iota"


def _printed(line: str, *, width: int = 40, terminal: bool = True) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None)
    console.print(wrapped(console, line), emoji=False, highlight=False, soft_wrap=True)
    return out.getvalue().splitlines()


@pytest.mark.parametrize(
    ("line", "margin"),
    [(_LONG, 2), (f"  {_LONG}", 4), (f"  [dim]blame   [/] {_LONG}", 11), (f"  stricter than {_LONG}", 4)],
)
def test_a_long_line_continues_under_its_own_text(line: str, margin: int) -> None:
    """No word is cut, and no row is wider than the terminal."""
    rows = _printed(line)
    assert len(rows) > 1
    assert all(len(row) <= 40 for row in rows)
    assert all(len(row) - len(row.lstrip()) == margin for row in rows[1:])
    assert " ".join(" ".join(rows).split()) == " ".join(line.replace("[dim]", "").replace("[/]", "").split())


@pytest.mark.parametrize("row", ["case   ", "value  ", "replay ", "type:"])
def test_a_row_that_is_copied_is_one_line(row: str) -> None:
    """A new line in it would end the command that a reader pastes."""
    assert _printed(f"  {row} {_LONG}") == [f"  {row} {_LONG}"]


def test_a_file_a_pipe_and_a_narrow_terminal_get_whole_lines() -> None:
    """Programs search them; short lines stay as they are."""
    assert _printed(_LONG, terminal=False) == [_LONG]
    assert _printed(f"  blame    {_LONG}", width=30) == [f"  blame    {_LONG}"]
    assert _printed("short [bold]line[/]") == ["short line"]


def test_a_word_wider_than_the_terminal_and_wide_characters_are_cut_at_its_edge() -> None:
    """The name of a case may be longer than a row; a wide character takes two columns."""
    assert _printed("diverged " + 50 * "x") == ["diverged", f"  {38 * 'x'}", f"  {12 * 'x'}"]
    assert [len(row) for row in _printed(30 * "語")] == [19, 13]
    assert _printed(rf"\[bytes] {_LONG}")[0] == "[bytes] alpha beta gamma delta epsilon"
