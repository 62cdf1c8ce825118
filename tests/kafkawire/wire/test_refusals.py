"""Refusals of readers and writers, and the unusual forms that they accept (kafka-internals 2.5-2.8)."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire import wire
from kafkawire.errors import DecodeError, EncodeError, Fault


def refused(call: Any, *arguments: Any) -> tuple[Fault, int | None]:
    """Return the fault and the offset of the refusal."""
    with pytest.raises((DecodeError, EncodeError)) as caught:
        call(*arguments)
    return caught.value.fault, caught.value.offset


@pytest.mark.parametrize(("data", "value"), [("8000", 0), ("8180808000", 1), ("ff00", 127)])
def test_varints_longer_than_necessary_are_accepted(data: str, value: int) -> None:
    """Non-minimal forms are read, as Kafka does."""
    raw = bytes.fromhex(data)
    assert wire.read_uvarint(raw, 0) == (value, len(raw))


@pytest.mark.parametrize("data", ["ffffffff7f", "8080808010", "808080808001", "ffffffffff"])
def test_varints_beyond_32_bits_are_refused(data: str) -> None:
    """They have bits that Kafka drops, or a sixth byte."""
    assert refused(wire.read_uvarint, b"\0" + bytes.fromhex(data), 1) == (Fault.VARINT, 1)


def test_varlongs_beyond_64_bits_are_refused() -> None:
    """They have an eleventh byte, or bits above the 64th in the tenth."""
    assert refused(wire.read_varlong, b"\xff" * 10 + b"\1", 0) == (Fault.VARINT, 0)
    assert refused(wire.read_varlong, b"\xff" * 9 + b"\x02", 0) == (Fault.VARINT, 0)


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (wire.write_uvarint, -1),
        (wire.write_uvarint, 2**32),
        (wire.write_varint, 2**31),
        (wire.write_varlong, -(2**63) - 1),
    ],
)
def test_numbers_outside_a_varint_are_refused(write: Any, value: int) -> None:
    """The numbers are one below and one above the range."""
    assert refused(write, value) == (Fault.RANGE, None)


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_varlong_is_read_back(value: int) -> None:
    """Each 64-bit number is read back, and has as many bytes as calculated before."""
    data = wire.write_varlong(value)
    assert wire.read_varlong(data, 0) == (value, len(data))
    assert wire.size_varlong(value) == len(data)


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_varint_is_read_back(value: int) -> None:
    """Each 32-bit number is read back, and has as many bytes as calculated before."""
    data = wire.write_varint(value)
    assert wire.read_varint(data, 0) == (value, len(data))
    assert wire.size_varint(value) == len(data)


@given(st.integers(0, 2**32 - 1))
def test_a_uvarint_is_read_back(value: int) -> None:
    """Each unsigned 32-bit number is read back, and has as many bytes as calculated before."""
    data = wire.write_uvarint(value)
    assert wire.read_uvarint(data, 0) == (value, len(data))
    assert wire.size_uvarint(value) == len(data)


@pytest.mark.parametrize("byte", [1, 2, 127, 128, 255])
def test_any_byte_but_zero_is_true(byte: int) -> None:
    """Kafka reads it so too; it is written again as 1."""
    assert wire.read_bool(bytes([byte]), 0) == (True, 1)


def test_bits_of_a_nan_are_kept() -> None:
    """Payload and sign are read back, of a signalling NaN too; so is -0.0."""
    for bits in ("7ff8000000000001", "fff0000000000001", "7ff4000000000000", "8000000000000000"):
        raw = bytes.fromhex(bits)
        assert wire.write_float64(wire.read_float64(raw, 0)[0]) == raw


@pytest.mark.parametrize(
    ("data", "compact", "nullable", "fault"),
    [
        ("ffff", False, False, Fault.NULL),
        ("fffe", False, True, Fault.LENGTH),
        ("8000", False, True, Fault.LENGTH),
        ("00", True, False, Fault.NULL),
        ("8000", True, False, Fault.NULL),
        ("818002" + "61" * 32768, True, False, Fault.LENGTH),
        ("ffffffff0f", True, True, Fault.LENGTH),
        ("0002fffe", False, False, Fault.UTF8),
        ("04eda080", True, False, Fault.UTF8),
        ("03c080", True, False, Fault.UTF8),
    ],
)
def test_invalid_strings_are_refused(data: str, compact: bool, nullable: bool, fault: Fault) -> None:
    """Null is not allowed, the length is invalid, or the bytes are not text."""
    assert refused(wire.read_string, b"\7" + bytes.fromhex(data), 1, compact, nullable) == (fault, 1)


def test_the_longest_string_is_accepted() -> None:
    """32,767 bytes are accepted in both forms, and one more is refused."""
    longest = "é" * 16383 + "a"
    for compact in (False, True):
        data = wire.write_string(longest, compact, False)
        assert wire.read_string(data, 0, compact, False) == (longest, len(data))
        assert refused(wire.write_string, longest + "a", compact, False) == (Fault.TOO_LONG, None)


@pytest.mark.parametrize(
    ("data", "compact", "nullable", "fault"),
    [
        ("ffffffff", False, False, Fault.NULL),
        ("fffffff9", False, True, Fault.LENGTH),
        ("00", True, False, Fault.NULL),
        ("8180808008", True, True, Fault.LENGTH),
        ("7fffffff", False, False, Fault.TRUNCATED),
        ("8080808008", True, False, Fault.TRUNCATED),
    ],
)
def test_invalid_lengths_of_bytes_and_arrays_are_refused(
    data: str, compact: bool, nullable: bool, fault: Fault
) -> None:
    """The same rules apply to bytes and to counts; no memory is reserved for a wrong length."""
    raw = b"\7" + bytes.fromhex(data)
    assert refused(wire.read_bytes, raw, 1, compact, nullable) == (fault, 1)
    assert refused(wire.read_count, raw, 1, compact, nullable) == (fault, 1)


def test_a_count_is_limited_by_the_remaining_bytes() -> None:
    """As many elements as bytes are accepted, and one more is refused (Kafka's guard)."""
    assert wire.read_count(b"\x03\xff\xff", 0, True, False) == (2, 1)
    assert refused(wire.read_count, b"\x04\xff\xff", 0, True, False) == (Fault.TRUNCATED, 0)
    assert wire.read_count(b"\xff\xff\xff\xff", 0, False, True) == (None, 4)


@pytest.mark.parametrize(("byte", "fault"), [(0, Fault.MARKER), (2, Fault.MARKER), (0x7F, Fault.MARKER)])
def test_invalid_markers_of_nullable_structs_are_refused(byte: int, fault: Fault) -> None:
    """Only 1 and -1 are allowed in place, and only 1 and 0 under a tag; Kafka uses the sign."""
    assert refused(wire.read_marker, bytes([byte]), 0) == (fault, 0)
    assert refused(wire.read_tagged_marker, bytes([max(byte, 2)]), 0) == (fault, 0)


def test_tags_must_ascend() -> None:
    """A tag that is not above the one before it, or beyond an int32, is refused."""
    assert wire.read_tag(b"\x05", 0, 4) == (5, 1)
    assert refused(wire.read_tag, b"\x05", 0, 5) == (Fault.TAG_ORDER, 0)
    assert refused(wire.read_tag, b"\x04", 0, 5) == (Fault.TAG_ORDER, 0)
    assert refused(wire.read_tag, bytes.fromhex("8080808008"), 0, -1) == (Fault.VARINT, 0)
    assert refused(wire.read_tag_size, b"\x02a", 0) == (Fault.TRUNCATED, 0)
    assert wire.read_tag_size(b"\x01a", 0) == (1, 1)


def test_a_tag_section_is_read_back() -> None:
    """The section has the count, then tag, size and data by ascending tag; its size is the calculated one."""
    fields = {300: b"", 0: b"abc"}
    assert wire.write_tags(fields) == bytes.fromhex("02 00 03 616263 ac02 00")
    assert wire.size_tags({300: 0, 0: 3}) == 9
    assert wire.write_tags({}) == b"\0"


def test_invalid_sizes_of_frames_are_refused() -> None:
    """A negative size is invalid, and a size beyond the bytes is truncated."""
    assert refused(wire.read_frame, b"\xff\xff\xff\xff", 0) == (Fault.LENGTH, 0)
    assert refused(wire.read_frame, b"\0\0\0\5abcd", 0) == (Fault.TRUNCATED, 0)


@pytest.mark.parametrize(
    ("write", "value", "fault"),
    [
        (wire.write_bool, 1, Fault.TYPE),
        (wire.write_bool, None, Fault.TYPE),
        (wire.write_int8, 128, Fault.RANGE),
        (wire.write_int8, "1", Fault.TYPE),
        (wire.write_int16, 1.0, Fault.TYPE),
        (wire.write_uint16, 65536, Fault.RANGE),
        (wire.write_uint16, -1, Fault.RANGE),
        (wire.write_uint32, 2**32, Fault.RANGE),
        (wire.write_int64, 2**63, Fault.RANGE),
        (wire.write_float64, "1", Fault.TYPE),
        pytest.param(wire.write_float64, 10**400, Fault.RANGE, id="float64 of a huge int"),
        (wire.write_uuid, b"0123456789abcdef", Fault.TYPE),
    ],
)
def test_invalid_values_of_a_fixed_width_are_refused(write: Any, value: Any, fault: Fault) -> None:
    """The type is wrong for the field, or the number is outside of its range."""
    assert refused(write, value) == (fault, None)


def test_invalid_text_and_bytes_are_refused() -> None:
    """Bytes are not text, text is not bytes, and a lone surrogate has no UTF-8 form."""
    assert refused(wire.write_string, b"a", True, True) == (Fault.TYPE, None)
    assert refused(wire.write_string, "\ud800", True, True) == (Fault.UTF8, None)
    assert refused(wire.write_string, None, True, False) == (Fault.NULL, None)
    assert refused(wire.write_bytes, "a", True, True) == (Fault.TYPE, None)
    assert refused(wire.write_bytes, [1], True, True) == (Fault.TYPE, None)
    assert refused(wire.write_bytes, None, False, False) == (Fault.NULL, None)


def test_bytes_like_values_are_accepted() -> None:
    """bytearray and memoryview are accepted, with strides too; a released memoryview is not."""
    assert wire.write_bytes(bytearray(b"ab"), True, False) == b"\3ab"
    assert wire.write_bytes(memoryview(b"axbx")[::2], True, False) == b"\3ab"
    released = memoryview(b"ab")
    released.release()
    assert refused(wire.write_bytes, released, True, False) == (Fault.TYPE, None)


def test_errors_describe_values_without_calling_them() -> None:
    """Long values are cut, huge ints are measured, and other objects are named by their type."""

    class Loud:
        def __repr__(self) -> str:
            raise AssertionError("ran")

    assert wire.describe(Loud()) == "a Loud"
    assert wire.describe(10**5000) == "an int of 16610 bits"
    assert wire.describe("a" * 100).endswith("(100 in all)")
    assert wire.describe(UUID(int=0)) == "a UUID"
    assert [wire.describe(value) for value in (None, True, 1.5, -7)] == ["None", "True", "1.5", "-7"]
