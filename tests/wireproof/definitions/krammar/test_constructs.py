"""Each construct of krammar, read from a definition of a few lines."""

import pytest

from kafkawire.schema import VersionRange
from wireproof.definitions.krammar.definition_model import (
    EnumReference,
    InlineStruct,
    KrammarArray,
    KrammarDefinitions,
    KrammarField,
    KrammarScalar,
    KrammarStruct,
    KrammarType,
    LengthMinus,
    NamedStruct,
    NullableString,
    SpecialField,
    StructRole,
)
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions

ENUMS = """\
// Colours of a lamp.
Lamp int8 (
  // Not lit.
  0: OFF
  3: DEEP_RED
)

Gate int16 camelcase (
  1: Open
)
"""


def read(text: str) -> KrammarDefinitions:
    definitions, problems = read_definitions({"enums": ENUMS, "probe": text})
    assert definitions is not None, problems
    assert not problems
    return definitions


def struct_of(*lines: str, head: str = "Probe => not top level, flexible v2+") -> KrammarStruct:
    return read("".join(f"{line}\n" for line in (head, *lines))).structs[-1]


def field_of(line: str) -> KrammarField:
    (field,) = struct_of(f"  {line}").fields
    return field


@pytest.mark.parametrize("scalar", KrammarScalar)
def test_each_scalar_is_read_by_its_name(scalar: KrammarScalar) -> None:
    """All types of the table are read, with the line of the field."""
    assert field_of(f"Part: {scalar}") == KrammarField("Part", scalar, line=2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nullable-string-v7+", NullableString(7)),
        ("enum-Lamp", EnumReference("Lamp")),
        ("[int32]", KrammarArray(KrammarScalar.INT32)),
        ("nullable[uuid]", KrammarArray(KrammarScalar.UUID, nullable_since=0)),
        ("nullable-v3+[string]", KrammarArray(KrammarScalar.STRING, nullable_since=3)),
        ("varint[bytes]", KrammarArray(KrammarScalar.BYTES, varint=True)),
        ("[[int8]]", KrammarArray(KrammarArray(KrammarScalar.INT8))),
        ("[enum-Gate]", KrammarArray(EnumReference("Gate"))),
        ("[nullable-string]", KrammarArray(KrammarScalar.NULLABLE_STRING)),
    ],
)
def test_a_type(text: str, expected: KrammarType) -> None:
    """Nullable strings, enums and arrays."""
    assert field_of(f"Part: {text}").type == expected


@pytest.mark.parametrize(
    ("text", "inline"),
    [
        ("=>", InlineStruct(())),
        ("nullable=>", InlineStruct((), nullable=True)),
        ("[=>]", KrammarArray(InlineStruct(()))),
        ("[=>Entry]", KrammarArray(InlineStruct((), hint="Entry"))),
        ("nullable-v1+[=>Entry]", KrammarArray(InlineStruct((), hint="Entry"), nullable_since=1)),
    ],
)
def test_an_inline_struct_has_the_lines_further_in(text: str, inline: KrammarType) -> None:
    """The struct ends where a line is indented less; the next field is outside."""
    struct = struct_of(
        f"  Parts: {text}", "    Deep: =>", "      Deepest: int8", "    Inner: bool", "  After: int16"
    )
    assert [field.name for field in struct.fields] == ["Parts", "After"]
    read_type = struct.fields[0].type
    element = read_type.element if isinstance(read_type, KrammarArray) else read_type
    assert isinstance(element, InlineStruct)
    assert [field.name for field in element.fields] == ["Deep", "Inner"]
    deep = element.fields[0].type
    assert isinstance(deep, InlineStruct)
    assert deep.fields == (KrammarField("Deepest", KrammarScalar.INT8, line=4),)
    bare = InlineStruct((), element.nullable, element.hint)
    outer = (
        KrammarArray(bare, nullable_since=read_type.nullable_since)
        if isinstance(read_type, KrammarArray)
        else bare
    )
    assert outer == inline


def test_a_struct_that_was_defined_before_is_named() -> None:
    """As an element and as a field."""
    text = (
        "Pair => not top level, no encoding, flexible v0+\n  Left: int8\n\n"
        "Probe => not top level, flexible v0+\n  Pairs: nullable[Pair]\n  One: Pair\n"
    )
    pair, probe = read(text).structs
    assert not pair.encoded
    assert [field.type for field in probe.fields] == [
        KrammarArray(NamedStruct("Pair"), nullable_since=0),
        NamedStruct("Pair"),
    ]


def test_a_length_field_gives_the_length_of_bytes() -> None:
    """The fields between the two have the number of bytes that is subtracted."""
    struct = struct_of(
        "  Length: int32", "  Magic: int8", "  Crc: uint32", "  Rest: length-field-minus => Length - 5"
    )
    assert struct.fields[-1].type == LengthMinus("Length", 5)


@pytest.mark.parametrize(
    ("comment", "versions", "tag"),
    [
        ("v2+", VersionRange(2, 32767), None),
        ("v0-v3", VersionRange(0, 3), None),
        ("v4-v4", VersionRange(4, 4), None),
        ("tag 0", None, 0),
    ],
)
def test_the_comment_after_a_field(comment: str, versions: VersionRange | None, tag: int | None) -> None:
    """Versions with and without an end, and a tag."""
    assert field_of(f"Part: int32 // {comment}") == KrammarField(
        "Part", KrammarScalar.INT32, versions, tag, line=2
    )


def test_versions_with_a_tag_are_read_with_a_warning() -> None:
    """The grammar has the form; the generator would write such a field twice."""
    text = "Probe => not top level, flexible v0+\n  Part: int32 // v1+, tag 0\n"
    definitions, problems = read_definitions({"probe": text})
    assert definitions is not None
    assert definitions.structs[0].fields[0].tag == 0
    assert definitions.structs[0].fields[0].versions == VersionRange(1, 32767)
    assert [str(each) for each in problems] == [
        "probe:2: warning: with versions and a tag the field is written twice, in place and tagged: write "
        "the tag alone [tag-and-versions]"
    ]


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("int32(-1)", "-1"),
        ("int32(0x7fffffff)", "0x7fffffff"),
        ("int64(9223372036854775807)", "9223372036854775807"),
        ("bool(true)", "true"),
        ("float64(1.5)", "1.5"),
        ("enum-Lamp(-1)", "-1"),
        ("nullable-string(null)", "null"),
        ("nullable-bytes(null)", "null"),
        ("uint16(65535)", "65535"),
    ],
)
def test_a_default(text: str, default: str) -> None:
    """The text between parentheses, as written."""
    assert field_of(f"Part: {text} // v1+").default == default


def test_special_fields_have_no_type() -> None:
    """Both are int32; the number of one is a version, that of the other its default."""
    struct = struct_of(
        "  ThrottleMillis(6) // v1+",
        "  Between: int8",
        "  TimeoutMillis(60000)",
        "  RebalanceTimeoutMillis: int32",
    )
    throttle, _, timeout, rebalance = struct.fields
    assert throttle == KrammarField(
        "ThrottleMillis",
        KrammarScalar.INT32,
        VersionRange(1, 32767),
        special=SpecialField.THROTTLE,
        post_reply_since=6,
        line=2,
    )
    assert (timeout.special, timeout.default, timeout.type) == (
        SpecialField.TIMEOUT,
        "60000",
        KrammarScalar.INT32,
    )
    assert rebalance.special is None
    assert [each.default for each in struct_of("  ThrottleMillis", "  TimeoutMillis // v2+").fields] == [
        None,
        "15000",
    ]


@pytest.mark.parametrize(
    ("head", "role", "flexible", "encoded"),
    [
        ("not top level", StructRole.PLAIN, None, True),
        ("not top level, no encoding", StructRole.PLAIN, None, False),
        ("not top level, no encoding, flexible v6+", StructRole.PLAIN, 6, False),
        ("not top level, flexible v6+, no encoding", StructRole.PLAIN, 6, False),
        ("not top level, with version field", StructRole.VERSIONED, None, True),
        ("not top level, with version field, flexible v4+", StructRole.VERSIONED, 4, True),
    ],
)
def test_the_head_of_a_struct(head: str, role: StructRole, flexible: int | None, encoded: bool) -> None:
    """Modifiers are in any order."""
    struct = struct_of("  Version: int16", head=f"Probe => {head}")
    assert (struct.role, struct.flexible_since, struct.encoded) == (role, flexible, encoded)


@pytest.mark.parametrize("router", ["", "admin", "group coordinator", "txn coordinator", "share coordinator"])
def test_a_response_has_the_key_and_the_versions_of_its_request(router: str) -> None:
    """The head of a response says nothing itself."""
    modifier = f", {router}" if router else ""
    text = (
        f"ProbeRequest => key 7, max version 3{modifier}, flexible v2+\n\nProbeResponse =>\n  Code: int16\n"
    )
    request, response = read(text).structs
    assert (request.router, request.role, request.fields) == (router, StructRole.REQUEST, ())
    assert (response.key, response.max_version, response.flexible_since) == (7, 3, 2)
    assert (response.role, response.router) == (StructRole.RESPONSE, "")


def test_an_enum_names_values() -> None:
    """The values keep their order; other values of the type are valid as well."""
    lamp, gate = read("Probe => not top level\n  Part: int8\n").enums
    assert (lamp.type, lamp.values, lamp.camel_case) == (
        KrammarScalar.INT8,
        ((0, "OFF"), (3, "DEEP_RED")),
        False,
    )
    assert (gate.type, gate.values, gate.camel_case) == (KrammarScalar.INT16, ((1, "Open"),), True)


def test_comments_precede_structs_and_fields() -> None:
    """They may be apart from a struct, and of any width."""
    text = (
        "/////////\n// PROBES\n/////////\n\n// A probe.\nProbe => not top level\n  // A part.\n  //\n"
        "  // More of it.\n  Part: =>\n    // Inside.\n    Inner: int8\n  Last: int8\n// The end.\n"
    )
    (probe,) = read(text).structs
    assert [field.name for field in probe.fields] == ["Part", "Last"]
    assert probe.line == 6
