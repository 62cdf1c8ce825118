"""Alignment of two layouts of one message whose fields have different names, and their differences.

franz-go has its own names for fields (`TimeoutMillis` for Kafka's `timeoutMs`). Fields in place are paired in
order, so that as many pairs as possible have one type, and then similar names. Tagged fields are paired by
their tags.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from kafkawire.schema import Default, FieldLayout, ScalarType, StructLayout


class Aspect(StrEnum):
    """The part of a field, or of a struct, that differs."""

    FIELD = "field"
    """One side lacks the field."""
    ORDER = "order"
    """Both have the field, at another place among the others."""
    TYPE = "type"
    NULLABLE = "nullable"
    COMPACT = "compact"
    FLEXIBLE = "flexible"
    TAGGED_DEFAULT = "tagged-default"
    """The value that is not written."""
    DEFAULT = "default"
    """The value of a field in place that a program does not set. It has no effect on bytes."""

    @property
    def of_bytes(self) -> bool:
        """True if the two write or read other bytes for one value."""
        return self is not Aspect.DEFAULT


@dataclass(frozen=True, slots=True)
class LayoutDifference:
    """One difference at one version.

    Attributes:
        path: the field, by Kafka's names if Kafka has it; ``""`` for the message itself.
        krammar: krammar's side in words; ``absent`` for a field that it lacks.
    """

    path: str
    aspect: Aspect
    krammar: str
    kafka: str


def layout_differences(krammar: StructLayout, kafka: StructLayout) -> list[LayoutDifference]:
    """Every difference, outer before inner; empty if both write the same bytes and have the same defaults."""
    return list(_structs("", krammar, kafka))


def _structs(prefix: str, krammar: StructLayout, kafka: StructLayout) -> Iterator[LayoutDifference]:
    if krammar.flexible != kafka.flexible:
        path = prefix.rstrip(".")
        yield LayoutDifference(path, Aspect.FLEXIBLE, _word(krammar.flexible), _word(kafka.flexible))
    tags = {field.tag: field for field in krammar.tagged}
    others = {field.tag: field for field in kafka.tagged}
    pairs, moved = _without_moved(_aligned(krammar.fields, kafka.fields))
    pairs = _with_replaced(pairs)
    for own, other in moved:
        places = _place(krammar.fields, own), _place(kafka.fields, other)
        yield LayoutDifference(prefix + other.name, Aspect.ORDER, *places)
        yield from _fields(prefix, own, other)
    pairs += [(tags.get(tag), others.get(tag)) for tag in sorted({*tags, *others}, key=lambda tag: tag or 0)]
    for left, right in pairs:
        if left is None and right is not None:
            yield LayoutDifference(prefix + right.name, Aspect.FIELD, "absent", _shown(right))
        elif right is None and left is not None:
            yield LayoutDifference(prefix + left.name, Aspect.FIELD, _shown(left), "absent")
        elif left is not None and right is not None:
            yield from _fields(prefix, left, right)


def _fields(prefix: str, krammar: FieldLayout, kafka: FieldLayout) -> Iterator[LayoutDifference]:
    path = prefix + kafka.name
    of_default = Aspect.DEFAULT if kafka.tag is None else Aspect.TAGGED_DEFAULT
    for aspect, left, right in (
        (Aspect.TYPE, _kind(krammar), _kind(kafka)),
        (Aspect.NULLABLE, _word(krammar.nullable), _word(kafka.nullable)),
        (Aspect.COMPACT, _word(krammar.compact), _word(kafka.compact)),
        (of_default, _default(krammar), _default(kafka)),
    ):
        if left != right:
            yield LayoutDifference(path, aspect, left, right)
    if krammar.struct is not None and kafka.struct is not None:
        yield from _structs(f"{path}[]." if kafka.is_array else f"{path}.", krammar.struct, kafka.struct)


Pair = tuple[FieldLayout | None, FieldLayout | None]


def _aligned(left: Sequence[FieldLayout], right: Sequence[FieldLayout]) -> list[Pair]:
    """Pair two sequences in order, with the highest sum of `_likeness`."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for row in range(len(left) - 1, -1, -1):
        for column in range(len(right) - 1, -1, -1):
            paired = _likeness(left[row], right[column])
            both = best[row + 1][column + 1] + paired if paired else 0
            best[row][column] = max(both, best[row + 1][column], best[row][column + 1])
    pairs: list[Pair] = []
    row = column = 0
    while row < len(left) and column < len(right):
        paired = _likeness(left[row], right[column])
        if paired and best[row][column] == best[row + 1][column + 1] + paired:
            pairs.append((left[row], right[column]))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            pairs.append((left[row], None))
            row += 1
        else:
            pairs.append((None, right[column]))
            column += 1
    pairs += [(field, None) for field in left[row:]]
    return pairs + [(None, field) for field in right[column:]]


def _without_moved(pairs: list[Pair]) -> tuple[list[Pair], list[tuple[FieldLayout, FieldLayout]]]:
    """Take out the fields that both sides have, under one name, at different places."""
    came = {(_kind(right), _plain_name(right)): right for left, right in pairs if left is None and right}
    moved = []
    for left, right in pairs:
        if left is not None and right is None:
            other = came.get((_kind(left), _plain_name(left)))
            if other is not None:
                moved.append((left, other))
    gone = {id(field) for pair in moved for field in pair}
    kept = [pair for pair in pairs if not gone & {id(field) for field in pair}]
    return kept, moved


def _with_replaced(pairs: list[Pair]) -> list[Pair]:
    """Pair fields at one place that share neither type nor name, if both sides have equally many there."""
    result: list[Pair] = []
    for both, group in groupby(pairs, key=lambda pair: None not in pair):
        members = list(group)
        left = [pair for pair in members if pair[1] is None]
        right = [pair for pair in members if pair[0] is None]
        if not both and len(left) == len(right):
            members = [(one[0], other[1]) for one, other in zip(left, right, strict=True)]
        result += members
    return result


def _place(fields: Sequence[FieldLayout], field: FieldLayout) -> str:
    position = fields.index(field)
    return f"after {fields[position - 1].name}" if position else "first"


def _likeness(left: FieldLayout, right: FieldLayout) -> int:
    """0 for fields that are never paired: they have neither a type nor a name in common."""
    return 4 * (_kind(left) == _kind(right)) + 2 * (_plain_name(left) == _plain_name(right))


def _plain_name(field: FieldLayout) -> str:
    return field.name.lower().replace("millis", "ms")


def _kind(field: FieldLayout) -> str:
    """The type as the bytes show it: without names of structs, and with records as bytes."""
    scalar = ScalarType.BYTES if field.scalar is ScalarType.RECORDS else field.scalar
    inner = "struct" if field.struct is not None else str(scalar)
    return f"[]{inner}" if field.is_array else inner


def _default(field: FieldLayout) -> str:
    default: Default = field.default
    if field.scalar is ScalarType.RECORDS and not field.is_array and not field.nullable:
        default = b""  # Kafka's class has null, which it cannot write
    return "null" if default is None else str(default).lower() if isinstance(default, bool) else repr(default)


def _shown(field: FieldLayout) -> str:
    words = [_kind(field)]
    if field.tag is not None:
        words.append(f"tag {field.tag}")
    if field.nullable:
        words.append("nullable")
    return " ".join(words)


def _word(holds: bool) -> str:
    return "yes" if holds else "no"
