"""Canonical JSON, as text."""

from typing import Any
from uuid import UUID

import pytest

from kafkawire.canonical import canonical
from kafkawire.errors import DecodeError, Fault
from tests.support.schemas.kitchen_sink import message
from tests.support.schemas.real_layouts import real


def one(kind: str, more: str = "") -> Any:
    """Return the form of a message with one field, `it`."""
    return canonical(message(f'{{"name": "It", "type": "{kind}", "versions": "0+"{more}}}'))


NULLABLE = ', "nullableVersions": "0+"'

TEXTS: list[tuple[str, str, Any, str]] = [
    ("bool", "", True, "true"),
    ("int8", "", -128, "-128"),
    ("uint16", "", 65535, "65535"),
    ("int32", "", -(2**31), "-2147483648"),
    ("uint32", "", 2**32 - 1, '"4294967295"'),
    ("int64", "", -(2**63), '"-9223372036854775808"'),
    ("float64", "", 0.1, "0.1"),
    ("float64", "", 1e300, "1e+300"),
    ("float64", "", 0.0, "0.0"),
    ("float64", "", -0.0, '"0x8000000000000000"'),
    ("float64", "", float("inf"), '"0x7ff0000000000000"'),
    ("uuid", "", UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    ("string", "", 'é"\n\U0001f600', '"é\\"\\n\U0001f600"'),
    ("string", NULLABLE, None, "null"),
    ("bytes", "", b"\0\xab", '"00ab"'),
    ("records", "", None, "null"),
    ("records", "", b"", '""'),
    ("[]int64", "", [1, -1], '["1","-1"]'),
    ("[]string", NULLABLE, None, "null"),
    ("In", ', "fields": [{"name": "X", "type": "int8", "versions": "0+"}]', {"x": 1}, '{"x":1}'),
]


@pytest.mark.parametrize(("kind", "more", "value", "text"), TEXTS)
def test_each_type_has_its_text(kind: str, more: str, value: Any, text: str) -> None:
    """The text has no white space and loses nothing: the value is read back."""
    form = one(kind, more)
    assert form.to_json({"it": value}) == f'{{"it":{text}}}'
    assert repr(form.from_json(f'{{"it":{text}}}')) == repr({"it": value})


def test_unknown_tags_are_written() -> None:
    """They are in _tags, by ascending tag, in hexadecimal."""
    form = canonical(real("ApiVersionsRequest", 3))
    text = '{"clientSoftwareName":"","clientSoftwareVersion":"","_tags":{"7":"6162","300":""}}'
    assert form.to_json({"_tags": {300: b"", 7: b"ab"}}) == text
    assert form.from_json(text)["_tags"] == {7: b"ab", 300: b""}


def test_absent_keys_are_defaults() -> None:
    """Sparse values and sparse text give the full form."""
    form = canonical(real("FetchRequest", 12))
    full = form.from_json("{}")
    assert form.from_json(form.to_json({})) == full
    assert full["maxBytes"] == 2**31 - 1
    assert list(full) == [field.name for field in form.layout.root.all_fields]


@pytest.mark.parametrize(
    ("kind", "text", "fault", "path"),
    [
        ("bool", '{"it":1}', Fault.TYPE, "it"),
        ("int8", '{"it":128}', Fault.RANGE, "it"),
        ("int8", '{"it":1.0}', Fault.TYPE, "it"),
        ("int8", '{"it":true}', Fault.TYPE, "it"),
        ("int64", '{"it":1}', Fault.TYPE, "it"),
        ("int64", '{"it":"9223372036854775808"}', Fault.RANGE, "it"),
        ("int64", '{"it":"581072438321850875904"}', Fault.RANGE, "it"),
        ("int64", '{"it":" 1"}', Fault.TYPE, "it"),
        ("float64", '{"it":NaN}', Fault.TYPE, ""),
        ("float64", '{"it":"NaN"}', Fault.TYPE, "it"),
        ("float64", '{"it":1' + "0" * 400 + "}", Fault.RANGE, "it"),
        ("int8", '{"it":1' + "0" * 5000 + "}", Fault.TYPE, ""),
        ("uuid", '{"it":"00000000000000000000000000000001"}', Fault.TYPE, "it"),
        ("string", '{"it":null}', Fault.NULL, "it"),
        ("string", '{"it":"\\ud800"}', Fault.UTF8, "it"),
        ("bytes", '{"it":"AB"}', Fault.TYPE, "it"),
        ("bytes", '{"it":"a"}', Fault.TYPE, "it"),
        ("bytes", '{"it":"0a 0b"}', Fault.TYPE, "it"),
        ("bytes", '{"it":" "}', Fault.TYPE, "it"),
        ("records", '{"it":"xy"}', Fault.TYPE, "it"),
        ("bytes", '{"it":7}', Fault.TYPE, "it"),
        ("[]int8", '{"it":[1,"x"]}', Fault.TYPE, "it[1]"),
        ("[]int8", '{"it":{}}', Fault.TYPE, "it"),
        ("int8", '{"it":1,"it":1}', Fault.TYPE, ""),
        ("int8", '{"other":1}', Fault.UNKNOWN_FIELD, "other"),
        ("int8", '{"_tags":{"-1":""}}', Fault.TAG, "_tags[-1]"),
        ("int8", '{"_tags":{"1":"x"}}', Fault.TYPE, "_tags[1]"),
        ("int8", '{"_tags":[]}', Fault.TYPE, "_tags"),
        ("int8", "[]", Fault.TYPE, ""),
        ("int8", '{"it":1', Fault.TYPE, ""),
        ("int8", "[" * 100000, Fault.TYPE, ""),
    ],
)
def test_other_text_is_refused(kind: str, text: str, fault: Fault, path: str) -> None:
    """Each type has only its canonical spelling."""
    with pytest.raises(DecodeError) as caught:
        one(kind).from_json(text)
    assert (caught.value.fault, caught.value.path) == (fault, path)
