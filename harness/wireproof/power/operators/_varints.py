"""Variable-length integers, as lengths, counts and tags."""

from kafkawire.schema import ScalarType
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import (
    CodecKind,
    CodecOperator,
    WrongCode,
    WrongPrimitive,
    WrongRecords,
)
from wireproof.power.mutants.record_sites import carries
from wireproof.power.mutants.site_conditions import either, every, is_array, is_compact, of_type
from wireproof.power.mutants.source_copies import Patch

__all__ = ["VARINT_OPERATORS"]

_MODULE = "wire.varints"
_long = every(is_compact, of_type(ScalarType.STRING, ScalarType.BYTES))
_counted = every(is_compact, either(is_array, of_type(ScalarType.STRING, ScalarType.BYTES)))

_WRITE = "def write_uvarint(value: int) -> bytes:"
_READ = "def read_uvarint(data: bytes, pos: int) -> tuple[int, int]:"
_SIZE = "def size_uvarint(value: int) -> int:"

VARINT_OPERATORS = (
    CodecOperator(
        "varint-ends-one-value-late",
        BugClass.VARINTS,
        "a varint of 128 is written in one byte",
        WrongPrimitive(_counted, (Patch(_MODULE, "    while value > 0x7F:", "    while value > 0x80:"),)),
    ),
    CodecOperator(
        "varint-of-two-bytes-at-most",
        BugClass.VARINTS,
        "a varint of three bytes is an error",
        WrongPrimitive(
            _long,
            (
                Patch(
                    _MODULE,
                    "return first, pos + 1\n    return _read_groups(data, pos, _INT_BITS)",
                    "return first, pos + 1\n    return _read_groups(data, pos, 14)",
                ),
            ),
        ),
    ),
    CodecOperator(
        "varint-highest-group-first",
        BugClass.VARINTS,
        "the groups of a varint are in the wrong order, written and read",
        WrongPrimitive(
            _counted,
            (
                Patch(
                    _MODULE,
                    "    while value > 0x7F:\n        out.append(value & 0x7F | 0x80)\n        value >>= 7\n"
                    "    out.append(value)\n    return bytes(out)",
                    "    out.append(value & 0x7F)\n    while value > 0x7F:\n        value >>= 7\n"
                    "        out.insert(0, value & 0x7F | 0x80)\n    return bytes(out)",
                ),
                Patch(_MODULE, "result |= (byte & 0x7F) << shift", "result = result << 7 | byte & 0x7F"),
            ),
        ),
    ),
    CodecOperator(
        "length-zig-zag",
        BugClass.VARINTS,
        "an unsigned varint is written and read as a zig-zag one",
        WrongPrimitive(
            _counted,
            (
                Patch(_MODULE, _WRITE, f"{_WRITE}\n    value <<= 1"),
                Patch(_MODULE, _SIZE, f"{_SIZE}\n    value <<= 1"),
                Patch(
                    _MODULE,
                    _READ,
                    f"{_READ}\n    raw, end = _read_groups(data, pos, _INT_BITS)\n    return raw >> 1, end",
                ),
            ),
        ),
    ),
    CodecOperator(
        "varint-not-minimal",
        BugClass.VARINTS,
        "a varint of one byte is written in two",
        WrongPrimitive(
            _counted,
            (
                Patch(_MODULE, "return _ONE_BYTE[value]", r'return bytes([value | 0x80]) + b"\0"'),
                Patch(
                    _MODULE,
                    "return (max(value.bit_length(), 1) + 6) // 7",
                    "return max((value.bit_length() + 6) // 7, 2)",
                ),
            ),
        ),
    ),
    CodecOperator(
        "varint-size-one-bit-off",
        BugClass.VARINTS,
        "the size of a varint is reckoned one byte short where its bits just fill the next one",
        WrongPrimitive(
            _counted,
            (
                Patch(
                    _MODULE, "(max(value.bit_length(), 1) + 6) // 7", "(max(value.bit_length(), 1) + 5) // 7"
                ),
            ),
        ),
    ),
    CodecOperator(
        "long-prefix-not-sized",
        BugClass.VARINTS,
        "the compiled size takes a length of 127 for one that fits into one byte",
        WrongCode(
            _counted,
            (
                Patch(
                    "compiler._print_size",
                    'with self.text.block(f"if {length} > 126:"):',
                    'with self.text.block(f"if {length} > 127:"):',
                ),
            ),
            CodecKind.COMPILED,
        ),
    ),
    CodecOperator(
        "timestamp-delta-without-sign",
        BugClass.VARINTS,
        "a timestamp's delta is read without undoing the zig-zag of negative ones",
        WrongRecords(
            carries(2),
            (
                Patch(
                    "records._record_loop",
                    "timestamp = first >> 1 ^ -(first & 1)",
                    "timestamp = first >> 1",
                ),
            ),
        ),
    ),
    CodecOperator(
        "timestamp-delta-of-32-bits",
        BugClass.VARINTS,
        "a timestamp delta of more than 32 bits is an error",
        WrongRecords(
            carries(2),
            (
                Patch(
                    "records._record_loop",
                    "timestamp, pos = read_varlong(data, pos - 1)",
                    "timestamp, pos = read_varint(data, pos - 1)",
                ),
                Patch(
                    "records._record_reading",
                    '_named("timestampDelta", read_varlong, data, pos + 1)',
                    '_named("timestampDelta", read_varint, data, pos + 1)',
                ),
            ),
        ),
    ),
    CodecOperator(
        "header-count-not-zig-zag",
        BugClass.VARINTS,
        "the number of a record's headers is written as an unsigned varint",
        WrongRecords(
            carries(2),
            (
                Patch(
                    "records._record_writing",
                    "import write_varint, write_varlong",
                    "import write_uvarint, write_varint, write_varlong",
                ),
                Patch(
                    "records._record_writing",
                    "out = [write_varint(len(headers))]",
                    "out = [write_uvarint(len(headers))]",
                ),
            ),
        ),
    ),
)
