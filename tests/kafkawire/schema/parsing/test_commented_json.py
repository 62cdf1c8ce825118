"""The JSON dialect of Kafka's schemas."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.schema.parsing._commented_json import (
    MAX_DEPTH,
    JsonArray,
    JsonKind,
    JsonNode,
    JsonObject,
    JsonScalar,
    JsonSyntaxError,
    line_at,
    line_index,
    parse_json,
)


def _plain(node: JsonNode) -> object:
    """Return the node as Python's own json module does."""
    match node:
        case JsonObject(members=members):
            return {key: _plain(value) for key, value in members.items()}
        case JsonArray(items=items):
            return [_plain(item) for item in items]
        case JsonScalar(kind=JsonKind.TEXT, text=text):
            return text
        case JsonScalar(text=text):
            return json.loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("// first\n{} // last", {}),
        ("/* a\n * b */{/**/}/***/", {}),
        ('{"a"/*x*/:/*y*/1/*z*/,//\n"b":2}', {"a": 1, "b": 2}),
        ('["// no", "/* no */", "\\"// no"]', ["// no", "/* no */", '"// no']),
        ("// ends at the return\r[]\r\n", []),
        ("\t[ 1 ,\n2 ]\r\n", [1, 2]),
        ("\ufeff{}", {}),
        (r'["\u00fc\n\\\/"]', ["ü\n\\/"]),
        ('"😀"', "😀"),
        ("-0.5e+3", -500.0),
        ("[true,false,null]", [True, False, None]),
    ],
)
def test_comments_are_allowed(text: str, value: object) -> None:
    """Comments are allowed between any two tokens, and are text inside a string."""
    document = parse_json(text)
    assert _plain(document.root) == value
    assert document.trailing is None


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_all_json_is_read(value: object) -> None:
    """Any output of Python's json is read with the same value."""
    assert _plain(parse_json(json.dumps(value)).root) == value
    assert _plain(parse_json(json.dumps(value, indent=2, ensure_ascii=False)).root) == value


@given(st.text(alphabet='{}[]:,"\\/*\n 1-.etrufalsn\ufeff', max_size=40))
def test_any_text_is_a_value_or_a_refusal(text: str) -> None:
    """The only exception is `JsonSyntaxError`, with a place inside the text."""
    try:
        place = parse_json(text).trailing
    except JsonSyntaxError as error:
        place = error.offset
    assert place is None or 0 <= place <= len(text)


def test_last_of_two_equal_keys_counts() -> None:
    """The last value of a doubled key counts; the earlier one is kept beside it."""
    root = parse_json('{"a": 1, "b": 2, "a": 3}').root
    assert isinstance(root, JsonObject)
    assert _plain(root) == {"a": 3, "b": 2}
    assert [(key, offset) for key, offset, _ in root.repeated] == [("a", 17)]
    assert isinstance(earlier := root.repeated[0][2], JsonScalar)
    assert earlier.text == "1"


def test_numbers_keep_their_digits() -> None:
    """A number's text is kept, since it may become a string."""
    root = parse_json("[1.50, -0, 1E2]").root
    assert isinstance(root, JsonArray)
    assert [item.text for item in root.items if isinstance(item, JsonScalar)] == ["1.50", "-0", "1E2"]


@pytest.mark.parametrize(("text", "offset"), [("{} {}", 3), ("[] ]", 3), ("1 /* x */ ?", 10), ("{}\n]}", 3)])
def test_trailing_text_is_an_error(text: str, offset: int) -> None:
    """Text after the value is an error, although the value itself is valid."""
    assert parse_json(text).trailing == offset


def test_depth_is_bounded() -> None:
    """Nesting beyond the limit is refused without a RecursionError, and nesting up to it is read."""
    parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(JsonSyntaxError, match="inside each other"):
        parse_json("[" * 100_000)


def test_lines_have_three_kinds_of_ends() -> None:
    """A line ends with a line feed, a return, or both."""
    text = "a\nb\r\nc\rd"
    assert [line_at(line_index(text), text.index(letter)) for letter in "abcd"] == [1, 2, 3, 4]
