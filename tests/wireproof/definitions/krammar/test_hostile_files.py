"""Files that are not definition files: bounds on size, depth and number of problems; nothing hangs."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wireproof.definitions.krammar.definition_problems import KrammarProblem, KrammarRule
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions, read_files


def problems_of(text: str) -> list[KrammarProblem]:
    return read_definitions({"probe": text})[1]


def test_ten_thousand_fields_are_read() -> None:
    """The time is linear: each line is read once."""
    text = "Probe => not top level\n" + "".join(f"  F{number}: int8\n" for number in range(10_000))
    definitions, problems = read_definitions({"probe": text})
    assert not problems
    assert definitions is not None
    assert len(definitions.structs[0].fields) == 10_000


def test_ten_thousand_structs_are_read() -> None:
    """Each names the first one."""
    blocks = ["S0 => not top level\n  A: int8\n"]
    blocks += [f"S{number} => not top level\n  A: [S0]\n" for number in range(1, 10_000)]
    definitions, problems = read_definitions({"probe": "\n".join(blocks)})
    assert not problems
    assert definitions is not None
    assert definitions.struct("S9999").line == 29_998


def test_a_chain_of_structs_is_refused_at_its_depth() -> None:
    """Each names the one before: the last would be ten thousand deep."""
    blocks = ["S0 => not top level\n  A: int8\n"]
    blocks += [f"S{number} => not top level\n  A: [S{number - 1}]\n" for number in range(1, 10_000)]
    found = problems_of("\n".join(blocks))
    assert {each.rule for each in found} == {KrammarRule.DEPTH}
    assert found[0].text == "structs are nested 33 deep in S32: at most 32"


def test_a_struct_that_doubles_is_refused_at_its_size() -> None:
    """Each has the one before twice: after 31 levels it would have two thousand million fields."""
    blocks = ["S0 => not top level\n  A: int8\n"]
    blocks += [
        f"S{number} => not top level\n  A: S{number - 1}\n  B: S{number - 1}\n" for number in range(1, 32)
    ]
    found = problems_of("\n".join(blocks))
    assert found[0].rule is KrammarRule.STRUCT_SIZE
    assert found[0].text == "S16 has 196,606 fields with those inside it: at most 100,000"


def test_ten_thousand_length_fields_are_read() -> None:
    """The sizes are summed once."""
    lines = [f"  R{number}: length-field-minus => Length - 0\n" for number in range(10_000)]
    assert not problems_of("Probe => not top level\n  Length: int32\n" + "".join(lines))


def test_ten_thousand_mistakes_are_not_all_listed() -> None:
    """After a thousand problems the reader says so, and ends."""
    found = problems_of("Probe => not top level\n" + "  bad\n" * 10_000)
    assert len(found) == 1001
    assert found[-1].rule is KrammarRule.TOO_MANY


def test_deep_structs_are_refused_at_their_depth() -> None:
    """Thirty-two levels are read; the thirty-third is an error of its line."""
    lines = [f"{'  ' * (depth + 1)}S: =>" for depth in range(200)]
    text = "\n".join(["Probe => not top level", *lines, ""])
    assert [(each.rule, each.line) for each in problems_of(text)] == [(KrammarRule.DEPTH, 33)]
    fitting = "\n".join(["Probe => not top level", *lines[:31], f"{'  ' * 32}A: int8", ""])
    assert not problems_of(fitting)


@pytest.mark.parametrize("depth", [9, 5000])
def test_deep_arrays_are_refused(depth: int) -> None:
    """An array of arrays is read, one of nine levels is not."""
    found = problems_of(f"Probe => not top level\n  A: {'[' * depth}int8{']' * depth}\n")
    assert (KrammarRule.TYPE, 2) in [(each.rule, each.line) for each in found]


def test_a_long_line_is_refused() -> None:
    """Its text is not repeated."""
    found = problems_of(f"Probe => not top level\n  A: {'x' * 1_000_000}\n")
    assert (KrammarRule.LINE_LENGTH, 2) in [(each.rule, each.line) for each in found]
    assert all(len(each.text) < 200 for each in found)


def test_carriage_returns_are_one_problem() -> None:
    """All lines of a file have them."""
    found = problems_of("Probe => not top level\r\n  A: int8\r\n\r\nOther => not top level\r\n  A: int8\r\n")
    assert [(each.rule, each.line) for each in found] == [(KrammarRule.LINE_END, 1)]


def test_an_empty_file_has_no_definitions() -> None:
    """Nothing is wrong with it."""
    definitions, problems = read_definitions({"probe": ""})
    assert definitions is not None
    assert not problems
    assert not definitions.structs


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    """A file of 100 MB that has no blocks on the disk: its size decides."""
    path = tmp_path / "00_probe"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    definitions, problems = read_files([path])
    assert definitions is None
    assert [str(each) for each in problems] == [
        f"{path}:0: error: the file has 104,857,600 bytes: a definition file has at most 4,194,304 "
        "[file-size]"
    ]


def test_bytes_that_are_not_text_have_a_line(tmp_path: Path) -> None:
    """The line is counted in bytes."""
    path = tmp_path / "00_probe"
    path.write_bytes(b"Probe => not top level\n  A: \xff\n")
    definitions, problems = read_files([path])
    assert definitions is None
    assert [(each.rule, each.line) for each in problems] == [(KrammarRule.ENCODING, 2)]


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    """The enums come first, although their name does not."""
    (tmp_path / "zz_use").write_text("Probe => not top level\n  A: enum-Lamp\n  B: Pair\n")
    (tmp_path / "aa_pair").write_text("Pair => not top level\n  A: int8\n")
    (tmp_path / "enums").write_text("Lamp int8 (\n  0: OFF\n)\n")
    definitions, problems = read_files(tmp_path.iterdir())
    assert not problems
    assert definitions is not None
    assert [each.name for each in definitions.structs] == ["Pair", "Probe"]


TOKENS = (
    *("Probe", " => ", "not top level", ", ", "key 1", "max version 2", "flexible v1+", "Response =>", "\n"),
    *("  ", "A", ": ", "int8", "[", "]", "=>", "nullable", "-v1+", "(1)", " // ", "v1+", "tag 0", "\t", "\r"),
    *("ThrottleMillis", "TimeoutMillis", "length-field-minus => ", "enum-", "//", "\x00", "é", "99999999999"),
)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(TOKENS), max_size=60).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Definitions without an error, or errors with lines that the file has; never an exception."""
    definitions, problems = read_definitions({"probe": text, "enums": text})
    lines = text.count("\n") + 1
    assert all(0 <= each.line <= lines for each in problems)
    assert (definitions is None) == any(each.severity == "error" for each in problems)


def test_a_megabyte_of_tokens_is_refused() -> None:
    """The number of problems is bounded."""
    generator = random.Random(7)
    text = "".join(generator.choice(TOKENS) for _ in range(150_000))
    assert 0 < len(problems_of(text)) <= 1001
