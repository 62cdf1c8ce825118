"""Fields that a version lacks, and the result of setting them."""

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.errors import EncodeError, UnsupportedVersionError
from kafkawire.schema import MessageLayout, absences, read_message, resolve, with_absent_fields
from tests.kafkawire.schema.refused_schemas import schema

FIELDS = (
    '{ "name": "Name", "type": "string", "versions": "0+" }',
    '{ "name": "Note", "type": "string", "versions": "1+", "ignorable": true }',
    '{ "name": "Place", "type": "Place", "versions": "2+", "ignorable": true, "fields": ['
    '  { "name": "Rack", "type": "string", "versions": "2+" } ] }',
    '{ "name": "Parts", "type": "[]Part", "versions": "0+", "fields": ['
    '  { "name": "Index", "type": "int32", "versions": "0+" },'
    '  { "name": "Epoch", "type": "int32", "versions": "3+", "default": "-1" },'
    '  { "name": "Old", "type": "string", "versions": "0-1", "nullableVersions": "1",'
    '    "ignorable": true } ] }',
)


def layout(version: int) -> MessageLayout:
    spec, problems = read_message(schema(*FIELDS), "Probe.json")
    assert spec is not None, problems
    return resolve(spec, version)


def test_every_field_of_other_versions_is_listed() -> None:
    """Outer fields come before inner ones, also inside an absent struct, each with whether its value is
    refused."""
    assert [(each.path, each.refused) for each in absences(layout(0))] == [
        ("note", False),
        ("place", False),
        ("place.rack", False),
        ("parts[].epoch", True),
    ]
    assert [each.path for each in absences(layout(3))] == ["parts[].old"]


def test_the_outermost_absent_struct_decides() -> None:
    """A field that is not ignorable is dropped with its ignorable struct."""
    (rack,) = [each for each in absences(layout(1)) if each.path == "place.rack"]
    assert not rack.field.ignorable
    assert not rack.refused
    codec = interpret_layout(layout(1))
    assert codec.encode({"place": {"rack": "r1"}}) == codec.encode({})
    with pytest.raises(EncodeError, match="not-in-version: parts"):
        codec.encode({"parts": [{"epoch": 1}]})


def test_null_of_other_versions_is_known() -> None:
    """A field that is nullable in one of its versions is known as nullable where it is absent."""
    (old,) = [each for each in absences(layout(2)) if each.path == "parts[].old"]
    assert old.field.nullable
    assert not next(each for each in absences(layout(0)) if each.path == "note").field.nullable


def test_a_layout_can_be_completed_with_all_fields() -> None:
    """Its canonical form can hold the absent fields; the version's own fields stay in their places."""
    whole = with_absent_fields(layout(0))
    assert [field.name for field in whole.root.all_fields] == ["name", "parts", "note", "place"]
    assert list(absences(whole)) == []
    (parts,) = [field for field in whole.root.fields if field.name == "parts"]
    assert parts.struct is not None
    assert [field.name for field in parts.struct.fields] == ["index", "old", "epoch"]


@pytest.mark.parametrize("version", [-1, 4, 32768])
def test_an_unknown_version_is_refused(version: int) -> None:
    """The error has the message, the requested version and the valid ones."""
    with pytest.raises(UnsupportedVersionError) as refused:
        layout(version)
    error = refused.value
    assert (error.message, error.version, error.lowest, error.highest) == ("ProbeRequest", version, 0, 3)
    assert str(error) == f"ProbeRequest has no version {version}: it has 0-3"
