"""The canonical form of a record set taken apart, so that a difference has a name.

The form is that of `kafkawire.records.canonical`, read here on its own: what judges a codec must not lean
on it.
"""

import struct
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

__all__ = ["first_record_difference"]

_BATCH: Final = struct.Struct(">bbbbqqqqiqhiqi")
_BATCH_NAMES: Final = (
    "magic", "compression", "timestampType", "flags", "baseOffset", "lastOffset", "baseTimestamp",
    "maxTimestamp", "partitionLeaderEpoch", "producerId", "producerEpoch", "baseSequence", "deleteHorizon",
    "count",
)  # fmt: skip
_RECORD: Final = struct.Struct(">qqih")
_RECORD_NAMES: Final = ("offset", "timestamp", "sequence", "controlType")
_INT: Final = struct.Struct(">i")


def first_record_difference(left: bytes, right: bytes) -> tuple[str, object, object]:
    """Path and both sides of the first difference of two forms; where they are alike, an empty path."""
    for one, other in zip_longest(_walk(left), _walk(right), fillvalue=("", None)):
        if one != other:
            path = one[0] or other[0]
            return path, one[1] if one[0] == path else None, other[1] if other[0] == path else None
    return "", None, None


def _walk(form: bytes) -> Iterator[tuple[str, object]]:
    """Each field with its path, in order."""
    pos = 0

    def number() -> int:
        nonlocal pos
        pos += _INT.size
        return int(_INT.unpack_from(form, pos - _INT.size)[0])

    def block() -> bytes | None:
        nonlocal pos
        length = number()
        if length < 0:
            return None
        pos += length
        return form[pos - length : pos]

    batches = number()
    for index in range(batches):
        path = f"batches[{index}]"
        values = dict(zip(_BATCH_NAMES, _BATCH.unpack_from(form, pos), strict=True))
        pos += _BATCH.size
        yield from ((f"{path}.{name}", value) for name, value in values.items())
        for at in range(values["count"]):
            record = f"{path}.records[{at}]"
            fields = zip(_RECORD_NAMES, _RECORD.unpack_from(form, pos), strict=True)
            pos += _RECORD.size
            yield from ((f"{record}.{name}", value) for name, value in fields)
            yield f"{record}.key", block()
            yield f"{record}.value", block()
            for each in range(number()):
                yield f"{record}.headers[{each}].key", block()
                yield f"{record}.headers[{each}].value", block()
    yield "batches", batches
    yield "tail", block()
