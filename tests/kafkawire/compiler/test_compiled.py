"""Properties of generated code: its text, its laziness, its fallbacks."""

import linecache
import sys
import threading
import traceback
from typing import Any
from uuid import UUID

import pytest

from kafkawire.compiler import compile_layout, interpret_layout
from kafkawire.compiler.compiled import CompiledCodec
from kafkawire.errors import CodecError, DecodeError, EncodeError, Fault
from kafkawire.schema import (
    EMPTY,
    ArrayType,
    FieldLayout,
    MessageKind,
    MessageLayout,
    ScalarType,
    StructLayout,
    StructType,
    VersionRange,
)
from kafkawire.schema.layout import Default
from tests.support.schemas.kitchen_sink import layout as kitchen_sink
from tests.support.schemas.kitchen_sink import message
from tests.support.schemas.random_layouts import ODDITIES
from tests.support.schemas.real_layouts import all_layouts, real


def outcome(call: Any, value: Any) -> Any:
    try:
        return call(value)
    except CodecError as error:
        return (type(error), error.fault, error.path, error.offset)


@pytest.mark.parametrize("layout", all_layouts(), ids=lambda layout: f"{layout.name}-v{layout.version}")
def test_the_default_instance_of_every_cell_is_the_same(layout: MessageLayout) -> None:
    """Both codecs give the same bytes, size and value, and the same refusal of each cut."""
    compiled, interpreted = CompiledCodec(layout), interpret_layout(layout)
    data = interpreted.encode({})
    assert compiled.encode({}) == data
    assert compiled.size({}) == interpreted.size({}) == len(data)
    for cut in range(len(data) + 1):
        assert outcome(compiled.decode, data[:cut]) == outcome(interpreted.decode, data[:cut])


def test_the_source_is_python_that_names_the_fields() -> None:
    """`source` has all three functions; the interpreted codec has none."""
    layout = real("FetchRequest", 12)
    source = compile_layout(layout).source
    compile(source, "source", "exec")
    assert all(f"def {name}(" in source for name in ("decode", "encode", "size"))
    assert "partitionMaxBytes" in source
    assert "Decodes FetchRequest version 12." in source
    assert interpret_layout(layout).source == ""


def test_tracebacks_show_generated_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generated file has a name, and its lines are in linecache."""
    codec = CompiledCodec(real("ApiVersionsRequest", 3))
    codec.decode(b"\1\1\0")
    filename = codec.decode.__code__.co_filename
    assert filename.startswith("<kafkawire ApiVersionsRequest v3 decode")
    assert "def decode(" in "".join(linecache.getlines(filename))
    monkeypatch.setitem(codec.decode.__globals__, "explain", lambda *_: traceback.format_stack())
    assert any("return explain(" in line for line in codec.decode(b""))


def test_one_layout_has_one_codec() -> None:
    """A codec is made once, also for an equal layout; another layout gets another codec."""
    first = message('{"name": "A", "type": "int8", "versions": "0+"}')
    second = message('{"name": "A", "type": "int8", "versions": "0+"}')
    other = message('{"name": "A", "type": "int8", "versions": "0+", "default": "1"}')
    assert first is not second
    assert compile_layout(first) is compile_layout(second)
    assert compile_layout(first) is not compile_layout(other)
    assert (compile_layout(first).encode({}), compile_layout(other).encode({})) == (b"\0\0", b"\1\0")


def test_functions_are_made_when_first_used() -> None:
    """A bound method that was taken before the first use works each time."""
    codec = CompiledCodec(real("ApiVersionsRequest", 3))
    decode, encode, size = codec.decode, codec.encode, codec.size
    for _ in range(2):
        assert encode(decode(b"\1\1\0")) == b"\1\1\0"
        assert size({}) == 3
    assert codec.decode is not decode


def test_two_threads_may_use_a_codec_first() -> None:
    """The threads share no data that a race could damage."""
    layout = real("MetadataResponse", 12)
    data = interpret_layout(layout).encode({"topics": [{"name": "t", "partitions": [{}]}]})
    expected = interpret_layout(layout).decode(data)
    codec = CompiledCodec(layout)
    found: list[bool] = []

    def work() -> None:
        found.extend(codec.decode(data) == expected and codec.encode(expected) == data for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 200


def test_results_do_not_alias_the_buffer() -> None:
    """Bytes from a bytearray or memoryview stay as they were when the buffer changes."""
    codec = compile_layout(real("ProduceRequest", 9))
    value = {"topicData": [{"name": "t", "partitionData": [{"index": 0, "records": b"abc"}]}]}
    buffer = bytearray(codec.encode(value))
    decoded = [codec.decode(buffer), codec.decode(memoryview(buffer))]
    buffer[:] = bytes(len(buffer))
    assert all(one["topicData"][0]["partitionData"][0]["records"] == b"abc" for one in decoded)


@pytest.mark.parametrize("data", ["text", 3, None, [1]])
def test_an_object_that_is_not_bytes_is_a_type_error(data: Any) -> None:
    """This is an error of the caller instead of the bytes."""
    for codec in (
        compile_layout(real("ApiVersionsRequest", 3)),
        interpret_layout(real("ApiVersionsRequest", 3)),
    ):
        with pytest.raises(TypeError):
            codec.decode(data)


def test_offsets_count_from_the_start_of_the_buffer() -> None:
    """They count from the start of the buffer; a negative one is an error of the caller, one after the end is
    TRUNCATED."""
    layout = message("")
    for codec in (compile_layout(layout), interpret_layout(layout)):
        assert codec.decode_from(b"\7\0", 1) == ({}, 2)
        with pytest.raises(ValueError, match="negative"):
            codec.decode_from(b"\0", -1)
        with pytest.raises(DecodeError) as caught:
            codec.decode_from(b"\0", 2)
        assert (caught.value.fault, caught.value.offset) == (Fault.TRUNCATED, 2)


DEFAULTS: dict[ScalarType, Default] = {
    ScalarType.BOOL: False,
    ScalarType.FLOAT64: 0.0,
    ScalarType.STRING: "",
    ScalarType.BYTES: b"",
    ScalarType.RECORDS: None,
    ScalarType.UUID: UUID(int=0),
}


def one_field(kind: ScalarType, array: bool, nullable: bool, tag: int | None) -> MessageLayout:
    """Return a message of one field."""
    field = FieldLayout(
        "it",
        ArrayType(kind) if array else kind,
        None,
        nullable,
        EMPTY if array else DEFAULTS.get(kind, 0),
        tag,
        tag is not None,
        VersionRange(0, 0),
    )
    fields, tagged = ((), (field,)) if tag is not None else ((field,), ())
    return MessageLayout(
        "One", MessageKind.DATA, None, 0, StructLayout("One", tag is not None, fields, tagged)
    )


ONE_FIELD = [
    one_field(kind, array, nullable, tag)
    for kind in ScalarType
    for array in (False, True)
    for nullable in ((False, True) if array or kind.value in ("string", "bytes", "records") else (False,))
    for tag in (None, 0)
]


@pytest.mark.parametrize(
    "layout",
    ONE_FIELD,
    ids=lambda layout: "{0.type} nullable={0.nullable} tag={0.tag}".format(layout.root.all_fields[0]),
)
def test_any_object_in_a_field_has_the_same_result(layout: MessageLayout) -> None:
    """Both codecs accept the object or both refuse it, with the same fault and path."""
    compiled, interpreted = CompiledCodec(layout), interpret_layout(layout)
    array = layout.root.all_fields[0].is_array
    for oddity in ODDITIES:
        for value in ({"it": oddity}, {"it": [oddity]}) if array else ({"it": oddity},):
            expected = outcome(interpreted.encode, value)
            assert outcome(compiled.encode, value) == expected
            assert isinstance(expected, bytes) or expected[0] is EncodeError


LENGTHS = (0, 1, 126, 127, 128, 129, 16382, 16383, 16384, 32767)


def units(kind: ScalarType) -> Any:
    """Return the parts of a value of a given length."""
    return {"string": "a", "bytes": b"a", "records": b"a", "bool": True, "uuid": UUID(int=7)}.get(
        kind.value, 7
    )


@pytest.mark.parametrize(
    "layout",
    [
        layout
        for layout in ONE_FIELD
        if layout.root.all_fields[0].is_array or layout.root.all_fields[0].nullable
    ],
    ids=lambda layout: "{0.type} nullable={0.nullable} tag={0.tag}".format(layout.root.all_fields[0]),
)
def test_lengths_at_the_limits_of_varints_are_encoded(layout: MessageLayout) -> None:
    """These are lengths and counts at which the compact prefix grows."""
    compiled, interpreted = CompiledCodec(layout), interpret_layout(layout)
    field = layout.root.all_fields[0]
    assert field.scalar is not None
    unit = units(field.scalar)
    for length in LENGTHS:
        value = {"it": [unit] * length if field.is_array else unit * length}
        data = interpreted.encode(value)
        assert compiled.encode(value) == data
        assert compiled.size(value) == interpreted.size(value) == len(data)
        assert compiled.decode(data) == interpreted.decode(data) == value


def free(array_in_array: bool) -> MessageLayout:
    """Return arrays of structs without fields, which take no bytes."""
    nothing = StructLayout("Nothing", False, ())
    versions = VersionRange(0, 0)
    inner = FieldLayout(
        "none", ArrayType(StructType("Nothing")), nothing, False, EMPTY, None, False, versions
    )
    if not array_in_array:
        return MessageLayout("Free", MessageKind.DATA, None, 0, StructLayout("Free", False, (inner,)))
    row = StructLayout("Row", False, (inner,))
    outer = FieldLayout("rows", ArrayType(StructType("Row")), row, False, EMPTY, None, False, versions)
    return MessageLayout("Free", MessageKind.DATA, None, 0, StructLayout("Free", False, (outer,)))


def test_elements_without_bytes_are_limited() -> None:
    """They are encoded; decoding accepts no more of them than the message has bytes, over all arrays."""
    for codec in (compile_layout(free(False)), interpret_layout(free(False))):
        assert codec.encode({"none": [{}, {}, {}]}) == b"\0\0\0\3"
        assert codec.size({"none": [{}, {}, {}]}) == 4
        assert codec.decode(b"\0\0\0\0") == {"none": []}
        with pytest.raises(DecodeError) as caught:
            codec.decode(b"\0\0\0\1")
        assert (caught.value.fault, caught.value.path) == (Fault.TRUNCATED, "none")
    rows = b"\0\0\0\4" + b"\0\0\0\4" * 3 + b"\0\0\0\0"
    assert len(compile_layout(free(True)).decode(rows)["rows"]) == 4
    with pytest.raises(DecodeError) as caught:
        compile_layout(free(True)).decode(b"\0\0\0\4" + b"\0\0\0\x08" * 2 + b"\0\0\0\x09\0\0\0\0")
    assert caught.value.fault is Fault.TRUNCATED


def test_structs_may_be_nested_deeper_than_pythons_loops() -> None:
    """They are left to the interpreted codec; the results are the same."""
    struct = StructLayout("Leaf", True, ())
    value: dict[str, Any] = {}
    for _ in range(25):
        kind = ArrayType(StructType(struct.name))
        field = FieldLayout("inner", kind, struct, False, EMPTY, None, True, VersionRange(0, 0))
        struct, value = StructLayout("Level", True, (field,)), {"inner": [value]}
    layout = MessageLayout("Deep", MessageKind.DATA, None, 0, struct)
    codec = compile_layout(layout)
    data = codec.encode(value)
    assert codec.decode(data) == value
    assert codec.size(value) == len(data)
    assert codec.source == ""


def small_elements(layout: MessageLayout, name: str, count: int) -> bytes:
    """Return a message with that many elements of minimal size."""
    return compile_layout(layout).encode({name: [{}] * count})


@pytest.mark.parametrize(
    ("message_name", "version", "field", "count"),
    [("OffsetCommitRequest", 9, "topics", 20000), ("ApiVersionsResponse", 3, "supportedFeatures", 8000)],
)
def test_a_refusal_costs_no_more_than_its_place(
    message_name: str, version: int, field: str, count: int
) -> None:
    """Bytes before the error are not read again: the interpreted codec's struct reader is called fewer than
    30 times for 64 kB of tiny elements with an error at the end, in place or under a tag."""
    codec = compile_layout(real(message_name, version))
    data = small_elements(codec.layout, field, count)
    calls = 0

    def count_calls(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_qualname == "StructReader.__call__"

    codec.decode(data)
    sys.setprofile(count_calls)
    try:
        with pytest.raises(DecodeError):
            codec.decode(data[:-1])
    finally:
        sys.setprofile(None)
    assert 0 < calls < 30


class RaisingNumber:
    """A number whose own code raises."""

    def __index__(self) -> int:
        raise OSError("not today")


def test_a_value_whose_own_code_raises_is_refused_like_any_other() -> None:
    """`__index__` may raise any exception: both codecs raise an EncodeError with the path."""
    layout = kitchen_sink(1)
    for codec in (compile_layout(layout), interpret_layout(layout)):
        with pytest.raises(EncodeError) as caught:
            codec.encode({"leader": RaisingNumber(), "snapshot": b""})
        assert (caught.value.fault, caught.value.path) == (Fault.TYPE, "leader")


def test_unknown_tags_in_place_of_a_field_are_no_failure() -> None:
    """The dict has as many keys as the struct has fields: the encoder completes it, without the interpreted
    codec."""
    layout = real("HeartbeatResponse", 4)
    codec = CompiledCodec(layout)
    value = {"errorCode": 5, "_tags": {9: b"x"}}
    assert len(value) == len(layout.root.all_fields)
    assert codec.encode(value) == interpret_layout(layout).encode(value)
    assert codec._interpreter is None
