"""The canonical binary, byte by byte."""

import struct
from typing import Any
from uuid import UUID

import pytest

from kafkawire.canonical import canonical
from kafkawire.canonical._writing import write_struct
from kafkawire.compiler import compile_layout
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.schema import MessageLayout
from tests.support.schemas.kitchen_sink import layout, message
from tests.support.schemas.real_layouts import all_layouts, real


def field(name: str, kind: str, more: str = "") -> str:
    return f'{{"name": "{name}", "type": "{kind}", "versions": "0+"{more}}}'


NULLABLE = ', "nullableVersions": "0+"'

FORMS: list[tuple[str, Any, str]] = [
    (field("It", "bool"), True, "01"),
    (field("It", "int8"), -1, "ff"),
    (field("It", "int16"), -2, "fffe"),
    (field("It", "uint16"), 65535, "ffff"),
    (field("It", "int32"), 1, "00000001"),
    (field("It", "uint32"), 2**32 - 1, "ffffffff"),
    (field("It", "int64"), -1, "ff" * 8),
    (field("It", "float64"), -0.0, "8000000000000000"),
    (field("It", "uuid"), UUID(int=1), "00" * 15 + "01"),
    (field("It", "string"), "é", "00000002 c3a9"),
    (field("It", "string", NULLABLE), None, "ffffffff"),
    (field("It", "bytes"), b"\1", "00000001 01"),
    (field("It", "records"), None, "ffffffff"),
    (field("It", "[]int16"), [1, 2], "00000002 0001 0002"),
    (field("It", "[]bool"), [True], "00000001 01"),
    (field("It", "[]string", NULLABLE), None, "ffffffff"),
    (field("It", "[]string"), ["a", ""], "00000002 00000001 61 00000000"),
    (field("It", "In", ', "fields": [' + field("X", "int8") + "]"), {"x": 5}, "05 00000000"),
    (field("It", "In", NULLABLE + ', "fields": [' + field("X", "int8") + "]"), {"x": 5}, "01 05 00000000"),
    (field("It", "In", NULLABLE + ', "fields": [' + field("X", "int8") + "]"), None, "00"),
    (field("It", "[]In", ', "fields": [' + field("X", "int8") + "]"), [{"x": 5}], "00000001 05 00000000"),
    (field("It", "int8", ', "taggedVersions": "0+", "tag": 0'), 0, "00"),
]


@pytest.mark.parametrize(("fields", "value", "form"), FORMS)
def test_each_type_has_its_form(fields: str, value: Any, form: str) -> None:
    """Every field is in place, lengths are int32, and the count of unknown tags follows a flexible struct."""
    form_of = canonical(message(fields))
    expected = bytes.fromhex(form + "00000000")
    assert form_of.to_binary({"it": value}) == expected
    assert form_of.from_binary(expected) == {"it": value}


def test_unknown_tags_are_in_ascending_order() -> None:
    """Tag, size and data follow the fields; a version that is not flexible has none."""
    form = canonical(real("ApiVersionsRequest", 3))
    value = {"_tags": {300: b"", 7: b"ab"}}
    data = form.to_binary(value)
    assert data == bytes(8) + bytes.fromhex("00000002 00000007 00000002 6162 0000012c 00000000")
    assert form.from_binary(data)["_tags"] == {7: b"ab", 300: b""}
    assert canonical(real("ApiVersionsRequest", 0)).to_binary({}) == b""


@pytest.mark.parametrize(
    "bits", ["7ff8000000000001", "7ff4000000000000", "fff8000000000000", "7ff0000000000000"]
)
def test_bits_of_doubles_are_kept(bits: str) -> None:
    """Payloads and signs of NaN are kept, in both forms and through a codec."""
    layout_ = message(field("It", "float64") + "," + field("All", "[]float64"))
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    form = canonical(layout_)
    data = form.to_binary({"it": number, "all": [number]})
    assert data == bytes.fromhex(bits + "00000001" + bits + "00000000")
    assert form.to_binary(form.from_binary(data)) == data
    text = form.to_json({"it": number, "all": [number]})
    assert text == f'{{"it":"0x{bits}","all":["0x{bits}"]}}'
    assert form.to_binary(form.from_json(text)) == data
    codec = compile_layout(layout_)
    assert form.to_binary(codec.decode(codec.encode({"it": number, "all": [number]}))) == data


@pytest.mark.parametrize("cell", all_layouts(), ids=lambda cell: f"{cell.name}-v{cell.version}")
def test_every_cell_has_one_canonical_form(cell: MessageLayout) -> None:
    """The generated writer and the walking one agree; binary and JSON are read back."""
    form = canonical(cell)
    data = form.to_binary({})
    value = form.from_binary(data)
    assert data == b"".join(write_struct(cell.root, {})) == form.to_binary(value)
    assert form.from_json(form.to_json({})) == value == form.from_json("{}")


@pytest.mark.parametrize(
    ("value", "fault", "path"),
    [
        (
            {"topics": [{"partitions": [{"fetchOffset": "x"}]}]},
            Fault.TYPE,
            "topics[0].partitions[0].fetchOffset",
        ),
        ({"maxWaitMs": 2**31}, Fault.RANGE, "maxWaitMs"),
        ({"topics": None}, Fault.NULL, "topics"),
        ({"topics": {}}, Fault.TYPE, "topics"),
        ({"rackId": b"a"}, Fault.TYPE, "rackId"),
        ({"rackId": "\udc80"}, Fault.UTF8, "rackId"),
        ({"bogus": 1}, Fault.UNKNOWN_FIELD, "bogus"),
        ({"replicaState": {"replicaId": 1}}, Fault.NOT_IN_VERSION, "replicaState"),
        ({"_tags": {1: b""}}, Fault.TAG, "_tags[1]"),
        (7, Fault.TYPE, ""),
    ],
)
def test_invalid_values_are_refused(value: Any, fault: Fault, path: str) -> None:
    """Both forms give the same fault and path."""
    form = canonical(real("FetchRequest", 12))
    for write in (form.to_binary, form.to_json):
        with pytest.raises(EncodeError) as caught:
            write(value)
        assert (caught.value.fault, caught.value.path) == (fault, path)


@pytest.mark.parametrize(
    ("data", "fault", "path", "offset"),
    [
        ("", Fault.TRUNCATED, "clientSoftwareName", 0),
        ("ffffffff", Fault.NULL, "clientSoftwareName", 0),
        ("fffffffe", Fault.LENGTH, "clientSoftwareName", 0),
        ("00000001 ff", Fault.UTF8, "clientSoftwareName", 0),
        ("00000000 00000000 00000001 00000007", Fault.TRUNCATED, "_tags", 16),
        ("00000000 00000000 00000000 00", Fault.TRAILING, "", 12),
        ("00000000 00000000 ffffffff", Fault.NULL, "_tags", 8),
        ("00000000 00000000 00000002 00000007 00000000 00000007 00000000", Fault.TAG_ORDER, "_tags", 20),
    ],
)
def test_invalid_bytes_are_refused(data: str, fault: Fault, path: str, offset: int) -> None:
    """The error has fault, path and offset."""
    with pytest.raises(DecodeError) as caught:
        canonical(real("ApiVersionsRequest", 3)).from_binary(bytes.fromhex(data))
    assert (caught.value.fault, caught.value.path, caught.value.offset) == (fault, path, offset)


def test_a_decoded_value_has_the_form_of_the_encoded_one() -> None:
    """A message with every type: a decoded value has the canonical form of the encoded one."""
    for version in (0, 1, 2):
        cell = layout(version)
        codec, form = compile_layout(cell), canonical(cell)
        value = {"snapshot": b""}
        assert form.to_binary(codec.decode(codec.encode(value))) == form.to_binary(value)
