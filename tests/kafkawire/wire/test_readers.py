"""Every reader on whole bytes, on bytes cut at every byte, and with extra bytes; every writer on the
value."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from kafkawire import wire
from kafkawire.errors import DecodeError, Fault

Reader = Callable[[bytes, int], tuple[Any, int]]
Calls = tuple[Reader, Callable[[Any], bytes]]

Options = dict[str, Any]

UUID_TEXT = "00112233-4455-6677-8899-aabbccddeeff"
PLAIN: Options = {"compact": False, "nullable": False}
NULLABLE: Options = {"compact": False, "nullable": True}
COMPACT: Options = {"compact": True, "nullable": False}
COMPACT_NULLABLE: Options = {"compact": True, "nullable": True}

CASES: list[tuple[str, Reader, Callable[[Any], bytes], str, Any]] = [
    ("bool true", wire.read_bool, wire.write_bool, "01", True),
    ("bool false", wire.read_bool, wire.write_bool, "00", False),
    ("int8", wire.read_int8, wire.write_int8, "80", -128),
    ("int16", wire.read_int16, wire.write_int16, "fffe", -2),
    ("uint16", wire.read_uint16, wire.write_uint16, "ffff", 65535),
    ("int32", wire.read_int32, wire.write_int32, "80000000", -(2**31)),
    ("uint32", wire.read_uint32, wire.write_uint32, "ffffffff", 2**32 - 1),
    ("int64", wire.read_int64, wire.write_int64, "8000000000000000", -(2**63)),
    ("float64", wire.read_float64, wire.write_float64, "4028ae147ae147ae", 12.34),
    ("uuid", wire.read_uuid, wire.write_uuid, "00112233445566778899aabbccddeeff", UUID(UUID_TEXT)),
    ("marker present", wire.read_marker, wire.write_marker, "01", True),
    ("marker null", wire.read_marker, wire.write_marker, "ff", False),
    ("tagged marker present", wire.read_tagged_marker, wire.write_tagged_marker, "01", True),
    ("tagged marker null", wire.read_tagged_marker, wire.write_tagged_marker, "00", False),
    ("frame", wire.read_frame, wire.write_frame, "00000003010203", b"\1\2\3"),
    ("empty frame", wire.read_frame, wire.write_frame, "00000000", b""),
]

for title, options, vectors in (
    ("string", PLAIN, (("0000", ""), ("0003c3a961", "éa"))),
    ("nullable string", NULLABLE, (("ffff", None), ("000161", "a"))),
    ("compact string", COMPACT, (("01", ""), ("05f09f9880", "\U0001f600"))),
    (
        "compact nullable string",
        COMPACT_NULLABLE,
        (("00", None), ("0261", "a"), ("8001" + "61" * 127, "a" * 127)),
    ),
):
    texts: Calls = partial(wire.read_string, **options), partial(wire.write_string, **options)
    CASES += [(f"{title} {value!r:.9}", *texts, data, value) for data, value in vectors]

for title, options, vectors_ in (
    ("bytes", PLAIN, (("00000000", b""), ("00000002ff00", b"\xff\0"))),
    ("nullable bytes", NULLABLE, (("ffffffff", None), ("00000001ff", b"\xff"))),
    ("compact bytes", COMPACT, (("01", b""), ("0361ff", b"a\xff"))),
    ("compact nullable bytes", COMPACT_NULLABLE, (("00", None), ("8001" + "07" * 127, b"\7" * 127))),
):
    data_: Calls = partial(wire.read_bytes, **options), partial(wire.write_bytes, **options)
    CASES += [(f"{title} {value!r:.9}", *data_, data, value) for data, value in vectors_]

CASES += [
    (f"varint {number}", wire.read_varint, wire.write_varint, data, number)
    for data, number in (
        ("00", 0),
        ("01", -1),
        ("02", 1),
        ("feffffff0f", 2**31 - 1),
        ("ffffffff0f", -(2**31)),
    )
]
CASES += [
    (f"varlong {number}", wire.read_varlong, wire.write_varlong, data, number)
    for data, number in (
        ("00", 0),
        ("01", -1),
        ("8001", 64),
        ("feffffffffffffffff01", 2**63 - 1),
        ("ffffffffffffffffff01", -(2**63)),
    )
]

GUIDE = {
    0: "00",
    1: "01",
    127: "7f",
    128: "8001",
    129: "8101",
    256: "8002",
    1024: "8008",
    100500: "949106",
    9999999: "fface204",
    2147483647: "ffffffff07",
    2**32 - 1: "ffffffff0f",
}
"""The practical guide's table, and the last number of all."""

CASES += [
    (f"unsigned varint {number}", wire.read_uvarint, wire.write_uvarint, data, number)
    for number, data in GUIDE.items()
]

each = pytest.mark.parametrize(
    ("read", "write", "data", "value"),
    [(read, write, bytes.fromhex(data), value) for _, read, write, data, value in CASES],
    ids=[title for title, *_ in CASES],
)


@each
def test_whole_bytes_are_read_and_written(
    read: Reader, write: Callable[[Any], bytes], data: bytes, value: Any
) -> None:
    """The reader returns the value and the end of its bytes; the value is written as the same bytes."""
    assert read(data, 0) == (value, len(data))
    assert write(value) == data


@each
def test_bytes_cut_at_every_byte_are_truncated(
    read: Reader, write: Callable[[Any], bytes], data: bytes, value: Any
) -> None:
    """Each cut form is TRUNCATED, with the offset at which the item begins."""
    for cut in range(len(data)):
        with pytest.raises(DecodeError) as caught:
            read(b"\xee\xee" + data[:cut], 2)
        assert (caught.value.fault, caught.value.offset, caught.value.path) == (Fault.TRUNCATED, 2, "")


@each
def test_bytes_around_the_item_do_not_matter(
    read: Reader, write: Callable[[Any], bytes], data: bytes, value: Any
) -> None:
    """Bytes before and after change nothing."""
    assert read(b"\xff\0" + data + b"\xff\x80\0", 2) == (value, 2 + len(data))
