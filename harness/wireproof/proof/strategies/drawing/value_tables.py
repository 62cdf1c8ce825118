"""The values that the bytes of a tape select: a table of 256 values for each kind of field.

Byte 0 is the field's default, and so are the highest bytes; the mode defines how many. Between them are
the free values (from byte 1), then the boundary values, the plainest first. The order helps shrinking:
Hypothesis first replaces any byte with 0 and 1, and then with lower bytes.
"""

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final, TypeAlias

from kafkawire.schema.layout import Default, FieldLayout, StructLayout
from kafkawire.schema.model import IntegerEncoding, ScalarType
from kafkawire.values import TAGS
from kafkawire.wire import new_uuid
from wireproof.model.kafka.releases import ERROR_NAMES, UNKNOWN_ERROR, holds_error_code
from wireproof.proof.strategies.cases.scenarios import unknown_tag_cases
from wireproof.proof.strategies.values.boundary_values import (
    COUNTS,
    LONG,
    SHORT,
    ZERO,
    Named,
    integer_cases,
    one_off,
    span,
)
from wireproof.proof.strategies.values.sized_values import tagged_data_cases
from wireproof.proof.strategies.values.whole_instances import at_default

Table: TypeAlias = tuple[Any, ...]
"""A table of 256 entries: values, or the signs below."""


class Sign(Enum):
    """An entry of a table that is not a value."""

    ABSENT = "absent"
    """The key is left out: the default."""
    PRESENT = "present"
    """A struct: drawn from its own bytes."""


ABSENT: Final = Sign.ABSENT
PRESENT: Final = Sign.PRESENT

SALT_BYTES: Final = 16
"""The number of bytes at the end of the tape from which free values are made."""

_SMALL, _FREE, _LONG, _RARE = 8, 24, 4, 1
"""Weights of a boundary value, a free value, a long value (if the mode has any), and a costly value."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The properties of instances drawn in this mode.

    Attributes:
        defaults: about how many of the 256 bytes leave a field at its default.
        gaps: how many of the 256 bytes leave an element out.
        long: whether values of 16 KiB and arrays of 126 and more elements occur.
    """

    defaults: int
    gaps: int
    long: bool


MODES: Final = (
    Mode(defaults=208, gaps=160, long=False),
    Mode(defaults=128, gaps=110, long=False),
    Mode(defaults=24, gaps=50, long=False),
    Mode(defaults=160, gaps=128, long=True),
    Mode(defaults=64, gaps=80, long=True),
)
"""Sparse, mixed, full; and two in which long values occur."""

MODE_OF_BYTE: Final = bytes([0] * 96 + [1] * 88 + [2] * 52 + [3] * 10 + [4] * 10)
"""The mode that the tape's first byte selects."""


@dataclass(frozen=True, slots=True)
class Free:
    """A value made from the salt: any value of the type, the plainest if the salt is zero.

    Attributes:
        error: whether it is an error code: one that a release knows, or the first that none knows.
        encoding: the encoding of an integer, if it differs from that of its type.
    """

    scalar: ScalarType
    is_array: bool
    error: bool = False
    encoding: IntegerEncoding | None = None

    @property
    def cases(self) -> tuple[Named, ...]:
        """The boundary values."""
        return SHORT[self.scalar] if self.encoding is None else integer_cases(self.encoding)

    def draw(self, tape: bytes, at: int) -> Any:
        """The value for the field whose byte is at `at`: fields read the salt from different places.

        The tape ends with the salt, and then with the salt again without its last byte.
        """
        start = len(tape) - 2 * SALT_BYTES + 1 + at % SALT_BYTES
        salt = tape[start : start + SALT_BYTES]
        if self.error:
            return _ERROR_CODES[salt[0] % len(_ERROR_CODES)]
        if not self.is_array:
            return _FROM_SALT[self.scalar](salt)
        values = self.cases
        return [values[byte % len(values)][1] for byte in salt[1 : 1 + salt[0] % 6]]


_ERROR_CODES: Final = (0, *(code for code in ERROR_NAMES if code != 0), UNKNOWN_ERROR)
"""The error codes; 0 (no error) comes first, as it is the plainest."""

_CHARACTERS: Final = "".join(
    map(chr, [*range(0x61, 0x7B), *range(0x20, 0x61), *range(0x7B, 0x7F), *range(0xA1, 0xE2)])
) + "".join(map(chr, [*range(0x4E00, 0x4E40), *range(0x1F600, 0x1F620)]))
"""256 characters of one to four bytes in UTF-8, ``a`` first."""


def _number(low: int, high: int) -> Callable[[bytes], int]:
    """Any number of a span; zig-zag if it has negative numbers, so that -1 is as plain as 1."""
    count = high - low + 1

    def unsigned(salt: bytes) -> int:
        return int.from_bytes(salt[:8], "big") % count

    def signed(salt: bytes) -> int:
        number = int.from_bytes(salt[:8], "big") % count
        return (number >> 1) ^ -(number & 1)

    return unsigned if low == 0 else signed


def _text(salt: bytes) -> str:
    return "".join([_CHARACTERS[byte] for byte in salt[1 : 1 + salt[0] % SALT_BYTES]])


def _bytes(salt: bytes) -> bytes:
    return salt[1 : 1 + salt[0] % SALT_BYTES]


_FROM_SALT: Final[dict[ScalarType, Callable[[bytes], Any]]] = {
    ScalarType.BOOL: lambda salt: salt[0] % 2 == 1,
    ScalarType.FLOAT64: lambda salt: struct.unpack(">d", salt[:8])[0],
    ScalarType.UUID: new_uuid,
    ScalarType.STRING: _text,
    ScalarType.BYTES: _bytes,
    ScalarType.RECORDS: _bytes,
} | {scalar: _number(*limits) for scalar in ScalarType if (limits := span(scalar)) is not None}
"""16 bytes of salt -> a value of the type."""


def _spread(default: Any, pool: Sequence[tuple[Any, int]], mode: Mode) -> Table:
    """The default, then each value of the pool at least once and otherwise by its weight, then defaults."""
    room = 256 - mode.defaults - len(pool)
    total = sum(weight for _, weight in pool)
    entries: list[Any] = [default]
    for value, weight in pool:
        entries += [value] * (1 + room * weight // total)
    return (*entries, *[default] * (256 - len(entries)))


def leaf_table(field: FieldLayout, mode: Mode) -> Table:
    """Return the table of a scalar or an array of scalars."""
    if field.range_type is None:
        raise TypeError(f"{field.name} holds structs")
    default = ABSENT if field.default is not None or field.nullable else at_default(field)
    free = Free(field.range_type, field.is_array, holds_error_code(field), field.encoding)
    if field.tag is None:
        return _scalar_table(free, field.nullable, default, field.default, mode)
    sized = [(value, _RARE) for _, value in tagged_data_cases(field)]
    return _spread(default, [*_pool(free, field.nullable, field.default, mode), *sized], mode)


@lru_cache(maxsize=4096)
def _scalar_table(free: Free, nullable: bool, absent: Any, default: Default, mode: Mode) -> Table:
    return _spread(absent, _pool(free, nullable, default, mode), mode)


def _pool(free: Free, nullable: bool, default: Default, mode: Mode) -> list[tuple[Any, int]]:
    scalar = free.scalar
    pool = [(free, _FREE), *(_arrays(free, mode) if free.is_array else _scalars(free, mode))]
    if nullable:
        # Null has shown more bugs than any other value: null for empty, null before its version.
        pool.insert(2, (None, _FREE))
    if not free.is_array and default is not None and default != ZERO[scalar]:
        pool += [(default, _SMALL), (one_off(scalar, default), _SMALL)]
    return pool


def _scalars(free: Free, mode: Mode) -> Iterable[tuple[Any, int]]:
    yield from ((value, _SMALL) for _, value in free.cases)
    if mode.long:
        yield from ((value, _LONG) for _, value in LONG.get(free.scalar, ()))


def _arrays(free: Free, mode: Mode) -> Iterable[tuple[Any, int]]:
    scalar = free.scalar
    yield [], _SMALL
    yield [ZERO[scalar]], _SMALL
    yield [value for _, value in free.cases], _SMALL
    if mode.long:
        yield from (([ZERO[scalar]] * count, _SMALL // 2) for count in COUNTS if count > 1)
        if scalar in LONG:
            yield [value for _, value in LONG[scalar]], _RARE


def struct_table(field: FieldLayout, mode: Mode, *, unknown_tags: bool) -> Table | None:
    """Return the table of a struct outside arrays: absent, null, drawn, or made to size.

    None if it is always drawn.
    """
    if field.tag is None and not field.nullable:
        return None
    default = ABSENT if field.default is not None or field.nullable else PRESENT
    pool: list[tuple[Any, int]] = [(PRESENT, _FREE)]
    if field.nullable:
        pool.append((None, _SMALL))
    if field.tag is not None:
        sized = [value for _, value in tagged_data_cases(field)]
        pool += [(value, _RARE) for value in sized if unknown_tags or TAGS not in value]
    return _spread(default, pool, mode)


def array_shapes(field: FieldLayout, mode: Mode) -> Table:
    """Return the shapes of an array of structs: absent, null, or the least number of elements (0: as many as
    are drawn).
    """
    default = ABSENT if field.default is not None or field.nullable else 0
    return _shapes(field.nullable, default, mode)


@lru_cache(maxsize=64)
def _shapes(nullable: bool, default: Any, mode: Mode) -> Table:
    pool: list[tuple[Any, int]] = [(0, 5 * _FREE)]
    if nullable:
        pool.append((None, _SMALL))
    if mode.long:
        pool += [(count, _SMALL) for count in COUNTS if count > 1]
    # Elements make most of an instance: arrays leave their default more often than other fields.
    return _spread(default, pool, Mode(mode.defaults // 2, mode.gaps, mode.long))


@lru_cache(maxsize=8)
def slot_table(mode: Mode) -> Table:
    """Return the table for the presence of one element."""
    return (False, *[True] * (256 - mode.gaps), *[False] * (mode.gaps - 1))


def tag_table(struct: StructLayout, mode: Mode) -> Table:
    """Return the table for the unknown tags of a flexible struct, which most instances lack.

    They are in ascending order; only named cases require a codec to sort them.
    """
    cases = [dict(sorted(fields[TAGS].items())) for _, fields in unknown_tag_cases(struct)]
    return _spread(
        ABSENT, [(tags, _RARE) for tags in cases], Mode(max(mode.defaults, 224), mode.gaps, mode.long)
    )
