"""A message that a program with one layout writes, and a program with another layout misreads or refuses.

Values are compared by their bytes: an array of numbers equals an array of structs with one number, and a uuid
equals two int64. Python's types and the keys of structs do not count.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, TypeAlias
from uuid import UUID

from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError, EncodeError, Fault
from kafkawire.schema import (
    Absence,
    AbsentField,
    Effect,
    FieldLayout,
    FieldPair,
    LayoutChange,
    MessageLayout,
    StructLayout,
    absences,
    paired_fields,
)
from kafkawire.schema.comparison import default_words, other_owner
from kafkawire.values import StructValue, Value
from wireproof.model.layout_parts import sparse_default, without_unknown_tags
from wireproof.proof.strategies.cases.absent_fields import absent_cases
from wireproof.proof.strategies.cases.scenarios import scenarios

Atom: TypeAlias = tuple[str, Any]
"""An atomic part of a value on the wire, with its kind: a number, bytes, a count, null."""

Difference: TypeAlias = tuple[str, str]
"""The path of a field, and words."""

_HALF: Final = 1 << 63
_ZERO_UUID: Final = UUID(int=0)
_PRESENT: Final = ("present", True)


def value_differences(
    writer: StructLayout, reader: StructLayout, wrote: StructValue, read: StructValue, prefix: str = ""
) -> Iterator[Difference]:
    """Yield (path, words) of each field whose value differs between writer and reader.

    Fields that only the writer has are left out: to the reader they are unknown tagged fields.
    """
    in_place: list[FieldPair] = []
    tagged: list[FieldPair] = []
    for pair in paired_fields(writer, reader):
        is_tagged = any(field is not None and field.tag is not None for field in pair)
        (tagged if is_tagged else in_place).append(pair)
    found = list(_pairs(prefix, in_place, wrote, read))
    if found and not _same_parts(writer, reader, wrote, read):
        yield from found
    yield from _pairs(prefix, tagged, wrote, read)


def _pairs(
    prefix: str, pairs: list[FieldPair], wrote: StructValue, read: StructValue
) -> Iterator[Difference]:
    for theirs, ours in pairs:
        yield from _pair(prefix, theirs, ours, wrote, read)


def _same_parts(writer: StructLayout, reader: StructLayout, wrote: StructValue, read: StructValue) -> bool:
    """Return whether both structs have the same parts in order, with each common name at the same place."""
    sides = [_parts(writer, wrote), _parts(reader, read)]
    starts = [{name: start for name, start, _ in side} for side in sides]
    atoms = [list(chain.from_iterable(each for _, _, each in side)) for side in sides]
    return atoms[0] == atoms[1] and all(starts[1].get(name, at) == at for name, at in starts[0].items())


def _parts(struct: StructLayout, value: StructValue) -> list[tuple[str, int, list[Atom]]]:
    """Return the name of each field without a tag, the number of parts before it, and its parts."""
    parts, start = [], 0
    for field in struct.fields:
        atoms = list(_atoms(field, _value_of(field, value)))
        parts.append((field.name, start, atoms))
        start += len(atoms)
    return parts


def _pair(
    prefix: str, theirs: FieldLayout | None, ours: FieldLayout | None, wrote: StructValue, read: StructValue
) -> Iterator[Difference]:
    """Yield the differences of a field that both sides have, or that one side lacks."""
    if ours is None:
        return
    got = _value_of(ours, read)
    if theirs is None:
        if not _same(ours, got, ours, _value_of(ours, {})):
            yield prefix + ours.name, f"reads {_words(got)} where nothing was written"
        return
    sent = _value_of(theirs, wrote)
    path = prefix + theirs.name
    if other_owner(theirs, ours):
        if not _same(theirs, sent, theirs, _value_of(theirs, {})):
            yield path, f"{ours.name} reads {_words(got)}, which was written for {theirs.name}"
        return
    yield from _field_differences(path, theirs, ours, sent, got)


def _field_differences(
    path: str, theirs: FieldLayout, ours: FieldLayout, sent: Value, got: Value
) -> Iterator[Difference]:
    outer, inner = theirs.struct, ours.struct
    if outer is not None and inner is not None:
        if isinstance(sent, list) and isinstance(got, list) and len(sent) == len(got):
            for one, other in zip(sent, got, strict=True):
                yield from value_differences(outer, inner, one, other, f"{path}[].")
            return
        if isinstance(sent, dict) and isinstance(got, dict):
            yield from value_differences(outer, inner, sent, got, f"{path}.")
            return
    if not _same(theirs, sent, ours, got):
        yield path, f"reads {_words(got)} where {_words(sent)} was written"


def _same(theirs: FieldLayout, sent: Value, ours: FieldLayout, got: Value) -> bool:
    """Return whether two values mean the same. Empty and zero values do, whatever their types are."""
    return (_is_zero(sent) and _is_zero(got)) or list(_atoms(theirs, sent)) == list(_atoms(ours, got))


def _is_zero(value: Value) -> bool:
    if isinstance(value, float):
        return repr(value) == "0.0"
    return value in (0, "", b"", [], _ZERO_UUID)


def _atoms(field: FieldLayout, value: Value) -> Iterator[Atom]:
    """Yield the parts of a field's value in the order of the wire."""
    if value is None:
        yield "null", None
    elif isinstance(value, list):
        yield "count", len(value)
        for each in value:
            yield from _atoms_of_one(field, each)
    else:
        if field.struct is not None and field.nullable:
            yield _PRESENT
        yield from _atoms_of_one(field, value)


def _atoms_of_one(field: FieldLayout, value: Value) -> Iterator[Atom]:
    """Yield the parts of a value, or of an element of an array."""
    if field.struct is not None and isinstance(value, Mapping):
        for inner in field.struct.fields:
            yield from _atoms(inner, _value_of(inner, value))
        for inner in field.struct.tagged:
            yield "tag", (inner.tag, tuple(_atoms(inner, _value_of(inner, value))))
        return
    match value:
        case UUID():
            yield from (
                ("number", (half ^ _HALF) - _HALF) for half in (value.int >> 64, value.int % (1 << 64))
            )
        case bool() | int():
            yield "number", int(value)
        case float():
            yield "float", repr(value)  # a NaN equals itself, and 0.0 is not -0.0
        case str():
            yield "bytes", value.encode("utf-8", "surrogatepass")
        case _:
            yield "bytes", value


def _value_of(field: FieldLayout, value: Mapping[str, Value]) -> Value:
    found: Value = value[field.name] if field.name in value else sparse_default(field)
    return found


def _words(value: Value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_MOST_BYTES: Final = 16 << 20
"""The most bytes of tried messages: twice as many as for any message of 4.4.0. 10,000 fields have 2 GB."""


@dataclass(frozen=True, slots=True)
class BreakExample:
    """A message that the reader does not read as it was written, or that a writer refuses to write.

    Attributes:
        case: the boundary case of the writer's layout, such as ``topics/count-1``.
        data: the message's bytes as the writer encodes them, without a header.
        path: the writer's field whose value the reader changes; empty if the reader reads no value.
        outcome: what the reader does with the bytes.
    """

    version: int
    case: str
    data: bytes
    path: str
    outcome: str


def find_break(writer: MessageLayout, reader: MessageLayout) -> BreakExample | None:
    """Return the shortest message of the boundary cases that the reader misreads or refuses.

    None if it reads all, or all that are tried of a very long schema (16 MiB). A message that the reader
    refuses or misreads is preferred to one with bytes left over, because Kafka's classes ignore such bytes.

    The cases have no unknown tagged fields: these are data of later versions of either layout. A tagged field
    that only the writer has is an unknown tagged field to the reader, and breaks nothing.
    """
    found: BreakExample | None = None
    least: tuple[bool, int] | None = None
    for case, value, data in _written(writer):
        weakest = least is not None and (False, len(data)) >= least
        difference = None if weakest else _difference(writer, reader, value, data)
        if difference is None:
            continue
        path, outcome, left_over = difference
        if least is None or (left_over, len(data)) < least:
            found = BreakExample(writer.version, case, data, path, outcome)
            least = left_over, len(data)
    return found


def _written(writer: MessageLayout) -> Iterator[tuple[str, StructValue, bytes]]:
    """Yield name, value and bytes of each boundary case."""
    encode, left = interpret_layout(writer).encode, _MOST_BYTES
    for scenario in scenarios(writer):
        if left <= 0:
            return
        value = without_unknown_tags(scenario.value)
        try:
            data = encode(value)
        except EncodeError:
            continue  # a value that differs only in unknown tagged fields
        left -= len(data)
        yield scenario.name, value, data


def _difference(
    writer: MessageLayout, reader: MessageLayout, value: StructValue, data: bytes
) -> tuple[str, str, bool] | None:
    """Return path, words, and whether the reader only leaves bytes over; None if it reads the same value."""
    try:
        read = interpret_layout(reader).decode(data)
    except CodecError as error:
        return "", f"refused: {error}", error.fault is Fault.TRAILING
    difference = next(value_differences(writer.root, reader.root, value, read), None)
    return None if difference is None else (*difference, False)


def find_unwritten(before: MessageLayout, after: MessageLayout) -> dict[LayoutChange, BreakExample]:
    """Return each field of other versions with a value that `before` takes and `after` refuses.

    Such a field is ignorable no more, or has another default. Both layouts are of one version. The bytes of
    an example are those that a program with `before` writes.
    """
    now = {each.path: each for each in absences(after)}
    then = {each.path: each for each in absences(before) if each.path in now and each != now[each.path]}
    if not then:
        return {}
    found: dict[str, tuple[LayoutChange, BreakExample]] = {}
    for case in absent_cases(before):
        path = case.name.rpartition("/")[0]
        if path in found or path not in then:
            continue
        error = _unwritable(after, case.value)
        if error is not None and error.fault is Fault.NOT_IN_VERSION and not _unwritable(before, case.value):
            data = interpret_layout(before).encode(case.value)
            example = BreakExample(before.version, case.name, data, path, f"refused: {error}")
            found[path] = _withdrawn(then[path], now[path].field), example
    return dict(found.values())


def _unwritable(layout: MessageLayout, value: StructValue) -> EncodeError | None:
    try:
        interpret_layout(layout).encode(value)
    except EncodeError as error:
        return error
    return None


def _withdrawn(before: Absence, after: AbsentField) -> LayoutChange:
    if not before.refused:
        return LayoutChange(before.path, "ignorable", "yes", "no", Effect.WORDS)
    words = default_words(before.field.default), default_words(after.default)
    return LayoutChange(before.path, "default", *words, Effect.WORDS)
