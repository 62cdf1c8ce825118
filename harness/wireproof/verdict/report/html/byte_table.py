"""Two encodings side by side: a row for each field, with the first difference marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from wireproof.model import NamedBytes
from wireproof.proof.checks import first_difference

__all__ = ["ByteRow", "ByteSide", "byte_rows"]

_MOST: Final = 64
"""Bytes of a field that a row shows; of a longer field the beginning."""
_UNREAD: Final = "(not read)"
"""In place of the name of bytes that no field has."""


@dataclass(frozen=True, slots=True)
class ByteSide:
    """The bytes of one field on one side.

    Attributes:
        offset: of the first byte in the encoding.
        before, differing, after: the bytes in hexadecimal, with spaces; `differing` is the first byte that
            differs from the other side, and everything is `before` where none does.
        more: bytes of the field that are left out.
        text: the bytes as ASCII, a dot for each other byte.
    """

    offset: int
    before: str
    differing: str
    after: str
    more: int
    text: str


@dataclass(frozen=True, slots=True)
class ByteRow:
    """A field on both sides.

    Attributes:
        name: as in `NamedBytes.fields`.
        left, right: None where the side does not have the field.
        differs: whether the bytes of both sides differ.
        first: whether it is the first row that differs.
    """

    name: str
    left: ByteSide | None
    right: ByteSide | None
    differs: bool
    first: bool


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    offset: int
    data: bytes


def byte_rows(left: NamedBytes, right: NamedBytes | None = None) -> list[ByteRow]:
    """Return the rows of one encoding, or of two side by side.

    Fields are matched by their names, so that a field that one side lacks shifts no other field.
    """
    ours = list(_fields(left))
    if right is None:
        return [ByteRow(each.name, _side(each, None), None, False, False) for each in ours]
    rows = []
    first = True
    for one, other in _aligned(ours, list(_fields(right))):
        differs = one is None or other is None or one.data != other.data
        name = (one or other or _Field("", 0, b"")).name
        sides = _side(one, other.data if other else None), _side(other, one.data if one else None)
        rows.append(ByteRow(name, *sides, differs, differs and first))
        first = first and not differs
    return rows


def _fields(shown: NamedBytes) -> Iterator[_Field]:
    """Yield the fields of the part in order; bytes between them have no name."""
    data, at = shown.data, shown.start
    end = shown.start + len(data)
    for start, stop, name in shown.fields:
        start, stop = max(start, at), min(stop, end)
        if start > at:
            yield _Field(_UNREAD, at, data[at - shown.start : start - shown.start])
        if stop > start:
            yield _Field(name, start, data[start - shown.start : stop - shown.start])
            at = stop
    if at < end:
        yield _Field(_UNREAD, at, data[at - shown.start :])


def _aligned(
    left: Sequence[_Field], right: Sequence[_Field]
) -> Iterator[tuple[_Field | None, _Field | None]]:
    names = [each.name for each in left], [each.name for each in right]
    for tag, a, b, c, d in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(left[a:b], right[c:d], strict=True)
            continue
        yield from ((each, None) for each in left[a:b])
        yield from ((None, each) for each in right[c:d])


def _side(field: _Field | None, other: bytes | None) -> ByteSide | None:
    if field is None:
        return None
    shown = field.data[:_MOST]
    at = len(shown) if other is None else first_difference(shown, other)
    parts = shown[:at].hex(" "), shown[at : at + 1].hex(), shown[at + 1 :].hex(" ")
    return ByteSide(field.offset, *parts, len(field.data) - len(shown), _ascii(shown))


def _ascii(data: bytes) -> str:
    return "".join(chr(each) if 0x20 <= each < 0x7F else "." for each in data)
