"""What `wireproof testee check` reports beyond default instances."""

import sys
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafkawire.schema import resolve
from tests.support.testees import planted_sides
from wireproof.app.cli.testee.testee_command import command
from wireproof.base.exit_codes import ExitCode
from wireproof.model.adapter import READ_PAST_END, Crashed, Decode, Equal, Equality, Refused, Reply
from wireproof.proof.checks.state.echoed_input import EncodedForms, judge_own_input
from wireproof.proof.strategies.values.whole_instances import plain_instances

ADAPTERS = Path(__file__).parents[4] / "support" / "testees"


@pytest.fixture(autouse=True)
def beside_the_adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ADAPTERS)
    monkeypatch.setattr(sys, "path", [*sys.path])


def checked(word: str, code: ExitCode = ExitCode.PROVEN) -> list[str]:
    """The lines of a check that ends with the code."""
    ran = CliRunner().invoke(command, ["check", f"python:own_adapter:{word}"], standalone_mode=False)
    assert ran.return_value == code, ran.output
    return ran.output.splitlines()


def warnings(word: str, code: ExitCode = ExitCode.PROVEN) -> set[str]:
    """The warnings without their cells."""
    lines = (line.removeprefix("warning: ") for line in checked(word, code) if line.startswith("warning: "))
    return {line.partition(", at ")[0] for line in lines}


def test_a_right_adapter_has_no_warning() -> None:
    """Its boundary values are all answered."""
    lines = checked("RIGHT")
    (counted,) = (line for line in lines if line.startswith("fullest instances and boundary values: "))
    asked, _, rest = counted.removeprefix("fullest instances and boundary values: ").partition(" ")

    assert int(asked) > 200
    assert rest == "answered"
    assert any(line.startswith("refusals: not stated") for line in lines)
    assert lines[-1] == "The adapter is sound."


def test_a_key_that_a_dict_of_the_codec_lacks_is_not_the_adapters_fault_alone() -> None:
    """The line of the adapter asks an object that the codec returned: the check names both sides."""
    lines = checked("keyless", ExitCode.DIVERGENCE)
    (said,) = (line for line in lines if "at fault" in line and ": decode: " in line)
    assert said.startswith("the adapter or the codec is at fault at ")
    assert 'returned by the codec lacks the key: return value["no such key"], consumed' in " ".join(lines)
    assert not any(line.startswith("the adapter is at fault") for line in lines)
    assert lines[-1] == "The adapter is not sound."


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (
            "echoing",
            {f"{each} returns its input: a form that no encoder writes" for each in ("reencode", "copy")},
        ),
        ("comparing", {"equal compares its input: two forms of one value are not equal"}),
        ("remembering", {"decode gives another answer in a fresh process: it depends on earlier questions"}),
    ],
)
def test_an_adapter_that_answers_from_its_own_input_is_warned_of(word: str, expected: set[str]) -> None:
    """Each in its own way; the adapter keeps the protocol, so it stays sound."""
    assert expected <= warnings(word)


def test_an_adapter_that_does_not_read_returns_what_nobody_can_read() -> None:
    """Bytes without the last one come back, and one value is given for all of them, so it is not sound."""
    found = warnings("unread", ExitCode.DIVERGENCE)

    assert "reencode returns its input: bytes that nobody can read, for the last one is missing" in found
    assert "decode gives the same value for different bytes" in found
    assert any("its `consumed` is the length of the input" in each for each in found)


FAILING = {"adapter-fails", "adapter-fails-when-written"}
"""Bugs that raise an error of Python, which a codec may raise, too."""


def planted(bug: str) -> tuple[int, list[str]]:
    """The exit code and the lines of a check of an adapter with a planted bug."""
    word = f"python:planted_sides:{bug.replace('-', '_')}"
    ran = CliRunner().invoke(command, ["check", word], standalone_mode=False)
    return ran.return_value, ran.output.splitlines()


@pytest.mark.parametrize("bug", sorted(planted_sides.ADAPTER_BUGS.keys() - FAILING))
def test_an_adapter_that_alters_values_is_not_sound(bug: str) -> None:
    """It alters, drops or exchanges values when it reads, when it writes, or on both sides alike."""
    code, lines = planted(bug)

    assert code == ExitCode.DIVERGENCE
    assert any("at fault" in line and "MetadataRequest" in line for line in lines)
    assert lines[-1] == "The adapter is not sound."


def test_a_compressed_set_may_have_other_bytes_than_ours() -> None:
    """Without a bug each plain value and each record set is right."""
    code, lines = planted("none")

    assert code == ExitCode.PROVEN
    assert any(line.startswith("plain values: ") and line.endswith(" right, 0 altered") for line in lines)


def test_the_ledger_of_a_testee_explains_a_known_bug_of_its_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    """What its entries explain, or its causes predict, is counted: the adapter stays sound.

    `tests.testees.kits.test_installed` checks python-kafka-python so.
    """
    for word in ("PYTHONWARNINGS", "PYTHONDEVMODE"):  # a codec may warn, though these tests may not
        monkeypatch.delenv(word, raising=False)
    ran = CliRunner().invoke(command, ["check", "python-aiokafka"], standalone_mode=False)

    assert ran.return_value == ExitCode.PROVEN, ran.output
    (line,) = (line for line in ran.output.splitlines() if line.startswith("plain values: "))
    assert " as the ledger says, 0 altered" in line


def test_no_two_fields_of_a_struct_have_the_same_plain_value_in_every_instance() -> None:
    """An exchange of two fields of one type shows in at least one instance."""
    layout = resolve(planted_sides.SPECS["MetadataResponse"], 13)
    values = [value for name, value in plain_instances(layout) if name.startswith("plain")]
    for one, other in combinations([field.name for field in layout.root.all_fields], 2):
        assert any(value[one] != value[other] for value in values), (one, other)


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
