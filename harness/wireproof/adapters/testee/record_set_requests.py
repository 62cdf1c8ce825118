"""Record sets as a testee is asked for them: a message of their own, each compression a claim of its own."""

from collections.abc import Iterator
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import Compression, from_value, record_set_layout, record_set_spec, to_value
from wireproof.model import NO_VALUE, Crashed, Decode, Decoded, Encode, Reencode, Request, Size

__all__ = ["RECORD_SET", "codecs_asked", "set_told"]

RECORD_SET: Final = record_set_spec().name
"""The message that record sets are; its version is the highest magic in the set."""

_PREFIX: Final = 12
"""Base offset (int64) and size (int32)."""
_MAGIC_AT: Final = 16


def set_told(tree: Any) -> Decoded | Crashed:
    """The record set that a testee told; a crash where it is none.

    Whatever it was asked for, the batches that it finds may be of any magic.
    """
    try:
        records = from_value(canonical(record_set_layout(2)).from_tree(tree))
    except CodecError as error:
        return Crashed(NO_VALUE, f"what it decoded is no record set: {error}")
    return Decoded(to_value(records))


def codecs_asked(request: Request) -> frozenset[str]:
    """The compressions of the batches that a question is about, by name."""
    match request:
        case Encode(value) | Size(value):
            numbers = {int(batch.get("compression", 0)) for batch in value.get("batches", ())}
        case Decode(data) | Reencode(data):
            numbers = set(_codecs_in(data))
        case _:
            numbers = set()
    return frozenset(codec.name.lower() for codec in Compression if codec in numbers)


def _codecs_in(data: bytes) -> Iterator[int]:
    """The compressions that the batches' attributes name."""
    start = 0
    while start + _MAGIC_AT < len(data):
        at = start + (_MAGIC_AT + 6 if data[start + _MAGIC_AT] == 2 else _MAGIC_AT + 1)
        size = int.from_bytes(data[start + 8 : start + _PREFIX], "big", signed=True)
        end = start + _PREFIX + size
        if size <= 0 or not at < end <= len(data):
            return
        yield data[at] & 7
        start = end
