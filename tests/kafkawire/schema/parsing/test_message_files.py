"""Reading of definitions: keys, coercions, and absent keys."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.schema import (
    ArrayType,
    FieldSpec,
    MessageKind,
    MessageSpec,
    ScalarType,
    SchemaProblem,
    StructType,
    VersionRange,
    read_message,
)
from tests.kafkawire.schema.random_specs import message_specs, spec_text, without_positions
from tests.kafkawire.schema.refused_schemas import FIRST_FIELD, schema


def _read(text: str) -> MessageSpec:
    spec, problems = read_message(text, "Probe.json")
    assert problems == []
    assert spec is not None
    return spec


def _field(**keys: str) -> FieldSpec:
    """Return the field with these keys, each given as JSON."""
    written = {"name": '"A"', "type": '"string"', "versions": '"0+"', **keys}
    body = ", ".join(f'"{key}": {value}' for key, value in written.items())
    return _read(schema("{" + body + "}")).fields[0]


@given(message_specs())
def test_a_written_definition_is_read_back(spec: MessageSpec) -> None:
    """A definition written as JSON is read unchanged."""
    again, _ = read_message(spec_text(spec), "")
    assert again is not None
    assert without_positions(again) == spec


@given(st.text() | st.text(alphabet='{}[]:,"0+ntag', max_size=60))
def test_any_text_gives_problems_only(text: str) -> None:
    """The reader never raises; a text without problems is a definition."""
    spec, problems = read_message(text, "x")
    assert all(isinstance(problem, SchemaProblem) for problem in problems)
    assert spec is not None or problems


def test_keys_of_a_message_set_its_attributes() -> None:
    """Every top-level key sets its attribute."""
    spec = _read(
        schema(
            '{ "name": "A", "type": "Shared", "versions": "1+" }',
            common=('{ "name": "Shared", "versions": "1+", "deprecatedVersions": "1", "fields": [] }',),
            deprecatedVersions='"0-1"',
            listeners='["broker", "controller", "zkBroker"]',
            latestVersionUnstable="true",
            headerVersions='{ "2+": "2", "0-1": 1 }',
        )
    )
    assert (spec.name, spec.kind, spec.api_key) == ("ProbeRequest", MessageKind.REQUEST, 1)
    assert (spec.valid_versions, spec.flexible_versions) == (VersionRange(0, 3), VersionRange(2, 32767))
    assert spec.deprecated_versions == VersionRange(0, 1)
    assert spec.listeners == ("broker", "controller", "zkBroker")
    assert spec.latest_version_unstable
    assert spec.header_versions == ((VersionRange(0, 1), 1), (VersionRange(2, 32767), 2))
    assert [(struct.name, struct.versions) for struct in spec.common_structs] == [
        ("Shared", VersionRange(1, 32767))
    ]
    assert spec.source == "Probe.json"


def test_keys_of_a_field_set_its_attributes() -> None:
    """Every key of a field sets its attribute."""
    field = _field(
        type='"bytes"',
        versions='"1+"',
        nullableVersions='"2+"',
        taggedVersions='"2+"',
        tag="0",
        flexibleVersions='"2+"',
        ignorable="true",
        about='"what it means"',
    )
    assert field == FieldSpec(
        name="A",
        type=ScalarType.BYTES,
        versions=VersionRange(1, 32767),
        nullable_versions=VersionRange(2, 32767),
        tagged_versions=VersionRange(2, 32767),
        tag=0,
        flexible_versions=VersionRange(2, 32767),
        ignorable=True,
        line=FIRST_FIELD,
    )
    inner = _read(
        schema(
            '{ "name": "L", "type": "[]S", "versions": "0+", "fields":\n'
            ' { "name": "K", "type": "string", "versions": "0+", "mapKey": true, "entityType": "groupId" } }',
            '{ "name": "Z", "type": "bytes", "versions": "0+", "zeroCopy": true }',
        )
    )
    (key,) = inner.fields[0].fields
    assert (key.map_key, key.entity_type, key.line) == (True, "groupId", FIRST_FIELD + 1)
    assert inner.fields[1].zero_copy


def test_absent_keys_have_defaults() -> None:
    """An absent key means none, false, or empty."""
    assert _field() == FieldSpec("A", ScalarType.STRING, VersionRange(0, 32767), line=FIRST_FIELD)
    spec = _read(schema(apiKey=None))
    assert (spec.api_key, spec.listeners, spec.common_structs, spec.header_versions) == (None, (), (), ())
    assert spec.deprecated_versions.empty


def test_versions_default_to_tagged_versions() -> None:
    """A field with only taggedVersions has no other versions."""
    text = '{ "name": "A", "type": "int8", "taggedVersions": "2+", "tag": 0 }'
    assert _read(schema(text)).fields[0].versions == VersionRange(2, 32767)


def test_versions_none_are_not_absent() -> None:
    """`versions` of "none" means no version, even with taggedVersions."""
    text = '{ "name": "A", "type": "int8", "versions": "none", "taggedVersions": "2+", "tag": 0 }'
    spec, _ = read_message(schema(text), "x")
    assert spec is not None
    assert spec.fields[0].versions == VersionRange.NONE


@pytest.mark.parametrize(
    ("written", "versions"),
    [
        ("0", VersionRange(0, 0)),
        ('"3"', VersionRange(3, 3)),
        ('" 1-2 "', VersionRange(1, 2)),
        ('"0-32767"', VersionRange(0, 32767)),
        ('"+1-02"', VersionRange(1, 2)),
        ('"1+"', VersionRange(1, 32767)),
    ],
)
def test_version_ranges_are_read(written: str, versions: VersionRange) -> None:
    """Ranges are text or a bare number; spaces, plus signs and leading zeros are allowed."""
    assert _field(versions=written).versions == versions


@pytest.mark.parametrize(
    "text", ["", "1 -2", "1- 2", "1-", "-2", "+", "++1", "1+2", "1,2", "x", "None", "1.0", "٢"]
)
def test_invalid_version_ranges_are_refused(text: str) -> None:
    """A text that Java's Short.parseShort refuses is not a bound."""
    with pytest.raises(ValueError):
        VersionRange.parse(text)


@pytest.mark.parametrize(
    ("key", "written", "value"),
    [
        ("tag", '"0"', 0),
        ("tag", "0.9", 0),
        ("ignorable", '"false"', False),
        ("ignorable", '" TRUE "', True),
        ("ignorable", "2", True),
        ("ignorable", "-0", False),
        ("ignorable", '""', False),
        ("ignorable", "null", False),
        ("default", "-1", "-1"),
        ("default", "false", "false"),
        ("default", "1.50", "1.50"),
        ("default", '"a // b"', "a // b"),
        ("default", "null", ""),
        ("nullableVersions", "null", VersionRange.NONE),
        ("default", '""', ""),
        ("entityType", "null", ""),
        ("entityType", '"unknown"', "unknown"),
        ("fields", "null", ()),
        ("flexibleVersions", '""', None),
        ("flexibleVersions", '"none"', VersionRange.NONE),
        ("tag", '""', None),
        ("tag", '"null"', None),
        ("tag", "null", None),
    ],
)
def test_scalars_are_coerced(key: str, written: str, value: Any) -> None:
    """Scalars are coerced as Jackson does."""
    names = {
        "entityType": "entity_type",
        "flexibleVersions": "flexible_versions",
        "nullableVersions": "nullable_versions",
    }
    keys = {key: written} | ({"taggedVersions": '"2+"'} if key == "tag" and value == 0 else {})
    if key == "default" and value not in ("", "a // b"):
        keys["type"] = {"-1": '"int32"', "false": '"bool"'}.get(str(value), '"float64"')
    assert getattr(_field(**keys), names.get(key, key)) == value


def test_single_values_are_read_as_arrays() -> None:
    """One listener, one field and one common struct need no brackets."""
    text = (
        '{ "name": "R", "type": "request", "apiKey": "5", "validVersions": "0", "flexibleVersions": "none",'
        ' "listeners": "broker", "fields": { "name": "A", "type": "S", "versions": "0" },'
        ' "commonStructs": { "name": "S", "versions": "0", "fields": null } }'
    )
    spec = _read(text)
    assert (spec.api_key, spec.listeners, len(spec.fields), len(spec.common_structs)) == (
        5,
        ("broker",),
        1,
        1,
    )


@pytest.mark.parametrize(
    ("written", "type_"),
    [
        *((scalar.value, scalar) for scalar in ScalarType),
        ("[]int32", ArrayType(ScalarType.INT32)),
        (" string ", ScalarType.STRING),
        ("[]S", ArrayType(StructType("S"))),
        ("S", StructType("S")),
    ],
)
def test_types_are_read(written: str, type_: object) -> None:
    """There are Kafka's types, arrays, and capitalized names of structs."""
    text = schema(f'{{ "name": "A", "type": "{written}", "versions": "0+" }}')
    spec, problems = read_message(text, "x")
    assert spec is not None
    assert spec.fields[0].type == type_
    assert all("no fields" in problem.text for problem in problems)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('{ "0-1": 1 }', "write the last range with a +"),
        ('{ "1+": 2 }', "should begin at 0"),
        ('{ "0-1": 1, "3+": 2 }', "should begin at 2"),
        ('{ "0-1": 3, "2+": 2 }', "never below"),
        ('{ "0+": 1 }', "need header 2"),
        ('{ "x": 1 }', "not a range"),
        ('{ "0+": "two" }', "wants a whole number"),
        ('["0+"]', "an object"),
    ],
)
def test_header_versions_are_checked(written: str, words: str) -> None:
    """KIP-1313: they begin at 0 without a gap, never fall, and are flexible where the body is."""
    _, problems = read_message(schema(headerVersions=written), "x")
    assert [words in problem.text for problem in problems] == [True]
    assert problems[0].line == FIRST_FIELD - 1


def test_header_versions_of_others() -> None:
    """ApiVersionsResponse stays with header 0 though it is flexible; data has no header."""
    response: dict[str, Any] = {"name": '"ApiVersionsResponse"', "type": '"response"'}
    assert _read(schema(**response, headerVersions='{ "0+": 0 }')).header_versions[0][1] == 0
    assert len(read_message(schema(**response, headerVersions='{ "0+": 1 }'), "x")[1]) == 1
    assert len(read_message(schema(type='"data"', headerVersions='{ "0+": 1 }'), "x")[1]) == 1
