"""Differences between two layouts, and the effect of each."""

from typing import Any

import pytest

from kafkawire.schema import Effect, MessageLayout, compare_layouts, read_message, resolve
from tests.kafkawire.schema.refused_schemas import schema

A = '{ "name": "A", "type": "int8", "versions": "0+" }'
B = '{ "name": "B", "type": "string", "versions": "0+" }'


def layout(*fields: str, **head: Any) -> MessageLayout:
    """The message of these fields at version 3."""
    spec, problems = read_message(schema(*fields, **head), "Probe.json")
    assert spec is not None, problems
    return resolve(spec, 3)


def field(name: str = "A", type_: str = "int32", **keys: str) -> str:
    """Return a field with these keys, each given as JSON text."""
    more = "".join(f', "{key}": {value}' for key, value in keys.items())
    return f'{{ "name": "{name}", "type": "{type_}", "versions": "0+"{more} }}'


TAGGED = {"taggedVersions": '"2+"', "tag": "0"}
INNER = '[ { "name": "C", "type": "int8", "versions": "0+" } ]'
OTHER_INNER = '[ { "name": "C", "type": "int16", "versions": "0+" } ]'


@pytest.mark.parametrize(
    ("before", "after", "sentence", "effect"),
    [
        ((A,), (A, B), "b: field: absent -> string", Effect.BYTES),
        ((A, B), (A,), "b: field: string -> absent", Effect.BYTES),
        ((A,), (A, field("B", **TAGGED)), "b: field: absent -> int32 tag 0", Effect.TAGGED),
        ((A, field("B", **TAGGED)), (A,), "b: field: int32 tag 0 -> absent", Effect.TAGGED),
        ((A,), (A.replace('"A"', '"Z"'),), "z: name: a -> z", Effect.WORDS),
        ((A,), (A.replace("int8", "int16"),), "a: type: int8 -> int16", Effect.BYTES),
        ((A, B), (B, A), "message: order: a, b -> b, a", Effect.BYTES),
        ((B,), (field("B", "string", nullableVersions='"3+"'),), "b: nullable: no -> yes", Effect.BYTES),
        ((B,), (field("B", "string", flexibleVersions='"none"'),), "b: compact: yes -> no", Effect.BYTES),
        ((field(),), (field(default='"-1"'),), "a: default: 0 -> -1", Effect.WORDS),
        ((field(**TAGGED),), (field(default='"-1"', **TAGGED),), "a: default: 0 -> -1", Effect.BYTES),
        (
            (field("D", "[]Some", fields=INNER),),
            (field("D", "[]Some", fields=OTHER_INNER),),
            "d[].c: type: int8 -> int16",
            Effect.BYTES,
        ),
    ],
    ids=lambda each: each.replace(" ", "") if isinstance(each, str) and not isinstance(each, Effect) else "",
)
def test_a_change_has_a_sentence_and_an_effect(
    before: tuple[str, ...], after: tuple[str, ...], sentence: str, effect: Effect
) -> None:
    """One change has one sentence and its effect."""
    (change,) = compare_layouts(layout(*before), layout(*after))
    assert (str(change), change.effect) == (sentence, effect)


def test_a_new_tag_section_is_a_change() -> None:
    """A change to a flexible version is listed for the message and for each field whose encoding changes."""
    changes = compare_layouts(layout(A, B, flexibleVersions='"none"'), layout(A, B))
    assert [str(change) for change in changes] == ["message: flexible: no -> yes", "b: compact: no -> yes"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (field(), field(ignorable="true", entityType='"brokerId"')),
        (field("D", "[]Some", fields=INNER), field("D", "[]Other", fields=INNER)),
        (field(), field() + ', { "name": "Later", "type": "int8", "versions": "4+" }'),
    ],
    ids=["words", "struct-name", "field-of-another-version"],
)
def test_a_difference_without_effect_is_not_a_change(before: str, after: str) -> None:
    """A difference that no byte and no value shows is not a change."""
    wide = {"validVersions": '"0-4"'}
    assert compare_layouts(layout(before, **wide), layout(after, **wide)) == ()


def test_an_api_key_in_only_one_definition_is_not_a_change() -> None:
    """A key that only one definition has is not a change; a different key is."""
    key = layout(A, type='"data"', listeners="null", apiKey="7")
    other = layout(A, type='"data"', listeners="null", apiKey="8")
    assert compare_layouts(layout(A, type='"data"', listeners="null", apiKey="null"), key) == ()
    assert [str(change) for change in compare_layouts(key, other)] == ["message: apiKey: 7 -> 8"]
