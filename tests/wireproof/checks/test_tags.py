"""Where tagged fields differ: the place that is told, and what becomes of a tag that is not to be known."""

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.schema import read_message, resolve
from wireproof.checks import Check, judge_instance
from wireproof.checks.comparing.divergences import differing_bytes
from wireproof.checks.values.other_versions import judge_reserved
from wireproof.model import NO_VALUE, Crashed, Decoded, Encoded, OracleValue, Refusal, Refused

SPEC, _problems = read_message(
    """{
      "type": "data", "name": "Nest", "validVersions": "0", "flexibleVersions": "0+",
      "fields": [
        { "name": "Eggs", "type": "[]Egg", "versions": "0+", "taggedVersions": "0+", "tag": 0, "fields": [
          { "name": "Colour", "type": "string", "versions": "0+" } ] },
        { "name": "Lined", "type": "bool", "versions": "0+", "taggedVersions": "0+", "tag": 1 }
      ]
    }""",
    "Nest",
)
assert SPEC is not None
LAYOUT = resolve(SPEC, 0)
KAFKA = {"eggs": [{"colour": "blue", "_tags": {3: b"xyz"}}]}


@pytest.mark.parametrize(
    ("codec", "path", "type_"),
    [
        ({"eggs": [{"colour": "blue"}]}, "eggs[0]._tags", "tags"),
        ({"eggs": [{"colour": "pale blue", "_tags": {3: b"xyz"}}]}, "eggs[0].colour", "string"),
        ({"eggs": []}, "_tags", "tags"),
        ({"eggs": [{"colour": "blue"}] * 2}, "eggs", "[]Egg"),
    ],
)
def test_the_size_of_a_tagged_field_differs_by_what_is_in_it(codec: dict, path: str, type_: str) -> None:
    """The first byte that differs is that of the size; the place told is where the content does."""
    ours, theirs = (interpret_layout(LAYOUT).encode(value) for value in (codec, KAFKA))
    found = differing_bytes(LAYOUT, Check.BYTES, "codec", "", ours, theirs)
    assert (found.path, found.field_type) == (path, type_)
    assert found.offset == next(
        i for i, (one, two) in enumerate(zip(ours, theirs, strict=False)) if one != two
    )


@pytest.mark.parametrize(
    ("codec", "kafka", "kind"),
    [
        ({"nick": None}, {"nick": ""}, "null-for-empty"),
        ({"rings": []}, {"rings": None}, "empty-for-null"),
        ({"nick": None}, {"nick": "x"}, "differs"),
        ({"rings": [1]}, {"rings": []}, "differs"),
        ({"rings": None}, {"rings": [1]}, "differs"),
    ],
)
def test_null_for_empty_shows_in_bytes(codec: dict, kafka: dict, kind: str) -> None:
    """What is left out at its default is a cause of its own, apart from what is written wrongly."""
    spec, _ = read_message(
        """{
          "type": "data", "name": "Bird", "validVersions": "0", "flexibleVersions": "0+",
          "fields": [
            { "name": "Nick", "type": "string", "versions": "0+", "nullableVersions": "0+" },
            { "name": "Rings", "type": "[]int8", "versions": "0+", "nullableVersions": "0+" }
          ]
        }""",
        "Bird",
    )
    assert spec is not None
    layout = resolve(spec, 0)
    ours, theirs = (interpret_layout(layout).encode(value) for value in (codec, kafka))
    assert differing_bytes(layout, Check.BYTES, "codec", "", ours, theirs).kind == kind


def test_bytes_that_cannot_be_read_are_told_by_the_first_that_differs() -> None:
    """A codec may write anything."""
    theirs = interpret_layout(LAYOUT).encode(KAFKA)
    found = differing_bytes(LAYOUT, Check.BYTES, "codec", "", theirs[:2] + b"\xff" * 9, theirs)
    assert (found.path, found.offset) == ("eggs", 2)


def test_an_instance_of_kafkas_says_nothing_of_sizes() -> None:
    """The codec was not asked for one: that it wrote other bytes is one divergence, and not two."""
    theirs = interpret_layout(LAYOUT).encode(KAFKA)
    ours = interpret_layout(LAYOUT).encode({"eggs": [{"colour": "blue"}]})
    made = OracleValue(theirs, len(theirs), len(theirs), b"")
    found = judge_instance(LAYOUT, "codec", made, Decoded({}), Encoded(ours))
    assert [each.check for each in found if each.check != Check.DECODE] == [Check.BYTES]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Crashed(NO_VALUE, "invalid-tag: _tags[1]"), "accepted"),
        (Decoded({}), "accepted"),
        (Crashed("KeyError", "1"), "crashed:KeyError"),
        (Refused("BadTag", "1", foreign=True), None),
    ],
)
def test_a_tag_of_another_version(reply: object, kind: str | None) -> None:
    """To read it as an unknown one is to accept it, though no value of the version holds such a tag."""
    found = judge_reserved("codec", reply, Refusal("read", "RuntimeException", "Tag 1", 0))
    assert [each.kind for each in found] == ([] if kind is None else [kind])
