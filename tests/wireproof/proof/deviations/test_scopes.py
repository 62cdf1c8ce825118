"""The scope of a deviation: types and fields by message and version, joined, cut and written as text."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.rules import family_of
from wireproof.proof.deviations.scopes import parse_narrow, parse_scope

STRING, NULLABLE = frozenset({"string"}), frozenset({"nullable string"})
BOTH = STRING | NULLABLE
FIELD = frozenset({"topics[].name"})


def _shown(
    message: str, version: int, types: frozenset[str], fields: frozenset[str] = frozenset()
) -> Deviation:
    return Deviation(CodecDirection.DECODE, "null-not-allowed", "null", types=types, fields=fields).shown_in(
        message, version
    )


JOINED = (
    _shown("FetchRequest", 4, BOTH)
    .joined(_shown("FetchRequest", 5, BOTH))
    .joined(_shown("FetchRequest", 6, STRING))
    .joined(_shown("MetadataRequest", 1, BOTH, FIELD))
)


def test_each_cell_keeps_its_types_and_fields() -> None:
    """A cell that showed one type is not excused in another one, and one that showed a field in no other."""
    assert JOINED.types == BOTH
    assert JOINED.all_fields == FIELD
    assert _within("FetchRequest", 5) == [(BOTH, frozenset())]
    assert _within("FetchRequest", 6) == [(STRING, frozenset())]
    assert _within("MetadataRequest", 1) == [(BOTH, FIELD)]
    assert not JOINED.covers("MetadataRequest", 2)


def _within(message: str, version: int) -> list[tuple[frozenset[str], frozenset[str]]]:
    return [(each.types, each.fields) for each in JOINED.within(message, version)]


def test_equal_cells_have_one_place() -> None:
    """Fields that every cell has are those of the deviation."""
    one = _shown("FetchRequest", 4, STRING, FIELD).joined(_shown("FetchRequest", 5, STRING, FIELD))
    assert (one.fields, one.narrow) == (FIELD, {})
    assert one.places_text() == ["FetchRequest 4-5"]


def test_the_text_of_a_scope_is_read_again() -> None:
    """Versions with the same types and fields are one word."""
    words = JOINED.places_text()
    assert words == ["FetchRequest 4-5", "FetchRequest 6 [string]", "MetadataRequest 1: topics[].name"]
    scope = parse_scope(words)
    assert scope == JOINED.scope
    assert parse_narrow(words, scope, (JOINED.types, JOINED.fields)) == JOINED.narrow


def test_versions_are_taken_out() -> None:
    """What is left has the types and fields of what is left."""
    left = JOINED.without({"FetchRequest": frozenset({4, 5}), "MetadataRequest": frozenset({1})})
    assert left is not None
    assert left.places_text() == ["FetchRequest 6"]
    assert left.types == STRING
    assert left.without({"FetchRequest": frozenset({6})}) is None


def test_a_cell_has_two_places() -> None:
    """Strings in every field, and nullable ones in one field: they stay two places, no wider than each."""
    one, other = _shown("FetchRequest", 4, STRING), _shown("FetchRequest", 4, NULLABLE, FIELD)
    both = one.joined(other).joined(_shown("FetchRequest", 5, STRING))
    words = ["FetchRequest 4-5", "FetchRequest 4 [nullable string]: topics[].name"]
    assert both.places_text() == words
    assert {(each.types, each.fields) for each in both.within("FetchRequest", 4)} == {
        (STRING, frozenset()),
        (NULLABLE, FIELD),
    }
    assert parse_narrow(words, parse_scope(words), (both.types, both.fields)) == both.narrow
    assert both.all_types == BOTH


def test_a_wide_place_covers_a_narrow_one() -> None:
    """All fields win over one field: a run showed that."""
    both = _shown("FetchRequest", 4, STRING, FIELD).joined(_shown("FetchRequest", 4, BOTH))
    assert (both.types, both.fields, both.narrow) == (BOTH, frozenset(), {})


@pytest.mark.parametrize("word", ["FetchRequest 4:", "FetchRequest four", "FetchRequest 4 [string"])
def test_a_word_that_says_nothing_is_refused(word: str) -> None:
    """The message names it."""
    with pytest.raises(ValueError, match="FetchRequest"):
        parse_narrow([word], parse_scope([word]), (STRING, frozenset()))


PLACES = st.sets(
    st.tuples(st.sampled_from([STRING, NULLABLE, BOTH]), st.sampled_from([frozenset[str](), FIELD])),
    min_size=1,
)
CELLS = st.dictionaries(st.tuples(st.sampled_from("AB"), st.integers(0, 2)), PLACES, min_size=1)


@st.composite
def deviations(draw: st.DrawFn) -> Deviation:
    """Draw one of some cells, or of every message but some, with other places in some."""
    shown = [
        Deviation(CodecDirection.DECODE, "null", "empty", types=types, fields=fields).shown_in(*cell)
        for cell, places in draw(CELLS).items()
        for types, fields in places
    ]
    one = shown[0]
    for each in shown[1:]:
        one = one.joined(each)
    if draw(st.booleans()):
        return one
    wide = replace(one, scope={}, types=draw(st.sampled_from([STRING, BOTH])), fields=frozenset())
    return wide.without({"B": frozenset({draw(st.integers(0, 3))})}) or wide


@given(deviations(), deviations())
def test_a_united_deviation_has_exactly_the_places_of_both(one: Deviation, other: Deviation) -> None:
    """In every message and version, for each type and field; also when its text is read again."""
    both = one.united(other)
    words = both.places_text()
    cells = parse_scope(words)
    narrow = parse_narrow(words, cells, (both.types, both.fields))
    again = replace(both, scope=cells if both.scope else {}, narrow=narrow)
    for message, version in product("ABC", range(4)):
        assert _reached(both, message, version) == _reached(one, message, version) | _reached(
            other, message, version
        )
        assert _reached(again, message, version) == _reached(both, message, version)


def _reached(deviation: Deviation, message: str, version: int) -> set[tuple[str, str]]:
    return {
        (kind, path)
        for each in (deviation.within(message, version) if deviation.covers(message, version) else ())
        for kind, path in product([*BOTH, "bytes"], [*FIELD, "other"])
        if each.is_at(kind, path)
    }


def test_deviations_of_every_message_in_different_fields_stay_two() -> None:
    """One scope cannot hold both."""
    one = replace(_shown("FetchRequest", 4, STRING), scope={})
    with pytest.raises(ValueError, match="about different fields"):
        one.united(replace(one, fields=FIELD))


def test_a_mistake_shows_again_in_another_type_or_message() -> None:
    """A cause of strings and arrays is met in a string; one of a field in that field of its own messages."""
    wide = _shown("FetchRequest", 4, STRING).united(_shown("FetchRequest", 5, frozenset({"array"})))
    assert _shown("MetadataRequest", 1, NULLABLE).repeats(wide, "MetadataRequest")
    assert not _shown("MetadataRequest", 1, frozenset({"bytes"})).repeats(wide, "MetadataRequest")
    default = Deviation(CodecDirection.DECODE, "value", "zero", fields=FIELD)
    known = default.shown_in("FetchRequest", 4)
    assert default.shown_in("FetchRequest", 5).repeats(known, "FetchRequest")
    assert not default.shown_in("MetadataRequest", 5).repeats(known, "MetadataRequest")
    assert not replace(default, fields=frozenset({"rackId"})).repeats(known, "FetchRequest")


def test_a_known_mistake_of_every_message_takes_another_type_up() -> None:
    """In the cell that shows it, and in no other."""
    wide = replace(_shown("FetchRequest", 4, STRING), scope={})
    joined = wide.joined(_shown("FetchRequest", 4, frozenset({"array"})))
    assert _reached(joined, "FetchRequest", 5) == _reached(wide, "FetchRequest", 5)
    assert {each.types for each in joined.within("FetchRequest", 4)} == {STRING, frozenset({"array"})}
    assert joined.joined(_shown("FetchRequest", 5, STRING)) == joined


def test_families_of_types() -> None:
    """One function reads a type and its nullable form, or any number."""
    assert family_of({"compact string"}) == {"compact string", "compact nullable string"}
    assert family_of({"nullable array"}) == {"array", "nullable array"}
    assert family_of({"int8"}) >= {"int64", "float64"}
    assert family_of({"tag section"}) == {"tag section"}


def test_what_is_one_thing_to_fix() -> None:
    """The field of a value is a part of it, and the message; the length of a string is not."""
    one, other = _shown("FetchRequest", 4, STRING), _shown("MetadataRequest", 1, BOTH, FIELD)
    assert one.mistake("FetchRequest") == other.mistake("MetadataRequest")
    zero = Deviation(CodecDirection.DECODE, "value", "zero", fields=FIELD)
    assert zero.mistake("FetchRequest") != zero.mistake("MetadataRequest")
