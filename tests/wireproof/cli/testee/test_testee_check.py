"""What `wireproof testee check` reports beyond default instances."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from wireproof.checks.state.echoed_input import EncodedForms, judge_own_input
from wireproof.cli.testee.testee_command import command
from wireproof.model import READ_PAST_END, Crashed, Decode, Equal, Equality, Refused, Reply
from wireproof.run import ExitCode

ADAPTERS = Path(__file__).parents[3] / "support" / "testees"


@pytest.fixture(autouse=True)
def beside_the_adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ADAPTERS)
    monkeypatch.setattr(sys, "path", [*sys.path])


def checked(word: str) -> list[str]:
    """The lines of a check that ends with 0."""
    ran = CliRunner().invoke(command, ["check", f"python:own_adapter:{word}"], standalone_mode=False)
    assert ran.return_value == ExitCode.PROVEN, ran.output
    return ran.output.splitlines()


def warnings(word: str) -> set[str]:
    """The warnings without their cells."""
    lines = (line.removeprefix("warning: ") for line in checked(word) if line.startswith("warning: "))
    return {line.partition(", at ")[0] for line in lines}


def test_a_right_adapter_has_no_warning() -> None:
    """Its boundary values are all answered."""
    lines = checked("RIGHT")
    (counted,) = (line for line in lines if line.startswith("fullest instances and boundary values: "))
    asked, _, rest = counted.removeprefix("fullest instances and boundary values: ").partition(" ")

    assert int(asked) > 200
    assert rest == "answered"
    assert lines[-1] == "The adapter is sound."


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (
            "echoing",
            {f"{each} returns its input: a form that no encoder writes" for each in ("reencode", "copy")},
        ),
        (
            "comparing",
            {"equal compares its input: two forms of one value are not equal"},
        ),
        (
            "remembering",
            {"decode gives another answer in a fresh process: it depends on earlier questions"},
        ),
    ],
)
def test_an_adapter_that_answers_from_its_own_input_is_warned_of(word: str, expected: set[str]) -> None:
    """Each in its own way; the adapter keeps the protocol, so it stays sound."""
    assert expected <= warnings(word)


def test_an_adapter_that_does_not_read_returns_what_nobody_can_read() -> None:
    """Bytes without the last one come back, and one value is given for all of them."""
    found = warnings("unread")

    assert "reencode returns its input: bytes that nobody can read, for the last one is missing" in found
    assert "decode gives the same value for different bytes" in found
    assert any("its `consumed` is the length of the input" in each for each in found)


def test_a_limit_says_what_it_leaves_out_and_what_the_library_does_there() -> None:
    """The library of this adapter has no trouble with nulls, which shows; one limit is never met."""
    lines = checked("limited")
    at = lines.index("limit nulls: there is no null")
    out, kinds, example, past = (line.strip() for line in lines[at + 1 : at + 5])

    assert out.startswith("it leaves out ")
    assert "MetadataRequest.topics" in out
    assert " null" in kinds
    assert example.startswith("such as 4.4.0/")
    assert example.endswith(": a null")
    assert past.startswith("past the limit the library did: ")
    assert past.endswith("read and written as it was")
    never = lines.index("limit moods: it is never met")
    assert lines[never + 1].strip() == "it leaves out no fullest instance and no boundary value"


def test_a_codec_that_reads_past_the_end_compares_what_it_read() -> None:
    """It does not refuse bytes that end too early, so its objects of them may be equal."""
    forms = EncodedForms({}, b"\x00\x00", {}, b"\x00\x01a", None)
    equal: dict[tuple[str, type], Reply] = {("cut", Equal): Equality(equal=True)}
    past, refusal = Crashed(READ_PAST_END, "it reads 3 of 2 bytes"), Refused("short", "it ends")

    assert not list(judge_own_input(forms, {**equal, ("cut", Decode): past}))
    assert list(judge_own_input(forms, {**equal, ("cut", Decode): refusal})) == [
        "equal compares its input: it finds bytes equal that decode refuses"
    ]
