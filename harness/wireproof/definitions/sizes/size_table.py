"""The bytes of values field by field, by the chosen encodings and at full width, and their table as text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.schema import FieldLayout, IntegerEncoding, MessageLayout, ScalarType, StructLayout
from kafkawire.values import StructValue
from wireproof.base.exit_codes import FatalError
from wireproof.base.text.typed_json import TypedJson
from wireproof.base.text.wording import counted, did_you_mean
from wireproof.model.layout_parts import with_fields
from wireproof.traffic.fingerprint.field_sizes import FieldSize, FieldSizeMeter


class SizeRequestError(FatalError):
    """A request that the layout cannot meet."""


def matching_paths(layout: MessageLayout, selector: str, candidates: Iterable[str]) -> list[str]:
    """Return the paths that a selector means. Raises SizeRequestError if the selector means none of them.

    Args:
        selector: a path (``topics[].partitions[].leaderId``), the end of one or several paths (``leaderId``,
            ``partitions[].leaderId``), an integer type (``int32``, for arrays of it, too), or ``*``.
        candidates: the possible paths. If ``path[]`` is one of them, it means the elements of an array. Then
            ``path`` means their number, which does not match an integer type.
    """
    paths = list(candidates)
    if selector in paths:
        return [selector]
    counts = {path.removesuffix("[]") for path in paths if path.endswith("[]")}
    types = {path: ("*", str(field.scalar)) for path, _, field in layout.walk()}
    found = [
        path
        for path in paths
        if path.endswith(f".{selector}")
        or (path not in counts and selector in types.get(path.removesuffix("[]"), ()))
    ]
    if not found:
        names = [*paths, *map(_name, paths)]
        advice = did_you_mean(selector, names, f"Name one of {', '.join(paths[:8])}.")
        raise SizeRequestError(f"{layout.name}/{layout.version} has no such field: {selector}", advice)
    return found


def _name(path: str) -> str:
    """The last name of a path, with brackets if it means the elements of an array."""
    return path.rpartition(".")[2]


_BITS: Final = {ScalarType.INT16: 16, ScalarType.INT32: 32, ScalarType.INT64: 64}
_NAME: Final = re.compile(r"(fixed|packed|upacked)(16|32|64)?")


def choose_encodings(layout: MessageLayout, choices: Sequence[str]) -> dict[str, IntegerEncoding]:
    """Return the encodings that choices such as ``leaderId=packed32`` give to fields, by path.

    Args:
        choices: ``FIELD=NAME``; `matching_paths` explains FIELD. Without a width in NAME each field has the
            width of its type. A later choice overrides an earlier one.

    Raises:
        SizeRequestError: no such field or encoding, or one that the field cannot have.
    """
    fields = {path: field for path, _, field in layout.walk() if field.scalar in _BITS}
    found: dict[str, IntegerEncoding] = {}
    for choice in choices:
        selector, separator, name = choice.rpartition("=")
        if not separator or _NAME.fullmatch(name) is None:
            known = "fixed, packed or upacked, with 16, 32 or 64 or without: leaderId=packed32, int32=upacked"
            raise SizeRequestError(f"{choice!r} is not FIELD=ENCODING", f"Encodings are {known}.")
        for path in matching_paths(layout, selector, fields):
            found[path] = _encoding(path, fields[path], name)
    return found


def _encoding(path: str, field: FieldLayout, name: str) -> IntegerEncoding:
    assert field.scalar is not None
    bits = _BITS[field.scalar]
    encoding = IntegerEncoding(name if name[-1].isdigit() else f"{name}{bits}")
    if encoding.bits > bits:
        raise SizeRequestError(f"{path}: {encoding} is wider than {field.type}", f"Use {bits} bits or fewer.")
    half = 1 << (encoding.bits - 1)
    if isinstance(field.default, int) and not -half <= field.default < half:
        raise SizeRequestError(f"{path}: the default {field.default} does not fit {encoding}")
    return encoding


def with_encodings(layout: MessageLayout, encodings: Mapping[str, IntegerEncoding]) -> MessageLayout:
    """Return the layout with these encodings, by path; other fields keep theirs."""
    return replace(layout, root=_in_struct("", layout.root, encodings))


def without_encodings(layout: MessageLayout) -> MessageLayout:
    """Return the layout with every integer at the full width of its type, as in Kafka."""
    full = {
        path: IntegerEncoding(f"fixed{_BITS[field.scalar]}")
        for path, _, field in layout.walk()
        if field.scalar in _BITS
    }
    return with_encodings(layout, full)


def _in_struct(prefix: str, struct: StructLayout, encodings: Mapping[str, IntegerEncoding]) -> StructLayout:
    return with_fields(struct, lambda field: _in_field(prefix, field, encodings))


def _in_field(prefix: str, field: FieldLayout, encodings: Mapping[str, IntegerEncoding]) -> FieldLayout:
    path = f"{prefix}{field.name}"
    if field.struct is not None:
        inner = f"{path}[]." if field.is_array else f"{path}."
        return replace(field, struct=_in_struct(inner, field.struct, encodings))
    if path not in encodings:
        return field
    chosen = encodings[path]
    own = chosen.is_fixed and chosen.integer_type is field.scalar
    return replace(field, encoding=None if own else chosen)


_INDEX: Final = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class FieldSavings:
    """The bytes of one field in all values.

    Attributes:
        path: the path as in `MessageLayout.walk`; for a tag section, its struct's path and ``_tags``.
        type: Kafka's name of the type; ``""`` for a tag section.
        encoding: the chosen encoding; ``""`` if the field has the type's own.
        values: the number of values; for an array, of its elements.
        fixed_bytes: the bytes with every integer at full width, as in Kafka, including length prefixes.
        bytes: the bytes with the chosen encodings.
        packed_bytes, upacked_bytes: the bytes with this encoding; None for types outside of KIP-625.
    """

    path: str
    type: str
    encoding: str
    values: int
    fixed_bytes: int
    bytes: int
    packed_bytes: int | None
    upacked_bytes: int | None


@dataclass(frozen=True, slots=True)
class SizeTable:
    """The sizes of some values of one layout.

    Attributes:
        layout: the layout with the chosen encodings.
        fields: each field with values, in wire order.
        refused: the number of values that the chosen encodings cannot hold, by the first reason.
        foreign: the number of values that the layout cannot hold at full width: another definition's values.
    """

    layout: MessageLayout
    messages: int
    fields: tuple[FieldSavings, ...]
    refused: Mapping[str, int] = field(default_factory=dict)
    foreign: Mapping[str, int] = field(default_factory=dict)

    @property
    def fixed_bytes(self) -> int:
        """All bytes, with every integer at full width."""
        return sum(each.fixed_bytes for each in self.fields)

    @property
    def bytes(self) -> int:
        """All bytes, by the chosen encodings."""
        return sum(each.bytes for each in self.fields)


def measure_sizes(layout: MessageLayout, values: Iterable[StructValue]) -> SizeTable:
    """Measure values by a layout's encodings, and at full width.

    A value that cannot be encoded in both ways is counted, and left out of both sums.
    """
    plain = without_encodings(layout)
    wide, narrow = fastest_codec(plain), fastest_codec(layout)
    measured: list[StructValue] = []
    refused: dict[str, int] = {}
    foreign: dict[str, int] = {}
    fixed_total = total = 0
    for value in values:
        reasons = foreign
        try:
            data = wide.encode(value)
            complete = wide.decode(data)
            reasons = refused
            encoded = narrow.encode(value)
        except CodecError as error:
            words = f"{error.fault}: {_INDEX.sub('[]', error.path)}"
            reasons[words] = reasons.get(words, 0) + 1
            continue
        measured.append(complete)
        fixed_total, total = fixed_total + len(data), total + len(encoded)
    rows = _rows(layout, FieldSizeMeter(plain).measure(measured), FieldSizeMeter(layout).measure(measured))
    table = SizeTable(layout, len(measured), tuple(rows), refused, foreign)
    if (table.fixed_bytes, table.bytes) != (fixed_total, total):
        raise RuntimeError(f"{layout.name} v{layout.version}: the fields do not add up: a bug of ours")
    return table


def _rows(layout: MessageLayout, fixed: list[FieldSize], chosen: list[FieldSize]) -> list[FieldSavings]:
    encodings = {path: str(each.encoding or "") for path, _, each in layout.walk()}
    return [
        FieldSavings(
            one.path,
            one.type,
            encodings.get(one.path, ""),
            one.values,
            one.wire_bytes,
            other.wire_bytes,
            _beside(one, one.signed_bytes),
            _beside(one, one.unsigned_bytes),
        )
        for one, other in zip(fixed, chosen, strict=True)
        if one.wire_bytes or one.values
    ]


def _beside(size: FieldSize, numbers: int | None) -> int | None:
    """The field's bytes if its numbers took `numbers` bytes: counts, and tags with sizes, are added."""
    return None if numbers is None else size.wire_bytes - (size.fixed_bytes or 0) + numbers


_HEADS = ("values", "fixed", "packed", "upacked", "encoding", "bytes", "saved")


def size_lines(table: SizeTable) -> Iterator[str]:
    """Yield the table: a line for each field, then the totals."""
    layout = table.layout
    yield f"{layout.name}/{layout.version}: {counted(table.messages, 'message')}, bytes of bodies"
    names = max([len(each.path) for each in table.fields] + [5])
    yield _line(names, "field", "type", _HEADS)
    for each in table.fields:
        cells = (each.values, each.fixed_bytes, each.packed_bytes, each.upacked_bytes)
        saved = each.fixed_bytes - each.bytes
        texts = ["" if cell is None else f"{cell:,}" for cell in cells]
        more = (each.encoding, f"{each.bytes:,}", f"{saved:,}" if saved else "")
        yield _line(names, each.path, each.type, (*texts, *more))
    packed, upacked = (sum(map(chosen, table.fields)) for chosen in (_packed, _upacked))
    saved = table.fixed_bytes - table.bytes
    totals = (table.fixed_bytes, packed, upacked)
    texts = ["", *(f"{each:,}" for each in totals), "", f"{table.bytes:,}", f"{saved:,}"]
    yield _line(names, "all", "", tuple(texts))
    if table.fixed_bytes:
        yield f"saved: {saved:,} of {table.fixed_bytes:,} bytes, {100 * saved / table.fixed_bytes:.1f} %"


def _packed(field: FieldSavings) -> int:
    return field.fixed_bytes if field.packed_bytes is None else field.packed_bytes


def _upacked(field: FieldSavings) -> int:
    return field.fixed_bytes if field.upacked_bytes is None else field.upacked_bytes


def _line(names: int, path: str, type_: str, cells: tuple[str, ...]) -> str:
    values, fixed, packed, upacked, encoding, size, saved = cells
    numbers = f"{values:>9} {fixed:>11} {packed:>11} {upacked:>11}"
    return f"  {path:{names}}  {type_:9} {numbers}  {encoding:9} {size:>11} {saved:>11}".rstrip()


_JSON: Final = TypedJson({})


def as_plain(table: SizeTable) -> dict[str, Any]:
    """Return the table as JSON has it."""
    return {
        "message": table.layout.name,
        "version": table.layout.version,
        "messages": table.messages,
        "fixedBytes": table.fixed_bytes,
        "bytes": table.bytes,
        "savedBytes": table.fixed_bytes - table.bytes,
        "fields": list(map(_JSON.write, table.fields)),
        "refused": dict(table.refused),
        "foreign": dict(table.foreign),
    }
