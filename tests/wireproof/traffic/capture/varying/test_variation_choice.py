"""Selections as text: what is written can be read again."""

import pytest

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.varying.varied_run import parse_selection

KEYS = {"FetchRequest": 1}


@pytest.mark.parametrize(
    "text",
    [
        "tags-unknown",
        "tags-unknown@FetchResponse",
        "tags-unknown@FetchResponse#3",
        "stream-split@FetchResponse#0-7",
        "version:FetchRequest:11",
        "version:FetchRequest:11@ApiVersionsResponse#0",
    ],
)
def test_text_and_selection_are_equal(text: str) -> None:
    """A replay line has the text of the selection."""
    assert str(parse_selection(text, KEYS.get)) == text


@pytest.mark.parametrize(
    "text",
    ["", "tags", "tags-unknown#3", "tags-unknown@", "version:NoRequest:1", "version", "tags-unknown:Fetch:1"],
)
def test_other_text_is_refused(text: str) -> None:
    """The error names the text and the ways to write one."""
    with pytest.raises(CaptureError, match="is not a variation") as error:
        parse_selection(text, KEYS.get)
    assert "--list" in error.value.advice


def test_a_range_without_an_answer_is_refused() -> None:
    """Nothing would be varied, and everything taken."""
    with pytest.raises(CaptureError, match="2 comes before 5"):
        parse_selection("stream-split@FetchResponse#5-2", KEYS.get)


def test_the_indices_are_inclusive() -> None:
    """A selection without an end has all later answers."""
    some = parse_selection("tags-unknown@FetchResponse#2-3", KEYS.get)
    assert [some.has(index) for index in range(5)] == [False, False, True, True, False]
    assert parse_selection("tags-unknown", KEYS.get).has(1_000_000)
