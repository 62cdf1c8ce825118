"""Lines on standard output."""

import sys

import pytest

from wireproof.base.text.wording import echo_wrapped


def test_a_long_line_is_wrapped_at_words_in_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each next row is two columns further in; foreign line breaks keep their margin; empty lines stay."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "30")
    echo_wrapped("  3.6.2 writes topics/count-1, 3.5.2 misreads it")
    echo_wrapped("")
    echo_wrapped("one\nProven.")
    assert capsys.readouterr().out.splitlines() == [
        "  3.6.2 writes topics/count-1,",
        "    3.5.2 misreads it",
        "",
        "one",
        "    Proven.",
    ]


def test_a_pipe_gets_a_line_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """A program reads it, whatever COLUMNS says."""
    line = "word " * 60
    echo_wrapped(line)
    assert capsys.readouterr().out == f"{line}\n"
