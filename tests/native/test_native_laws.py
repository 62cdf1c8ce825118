"""The native codec and the interpreted one give and refuse the same, for every layout and any input."""

import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkawire.bundled import layout as bundled_layout
from kafkawire.bundled import messages, releases, versions
from kafkawire.canonical import canonical
from kafkawire.canonical._writing import write_struct
from kafkawire.compiler import interpret_layout
from kafkawire.compiler.native import NativeCodec, fastest_codec, make_table, native_codec
from kafkawire.errors import CodecError, DecodeError, EncodeError
from kafkawire.schema import MessageLayout
from tests.support.schemas.random_layouts import layouts, mutated, spoiled, values

LAW = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def outcome(call: Any, *arguments: Any) -> tuple[Any, ...]:
    """Return a call's value or refusal with its text, so that it compares by content."""
    try:
        return ("value", exact(call(*arguments)))
    except CodecError as error:
        return (type(error), error.fault, error.path, error.offset, str(error))


def exact(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, exact(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [type(value), *(exact(item) for item in value)]
    if isinstance(value, float):
        return struct.pack(">d", value)
    return type(value), value


def assert_same(layout: MessageLayout, value: dict[str, Any]) -> bytes:
    """The native codec encodes, sizes and decodes as the interpreted one; return the bytes."""
    native, interpreted = fastest_codec(layout), interpret_layout(layout)
    data = interpreted.encode(value)
    assert native.encode(value) == data
    assert native.size(value) == len(data)
    assert outcome(native.decode, data) == outcome(interpreted.decode, data)
    return data


SUPPORTED = layouts().filter(lambda layout: make_table(layout) is not None)
"""Layouts that the native codec takes. Others are compared in `tests/laws`."""


@LAW
@given(st.data())
def test_they_agree_on_values(data: st.DataObject) -> None:
    """Same bytes, same size, same value, and no refusal where the interpreted codec has none."""
    layout = data.draw(SUPPORTED)
    assert_same(layout, data.draw(values(layout)))


@LAW
@given(st.data())
def test_they_agree_on_changed_bytes(data: st.DataObject) -> None:
    """Bytes with something wrong: the same value or the same refusal, place and text."""
    layout = data.draw(SUPPORTED)
    interpreted, native = interpret_layout(layout), fastest_codec(layout)
    changed = data.draw(mutated(interpreted.encode(data.draw(values(layout)))))
    assert outcome(native.decode, changed) == outcome(interpreted.decode, changed)
    offset = data.draw(st.integers(0, 3))
    assert outcome(native.decode_from, changed, offset) == outcome(interpreted.decode_from, changed, offset)


@LAW
@given(SUPPORTED, st.binary(max_size=60))
def test_any_bytes_decode_or_are_refused(layout: MessageLayout, data: bytes) -> None:
    """Nothing but a value or a DecodeError, whatever the bytes."""
    expected = outcome(interpret_layout(layout).decode, data)
    assert expected[0] in ("value", DecodeError)
    assert outcome(fastest_codec(layout).decode, data) == expected


@LAW
@given(st.data())
def test_they_agree_on_wrong_values(data: st.DataObject) -> None:
    """Any Python object in any place: the same bytes or the same EncodeError; the size fits."""
    layout = data.draw(SUPPORTED)
    value = data.draw(spoiled(layout))
    expected, native = outcome(interpret_layout(layout).encode, value), fastest_codec(layout)
    assert outcome(native.encode, value) == expected
    size = outcome(native.size, value)
    assert size[0] in ("value", EncodeError)
    if expected[0] == "value":
        assert size == ("value", exact(len(expected[1][1])))


@LAW
@given(st.data())
def test_they_agree_on_the_canonical_binary(data: st.DataObject) -> None:
    """Right values and wrong ones of any layout: what the walking writer says, with its refusals."""
    layout = data.draw(layouts())
    value = data.draw(st.one_of(values(layout), spoiled(layout)))
    expected = outcome(lambda: b"".join(write_struct(layout.root, value)))
    assert outcome(canonical(layout).to_binary, value) == expected


def test_every_bundled_cell_is_native() -> None:
    """No bundled cell falls back; its default instance, each cut and a longer input are the same."""
    seen: set[MessageLayout] = set()
    for release in releases():
        for message in messages(release):
            for version in versions(message, release):
                seen.add(bundled_layout(message, version, release=release))
    assert len(seen) > 700
    for layout in seen:
        native, interpreted = native_codec(layout), interpret_layout(layout)
        assert isinstance(native, NativeCodec), f"{layout.name} v{layout.version}"
        data = assert_same(layout, {})
        for changed in (*(data[:cut] for cut in range(len(data))), data + b"\0"):
            assert outcome(native.decode, changed) == outcome(interpreted.decode, changed)


@pytest.mark.parametrize("name", messages())
def test_random_instances_of_every_message_agree(name: str) -> None:
    """Values and changed bytes of each message of the newest release, at drawn versions."""
    valid = versions(name)

    @settings(LAW, max_examples=2)
    @given(st.data())
    def law(data: st.DataObject) -> None:
        layout = bundled_layout(name, data.draw(st.integers(valid.lowest, valid.highest)))
        value = data.draw(values(layout))
        encoded = outcome(interpret_layout(layout).encode, value)
        assert outcome(fastest_codec(layout).encode, value) == encoded
        if encoded[0] != "value":
            return
        changed = data.draw(mutated(assert_same(layout, value)))
        expected = outcome(interpret_layout(layout).decode, changed)
        assert outcome(fastest_codec(layout).decode, changed) == expected

    law()
