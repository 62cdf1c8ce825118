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
    """The node as Python's own json module gives it."""
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
def test_dialect(text: str, value: object) -> None:
    """Comments may stand between any two tokens, and mean nothing inside a string."""
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
def test_reads_all_json(value: object) -> None:
    """Whatever Python's json writes is read alike."""
    assert _plain(parse_json(json.dumps(value)).root) == value
    assert _plain(parse_json(json.dumps(value, indent=2, ensure_ascii=False)).root) == value


@given(st.text(alphabet='{}[]:,"\\/*\n 1-.etrufalsn\ufeff', max_size=40))
def test_any_text_is_a_value_or_a_refusal(text: str) -> None:
    """Only `JsonSyntaxError` leaves the parser, with a place inside the text."""
    try:
        place = parse_json(text).trailing
    except JsonSyntaxError as error:
        place = error.offset
    assert place is None or 0 <= place <= len(text)


def test_last_of_two_equal_keys_counts() -> None:
    """A key given twice keeps its last value, and the later key's place is remembered."""
    root = parse_json('{"a": 1, "b": 2, "a": 3}').root
    assert isinstance(root, JsonObject)
    assert _plain(root) == {"a": 3, "b": 2}
    assert root.repeated == [("a", 17)]


def test_numbers_keep_their_digits() -> None:
    """A number's text is what was written, since it may become a string."""
    root = parse_json("[1.50, -0, 1E2]").root
    assert isinstance(root, JsonArray)
    assert [item.text for item in root.items if isinstance(item, JsonScalar)] == ["1.50", "-0", "1E2"]


@pytest.mark.parametrize(("text", "offset"), [("{} {}", 3), ("[] ]", 3), ("1 /* x */ ?", 10), ("{}\n]}", 3)])
def test_trailing(text: str, offset: int) -> None:
    """What follows the value is found, though the value itself is good."""
    assert parse_json(text).trailing == offset


def test_depth_is_bounded() -> None:
    """Nesting beyond the bound is refused, not a RecursionError; up to it all is well."""
    parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(JsonSyntaxError, match="inside each other"):
        parse_json("[" * 100_000)


def test_lines() -> None:
    """A line ends with a line feed, a return, or both."""
    text = "a\nb\r\nc\rd"
    assert [line_at(line_index(text), text.index(letter)) for letter in "abcd"] == [1, 2, 3, 4]
