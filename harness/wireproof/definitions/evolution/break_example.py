"""The message that a program with one layout writes, and one with another layout misreads or refuses."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError, EncodeError, Fault
from kafkawire.schema import MessageLayout, absences
from kafkawire.values import TAGS, StructValue, Value
from wireproof.definitions.evolution.value_meaning import value_differences
from wireproof.proof.strategies import scenarios
from wireproof.proof.strategies.cases.absent_fields import absent_cases

__all__ = ["BreakExample", "find_break", "find_unwritten", "without_unknown_tags"]

_MOST_BYTES: Final = 16 << 20
"""Of messages that are tried: twice the boundary cases of any message of 4.4.0. 10,000 fields have 2 GB."""


@dataclass(frozen=True, slots=True)
class BreakExample:
    """A message that the reader does not read as it was written, or that a writer refuses to write.

    Attributes:
        version: the version of the message.
        case: the boundary case of the writer's layout, such as ``topics/count-1``.
        data: the message's bytes as the writer encodes them, without a header.
        path: the writer's field whose value the reader changes; empty where it reads no value.
        outcome: what the reader does with the bytes.
    """

    version: int
    case: str
    data: bytes
    path: str
    outcome: str


def find_break(writer: MessageLayout, reader: MessageLayout) -> BreakExample | None:
    """Return the shortest message of the boundary cases that the reader misreads or refuses.

    None if it reads each, or those of a very long schema that are tried (16 MiB). A message that the reader
    refuses or misreads goes before one of which it leaves bytes: Kafka's classes do not look for these.

    The cases have no unknown tagged fields: those are data of later versions of either layout. A field that
    only the writer has, and that is tagged, is an unknown tagged field to the reader, which breaks nothing.
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
            continue  # a value that only unknown tagged fields made different
        left -= len(data)
        yield scenario.name, value, data


def _difference(
    writer: MessageLayout, reader: MessageLayout, value: StructValue, data: bytes
) -> tuple[str, str, bool] | None:
    """Return the path, the words, and if the reader only leaves bytes; None if it reads the same."""
    try:
        read = interpret_layout(reader).decode(data)
    except CodecError as error:
        return "", f"refused: {error}", error.fault is Fault.TRAILING
    difference = next(value_differences(writer.root, reader.root, value, read), None)
    return None if difference is None else (*difference, False)


def find_unwritten(before: MessageLayout, after: MessageLayout) -> dict[str, BreakExample]:
    """Return by its path each field of other versions whose value is dropped before and refused after.

    Both layouts are of one version. The bytes of an example are those that a program of before writes.
    """
    dropped = {each.path for each in absences(before) if not each.refused}
    withdrawn = {each.path for each in absences(after) if each.refused} & dropped
    if not withdrawn:
        return {}
    found: dict[str, BreakExample] = {}
    for case in absent_cases(before):
        path, _, name = case.name.rpartition("/")
        if path not in withdrawn or name != "off-default":
            continue
        data = interpret_layout(before).encode(case.value)
        try:
            interpret_layout(after).encode(case.value)
        except EncodeError as error:
            found[path] = BreakExample(before.version, case.name, data, path, f"refused: {error}")
    return found


def without_unknown_tags(value: Value) -> Value:
    """Return a value without the unknown tagged fields of all its structs."""
    if isinstance(value, dict):
        return {key: without_unknown_tags(each) for key, each in value.items() if key != TAGS}
    return [without_unknown_tags(each) for each in value] if isinstance(value, list) else value
