"""Cell ids and case ids are parsed and formatted in one place."""

import pytest

from wireproof.model.cell import CaseId, Cell, CellId, Phase, full_pattern, release_in

CELL = Cell("4.4.0", "clients", "FetchRequest", 12)


def test_the_id_of_a_cell_is_parsed_to_its_parts() -> None:
    """Parsing and formatting are inverse; only the module is not part of an id."""
    parsed = CellId.parse(CELL.id)
    assert parsed == ("4.4.0", "FetchRequest", 12)
    assert str(parsed) == CELL.id
    assert parsed.in_module("clients") == CELL


def test_the_id_of_a_case_is_parsed_to_its_parts() -> None:
    """The name of a case may contain slashes."""
    text = CELL.case_id(Phase.ENUMERATED, "message/nulls")
    assert text == "4.4.0/FetchRequest/12/enumerated/message/nulls"
    parsed = CaseId.parse(text)
    assert parsed == (CellId.parse(CELL.id), Phase.ENUMERATED, "message/nulls")
    assert str(parsed) == text


@pytest.mark.parametrize(
    "text", ["", "4.4.0", "4.4.0/FetchRequest", "4.4.0/FetchRequest/x", "4.4.0//12", "a/b/1/2", "/b/1"]
)
def test_other_texts_are_not_cells(text: str) -> None:
    """The error names the expected form."""
    with pytest.raises(ValueError, match="expected RELEASE/MESSAGE/VERSION"):
        CellId.parse(text)


def test_a_short_cell_id_names_no_release() -> None:
    """The release is empty; the caller chooses one."""
    assert CellId.parse_short("FetchRequest/12") == ("", "FetchRequest", 12)
    assert CellId.parse_short(CELL.id) == CellId.parse(CELL.id)
    with pytest.raises(ValueError, match="expected MESSAGE/VERSION"):
        CellId.parse_short("FetchRequest/newest")


@pytest.mark.parametrize(
    "text", [CELL.id, f"{CELL.id}/enumerated", f"{CELL.id}/no-phase/x", "4.4.0/FetchRequest/x/enumerated/y"]
)
def test_other_texts_are_not_cases(text: str) -> None:
    """A case has a phase that exists, and a name."""
    with pytest.raises(ValueError, match="expected RELEASE/MESSAGE/VERSION"):
        CaseId.parse(text)


@pytest.mark.parametrize(
    ("name", "seed"), [("seed-7", 7), ("seed-7-case-12", 7), ("message/nulls", 0), ("seed-x", 0)]
)
def test_the_seed_of_a_case_is_in_its_name(name: str, seed: int) -> None:
    """Cases without a seed have the seed 0."""
    assert CaseId.parse(CELL.case_id(Phase.RANDOM, name)).seed == seed


@pytest.mark.parametrize("text", ["4.4.0/FetchRequest/12", "4.4.0/*/3", "4.4.0"])
def test_ids_and_patterns_begin_with_a_release(text: str) -> None:
    """The same holds for cells, cases and patterns."""
    assert release_in(text) == "4.4.0"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("FetchRequest", "*/FetchRequest/*"),
        ("FetchRequest/12", "*/FetchRequest/12"),
        ("4.4.0", "4.4.0/*/*"),
        ("4.4.0/FetchRequest", "4.4.0/FetchRequest/*"),
        ("*Fetch*/1*", "*/*Fetch*/1*"),
        ("4.4.0/FetchRequest/12", "4.4.0/FetchRequest/12"),
        ("4.4.0/**", "4.4.0/**"),
    ],
)
def test_a_pattern_may_leave_out_parts(typed: str, meant: str) -> None:
    """A first part that begins with a digit is a release."""
    assert full_pattern(typed) == meant
