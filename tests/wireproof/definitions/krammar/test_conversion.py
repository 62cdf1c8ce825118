"""Each construct of krammar in Kafka's language, and the other way round."""

import json
from typing import Any

import pytest

from kafkawire.schema import KIP_625, MessageSpec, read_message, resolve, write_message
from wireproof.definitions.krammar.conversion.field_conversion import ConversionNote, NoteLevel
from wireproof.definitions.krammar.conversion.from_schema import from_messages
from wireproof.definitions.krammar.conversion.to_schema import to_message
from wireproof.definitions.krammar.definition_printing import struct_text
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions

HEAD = "Probe => not top level, with version field, flexible v2+\n  Version: int16\n"


def converted(text: str, name: str = "Probe") -> tuple[MessageSpec | None, list[ConversionNote]]:
    definitions, problems = read_definitions({"enums": "Lamp int8 (\n  0: OFF\n)\n", "probe": text})
    assert definitions is not None, problems
    return to_message(definitions.struct(name), definitions)


def line_of(*lines: str) -> str:
    """The JSON of the first field that the lines of krammar become."""
    spec, notes = converted(HEAD + "".join(f"  {line}\n" for line in lines))
    assert spec is not None, notes
    text = write_message(spec)
    start = text.index('"fields": [') + len('"fields": [')
    return " ".join(text[start : text.rindex("]")].split())


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("A: int8", '"type": "int8", "versions": "0+"'),
        ("A: uint32 // v1-v2", '"type": "uint32", "versions": "1-2"'),
        ("A: enum-Lamp(3)", '"type": "int8", "versions": "0+", "default": "3"'),
        (
            "A: nullable-string",
            '"type": "string", "versions": "0+", "nullableVersions": "0+", "default": "null"',
        ),
        ("A: nullable-string-v3+ // v1+", '"type": "string", "versions": "1+", "nullableVersions": "3+"'),
        (
            "A: nullable-bytes // v4+",
            '"type": "bytes", "versions": "4+", "nullableVersions": "4+", "default": "null"',
        ),
        ("A: [uuid]", '"type": "[]uuid", "versions": "0+"'),
        ("A: nullable-v1+[string]", '"type": "[]string", "versions": "0+", "nullableVersions": "1+"'),
        ("A: int64(0x10)", '"type": "int64", "versions": "0+", "default": "16"'),
        ("A: int32(010)", '"type": "int32", "versions": "0+", "default": "8"'),
        ("A: bool(true)", '"type": "bool", "versions": "0+", "default": "true"'),
        ("A: float64(2)", '"type": "float64", "versions": "0+", "default": "2.0"'),
        (
            "A: int8(-1) // tag 0",
            '"type": "int8", "versions": "2+", "taggedVersions": "2+", "tag": 0, "default": "-1"',
        ),
    ],
)
def test_a_field_of_krammar_in_kafkas_language(field: str, expected: str) -> None:
    """Types, null, versions, tags and defaults."""
    assert line_of(field) == f'{{ "name": "A", {expected} }}'


def test_special_fields_are_int32() -> None:
    """The timeout has a default; the number of the throttle is dropped with a note."""
    assert line_of("TimeoutMillis") == (
        '{ "name": "TimeoutMillis", "type": "int32", "versions": "0+", "default": "15000" }'
    )
    _, notes = converted(HEAD + "  ThrottleMillis(6)\n")
    assert [str(each) for each in notes] == [
        "probe:1: Probe: outside the message: the field Version, which is left out",
        "probe:3: Probe throttleMillis: dropped: throttling after the reply since version 6",
    ]


def test_inline_structs_have_the_names_of_the_generator() -> None:
    """The name of the struct around, then the singular, or the hint."""
    text = line_of(
        "Boxes: [=>]",
        "  Deep: =>",
        "    A: int8",
        "Kinds: [=>Sort]",
        "  B: int8",
        "One: nullable=>",
        "  C: int8",
    )
    for name in ("[]ProbeBox", "ProbeBoxDeep", "[]ProbeSort", "ProbeOne"):
        assert f'"type": "{name}"' in text
    assert '"nullableVersions": "0+", "default": "null", "fields"' in text


@pytest.mark.parametrize(
    ("plural", "name"),
    [
        ("Parts", "Part"),
        ("Boxes", "Box"),
        ("Entries", "Entry"),
        ("Batches", "Batch"),
        ("Status", "Status"),
        ("Addresses", "Address"),
    ],
)
def test_the_elements_of_an_array_have_the_singular_of_its_name(plural: str, name: str) -> None:
    """By the ending of the name."""
    assert f'"type": "[]Probe{name}"' in line_of(f"{plural}: [=>]", "  A: int8")


def test_named_structs_are_common_structs() -> None:
    """Those inside them are common structs as well, which Kafka's language demands."""
    text = (
        "Part => not top level, no encoding, flexible v0+\n  Boxes: [=>]\n    A: int8\n\n"
        "Probe => not top level, with version field, flexible v0+\n  Version: int16\n  P: Part\n  Q: [Part]\n"
    )
    spec, _ = converted(text)
    assert spec is not None
    assert [each.name for each in spec.common_structs] == ["Part", "PartBox"]
    assert [field.name for field in resolve(spec, 0).root.fields] == ["p", "q"]


def test_the_newest_version_is_the_highest_one_that_a_struct_mentions() -> None:
    """A request says its own."""
    spec, _ = converted(HEAD + "  A: =>\n    B: nullable-string-v5+ // v1-v3\n")
    assert spec is not None
    assert (spec.valid_versions.lowest, spec.valid_versions.highest) == (0, 5)
    spec, _ = converted("ProbeRequest => key 3, max version 9\n\nProbeResponse =>\n", "ProbeResponse")
    assert spec is not None
    assert (spec.valid_versions.highest, spec.api_key, str(spec.flexible_versions)) == (9, 3, "none")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["A: varint"], "the type varint"),
        (["A: varlong"], "the type varlong"),
        (["A: varint-string"], "the type varint-string"),
        (["A: [varint-bytes]"], "the type varint-bytes"),
        (["A: varint[int8]"], "an array whose count is a signed varint"),
        (["A: [[int8]]"], "an array of arrays"),
        (["A: [nullable-string]"], "an array whose elements may be null"),
        (["A: int8 // v0+, tag 0"], "versions and a tag"),
        (["A: nullable=> // tag 0", "  B: int8"], "a tagged nullable struct"),
        (["L: int32", "A: length-field-minus => L - 0"], "bytes whose length is in another field"),
        (["A: [bytes]"], "Kafka's generator refuses it: bytes cannot be the elements"),
        (["Class: int8"], "Kafka's generator refuses it: class is a word of Java's"),
        (["A: uint32(4294967295)"], "Kafka's generator refuses it: default '4294967295'"),
    ],
)
def test_a_construct_that_kafkas_language_lacks(lines: list[str], words: str) -> None:
    """The message is not converted; one note says why, with the line."""
    spec, notes = converted(HEAD + "".join(f"  {line}\n" for line in lines))
    refused = [each for each in notes if each.level is NoteLevel.REFUSED]
    assert spec is None
    assert len(refused) == 1
    assert refused[0].text.startswith(words)
    assert refused[0].line in (3, 4)


def test_a_struct_that_is_not_flexible_in_one_that_is() -> None:
    """Its lengths would stay fixed."""
    text = f"Part => not top level\n  A: string\n\n{HEAD}  P: Part\n"
    spec, notes = converted(text)
    assert spec is None
    assert [each.text for each in notes if each.level is NoteLevel.REFUSED] == [
        "Part is flexible where Probe is not, or the other way round"
    ]


def message(*fields: dict[str, Any], kind: str = "request", **more: Any) -> MessageSpec:
    document = {
        "apiKey": 4,
        "type": kind,
        "name": f"Probe{kind.capitalize()}",
        "validVersions": "0-6",
        "flexibleVersions": "2+",
        "fields": [{"versions": "0+", **field} for field in fields],
        **more,
    }
    spec, problems = read_message(json.dumps(document), "Probe.json", KIP_625)
    assert spec is not None, problems
    return spec


def krammar_of(*fields: dict[str, Any], **more: Any) -> tuple[str, list[ConversionNote]]:
    definitions, notes = from_messages([message(*fields, **more)])
    return struct_text(definitions.structs), notes


INNER = [{"name": "B", "type": "int8", "versions": "0+"}]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"type": "int8"}, "int8"),
        ({"type": "int8", "versions": "3+"}, "int8 // v3+"),
        ({"type": "int8", "versions": "3-4"}, "int8 // v3-v4"),
        ({"type": "int8", "versions": "3-6"}, "int8 // v3+"),
        ({"type": "string", "nullableVersions": "0+", "default": "null"}, "nullable-string"),
        ({"type": "string", "nullableVersions": "3+"}, "nullable-string-v3+"),
        ({"type": "bytes", "nullableVersions": "0+", "default": "null"}, "nullable-bytes"),
        ({"type": "records", "nullableVersions": "0+"}, "nullable-bytes"),
        ({"type": "[]int8", "nullableVersions": "0+", "default": "null"}, "nullable[int8]"),
        ({"type": "[]int8", "nullableVersions": "1+"}, "nullable-v1+[int8]"),
        ({"type": "int32", "default": "0x10"}, "int32(16)"),
        ({"type": "bool", "default": "true"}, "bool(true)"),
        ({"type": "bool", "default": "false"}, "bool"),
        ({"type": "float64", "default": "1.50"}, "float64(1.5)"),
        ({"type": "int8", "versions": "2+", "taggedVersions": "2+", "tag": 0}, "int8 // tag 0"),
        ({"type": "[]Box", "fields": INNER}, "[=>Box]\n    B: int8"),
        ({"type": "Box", "fields": INNER}, "=>\n    B: int8"),
        (
            {"type": "Box", "fields": INNER, "nullableVersions": "0+", "default": "null"},
            "nullable=>\n    B: int8",
        ),
    ],
)
def test_a_field_of_kafka_in_krammar(field: dict[str, Any], expected: str) -> None:
    """Types, null, versions, tags and defaults."""
    text, _ = krammar_of({"name": "a", **field})
    assert text == f"ProbeRequest => key 4, max version 6, flexible v2+\n  A: {expected}\n"


@pytest.mark.parametrize(
    ("field", "words"),
    [
        (
            {"type": "string", "nullableVersions": "0-3"},
            "nullableVersions 0-3, which end before the field does",
        ),
        ({"type": "bytes", "nullableVersions": "3+"}, "a bytes that is nullable since version 3, not always"),
        (
            {"type": "Box", "fields": INNER, "nullableVersions": "3+"},
            "a struct that is nullable since version 3",
        ),
        (
            {"type": "int8", "versions": "4+", "taggedVersions": "4+", "tag": 0},
            "a tag in versions 4-6: in krammar it is there in all flexible versions, 2-6",
        ),
        (
            {"type": "int8", "taggedVersions": "2+", "tag": 0},
            "a field that is tagged in versions 2-6 and in place in others",
        ),
        (
            {"type": "string", "versions": "2+", "taggedVersions": "2+", "tag": 0},
            "a tagged string that is never null",
        ),
        (
            {
                "type": "Box",
                "fields": INNER,
                "versions": "2+",
                "nullableVersions": "2+",
                "taggedVersions": "2+",
                "tag": 0,
            },
            "a tagged nullable struct",
        ),
        (
            {"type": "[]int8", "versions": "2+", "nullableVersions": "2+", "taggedVersions": "2+", "tag": 0},
            "the default empty: krammar's is null",
        ),
        (
            {
                "type": "uuid",
                "versions": "2+",
                "taggedVersions": "2+",
                "tag": 0,
                "default": "AAAAAAAAAAAAAAAAAAAAAQ",
            },
            "the default UUID",
        ),
        ({"type": "int32", "encoding": "packed32"}, "an encoding of the integer (KIP-625)"),
        ({"type": "string", "flexibleVersions": "none"}, "flexibleVersions none of the field alone"),
        ({"name": "ThrottleMillisMore", "type": "int32"}, "the name ThrottleMillisMore: the parser takes it"),
        ({"name": "ThrottleMillis", "type": "int64"}, "the name ThrottleMillis: the parser takes it"),
        ({"name": "Version", "type": "int8"}, "the generated struct has a field Version already"),
    ],
)
def test_a_property_that_krammar_lacks(field: dict[str, Any], words: str) -> None:
    """The message is left out; one note says why."""
    text, notes = krammar_of({"name": "a", **field})
    refused = [each for each in notes if each.level is NoteLevel.REFUSED]
    assert text == ""
    assert len(refused) == 1
    assert refused[0].text.startswith(words)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"type": "string", "nullableVersions": "0+"}, "the default empty: krammar's is null"),
        ({"type": "string", "default": "red"}, "the default 'red': krammar's is empty"),
        ({"type": "uuid", "default": "AAAAAAAAAAAAAAAAAAAAAQ"}, "the default UUID"),
        ({"type": "float64", "default": "NaN"}, "the default nan: krammar's is zero"),
        ({"type": "float64", "default": "-0.0"}, "the default -0.0: krammar's is zero"),
    ],
)
def test_a_default_that_krammar_lacks(field: dict[str, Any], words: str) -> None:
    """The bytes of given values stay, so that the message is converted."""
    text, notes = krammar_of({"name": "a", **field})
    assert "  A: " in text
    (note,) = (each for each in notes if each.level is NoteLevel.DEFAULT)
    assert (note.path, note.line) == ("a", 1)
    assert note.text.startswith(words)


def test_properties_without_bytes_are_dropped_with_a_note() -> None:
    """One note for each property, with its first line and its number."""
    _, notes = krammar_of(
        {"name": "a", "type": "string", "ignorable": True, "entityType": "groupId"},
        {"name": "b", "type": "int8", "ignorable": True},
        {"name": "c", "type": "bytes", "zeroCopy": True},
        listeners=["broker"],
        latestVersionUnstable=True,
        deprecatedVersions="0-1",
        validVersions="1-6",
    )
    assert [(each.level, each.text) for each in notes] == [
        (NoteLevel.DROPPED, text)
        for text in (
            "the lowest version 1: krammar begins at 0",
            "listeners",
            "deprecatedVersions",
            "latestVersionUnstable",
            "ignorable, 2 times",
            "entityType",
            "zeroCopy",
        )
    ]


def test_a_response_follows_its_request() -> None:
    """It is refused alone, and with versions of its own."""
    request, response = message({"name": "a", "type": "int8"}), message(kind="response")
    definitions, _ = from_messages([response, request])
    assert [each.name for each in definitions.structs] == ["ProbeRequest", "ProbeResponse"]
    for specs in (
        [response],
        [request, message(kind="response", validVersions="0-7")],
        [request, message(kind="response", flexibleVersions="3+")],
        [message({"name": "a", "type": "int8", "flexibleVersions": "2-3"} | {"type": "string"}), response],
    ):
        definitions, notes = from_messages(specs)
        assert "ProbeResponse" not in {each.name for each in definitions.structs}
        assert any(each.message == "ProbeResponse" and each.level is NoteLevel.REFUSED for each in notes)


def test_common_structs_go_before_the_request() -> None:
    """Those of the response too: a response follows its request at once."""
    common = [{"name": "Part", "versions": "0+", "fields": INNER}]
    parts = {"name": "P", "type": "[]Part"}
    both = [message(parts, commonStructs=common), message(parts, kind="response", commonStructs=common)]
    definitions, _ = from_messages(both)
    assert struct_text(definitions.structs) == (
        "ProbeRequestPart => not top level, no encoding, flexible v2+\n  B: int8\n\n"
        "ProbeResponsePart => not top level, no encoding, flexible v2+\n  B: int8\n\n"
        "ProbeRequest => key 4, max version 6, flexible v2+\n  P: [ProbeRequestPart]\n\n"
        "ProbeResponse =>\n  P: [ProbeResponsePart]\n"
    )


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"nullableVersions": "0+", "default": "null"}, "nullable=>\n    B: int8 // v0-v3"),
        ({}, "ProbeRequestPart"),
    ],
)
def test_a_common_struct_that_ends(part: dict[str, Any], expected: str) -> None:
    """Its fields end with it; a nullable one is written inline."""
    common = [{"name": "Part", "versions": "0-3", "fields": INNER}]
    text, _ = krammar_of({"name": "P", "type": "Part", **part}, commonStructs=common)
    assert text.endswith(f"  P: {expected}\n")
    assert "B: int8 // v0-v3\n" in text


def test_common_structs_that_double_are_refused() -> None:
    """Nullable ones are written inline, each twice in the next one: 2 to the 40th fields."""
    null = {"nullableVersions": "0+", "default": "null", "versions": "0+"}
    common: list[dict[str, Any]] = [{"name": "S0", "versions": "0+", "fields": INNER}]
    for number in range(1, 40):
        fields = [{"name": name, "type": f"S{number - 1}", **null} for name in ("A", "B")]
        common.append({"name": f"S{number}", "versions": "0+", "fields": fields})
    text, notes = krammar_of({"name": "P", "type": "S39", **null}, commonStructs=common)
    assert text == ""
    assert [each.text for each in notes] == ["more than 100,000 fields with those of the structs inside"]


def test_a_message_without_versions_is_refused() -> None:
    """A retired one."""
    _, notes = krammar_of(validVersions="none", flexibleVersions="none")
    assert [each.text for each in notes] == ["a message without valid versions"]


def test_a_dead_field_is_dropped() -> None:
    """A field that no version has is dropped."""
    text, notes = krammar_of({"name": "a", "type": "int8", "versions": "9+"}, {"name": "b", "type": "int8"})
    assert "A:" not in text
    assert [each.text for each in notes] == ["the field, which no version has"]
