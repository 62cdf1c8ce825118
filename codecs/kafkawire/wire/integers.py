"""The encodings that KIP-625 proposes for fields of type int16, int32 and int64, by name.

No release of Kafka has them: its messages have integers at their full width (`numbers`). The functions refuse
the same input as the functions of `numbers` and `varints`.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from kafkawire.wire.numbers import read_int16, read_int32, read_int64, write_int16, write_int32, write_int64
from kafkawire.wire.varints import PackedInteger


class IntegerForm(NamedTuple):
    """The functions of one encoding.

    Attributes:
        read: takes `(data, pos)`; returns the number and the position after it, or raises DecodeError.
        write: returns the bytes of a number, or raises EncodeError.
        size: returns the number of these bytes; it does not check the range.
    """

    read: Callable[[bytes, int], tuple[int, int]]
    write: Callable[[int], bytes]
    size: Callable[[int], int]


def _packed(bits: int, *, zigzag: bool) -> IntegerForm:
    packed = PackedInteger(bits, zigzag)
    return IntegerForm(packed.read, packed.write, packed.size)


INTEGER_FORMS: Final = {
    "fixed16": IntegerForm(read_int16, write_int16, lambda value: 2),
    "fixed32": IntegerForm(read_int32, write_int32, lambda value: 4),
    "fixed64": IntegerForm(read_int64, write_int64, lambda value: 8),
    "packed16": _packed(16, zigzag=True),
    "packed32": _packed(32, zigzag=True),
    "packed64": _packed(64, zigzag=True),
    "upacked16": _packed(16, zigzag=False),
    "upacked32": _packed(32, zigzag=False),
    "upacked64": _packed(64, zigzag=False),
}
"""KIP-625's name of each encoding, and its functions."""
