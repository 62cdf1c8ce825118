"""The bytes of values field by field, by the layout's encodings and at full width."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue
from wireproof.definitions.sizes.encoding_choice import without_encodings
from wireproof.traffic.fingerprint import FieldSize, FieldSizeMeter

__all__ = ["FieldSavings", "SizeTable", "measure_sizes"]

_INDEX: Final = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class FieldSavings:
    """The bytes of one field in all values.

    Attributes:
        path: as `MessageLayout.walk` has it; of a tag section that of its struct and ``_tags``.
        type: Kafka's name of it; ``""`` for a tag section.
        encoding: the chosen encoding; ``""`` where it is the type's own.
        values: number of values; of an array its elements.
        fixed_bytes: with every integer at full width, as in Kafka; with length prefixes.
        bytes: by the chosen encodings.
        packed_bytes, upacked_bytes: if the field had this encoding; None for types outside of KIP-625.
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
        layout: with the chosen encodings.
        messages: number of values measured.
        fields: each field with values, in wire order.
        refused: values that the chosen encodings cannot hold, by the reason of the first refusal.
        foreign: values that the layout cannot hold at full width either: they are of another definition.
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

    A value that either cannot hold is counted and left out of both.
    """
    plain = without_encodings(layout)
    wide, narrow = compile_layout(plain), compile_layout(layout)
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
    """The field's bytes if its numbers took so many: the rest are counts, and tags with sizes."""
    return None if numbers is None else size.wire_bytes - (size.fixed_bytes or 0) + numbers
