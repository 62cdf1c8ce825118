"""Cases and drawn messages of layouts whose integers have the encodings of KIP-625."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkawire.compiler import compile_layout, interpret_layout
from kafkawire.errors import EncodeError, Fault
from kafkawire.schema import KIP_625, IntegerEncoding, MessageLayout, read_message, resolve
from kafkawire.wire import INTEGER_FORMS
from wireproof.model.coverage.wire_sizes import FieldSizer, StructWireSizer, most_bytes, possible_bytes
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout
from wireproof.proof.strategies.layout_source import refused_values
from wireproof.proof.strategies.values.boundary_values import SHORT, integer_cases
from wireproof.proof.strategies.values.sized_values import tagged_data_cases

EVERY = pytest.mark.parametrize("encoding", IntegerEncoding)
LAW = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def layout_of(encoding: IntegerEncoding, flexible: str = "0+") -> MessageLayout:
    """Return a message with an int64 of this encoding in place, in arrays, in structs and tagged."""
    field = {"type": "int64", "versions": "0+", "encoding": encoding.value}
    tagged = {"taggedVersions": "0+", "tag": 0}
    inner = [
        {"name": "Number", **field, "default": "-1"},
        {"name": "Text", "type": "string", "versions": "0+"},
    ]
    rows = {"versions": "0+", "fields": inner}
    fields: list[dict[str, Any]] = [
        {"name": "Number", **field, "default": "7"},
        {"name": "Numbers", **field, "type": "[]int64"},
        {"name": "Rows", "type": "[]Row", **rows},
    ]
    if flexible != "none":
        fields.append({"name": "Row", "type": "OtherRow", **rows, **tagged})
        fields.append({"name": "Tagged", **field, "type": "[]int64", **tagged, "tag": 1})
    head = {"apiKey": 1, "type": "request", "name": "ProbeRequest", "validVersions": "0"}
    text = json.dumps({**head, "flexibleVersions": flexible, "fields": fields})
    spec, problems = read_message(text, "ProbeRequest.json", KIP_625)
    assert spec is not None, problems
    assert not problems
    return resolve(spec, 0)


@EVERY
def test_every_length_has_its_edges(encoding: IntegerEncoding) -> None:
    """The cases hold the last number of each length and the first of the next, and every length."""
    form = INTEGER_FORMS[encoding]
    values = {value for _, value in integer_cases(encoding)}
    assert len(values) == len(integer_cases(encoding)) == len(dict(integer_cases(encoding)))
    if encoding.is_fixed:
        assert integer_cases(encoding) == SHORT[encoding.integer_type]
        return
    most = -(-encoding.bits // 7)
    assert {form.size(value) for value in values} == set(range(1, most + 1))
    for bits in range(1, encoding.bits - 1):
        edge = 1 << bits
        for pair in ({edge - 1, edge}, {-edge, -edge - 1}):
            if len(set(map(form.size, pair))) == 2:
                assert pair <= values


@EVERY
@pytest.mark.parametrize("flexible", ["0+", "none"])
def test_both_codecs_take_every_case(encoding: IntegerEncoding, flexible: str) -> None:
    """Same bytes of the size that the independent sizer adds up, and the value comes back."""
    layout = layout_of(encoding, flexible)
    compiled, interpreted = compile_layout(layout), interpret_layout(layout)
    sizer, met = StructWireSizer(layout.root), set()
    for each in scenarios(layout):
        data = compiled.encode(each.value)
        assert data == interpreted.encode(each.value)
        assert len(data) == compiled.size(each.value) == interpreted.size(each.value)
        assert sizer.value_bytes(each.value) == len(data), each.name
        assert compiled.encode(compiled.decode(data)) == data
        met.add(each.name)
    expected = {f"number/{name}" for name, _ in integer_cases(encoding)}
    assert expected <= met
    assert {f"rows[].{name}" for name in expected} <= met


@EVERY
def test_one_beyond_the_range_is_refused(encoding: IntegerEncoding) -> None:
    """The refused values include both neighbours of the range, in the field and in elements."""
    layout, half = layout_of(encoding), 1 << (encoding.bits - 1)
    found = set()
    for each in refused_values(layout):
        for codec in (compile_layout(layout), interpret_layout(layout)):
            with pytest.raises(EncodeError) as refused:
                codec.encode(each.value)
        if refused.value.fault is Fault.RANGE:
            found.add(each.name)
        if each.path == "number" and refused.value.fault is Fault.RANGE:
            assert each.value["number"] in (half, -half - 1)
    ends = ("below-min", "above-max")
    assert found == {
        f"{path}/{end}"
        for path in ("number", "numbers", "rows[].number", "row.number", "tagged")
        for end in ends
    }


@pytest.mark.parametrize("encoding", [IntegerEncoding.PACKED32, IntegerEncoding.UPACKED64])
@LAW
@given(data=st.data())
def test_drawn_messages_can_be_encoded(encoding: IntegerEncoding, data: st.DataObject) -> None:
    """Drawn numbers are within the encoding's range."""
    layout = layout_of(encoding)
    value = data.draw(from_layout(layout))
    encoded = compile_layout(layout).encode(value)
    assert interpret_layout(layout).encode(value) == encoded


@EVERY
def test_tagged_data_has_the_size_of_its_name(encoding: IntegerEncoding) -> None:
    """A struct with an encoded number at its default is filled to 126 to 129 bytes."""
    (field, _) = layout_of(encoding).root.tagged
    sizes = [(name, FieldSizer(field).data_bytes(value)) for name, value in tagged_data_cases(field)]
    assert len(sizes) >= 3
    assert all(name == f"data-{size}" for name, size in sizes), sizes


@EVERY
def test_possible_sizes_are_those_of_the_cases(encoding: IntegerEncoding) -> None:
    """The set of possible sizes of a number is the set that its boundary cases have."""
    layout = layout_of(encoding, "none")
    field = layout.root.fields[0]
    found = {INTEGER_FORMS[encoding].size(value) for _, value in integer_cases(encoding)}
    assert possible_bytes(field) == sum(1 << size for size in found)
    assert most_bytes(type(layout.root)("Row", False, (field,))) == max(found)
