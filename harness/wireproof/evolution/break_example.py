"""The frame that shows that a reader of one layout misreads what a writer of another layout writes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError, EncodeError
from kafkawire.schema import Default, FieldLayout, MessageLayout, StructLayout, paired_fields
from kafkawire.schema.layout import EMPTY
from kafkawire.values import TAGS, StructValue, Value
from wireproof.strategies import scenarios

__all__ = ["BreakExample", "find_break", "value_differences"]

_MOST_BYTES: Final = 16 << 20
"""Of messages that are tried: twice the boundary cases of any message of 4.4.0. 10,000 fields have 2 GB."""


@dataclass(frozen=True, slots=True)
class BreakExample:
    """A message that the reader does not read as it was written.

    Attributes:
        case: the boundary case of the writer's layout, such as ``topics/count-1``.
        data: the message's bytes as the writer encodes them, without a header.
        path: the writer's field whose value the reader changes; empty where it reads no value.
        outcome: what the reader does with the bytes.
    """

    case: str
    data: bytes
    path: str
    outcome: str


def find_break(writer: MessageLayout, reader: MessageLayout) -> BreakExample | None:
    """Return the shortest message of the boundary cases that the reader misreads or refuses.

    None if it reads each, or those of a very long schema that are tried (16 MiB).

    The cases have no unknown tagged fields: those are data of later versions of either layout. A field that
    only the writer has, and that is tagged, is an unknown tagged field to the reader, which breaks nothing.
    """
    encode, decode = interpret_layout(writer).encode, interpret_layout(reader).decode
    found: BreakExample | None = None
    left = _MOST_BYTES
    for scenario in scenarios(writer):
        if left <= 0:
            break
        value = _without_tags(scenario.value)
        try:
            data = encode(value)
        except EncodeError:
            continue  # a value that only unknown tagged fields made different
        left -= len(data)
        if found is not None and len(data) >= len(found.data):
            continue
        try:
            read = decode(data)
        except CodecError as error:
            found = BreakExample(scenario.name, data, "", f"refused: {error}")
            continue
        difference = next(value_differences(writer.root, reader.root, value, read), None)
        if difference is not None:
            found = BreakExample(scenario.name, data, *difference)
    return found


def value_differences(
    writer: StructLayout, reader: StructLayout, wrote: StructValue, read: StructValue
) -> Iterator[tuple[str, str]]:
    """Yield (path, words) of each field that the reader has another value of than the writer.

    A field that only the writer has is not among them: to the reader it is an unknown tagged field.
    """
    return _differences("", writer, reader, wrote, read)


def _without_tags(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _without_tags(each) for key, each in value.items() if key != TAGS}
    return [_without_tags(each) for each in value] if isinstance(value, list) else value


def _differences(
    prefix: str, writer: StructLayout, reader: StructLayout, wrote: StructValue, read: StructValue
) -> Iterator[tuple[str, str]]:
    """Yield (path, words) of each field that the reader has another value of."""
    for theirs, ours in paired_fields(writer, reader):
        if ours is None:
            continue
        if theirs is None:
            got = read.get(ours.name, ours.default)
            if not _same(got, ours.default):
                yield prefix + ours.name, f"reads {_words(got)} where nothing was written"
            continue
        sent, got = _value_of(theirs, wrote), _value_of(ours, read)
        yield from _field_differences(prefix + theirs.name, theirs, ours, sent, got)


def _field_differences(
    path: str, theirs: FieldLayout, ours: FieldLayout, sent: Value, got: Value
) -> Iterator[tuple[str, str]]:
    both = theirs.struct, ours.struct
    if isinstance(sent, list) and isinstance(got, list) and len(sent) == len(got) and None not in both:
        for one, other in zip(sent, got, strict=True):
            yield from _differences(f"{path}[].", *both, one, other)  # type: ignore[arg-type]
    elif isinstance(sent, dict) and isinstance(got, dict) and None not in both:
        yield from _differences(f"{path}.", *both, sent, got)  # type: ignore[arg-type]
    elif not _same(sent, got):
        yield path, f"reads {_words(got)} where {_words(sent)} was written"


def _value_of(field: FieldLayout, value: Mapping[str, Value]) -> Value:
    given = value.get(field.name, field.default)
    if given is not EMPTY:
        return given
    return [] if field.is_array else {}


def _same(one: Any, other: Default | Value) -> bool:
    """Equal in kind and value; a NaN equals itself."""
    return repr(one) == repr(other)


def _words(value: Value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
