"""Functions that generated code calls: slow paths and tables. They raise `UnplacedError`.

Generated code only detects *that* an input is wrong. The interpreted codec then raises the error with its
place.
"""

from collections.abc import Callable, Iterable
from functools import cache
from struct import Struct
from typing import Any, Final, TypeAlias

from kafkawire.values import TAGS, StructValue
from kafkawire.wire import (
    MAX_LENGTH,
    MAX_STRING_BYTES,
    read_tag,
    read_tag_size,
    read_uvarint,
    size_uvarint,
    write_uvarint,
)

__all__ = [
    "FAILURES",
    "SHORT",
    "Packers",
    "UnplacedError",
    "all_bools",
    "all_floats",
    "extra_prefix",
    "long_blob",
    "long_count",
    "long_run",
    "long_text",
    "read_blob_length",
    "read_blob_length_or_null",
    "read_count",
    "read_count_or_null",
    "read_text_length",
    "read_text_length_or_null",
    "read_unknown_tags",
    "unpacker",
    "unpackers",
]


class UnplacedError(ValueError):
    """The bytes or the value are wrong. It has no place and never leaves the codec."""


FAILURES: Final = Exception
"""All exceptions that a wrong value can cause in an encoder: its own `__index__` may raise any."""

SHORT: Final = tuple(bytes([number]) for number in range(128))
"""The varints of one byte."""

_TABLE: Final = 128
"""The count below which the `struct` function for an array is made once and cached."""

Unpack: TypeAlias = Callable[[bytes, int], tuple[Any, ...]]


# Decoding: compact prefixes, read again as whole varints. They hold length + 1; 0 is null.


def read_text_length(data: bytes, pos: int) -> tuple[int, int]:
    raw, pos = read_text_length_or_null(data, pos)
    if raw == 0:
        raise UnplacedError
    return raw, pos


def read_text_length_or_null(data: bytes, pos: int) -> tuple[int, int]:
    raw, pos = read_uvarint(data, pos)
    if raw > MAX_STRING_BYTES + 1:
        raise UnplacedError
    return raw, pos


def read_blob_length(data: bytes, pos: int) -> tuple[int, int]:
    raw, pos = read_blob_length_or_null(data, pos)
    if raw == 0:
        raise UnplacedError
    return raw, pos


def read_blob_length_or_null(data: bytes, pos: int) -> tuple[int, int]:
    raw, pos = read_uvarint(data, pos)
    if raw > MAX_LENGTH + 1:
        raise UnplacedError
    return raw, pos


def read_count(data: bytes, pos: int) -> tuple[int, int]:
    raw, pos = read_count_or_null(data, pos)
    if raw == 0:
        raise UnplacedError
    return raw, pos


def read_count_or_null(data: bytes, pos: int) -> tuple[int, int]:
    raw, pos = read_uvarint(data, pos)
    if raw > len(data) - pos + 1:
        raise UnplacedError
    return raw, pos


def read_unknown_tags(data: bytes, pos: int, value: StructValue, reserved: frozenset[int]) -> int:
    """Read the tag section of a struct without tagged fields into `value`; return the position after it."""
    count, pos = read_uvarint(data, pos)
    unknown: dict[int, bytes] = {}
    tag = -1
    for _ in range(count):
        tag, pos = read_tag(data, pos, tag)
        size, pos = read_tag_size(data, pos)
        if tag in reserved:
            raise UnplacedError
        unknown[tag] = data[pos : pos + size]
        pos += size
    if unknown:
        value[TAGS] = unknown
    return pos


@cache
def unpackers(code: str) -> list[Unpack]:
    """The unpackers of the elements for each compact count below 128; null is refused."""
    return [_refuse, *(unpacker(count, code) for count in range(_TABLE - 1))]


def _refuse(data: bytes, pos: int) -> tuple[Any, ...]:
    raise UnplacedError


def unpacker(count: int, code: str) -> Unpack:
    """Return the function that unpacks an array's elements."""
    if count < _TABLE:
        return _unpacker(count, code)
    unpack: Unpack = Struct(f">{count}{code}").unpack_from
    return unpack


@cache
def _unpacker(count: int, code: str) -> Unpack:
    unpack: Unpack = Struct(f">{count}{code}").unpack_from
    return unpack


# Encoding.


class Packers(dict[Any, Callable[..., bytes]]):
    """The packers of a run with arrays, by the count of its array, or by a tuple of several counts."""

    __slots__ = ("_parts",)

    def __init__(self, *parts: str) -> None:
        """`parts`: alternately the codes of the slots before an array, and the code of its element."""
        super().__init__()
        self._parts = parts

    def __missing__(self, counts: int | tuple[int, ...]) -> Callable[..., bytes]:
        key = (counts,) if isinstance(counts, int) else counts
        form = [">", self._parts[0]]
        for count, code, slots in zip(key, self._parts[1::2], self._parts[2::2], strict=True):
            form += (str(max(count, 0)), code, slots)
        pack: Callable[..., bytes] = Struct("".join(form)).pack
        if len(self) < 4096 and max(key) < _TABLE:
            self[counts] = pack
        return pack


def long_text(length: int) -> bytes:
    """The prefix of a compact string of 127 bytes or more."""
    if length > MAX_STRING_BYTES:
        raise UnplacedError
    return write_uvarint(length + 1)


def long_blob(length: int) -> bytes:
    """The prefix of compact bytes whose length is 127 or more."""
    if length > MAX_LENGTH:
        raise UnplacedError
    return write_uvarint(length + 1)


long_count = long_blob


def long_run(forms: tuple[str, ...], *values: Any) -> bytes:
    """A run in which a compact prefix has more than one byte.

    Args:
        forms: for each value a `struct` code; ``text`` and ``count`` for the length of a body after
            its own prefix; ``*`` and a code for the elements of an array.
    """
    chunks = []
    for form, value in zip(forms, values, strict=True):
        if form == "text":
            chunks.append(long_text(value))
        elif form == "count":
            chunks.append(long_count(value))
        elif form[0] == "*":
            chunks.append(Struct(f">{len(value)}{form[1:]}").pack(*value))
        else:
            chunks.append(Struct(f">{form}").pack(value))
    return b"".join(chunks)


def all_bools(values: Iterable[object]) -> bool:
    return all(value is True or value is False for value in values)


def all_floats(values: Iterable[object]) -> bool:
    return all(isinstance(value, float | int) for value in values)


def extra_prefix(length: int) -> int:
    """The number of bytes after the first one in the compact prefix of this length."""
    return size_uvarint(length + 1) - 1
