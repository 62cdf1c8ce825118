"""Layouts: one version of a definition, with every range resolved."""

from typing import Any

import pytest
from hypothesis import given

from kafkawire.schema import (
    EMPTY,
    FieldLayout,
    MessageLayout,
    MessageSpec,
    StructLayout,
    VersionRange,
    read_message,
    resolve,
)
from tests.kafkawire.schema.random_specs import message_specs
from tests.kafkawire.schema.refused_schemas import schema


def _spec(*fields: str, common: tuple[str, ...] = (), **head: str | None) -> MessageSpec:
    spec, problems = read_message(schema(*fields, common=common, **head), "Probe.json")
    assert [problem for problem in problems if problem.severity == "error"] == []
    assert spec is not None
    return spec


def _layouts(*fields: str, common: tuple[str, ...] = (), **head: str | None) -> list[MessageLayout]:
    """Return all versions of a message that is valid in 0-3 and flexible from 2 on."""
    spec = _spec(*fields, common=common, **head)
    return [resolve(spec, version) for version in spec.valid_versions]


def _names(fields: Any) -> list[str]:
    return [field.name for field in fields]


def _of(layout: MessageLayout | StructLayout, name: str) -> FieldLayout:
    root = layout.root if isinstance(layout, MessageLayout) else layout
    return next(field for field in root.all_fields if field.name == name)


def _inner(layout: MessageLayout | StructLayout, name: str) -> StructLayout:
    struct = _of(layout, name).struct
    assert struct is not None
    return struct


def test_a_field_is_in_place_or_absent() -> None:
    """A field is in place in its versions, and among the absent ones in others."""
    layouts = _layouts(
        '{ "name": "Old", "type": "int8", "versions": "0-1" }',
        '{ "name": "Mid", "type": "int8", "versions": "1-2" }',
        '{ "name": "Late", "type": "int8", "versions": "3+" }',
        '{ "name": "Dead", "type": "int8", "versions": "7+" }',
    )
    assert [_names(layout.root.fields) for layout in layouts] == [["old"], ["old", "mid"], ["mid"], ["late"]]
    assert [_names(layout.root.absent) for layout in layouts] == [
        ["mid", "late", "dead"],
        ["late", "dead"],
        ["old", "late", "dead"],
        ["old", "mid", "dead"],
    ]
    assert _of(layouts[0], "old").versions == VersionRange(0, 1)
    assert _of(layouts[3], "late").versions == VersionRange(3, 3)
    assert [field.versions for field in layouts[0].root.absent] == [
        VersionRange(1, 2),
        VersionRange(3, 3),
        VersionRange.NONE,
    ]


def test_an_inner_field_has_the_versions_of_its_struct() -> None:
    """An inner field has only versions of its struct."""
    layouts = _layouts(
        '{ "name": "L", "type": "[]S", "versions": "1+", "fields": [\n'
        '  { "name": "K", "type": "int8", "versions": "0-2" },\n'
        '  { "name": "S", "type": "T", "versions": "0+", "fields": [\n'
        '    { "name": "V", "type": "int8", "versions": "0+" } ] } ] }'
    )
    assert _of(_inner(layouts[1], "l"), "k").versions == VersionRange(1, 2)
    assert _names(_inner(layouts[3], "l").absent) == ["k"]
    assert _of(_inner(_inner(layouts[2], "l"), "s"), "v").versions == VersionRange(1, 3)


def test_an_absent_struct_has_only_absent_fields() -> None:
    """The layout of an absent struct has the defaults of its fields."""
    (absent,) = _layouts(
        '{ "name": "S", "type": "S", "versions": "1+", "ignorable": true, "fields": [\n'
        '  { "name": "K", "type": "int8", "versions": "0+", "default": "-1" },\n'
        '  { "name": "V", "type": "string", "versions": "2+",'
        '    "nullableVersions": "2+", "default": "null" } ] }'
    )[0].root.absent
    assert (absent.default, absent.ignorable, absent.versions) == (EMPTY, True, VersionRange(1, 3))
    assert absent.struct is not None
    assert absent.struct.all_fields == ()
    assert [(field.name, field.default) for field in absent.struct.absent] == [("k", -1), ("v", None)]


def test_a_flexible_version_has_tags_and_compact_lengths() -> None:
    """Every struct of a flexible version ends with tags, and every length in it is compact."""
    layouts = _layouts(
        '{ "name": "S", "type": "string", "versions": "0+" }',
        '{ "name": "B", "type": "bytes", "versions": "0+" }',
        '{ "name": "R", "type": "records", "versions": "0+" }',
        '{ "name": "A", "type": "[]string", "versions": "0+" }',
        '{ "name": "L", "type": "[]S", "versions": "0+", "fields": [\n'
        '  { "name": "K", "type": "string", "versions": "0+" } ] }',
        '{ "name": "N", "type": "int64", "versions": "0+" }',
        '{ "name": "T", "type": "T", "versions": "0+", "fields": [\n'
        '  { "name": "V", "type": "uuid", "versions": "0+" } ] }',
    )
    for version, layout in enumerate(layouts):
        flexible = version >= 2
        assert layout.flexible is flexible
        assert [field.compact for field in layout.root.fields] == [flexible] * 5 + [False, False]
        assert _inner(layout, "l").flexible is flexible
        assert _inner(layout, "t").flexible is flexible
        assert _of(_inner(layout, "l"), "k").compact is flexible


def test_a_field_may_have_its_own_flexible_versions() -> None:
    """A string's own flexibleVersions decide its length, but not the tags of its struct."""
    layouts = _layouts(
        '{ "name": "Never", "type": "string", "versions": "0+", "flexibleVersions": "none" }',
        '{ "name": "Later", "type": "bytes", "versions": "0+", "flexibleVersions": "3+" }',
    )
    assert [_of(layout, "never").compact for layout in layouts] == [False] * 4
    assert [_of(layout, "later").compact for layout in layouts] == [False, False, False, True]
    assert [layout.flexible for layout in layouts] == [False, False, True, True]


def test_null_is_allowed_by_version() -> None:
    """Null is allowed in some versions only; the default is the same in all."""
    layouts = _layouts(
        '{ "name": "A", "type": "[]int8", "versions": "0+", "nullableVersions": "1-2" }',
        '{ "name": "S", "type": "S", "versions": "0+", "nullableVersions": "3+", "fields": [] }',
    )
    assert [_of(layout, "a").nullable for layout in layouts] == [False, True, True, False]
    assert [_of(layout, "s").nullable for layout in layouts] == [False, False, False, True]
    assert {_of(layout, "a").default for layout in layouts} == {EMPTY}


_TAGGED = (
    '{ "name": "Two", "type": "int8", "taggedVersions": "3+", "tag": 2 }',
    '{ "name": "One", "type": "string", "versions": "0+", "taggedVersions": "3+", "tag": 1 }',
    '{ "name": "Zero", "type": "int8", "versions": "2+", "taggedVersions": "2+", "tag": 0 }',
    '{ "name": "Last", "type": "int8", "versions": "0+" }',
)


def test_a_field_is_tagged_by_version() -> None:
    """A field is tagged in some versions and in place or absent in others; tags ascend."""
    layouts = _layouts(*_TAGGED)
    assert [_names(layout.root.fields) for layout in layouts] == [["one", "last"]] * 3 + [["last"]]
    assert [_names(layout.root.tagged) for layout in layouts] == [[], [], ["zero"], ["zero", "one", "two"]]
    assert [field.tag for field in layouts[3].root.tagged] == [0, 1, 2]
    assert _of(layouts[2], "one").tag is None


def test_tags_of_other_versions_are_reserved() -> None:
    """The tags of absent and of untagged fields are reserved."""
    layouts = _layouts(*_TAGGED)
    assert [layout.root.reserved_tags for layout in layouts] == [{0, 1, 2}, {0, 1, 2}, {1, 2}, set()]
    assert _of(layouts[2], "one").reserved_tag == 1
    assert [(field.name, field.tag) for field in layouts[2].root.absent] == [("two", 2)]
    assert {field.reserved_tag for field in layouts[3].root.all_fields} == {None}


def test_common_structs_are_resolved() -> None:
    """Fields of a shared struct have its versions and the field's; it may name others, in any order."""
    layouts = _layouts(
        '{ "name": "A", "type": "Outer", "versions": "0+" }',
        '{ "name": "B", "type": "[]Inner", "versions": "1+" }',
        common=(
            '{ "name": "Outer", "versions": "0+", "fields": [\n'
            '  { "name": "I", "type": "[]Inner", "versions": "2+" } ] }',
            '{ "name": "Inner", "versions": "1+", "fields": [\n'
            '  { "name": "X", "type": "int8", "versions": "0-2" } ] }',
        ),
    )
    assert _names(_inner(layouts[1], "a").all_fields) == []
    assert _names(_inner(_inner(layouts[2], "a"), "i").fields) == ["x"]
    assert _of(_inner(_inner(layouts[2], "a"), "i"), "x").versions == VersionRange(2, 2)
    assert _of(_inner(layouts[1], "b"), "x").versions == VersionRange(1, 2)
    assert _names(_inner(layouts[3], "b").absent) == ["x"]


def test_an_inline_struct_may_be_named_in_a_common_one() -> None:
    """A common struct may name a struct of the message's own fields, as Kafka's registry finds it."""
    layouts = _layouts(
        '{ "name": "A", "type": "S", "versions": "0+", "fields": [\n'
        '  { "name": "X", "type": "int8", "versions": "0+" } ] }',
        '{ "name": "B", "type": "Shared", "versions": "0+" }',
        common=(
            '{ "name": "Shared", "versions": "0+", "fields": [\n'
            '  { "name": "C", "type": "[]S", "versions": "0+" } ] }',
        ),
    )
    assert _names(_inner(_inner(layouts[0], "b"), "c").fields) == ["x"]


def test_fields_of_scalars_are_ignored() -> None:
    """An array of scalars has no struct, although fields may be given."""
    layout = _layouts(
        '{ "name": "A", "type": "[]int32", "versions": "0+", "fields": [\n'
        '  { "name": "X", "type": "int8", "versions": "0+" } ] }'
    )[0]
    assert _of(layout, "a").struct is None


def test_a_layout_keeps_names_kinds_and_comments() -> None:
    """Names, kinds and comments of a field are in the layout."""
    spec = _spec(
        '{ "name": "L", "type": "[]S", "versions": "0+", "ignorable": true, "fields": [\n'
        '  { "name": "TopicName", "type": "string", "versions": "0+", "mapKey": true,'
        ' "entityType": "topicName", "default": "x" } ] }',
        '{ "name": "Z", "type": "bytes", "versions": "0+", "zeroCopy": true }',
        headerVersions='{ "0-1": 1, "2+": 2 }',
    )
    layout = resolve(spec, 1)
    assert (layout.name, layout.kind, layout.api_key, layout.version) == ("ProbeRequest", "request", 1, 1)
    assert layout.versions == VersionRange(0, 3)
    assert [resolve(spec, version).header_version for version in range(4)] == [1, 1, 2, 2]
    assert [path for path, _, _ in layout.walk()] == ["l", "l[].topicName", "z"]
    key = _of(_inner(layout, "l"), "topicName")
    assert (key.map_key, key.entity_type, key.default) == (True, "topicName", "x")
    assert _of(layout, "l").ignorable
    assert _of(layout, "z").zero_copy
    assert _inner(layout, "l").name == "S"


def test_a_header_version_may_be_unknown() -> None:
    """Without headerVersions nothing is guessed."""
    assert _layouts()[3].header_version is None


def test_layouts_compare_by_content() -> None:
    """Two readings give equal layouts with equal hashes; another line makes no difference."""
    field = '{ "name": "A", "type": "[]S", "versions": "0+", "fields": [] }'
    one, two = _layouts(field)[0], _layouts("\n\n" + field)[0]
    assert one == two
    assert hash(one) == hash(two)


@pytest.mark.parametrize("version", [-1, 0, 4])
def test_an_invalid_version_is_refused(version: int) -> None:
    """A version that the message does not have is refused by name."""
    with pytest.raises(ValueError, match=f"ProbeRequest has no version {version}: it has 1-3"):
        resolve(_spec(validVersions='"1-3"'), version)


def test_a_retired_message_is_refused() -> None:
    """A retired message has no version."""
    with pytest.raises(ValueError, match="it has none"):
        resolve(_spec(validVersions='"none"'), 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            schema('{ "name": "A", "type": "int8", "versions": "0+", "default": "300" }'),
            "a: the default is not",
        ),
        (
            schema(
                '{ "name": "A", "type": "S", "versions": "0+" }',
                common=(
                    '{ "name": "S", "versions": "0+", "fields": [\n'
                    '  { "name": "T", "type": "S", "versions": "0+" } ] }',
                ),
            ),
            "inside itself: S > S",
        ),
    ],
)
def test_a_definition_without_a_layout_is_refused(text: str, words: str) -> None:
    """A definition that Kafka refuses, and that has no layout, raises ValueError."""
    spec, problems = read_message(text, "x")
    assert spec is not None
    assert problems
    with pytest.raises(ValueError, match=words):
        resolve(spec, 0)


@given(message_specs())
def test_any_definition_gives_layouts_or_value_errors(spec: MessageSpec) -> None:
    """Each valid version is refused or has a layout with every field in exactly one place."""
    for version in spec.valid_versions:
        try:
            layout = resolve(spec, version)
        except ValueError:
            continue
        _assert_whole(spec, layout)


def _assert_whole(spec: MessageSpec, layout: MessageLayout) -> None:
    root = layout.root
    placed = _names(root.fields) + _names(root.tagged) + _names(root.absent)
    assert sorted(placed) == sorted(field.json_name for field in spec.fields)
    assert all(layout.version in field.versions for field in root.all_fields)
    assert all(layout.version not in field.versions for field in root.absent)
    tags = [field.tag for field in root.tagged]
    assert tags == sorted(tags, key=lambda tag: tag or 0)
