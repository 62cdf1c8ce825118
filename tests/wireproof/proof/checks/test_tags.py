"""Differences in tagged fields: the reported field, and tags that the version does not define."""

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.schema import read_message, resolve
from wireproof.model.adapter import NO_VALUE, Crashed, Decoded, Encoded, Refused, Reply
from wireproof.model.oracle import OracleValue, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import differing_bytes
from wireproof.proof.checks.values.message_value import judge_instance
from wireproof.proof.checks.values.other_versions import judge_reserved

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
def test_a_wrong_size_of_a_tagged_field_is_reported_at_its_content(
    codec: dict, path: str, type_: str
) -> None:
    """The first byte that differs is in the size; the reported field is where the content differs."""
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
    """A default that is left out is another cause than a value that is written wrongly."""
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


def test_unreadable_bytes_are_reported_at_the_first_difference() -> None:
    """A codec may write any bytes."""
    theirs = interpret_layout(LAYOUT).encode(KAFKA)
    found = differing_bytes(LAYOUT, Check.BYTES, "codec", "", theirs[:2] + b"\xff" * 9, theirs)
    assert (found.path, found.offset) == ("eggs", 2)


def test_an_instance_of_kafka_is_not_compared_by_size() -> None:
    """The codec was not asked for a size, so its other bytes are one divergence instead of two."""
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
def test_a_tag_of_another_version_must_be_refused(reply: Reply, kind: str | None) -> None:
    """A codec that reads such a tag as unknown accepts it, although no value of the version has it."""
    found = judge_reserved("codec", reply, Refusal("read", "RuntimeException", "Tag 1", 0))
    assert [each.kind for each in found] == ([] if kind is None else [kind])
