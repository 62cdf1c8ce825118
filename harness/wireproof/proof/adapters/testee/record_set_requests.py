"""Record sets in the testee protocol: a message of their own, with a claim for each compression."""

from collections.abc import Iterator
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import Compression, from_value, record_set_layout, record_set_spec, to_value
from wireproof.model import NO_VALUE, Crashed, Decode, Decoded, Encode, Reencode, Request, Size

__all__ = ["RECORD_SET", "codecs_of_request", "parse_record_set"]

RECORD_SET: Final = record_set_spec().name
"""The name of record sets as a message; its version is the highest magic in the set."""

_PREFIX: Final = 12
"""Base offset (int64) and size (int32)."""
_MAGIC_AT: Final = 16


def parse_record_set(tree: Any) -> Decoded | Crashed:
    """Parse the record set in a testee's answer; return a crash if it is not one.

    The batches may be of any magic, whichever version was requested.
    """
    try:
        records = from_value(canonical(record_set_layout(2)).from_tree(tree))
    except CodecError as error:
        return Crashed(NO_VALUE, f"what it decoded is no record set: {error}")
    return Decoded(to_value(records))


def codecs_of_request(request: Request) -> frozenset[str]:
    """Return the compressions of the batches of a request, by name."""
    match request:
        case Encode(value) | Size(value):
            numbers = {int(batch.get("compression", 0)) for batch in value.get("batches", ())}
        case Decode(data) | Reencode(data):
            numbers = set(_codecs_of_bytes(data))
        case _:
            numbers = set()
    return frozenset(codec.name.lower() for codec in Compression if codec in numbers)


def _codecs_of_bytes(data: bytes) -> Iterator[int]:
    """Yield the compressions in the attributes of the batches."""
    start = 0
    while start + _MAGIC_AT < len(data):
        attributes = start + (_MAGIC_AT + 6 if data[start + _MAGIC_AT] == 2 else _MAGIC_AT + 1)
        size = int.from_bytes(data[start + 8 : start + _PREFIX], "big", signed=True)
        end = start + _PREFIX + size
        if size <= 0 or not attributes < end <= len(data):
            return
        yield data[attributes] & 7
        start = end
