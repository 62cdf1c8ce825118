"""The compiled codec and the interpreted one give and refuse the same, for every layout and any input."""

import struct
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkawire.canonical import Canonical
from kafkawire.compiler import interpret_layout
from kafkawire.compiler._interpreted_decode import holds_free_elements
from kafkawire.compiler.compiled import CompiledCodec
from kafkawire.compiler.defaults import Completion
from kafkawire.errors import CodecError, DecodeError, EncodeError
from kafkawire.schema import MessageLayout, StructLayout
from tests.support.schemas.random_layouts import layouts, mutated, spoiled, values

LAW = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def outcome(call: Any, *arguments: Any) -> tuple[Any, ...]:
    """Return a call's value or refusal, so that it compares by content (NaN and -0.0 by their bits)."""
    try:
        return ("value", exact(call(*arguments)))
    except CodecError as error:
        return (type(error), error.fault, error.path, error.offset)


def exact(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, exact(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [type(value), *(exact(item) for item in value)]
    if isinstance(value, float):
        return struct.pack(">d", value)
    return type(value), value


def completed(layout: StructLayout, value: dict[str, Any]) -> dict[str, Any]:
    """Return the decoded form of a value: all fields, plain bytes, doubles, no keys of other versions."""
    full, tags = Completion(layout)(value)
    out: dict[str, Any] = {}
    for field in layout.all_fields:
        item = full[field.name]
        if field.tag is not None and isinstance(field.default, float) and item == field.default:
            item = field.default
        if item is not None and field.is_array and field.struct is not None:
            item = [completed(field.struct, element) for element in item]
        elif item is not None and field.is_array:
            item = [plain(element, field.scalar) for element in item]
        elif item is not None and field.struct is not None:
            item = completed(field.struct, item)
        elif item is not None:
            item = plain(item, field.scalar)
        out[field.name] = item
    if tags:
        out["_tags"] = dict(sorted(tags.items()))
    return out


def plain(value: Any, scalar: Any) -> Any:
    if str(scalar) == "float64":
        return float(value)
    return bytes(value) if isinstance(value, bytearray | memoryview) else value


@LAW
@given(st.data())
def test_twins_agree_on_values(data: st.DataObject) -> None:
    """Same bytes, same size, and what comes back is the value with its defaults."""
    layout = data.draw(layouts())
    value = data.draw(values(layout))
    compiled, interpreted = CompiledCodec(layout), interpret_layout(layout)
    encoded = interpreted.encode(value)
    assert compiled.encode(value) == encoded
    assert compiled.size(value) == interpreted.size(value) == len(encoded)
    assert outcome(compiled.decode, encoded) == outcome(interpreted.decode, encoded)
    if not holds_free_elements(layout.root):
        assert outcome(compiled.decode, encoded) == ("value", exact(completed(layout.root, value)))
        assert compiled.encode(compiled.decode(encoded)) == encoded


@LAW
@given(st.data())
def test_twins_agree_on_changed_bytes(data: st.DataObject) -> None:
    """Bytes with something wrong: the same value or the same refusal, at the same place."""
    layout = data.draw(layouts())
    encoded = interpret_layout(layout).encode(data.draw(values(layout)))
    changed = data.draw(mutated(encoded))
    compiled, interpreted = CompiledCodec(layout), interpret_layout(layout)
    assert outcome(compiled.decode, changed) == outcome(interpreted.decode, changed)
    offset = data.draw(st.integers(0, 3))
    expected = outcome(interpreted.decode_from, changed, offset)
    assert outcome(compiled.decode_from, changed, offset) == expected


@LAW
@given(layouts(), st.binary(max_size=60))
def test_any_bytes_decode_or_are_refused(layout: MessageLayout, data: bytes) -> None:
    """Nothing but a value or a DecodeError, whatever the bytes; both twins alike."""
    expected = outcome(interpret_layout(layout).decode, data)
    assert expected[0] in ("value", DecodeError)
    assert outcome(CompiledCodec(layout).decode, data) == expected


@LAW
@given(st.data())
def test_twins_agree_on_wrong_values(data: st.DataObject) -> None:
    """Any Python object in any place: the same bytes or the same EncodeError; the size fits."""
    layout = data.draw(layouts())
    value = data.draw(spoiled(layout))
    compiled, interpreted = CompiledCodec(layout), interpret_layout(layout)
    expected = outcome(interpreted.encode, value)
    assert expected[0] in ("value", EncodeError)
    assert outcome(compiled.encode, value) == expected
    for size in (compiled.size, interpreted.size):
        found = outcome(size, value)
        assert found[0] in ("value", EncodeError)
        if expected[0] == "value":
            assert found == ("value", exact(len(expected[1][1])))


@LAW
@given(st.data())
def test_a_message_decodes_within_a_larger_buffer(data: st.DataObject) -> None:
    """An offset and bytes behind change nothing; the result does not alias the buffer."""
    layout = data.draw(layouts())
    encoded = interpret_layout(layout).encode(data.draw(values(layout)))
    for codec in (CompiledCodec(layout), interpret_layout(layout)):
        whole = outcome(codec.decode, encoded)
        buffer = bytearray(b"\xff\x01" + encoded + b"\x01\xff\x00")
        if whole[0] == "value":
            value, end = codec.decode_from(buffer, 2)
            buffer[:] = b"\xa5" * len(buffer)
            assert end == 2 + len(encoded)
            assert ("value", exact(value)) == whole


@LAW
@given(st.data())
def test_canonical_forms_lose_nothing(data: st.DataObject) -> None:
    """Binary and JSON come back as they went; both are the same for a value and its full form."""
    layout = data.draw(layouts().filter(lambda layout: not holds_free_elements(layout.root)))
    value = data.draw(values(layout))
    form = Canonical(layout)
    full = form.from_binary(form.to_binary(value))
    text = form.to_json(value)
    assert exact(form.from_json(text)) == exact(full)
    assert form.to_binary(full) == form.to_binary(value)
    assert form.to_json(full) == text
    assert exact(full) == exact(untagged_floats(completed(layout.root, value), layout.root, value))


def untagged_floats(full: dict[str, Any], layout: StructLayout, value: dict[str, Any]) -> dict[str, Any]:
    """Put -0.0 back where encoding takes it for the default 0.0: the canonical forms keep it."""
    for field in layout.all_fields:
        given_value = value.get(field.name)
        if given_value is None:
            continue
        if field.is_array and field.struct is not None:
            pairs = zip(full[field.name], given_value, strict=True)
            full[field.name] = [untagged_floats(one, field.struct, two) for one, two in pairs]
        elif field.struct is not None and not field.is_array:
            full[field.name] = untagged_floats(full[field.name], field.struct, given_value)
        elif not field.is_array and str(field.scalar) == "float64":
            full[field.name] = float(given_value)
    return full


@LAW
@given(st.data())
def test_canonical_forms_refuse_what_is_wrong(data: st.DataObject) -> None:
    """Any object and any bytes: a result or a CodecError, nothing else."""
    layout = data.draw(layouts())
    form = Canonical(layout)
    value = data.draw(spoiled(layout))
    for write in (form.to_binary, form.to_json):
        assert outcome(write, value)[0] in ("value", EncodeError)
    binary = form.to_binary(data.draw(values(layout)))
    assert outcome(form.from_binary, data.draw(mutated(binary)))[0] in ("value", DecodeError)
    text = form.to_json(data.draw(values(layout))).encode()
    changed = data.draw(mutated(text)).decode("utf-8", "replace")
    assert outcome(form.from_json, changed)[0] in ("value", DecodeError)
