# ruff: noqa: E501 - rows of the table are pairs of lines of a definition, best seen side by side
"""The independent count: classes of values counted against the definition's own text."""

import pytest

from tests.support.schemas import kitchen_sink
from wireproof.model.coverage.independent_count import actual_counts, count_mismatches, expected_counts


@pytest.mark.parametrize("version", kitchen_sink.VERSIONS)
def test_agrees_on_the_same_text(version: int) -> None:
    """A layout has as many classes as the text that it was read from requires."""
    assert count_mismatches(kitchen_sink.TEXT, kitchen_sink.layout(version)) == []


@pytest.mark.parametrize(
    ("version", "before", "after", "path"),
    [
        (0, '"name": "Tiny", "type": "int8"', '"name": "Tiny", "type": "int16"', "tiny"),
        (0, '"name": "Tiny", "type": "int8", "versions": "0+"', '"name": "Tiny", "type": "int8", "versions": "1+"', "tiny"),
        (1, '"nullableVersions": "1+", "default": "main"', '"nullableVersions": "2+", "default": "main"', "group"),
        (0, '"nullableVersions": "1+", "default": "main"', '"nullableVersions": "0+", "default": "main"', "group"),
        (0, '"versions": "0+", "default": "true"', '"versions": "0+"', "flagOn"),
        (0, '"default": "0x7fffffff"', '"default": "0"', "maxBytes"),
        (1, '"nullableVersions": "1+", "fields": [', '"fields": [', "topics"),
        (0, '"mapKey": true },\n      { "name": "Partitions"', '"mapKey": false },\n      { "name": "Partitions"', "topics"),
        (0, '"nullableVersions": "1+", "ignorable": true }\n    ]}', '"nullableVersions": "1+" }\n    ]}', "nodes[].rack"),
        (0, '"name": "Keys", "type": "[]uuid", "versions": "1+", "ignorable": true', '"name": "Keys", "type": "[]uuid", "versions": "1+"', "keys"),
        (1, '"taggedVersions": "1+", "tag": 1, "default": "-1"', '"taggedVersions": "2+", "tag": 1, "default": "-1"', "epoch"),
        (1, '"flexibleVersions": "1+"', '"flexibleVersions": "2+"', "_tags"),
        (1, '"name": "Uid", "type": "int64", "versions": "2+"', '"name": "Uid", "type": "int64", "versions": "1+"', "owner.uid"),
        (2, '"name": "Uid", "type": "int64", "versions": "2+"', '"name": "Uid", "type": "int64", "versions": "2-1"', "owner.uid"),
    ],
)  # fmt: skip
def test_disagrees_where_the_layout_misreads_the_text(
    version: int, before: str, after: str, path: str
) -> None:
    """A layout with a wrong type, range, default, key or tag is detected, with the field's path."""
    assert kitchen_sink.TEXT.count(before) == 1
    misread = kitchen_sink.layout(version, _untag_if_not_flexible(kitchen_sink.TEXT.replace(before, after)))
    mismatches = count_mismatches(kitchen_sink.TEXT, misread)
    assert any(f" {path}: " in each for each in mismatches), mismatches


def _untag_if_not_flexible(text: str) -> str:
    """Remove tags from a version that is not flexible any more, since tagged fields need a flexible
    version."""
    if '"flexibleVersions": "2+"' in text:
        return text.replace('"taggedVersions": "1+"', '"taggedVersions": "2+"')
    return text


def test_counts_of_a_small_message() -> None:
    """The numbers are exact for a message that can be counted by hand."""
    text = """{ "type": "data", "name": "Small", "validVersions": "0", "flexibleVersions": "0+", "fields": {
        "name": "Names", "type": "[]string", "versions": "0+", "nullableVersions": "0+" } }"""
    counted = {
        "names": 1 + 6,
        "names refused": 1,
        "names[]": 17,
        "_tags": 9,
        "_tags refused": 2,
        "message": 1,
    }
    assert expected_counts(text, 0) == actual_counts(kitchen_sink.layout(0, text)) == counted


@pytest.mark.parametrize(("tags", "classes"), [((), (9, 2)), ((0,), (11, 3)), ((1, 3), (12, 3))])
def test_classes_of_tags(tags: tuple[int, ...], classes: tuple[int, int]) -> None:
    """Unknown tags have classes below, between and next to the known tags."""
    fields = ", ".join(
        f'{{ "name": "F{tag}", "type": "int8", "versions": "0+", "taggedVersions": "0+", "tag": {tag} }}'
        for tag in tags
    )
    text = f'{{ "flexibleVersions": "0+", "fields": [{fields}] }}'
    counts = expected_counts(text, 0)
    assert (counts["_tags"], counts["_tags refused"]) == classes


@pytest.mark.parametrize("text", ["[]", "{", '{ "fields": [{}] }', '{ "fields": 3 }', '"text"'])
def test_refuses_a_text_that_is_not_a_definition(text: str) -> None:
    """A text that is not a message definition raises a ValueError, whatever is wrong with it."""
    with pytest.raises(ValueError, match=r"message definition|Expecting|Extra"):
        expected_counts(text, 0)


def test_comments_inside_strings_stay() -> None:
    """Slashes in a string do not begin a comment; block and line comments are removed."""
    text = """{ // "fields": [
        "fields": [ /* { "name": "X" }, */ { "name": "A", "type": "bool", "versions": "0+", "about": "a // \\" b" }
        ] }"""
    assert expected_counts(text, 0) == {"a": 2, "a refused": 1, "_tags refused": 1, "message": 1}
