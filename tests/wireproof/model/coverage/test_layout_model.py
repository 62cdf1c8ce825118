"""The classes that a value covers, and the classes of a layout."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from tests.support.schemas import kitchen_sink, real_layouts
from wireproof.model.coverage.cell_coverage import Coverage
from wireproof.model.coverage.layout_model import PRINTED_AFTER, coverage_model, frame_coverage_model
from wireproof.model.coverage.value_nodes import CoverageModel

SCALARS: list[tuple[str, Any, set[str]]] = [
    ("bool", True, {"true"}),
    ("int8", -128, {"min"}),
    ("int8", 7, set()),
    ("int16", 128, {"over-int8"}),
    ("int16", 127, set()),
    ("int16", -129, {"under-int8"}),
    ("int16", 32767, {"max"}),
    ("uint16", 32767, {"last-signed"}),
    ("uint16", 32768, {"top-bit"}),
    ("int32", -1, {"-1"}),
    ("int64", 2**31, {"over-int32"}),
    ("int64", -(2**31) - 1, {"under-int32"}),
    ("int64", 2**53 + 1, {"over-int32", "no-double"}),
    ("int64", 2**63 - 1, {"max"}),
    ("float64", -0.0, {"-0"}),
    ("float64", 5e-324, {"positive", "subnormal"}),
    ("float64", -1.5, {"negative"}),
    ("float64", float("nan"), {"nan"}),
    ("uuid", UUID(int=1), {"one"}),
    ("uuid", UUID(int=2), {"other"}),
    ("string", "", {"length-0"}),
    ("string", "x" * 127, {"length-127"}),
    ("string", "é" * 64, {"length-128", "2-byte", "wide-128"}),
    ("string", "€\0x", {"3-byte", "nul"}),
    ("string", "a\0", {"nul", "nul-last"}),
    ("string", "\ufeffa\0", {"3-byte", "byte-order-mark-first", "nul", "nul-last"}),
    ("bytes", bytes(range(256)) * 64, {"length-16384", "every-byte"}),
    ("bytes", bytes(2**21 - 1), {"prefix-4"}),
    ("bytes", bytes(2**21 - 2), set()),
]


def of_type(type_: str, version: int = 0, more: str = "") -> CoverageModel:
    """Return the coverage model of a flexible message with one field."""
    text = (
        '{ "type": "data", "name": "One", "validVersions": "0", "flexibleVersions": "0+", "fields": '
        f'[{{ "name": "F", "type": "{type_}", "versions": "0+"{more} }}] }}'
    )
    return coverage_model(kitchen_sink.layout(version, text))


def met(of: CoverageModel, value: dict[str, Any], path: str = "f") -> set[str]:
    """Return the classes of one path that a value covers."""
    names = (each.rsplit("/", 1) for each in of.names(of.look(value)))
    return {name for at, name in names if at == path}


@pytest.mark.parametrize(("type_", "value", "names"), SCALARS)
def test_a_scalar_has_the_classes_of_its_values(type_: str, value: Any, names: set[str]) -> None:
    """The classes of a value are the same in a field and in an element."""
    assert met(of_type(type_), {"f": value}) == names
    if type_ != "bytes":  # definitions have no arrays of bytes
        assert met(of_type(f"[]{type_}"), {"f": [value]}, "f[]") == names


@pytest.mark.parametrize(
    ("count", "names"),
    [(0, {"count-0"}), (1, {"count-1"}), (2, {"few"}), (125, {"few"}), (127, {"count-127"}), (129, set())],
)
def test_classes_of_a_count(count: int, names: set[str]) -> None:
    """A count has a class where the length of its prefix grows."""
    assert met(of_type("[]int8"), {"f": [1] * count}) == names


def test_elements_without_a_field_cover_no_class() -> None:
    """The generated classifier and the walk agree on an array of such elements inside of another array."""
    text = """{ "type": "data", "name": "One", "validVersions": "0", "flexibleVersions": "none", "fields": [
      { "name": "Zero", "type": "int32", "versions": "0+" },
      { "name": "Outer", "type": "[]Outer", "versions": "0+", "fields": [
        { "name": "Inner", "type": "[]Inner", "versions": "0+", "fields": [
          { "name": "Only", "type": "int8", "versions": "0+" } ] } ] } ] }"""
    layout = kitchen_sink.layout(0, text)
    (zero, outer) = layout.root.fields
    assert outer.struct is not None
    (inner,) = outer.struct.fields
    assert inner.struct is not None
    empty = replace(inner, struct=replace(inner.struct, fields=()))
    outer = replace(outer, struct=replace(outer.struct, fields=(empty,)))
    of = coverage_model(replace(layout, root=replace(layout.root, fields=(zero, outer))))
    value = {"zero": 0, "outer": [{"inner": [{}, {}]}]}
    walked = of.names(of.look(value))
    for _ in range(PRINTED_AFTER):
        assert of.names(of.look(value)) == walked
    assert walked == ("zero/0", "outer/count-1", "outer[].inner/few")


def test_a_missing_key_covers_the_classes_of_the_default() -> None:
    """An absent key is the default of the type or of the field."""
    assert met(of_type("int32"), {}) == {"0"}
    assert met(of_type("int32", more=', "default": "-1"'), {}) == {"-1", "default"}
    assert met(of_type("string", more=', "nullableVersions": "0+", "default": "null"'), {}) == {"null"}
    assert met(of_type("[]int8"), {}) == {"count-0"}


def test_classes_of_a_tagged_field() -> None:
    """A tagged field has classes for its default and for the sizes at which its length prefix grows."""
    of = of_type("[]int8", more=', "taggedVersions": "0+", "tag": 0')
    assert met(of, {"f": []}) == {"default", "count-0"}
    assert met(of, {"f": [1] * 126}) == {"off-default", "count-126", "data-127"}
    unreachable = {str(of.points[bit]): str(reason) for bit, reason in of.unreachable.items()}
    assert unreachable == {
        "f/data-128": "no value takes 128 bytes",
        "_tags/below": "no number below tag 0 is free",
    }


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        ({}, {"none"}),
        ({2: b""}, {"one", "length-0", "above"}),
        ({5: b"x", 200: bytes(127)}, {"several", "length-127", "above", "two-byte-number"}),
        ({2**31 - 2: b"x"}, {"one", "above", "last-number", "two-byte-number"}),
    ],
)
def test_classes_of_unknown_tags(tags: dict[int, bytes], names: set[str]) -> None:
    """The classes are by number, by length and by position among the known tags, here 0 and 1."""
    text = """{ "type": "data", "name": "Two", "validVersions": "0", "flexibleVersions": "0+", "fields": [
        { "name": "A", "type": "int8", "versions": "0+", "taggedVersions": "0+", "tag": 0 },
        { "name": "B", "type": "int8", "versions": "0+", "taggedVersions": "0+", "tag": 1 } ] }"""
    of = coverage_model(kitchen_sink.layout(0, text))
    assert met(of, {"_tags": tags}, "_tags") == names
    if tags:
        assert met(of, {"a": 1, "_tags": tags}, "_tags") == names | {"beside-known"}


def test_equal_keys_differ_in_the_rest() -> None:
    """Two equal elements do not test a collection; elements with only key fields may be equal."""
    some = coverage_model(kitchen_sink.layout(0))
    twice = {"name": "t", "partitions": []}
    assert "equal-keys" not in met(some, {"topics": [twice, twice]}, "topics")
    assert "equal-keys" in met(some, {"topics": [twice, {"name": "t", "partitions": [{}]}]}, "topics")
    text = """{ "type": "data", "name": "K", "validVersions": "0", "flexibleVersions": "none", "fields": [
        { "name": "A", "type": "[]S", "versions": "0+", "fields": [
          { "name": "K", "type": "int8", "versions": "0+", "mapKey": true } ] } ] }"""
    assert "equal-keys" in met(coverage_model(kitchen_sink.layout(0, text)), {"a": [{"k": 1}, {"k": 1}]}, "a")


def test_an_element_is_repeated_in_a_row_and_after_another() -> None:
    """A set loses both repetitions; elements that are all equal do not show the second."""
    some = coverage_model(kitchen_sink.layout(0))
    one = {"name": "t"}
    assert "repeated" in met(some, {"topics": [one, one, {}, one]}, "topics")
    for others in ([one] * 4, [one, {}, one, one], [one, one, {}], []):
        assert "repeated" not in met(some, {"topics": others}, "topics")


def test_a_header_names_its_message() -> None:
    """In a frame the key and version of the request are fixed, and long client ids are not tried."""
    header = real_layouts.real("RequestHeader", 2)
    of = frame_coverage_model(header, 3, 12)
    assert met(of, {"requestApiKey": 3, "requestApiVersion": 12}, "header.clientId") == {"length-0"}
    unreachable = {str(of.points[bit]): str(reason) for bit, reason in of.unreachable.items()}
    assert unreachable["header.requestApiKey/max"] == "always 3 in a frame of this cell"
    assert unreachable["header.clientId/length-16384"] == "a header above 512 bytes"
    assert "header.correlationId/max" not in unreachable


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("f", {"f": None}, "f/refused-null"),
        ("f", {"f": 128}, "f/refused-high"),
        ("f", {"f": -129}, "f/refused-low"),
        ("f", {"f": 127}, None),
        ("_tags", {"_tags": {-1: b""}}, "_tags/refused-negative"),
        ("_tags", {"_tags": {2**31 - 1: b""}}, "_tags/refused-high"),
        ("_tags", {"_tags": {7: b""}}, None),
    ],
)
def test_the_fault_of_a_value_is_derived_from_the_value(
    path: str, value: dict[str, Any], name: str | None
) -> None:
    """A case without that fault covers nothing, whatever its name is."""
    of = of_type("int8")
    assert of.names(of.look_refused(path, value)) == ((name,) if name else ())


def test_covered_classes_are_counted_once() -> None:
    """Each class counts once; a class that only a known Kafka bug excuses is neither missing nor covered."""
    of = of_type("bool")
    coverage = Coverage(of)
    before = coverage.result(body=True)
    assert before.covered == 0
    assert before.below_floor
    coverage.met({"f": True})
    coverage.met({"f": True})
    coverage.excused({"f": False, "_tags": {1: b""}})
    after = coverage.result(body=True)
    assert after.covered == 2  # true, and no unknown tag
    assert "f/true" not in after.missing
    assert "f/false" not in after.missing
    assert {"f/false", "_tags/one"} <= set(after.excused)
    assert not coverage.result(body=False).below_floor


def test_an_excused_class_is_neither_covered_nor_missing() -> None:
    """This holds for a header, for a field that the version lacks, and for a value to be refused, each in its
    own part."""
    frame = Coverage(of_type("int8"), of_type("bool"))
    frame.excused_header({"f": True})
    frame.excused_refused("f", {"f": None})
    assert {"f/true", "f/refused-null"} <= set(frame.result(body=True, header=True).excused)
    lacks = Coverage(coverage_model(real_layouts.real("FetchRequest", 12)))
    before = set(lacks.result(body=True, absent=True).missing)
    lacks.excused_absent({"topics": [{"topicId": UUID(int=7)}]})
    after = lacks.result(body=True, absent=True)
    assert set(after.excused)
    assert set(after.excused) == before - set(after.missing)


def test_an_unreachable_class_that_is_covered_disproves_its_reason() -> None:
    """The cell is then below the required coverage, whichever case covers the class."""
    of = of_type("[]int8", more=', "taggedVersions": "0+", "tag": 0')
    coverage = Coverage(of)
    coverage.again(of.doubtful & 1 << of.names(-1).index("f/data-128"))
    result = coverage.result(body=False)
    assert result.contradicted == ("f/data-128",)
    assert result.below_floor
