"""The key `encoding` of KIP-625: its readers, its errors, and the layouts that it leads to."""

import re

import pytest

from kafkawire import bundled
from kafkawire.compiler import compile_layout, interpret_layout
from kafkawire.errors import EncodeError, Fault
from kafkawire.schema import (
    BEFORE_4_0,
    KIP_625,
    TODAY,
    Effect,
    IntegerEncoding,
    MessageSpec,
    SchemaSet,
    Severity,
    compare_layouts,
    read_message,
    read_snapshot,
    resolve,
    write_snapshot,
)
from tests.kafkawire.schema.refused_schemas import schema

WIDENING = '{ "0-1": "fixed32", "2+": "fixed64" }'


def field(encoding: str, type_: str = "int64", more: str = "") -> str:
    return f'{{ "name": "Small", "type": "{type_}", "versions": "0+", {more}\n  "encoding": {encoding} }}'


def message(encoding: str, type_: str = "int64") -> MessageSpec:
    spec, problems = read_message(schema(field(encoding, type_)), "Probe.json", KIP_625)
    assert spec is not None, problems
    assert not problems
    return spec


@pytest.mark.parametrize("dialect", [TODAY, BEFORE_4_0], ids=["today", "3.9"])
@pytest.mark.parametrize("encoding", [WIDENING, '"packed64"', '"unsigned32"', "null"])
def test_kafkas_generators_refuse_the_key(encoding: str, dialect: object) -> None:
    """It is an unknown key to them, whatever its value."""
    spec, (problem,) = read_message(schema(field(encoding)), "Probe.json", dialect)  # type: ignore[arg-type]
    assert spec is None
    assert problem.severity is Severity.ERROR
    assert problem.text.startswith("unknown key 'encoding': expected one of about, default, ")


@pytest.mark.parametrize(
    ("encoding", "by_version"),
    [
        ('"packed64"', ["packed64"] * 4),
        (WIDENING, ["fixed32", "fixed32", None, None]),
        (
            '{ "2+": "upacked16", "0": "packed32", "1": "packed16" }',
            ["packed32", "packed16", *["upacked16"] * 2],
        ),
        ('"fixed64"', [None] * 4),
        ("null", [None] * 4),
    ],
)
@pytest.mark.parametrize("array", [False, True], ids=["field", "array"])
def test_each_version_has_its_encoding(encoding: str, by_version: list[str | None], array: bool) -> None:
    """A name holds for all versions, an object for its ranges; the type's own encoding is as if not given."""
    spec = message(encoding, "[]int64" if array else "int64")
    found = [resolve(spec, version).root.fields[0].encoding for version in range(4)]
    assert found == by_version


def test_the_full_width_is_the_layout_without_the_key() -> None:
    """The layouts are equal, so their generated code is the same."""
    plain, problems = read_message(schema(field("null", "int32")), "Probe.json", KIP_625)
    assert plain is not None
    assert not problems
    for version in range(4):
        given, without = resolve(message('"fixed32"', "int32"), version), resolve(plain, version)
        assert given == without
        assert compile_layout(given).source == compile_layout(without).source


@pytest.mark.parametrize(
    ("encoding", "type_", "words", "rule"),
    [
        ('"fixed32"', "string", "int16, int32, int64 and their arrays, not for string", "encoding-type"),
        ('"fixed32"', "uint32", "not for uint32", "encoding-type"),
        ('"packed16"', "int8", "not for int8", "encoding-type"),
        ('"packed16"', "[]string", r"not for \[\]string", "encoding-type"),
        ('{ "0-1": "fixed32" }', "int32", r"versions 0-1, the field 0\+", "encoding-versions"),
        (
            '{ "0-1": "fixed32", "3+": "packed32" }',
            "int32",
            r"versions 0-1, 3\+, the field 0\+",
            "encoding-versions",
        ),
        ('{ "1+": "fixed32" }', "int32", r"versions 1\+, the field 0\+", "encoding-versions"),
        (
            '{ "0-2": "fixed32", "2+": "packed32" }',
            "int32",
            r"two for the versions 2: 0-2 and 2\+ overlap",
            "encoding-overlap",
        ),
        (
            '{ "0-1": "fixed32", "2+": "packed32", "2+": "fixed32" }',
            "int32",
            r"the range '2\+' twice",
            "encoding-overlap",
        ),
        ('"unsigned32"', "int32", "there is no encoding 'unsigned32'", "encoding-name"),
        ('"packed8"', "int32", "there is no encoding 'packed8'", "encoding-name"),
        ('"upacked"', "int32", "there is no encoding 'upacked'", "encoding-name"),
        ('{ "0+": "Packed32" }', "int32", "there is no encoding 'Packed32'", "encoding-name"),
        ('{ "0-": "packed32" }', "int32", "'0-' is not a range", "versions-syntax"),
        ("{ }", "int32", "no range of versions", "encoding-syntax"),
        ('["packed32"]', "int32", "not an array", "encoding-syntax"),
        ('{ "0+": { } }', "int32", "wants text", "encoding-syntax"),
        (
            '"fixed64"',
            "int32",
            "fixed64 of versions 0\\+ is wider than int32: use one of 32 bits",
            "encoding-too-wide",
        ),
        (
            '{ "0": "packed16", "1+": "packed32" }',
            "int16",
            "packed32 of versions 1\\+ is wider than int16",
            "encoding-too-wide",
        ),
    ],
)
def test_an_encoding_is_refused(encoding: str, type_: str, words: str, rule: str) -> None:
    """KIP-625's errors, and those that keep every value readable; each with the field and a line."""
    _, problems = read_message(schema(field(encoding, type_)), "Probe.json", KIP_625)
    errors = [each for each in problems if each.severity is Severity.ERROR]
    assert [each.path for each in errors] == ["small"]
    assert all(each.line > 0 for each in errors)
    assert [each.rule for each in errors] == [rule]
    assert re.search(words, errors[0].text), errors[0].text


def test_the_kips_own_example_is_not_json() -> None:
    """KIP-625 writes `"2+", "2+": "fixed64"`: a slip, and a syntax error with its line."""
    slip = '{ "0-1": "fixed32", "2+", "2+": "fixed64" }'
    spec, (problem,) = read_message(schema(field(slip)), "Probe.json", KIP_625)
    assert spec is None
    assert problem.line > 0


def test_a_default_must_fit_every_encoding() -> None:
    """Otherwise a version could not write a message that leaves the field out."""
    for default, fits in (("2147483647", True), ("2147483648", False), ("-2147483649", False)):
        text = schema(field(WIDENING, more=f'"default": "{default}",'))
        _, problems = read_message(text, "Probe.json", KIP_625)
        assert bool(problems) is not fits
        assert all("does not fit fixed32 of versions 0-1" in each.text for each in problems)
        assert all(each.rule == "encoding-default" for each in problems)


def test_widening_promotes_and_checks_the_range() -> None:
    """KIP-625's path from 32 to 64 bits: old versions promote on reading and check the range on writing."""
    spec = message(WIDENING)
    for make in (compile_layout, interpret_layout):
        old, new = make(resolve(spec, 1)), make(resolve(spec, 2))
        assert old.encode({"small": -(2**31)}) == b"\x80\0\0\0"
        assert old.decode(b"\x80\0\0\0") == {"small": -(2**31)}
        assert new.encode({"small": 2**31})[:8] == b"\0\0\0\0\x80\0\0\0"
        for number in (2**31, -(2**31) - 1):
            with pytest.raises(EncodeError) as refused:
                old.encode({"small": number})
            assert (refused.value.fault, refused.value.path) == (Fault.RANGE, "small")


@pytest.mark.parametrize("encoding", ["packed32", "upacked32", "fixed32"])
def test_an_element_too_wide_is_refused_at_its_place(encoding: str) -> None:
    """Arrays check each element, and name it."""
    layout = resolve(message(f'{{ "0-1": "{encoding}", "2+": "fixed64" }}', "[]int64"), 1)
    for codec in (compile_layout(layout), interpret_layout(layout)):
        with pytest.raises(EncodeError) as refused:
            codec.encode({"small": [1, 2**31, 1]})
        assert (refused.value.fault, refused.value.path) == (Fault.RANGE, "small[1]")
        assert codec.decode(codec.encode({"small": [1, -1]})) == {"small": [1, -1]}


def test_a_snapshot_keeps_encodings() -> None:
    """A written snapshot is read again, and gives the same layouts."""
    for encoding in (WIDENING, '"upacked64"'):
        spec = message(encoding)
        schemas = SchemaSet("9.9.0", {"clients": {spec.name: spec}})
        text = write_snapshot(schemas)
        assert '"encoding":{"0' in text
        _, found = read_snapshot(text).find(spec.name)
        assert [resolve(found, each) for each in range(4)] == [resolve(spec, each) for each in range(4)]


def test_changes_of_an_encoding_have_effects() -> None:
    """A wider type with the bytes of before leaves the wire alone; another encoding changes it."""
    narrow, wide = message('"fixed32"', "int32"), message(WIDENING)
    (same,) = compare_layouts(resolve(narrow, 0), resolve(wide, 0))
    assert (str(same), same.effect) == ("small: range: int32 -> int64", Effect.WORDS)
    (other,) = compare_layouts(resolve(narrow, 2), resolve(wide, 2))
    assert (str(other), other.effect) == ("small: type: int32 -> int64", Effect.BYTES)
    packed = resolve(message('"packed32"', "int32"), 0)
    (moved,) = compare_layouts(resolve(narrow, 0), packed)
    assert (str(moved), moved.effect) == ("small: type: int32 -> packed32", Effect.BYTES)
    assert compare_layouts(packed, packed) == ()


def test_there_are_nine_names() -> None:
    """KIP-625: the names match (fixed|packed|upacked)(16|32|64)."""
    kinds, widths = ("fixed", "packed", "upacked"), (16, 32, 64)
    assert list(IntegerEncoding) == [f"{kind}{bits}" for kind in kinds for bits in widths]


def test_released_messages_have_no_encoding() -> None:
    """So their generated code has no step for one: it is what it was before KIP-625."""
    for name in bundled.messages():
        for version in bundled.versions(name):
            layout = bundled.layout(name, version)
            assert all(field.encoding is None for _, _, field in layout.walk())
            assert all(field.range_type is field.scalar for _, _, field in layout.walk())
            assert "INTEGER_FORMS" not in compile_layout(layout).source
    packed = compile_layout(resolve(message('"packed32"'), 0))
    assert "INTEGER_FORMS" in packed.source
