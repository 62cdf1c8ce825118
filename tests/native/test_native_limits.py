"""Limits of the native codec: it answers plain values up to them itself, and refuses what is beyond."""

import math
from typing import Any
from uuid import UUID, SafeUUID

import pytest

from kafkawire.canonical._native_table import native_table
from kafkawire.canonical._writing import write_struct
from kafkawire.compiler import compile_layout, interpret_layout
from kafkawire.compiler.native import fastest_codec, make_table
from kafkawire.errors import DecodeError, EncodeError
from kafkawire.native_module import native_state
from kafkawire.schema import MessageLayout
from tests.native.test_native_laws import outcome
from tests.support.schemas.kitchen_sink import message
from tests.support.schemas.real_layouts import real

LENGTHS = (0, 1, 126, 127, 128, 16382, 16383, 16384, 32767)
PLAIN: dict[str, list[Any]] = {
    "bool": [True, False],
    "int8": [-(2**7), 2**7 - 1],
    "int16": [-(2**15), 2**15 - 1, -2],
    "uint16": [0, 2**16 - 1, 5],
    "int32": [-(2**31), 2**31 - 1, -2],
    "uint32": [0, 2**32 - 1, 5],
    "int64": [-(2**63), 2**63 - 1, -2],
    "float64": [0.1, -0.0, math.nan, 2**53, -(2**53)],
    "uuid": [UUID(int=2**128 - 2), UUID(int=5)],
    "string": [*("a" * length for length in LENGTHS), "é\U0001f600"],
    "bytes": [*(b"a" * length for length in LENGTHS), bytearray(b"z")],
    "records": [b"", b"r"],
}
FLEXIBLE = [True, False]
NULLABLE = ["string", "bytes", "[]int8", "[]string", "[]S", "S"]
NESTED = ', "fields": [{"name": "B", "type": "int8", "versions": "0+"}]'


def never(*_: Any) -> Any:
    raise AssertionError("a Python codec was asked")


def native_module() -> Any:
    return native_state().module


def alone(layout: MessageLayout) -> Any:
    """A native codec that no other one helps."""
    return native_module().Codec(make_table(layout), (UUID, SafeUUID.unknown), (never,) * 4)


def one_field(kind: str, more: str = "", *, flexible: bool) -> MessageLayout:
    field = f'{{"name": "A", "type": "{kind}", "versions": "0+"{more}}}'
    return message(field, flexible="0+" if flexible else "none")


def assert_alone(layout: MessageLayout, value: dict[str, Any]) -> None:
    """Both directions, the size and the canonical binary, without another codec."""
    native, interpreted = alone(layout), interpret_layout(layout)
    data = interpreted.encode(value)
    assert (native.encode(value), native.size(value)) == (data, len(data))
    assert outcome(native.decode, data) == outcome(interpreted.decode, data)
    form = native_module().Canonical(native_table(layout.root), UUID, never)
    assert form.to_binary(value) == b"".join(write_struct(layout.root, value))


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("flexible", FLEXIBLE)
def test_plain_values_need_no_other_codec(kind: str, flexible: bool) -> None:
    """Values of each type at its limits, alone, in arrays, and tagged."""
    places = [one_field(kind, flexible=flexible)]
    if flexible and kind != "records":
        places.append(one_field(kind, ', "taggedVersions": "0+", "tag": 0', flexible=True))
    for layout in places:
        for value in PLAIN[kind]:
            assert_alone(layout, {"a": value})
    if kind not in ("records", "bytes"):
        assert_alone(one_field(f"[]{kind}", flexible=flexible), {"a": PLAIN[kind]})


@pytest.mark.parametrize("flexible", FLEXIBLE)
@pytest.mark.parametrize("count", [0, 1, 2, 126, 127, 128, 4096, 4097, 5000])
def test_arrays_need_no_other_codec(flexible: bool, count: int) -> None:
    """Arrays of numbers, strings and structs at the limits of their prefix and of what is made at once."""
    for kind, item in (("int32", -3), ("string", "ab"), ("uuid", UUID(int=1))):
        assert_alone(one_field(f"[]{kind}", flexible=flexible), {"a": [item] * count})
    assert_alone(one_field("[]S", NESTED, flexible=flexible), {"a": [{"b": 1}] * count})


def test_whole_messages_need_no_other_codec() -> None:
    """A message with everything, an empty one, and one with unknown tags in its structs."""
    layout = real("MetadataResponse", 12)
    value = compile_layout(layout).decode(
        compile_layout(layout).encode({"topics": [{"name": "t", "_tags": {5: b"a", 3: b""}}, {}]})
    )
    for each in ({}, value, {**value, "_tags": {2**31 - 2: b"x", 99: b""}}):
        assert_alone(layout, each)
    assert_alone(real("MetadataRequest", 0), {"topics": [{"name": "t"}]})
    fetch = real("FetchRequest", 12)  # its field `clusterId` is tagged
    whole = {"clusterId": "c", "topics": [{"topic": "t", "partitions": [{}]}], "_tags": {7: b""}}
    assert_alone(fetch, compile_layout(fetch).decode(compile_layout(fetch).encode(whole)))


def containers(value: Any) -> list[Any]:
    """Every list and dict in a value."""
    inner = list(value.values()) if type(value) is dict else value if type(value) is list else []
    found = [value] if type(value) in (dict, list) else []
    return [*found, *(each for item in inner for each in containers(item))]


@pytest.mark.parametrize("flexible", FLEXIBLE)
def test_equal_neighbours_share_nothing_that_changes(flexible: bool) -> None:
    """Structs that begin as a copy of the one before: equal, or different in a field, or with tags."""
    kinds = [kind for kind in PLAIN if kind != "records"] + ["[]int32", "[]string", "S", "[]S"]
    tagged = ', "taggedVersions": "0+", "tag": %d'
    fields, one, other = [], {}, {}
    for place, kind in enumerate(kinds * (1 + flexible)):
        more = tagged % (place - len(kinds)) if place >= len(kinds) else ""
        inner = NESTED.replace('"B"', f'"B{place}"') if "S" in kind else ""
        name = kind.replace("S", f"S{place}")
        fields.append(f'{{"name": "F{place}", "type": "{name}", "versions": "0+"{more}{inner}}}')
        struct = {f"b{place}": 3}
        extra: dict[str, Any] = {"[]int32": [1], "[]string": ["x", "x"], "S": struct, "[]S": [struct] * 2}
        one[f"f{place}"] = extra[kind] if kind in extra else PLAIN[kind][-1]
        if place < len(kinds):
            other[f"f{place}"] = PLAIN[kind][0] if kind in PLAIN else one[f"f{place}"]
    row = f', "fields": [{", ".join(fields)}]'
    layout = message(
        f'{{"name": "A", "type": "[]R", "versions": "0+"{row}}}', flexible="0+" if flexible else "none"
    )
    untagged = {key: one[key] for key in other}
    changed = [{**other, key: one[key]} for key in other]
    rows = [other, other, *changed, {}, {}, untagged, untagged, one, one, untagged, untagged]
    if flexible:
        rows += [{"_tags": {99: b"x"}}, other, other, {**one, "_tags": {99: b"y"}}, untagged, untagged]
    assert_alone(layout, {"a": rows})
    held = containers(alone(layout).decode(interpret_layout(layout).encode({"a": rows})))
    assert len({id(each) for each in held}) == len(held)


@pytest.mark.parametrize("flexible", FLEXIBLE)
def test_longer_text_is_refused(flexible: bool) -> None:
    """A string of 32,768 bytes has no form, though its length fits the varint."""
    layout = one_field("string", flexible=flexible)
    expected = outcome(interpret_layout(layout).encode, {"a": "a" * 32768})
    assert expected[0] is EncodeError
    assert outcome(fastest_codec(layout).encode, {"a": "a" * 32768}) == expected


@pytest.mark.parametrize("kind", NULLABLE)
@pytest.mark.parametrize("flexible", FLEXIBLE)
def test_null_needs_no_other_codec(kind: str, flexible: bool) -> None:
    """A null and a value in a nullable field of each kind."""
    layout = one_field(kind, ', "nullableVersions": "0+"' + NESTED * ("S" in kind), flexible=flexible)
    some: dict[str, Any] = {"string": "x", "bytes": b"x", "S": {"b": 1}}
    for value in (None, some.get(kind, [])):
        assert_alone(layout, {"a": value})


@pytest.mark.parametrize("kind", NULLABLE)
@pytest.mark.parametrize("flexible", FLEXIBLE)
def test_null_is_refused_where_it_is_not_allowed(kind: str, flexible: bool) -> None:
    """Neither a value nor bytes with a null in a field that has none."""
    layout = one_field(kind, NESTED * ("S" in kind), flexible=flexible)
    native, interpreted = fastest_codec(layout), interpret_layout(layout)
    expected = outcome(interpreted.encode, {"a": None})
    assert expected[0] is EncodeError
    assert outcome(native.encode, {"a": None}) == expected
    form = native_module().Canonical(native_table(layout.root), UUID, lambda value: b"refused")
    assert form.to_binary({"a": None}) == b"refused"
    for null in (b"\0\0", b"\xff\xff", b"\xff" * 4):
        assert outcome(native.decode, null) == outcome(interpreted.decode, null)


def test_tags_have_limits() -> None:
    """A tag beyond the highest one, and a key beside the tags that no version has."""
    layout = real("ApiVersionsRequest", 3)
    native, interpreted = fastest_codec(layout), interpret_layout(layout)
    for value in (
        {"_tags": {2**31 - 1: b""}},
        {"_tags": {99: b""}, "other": 1},
        {"_tags": {99: b""}, "_x": 1},
    ):
        expected = outcome(interpreted.encode, value)
        assert expected[0] is EncodeError
        assert outcome(native.encode, value) == expected
    fetch = real("FetchRequest", 12)  # its own tag is 0, and 1 has a meaning in other versions
    for taken in (0, 1):
        expected = outcome(interpret_layout(fetch).encode, {"_tags": {taken: b""}})
        assert expected[0] is EncodeError
        assert outcome(fastest_codec(fetch).encode, {"_tags": {taken: b""}}) == expected
        form = native_module().Canonical(native_table(fetch.root), UUID, lambda value: b"refused")
        assert form.to_binary({"_tags": {taken: b""}}) == b"refused"
    body = interpreted.encode({})[:-1]
    for tag, kind in ((b"\xff\xff\xff\xff\x07", DecodeError), (b"\xfe\xff\xff\xff\x07", "value")):
        expected = outcome(interpreted.decode, body + b"\1" + tag + b"\0")
        assert expected[0] == kind
        assert outcome(native.decode, body + b"\1" + tag + b"\0") == expected


@pytest.mark.parametrize(
    "length", ["83 80 80 80 00", "83 00", "ff ff ff ff 0f", "83 80 80 80 10", "83 80 80 80 80 00"]
)
def test_varints_have_limits(length: str) -> None:
    """Longer forms than need be, lengths of 2^31 and more, and more than 32 bits."""
    layout = one_field("string", flexible=True)
    data = bytes.fromhex(length) + b"ab\0"
    assert outcome(fastest_codec(layout).decode, data) == outcome(interpret_layout(layout).decode, data)


def test_a_default_that_is_no_number_is_written() -> None:
    """NaN is never at the default, not even the default itself as the decoder gives it."""
    layout = one_field("float64", ', "taggedVersions": "0+", "tag": 0, "default": "NaN"', flexible=True)
    value = fastest_codec(layout).decode(b"\0")
    assert fastest_codec(layout).encode(value) == interpret_layout(layout).encode(value) != b"\0"
