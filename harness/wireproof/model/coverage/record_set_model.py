"""The coverage model of record sets of one magic, class by class for each compression.

The model looks at plain values (`kafkawire.records.to_value`). A path has the compression between the
brackets: ``batches[gzip].records[].key``. Batches of a lower magic have their own cell. A set that mixes them
with batches of the cell's magic is one class here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final, TypeAlias

from kafkawire.errors import DecodeError
from kafkawire.records import Compression, ControlType, control_type
from wireproof.model.coverage import reasons
from wireproof.model.coverage.proofs import record_disproof
from wireproof.model.coverage.reasons import Reason
from wireproof.model.coverage.value_nodes import ALL, CoverageModel, Point

_VARINT_EDGES: Final = (0, 1, 63, 64, 127, 128, 8191, 8192)
"""Numbers at which a zig-zag varint gets longer, and the limits of an unsigned byte."""

_LONG: Final = 1 << 15
_MANY: Final = 128
_APPEND_TIME: Final = 8
"""The bit of log-append time in the attributes of magic 1; those above it are unused."""

_NUMBERS: Final[Mapping[str, tuple[int, tuple[int, ...]]]] = {
    "baseOffset": (64, (0,)),
    "partitionLeaderEpoch": (32, (-1,)),
    "lastOffsetDelta": (32, (0,)),
    "baseTimestamp": (64, (-1,)),
    "maxTimestamp": (64, (-1,)),
    "producerId": (64, (-1, 0)),
    "producerEpoch": (16, (-1, 0)),
    "baseSequence": (32, (-1, 0)),
}
"""Numbers of a batch of magic 2: the width in bits, and the special values within the range."""

_RECORD_NUMBERS: Final[Mapping[str, tuple[int, tuple[int, ...]]]] = {
    "attributes": (8, (0,)),
    "timestampDelta": (64, (*_VARINT_EDGES, -1, -64, -65)),
    "offsetDelta": (32, (*_VARINT_EDGES, -1, -65)),
}

_FAR: Final = ("baseOffset", "timestampDelta")
"""Numbers that exceed 32 bits during the life of a cluster; some codecs hold them in 32 bits."""

_FLAGS: Final = ("logAppendTime", "transactional", "control", "deleteHorizon")
_RESERVED: Final = 0x1FF

Eye: TypeAlias = Callable[[Any], int]
"""The bits that a value meets."""

Allot: TypeAlias = Callable[[str, str], int]
"""Allots the bit of one more class, given its path and name."""


def _number(allot: Allot, path: str, bits: int, edges: Sequence[int], *, far: bool = False) -> Eye:
    """Allot exact values and both ends; with `far`, also other values that 32 bits do not hold."""
    known = {edge: allot(path, str(edge)) for edge in edges}
    known |= {-(1 << bits - 1): allot(path, "min"), (1 << bits - 1) - 1: allot(path, "max")}
    over = allot(path, "over-int32") if far else 0
    return lambda value: known.get(value) or (over if value >= 1 << 31 else 0)


def _sizes(allot: Allot, path: str, sizes: Sequence[int], *, long: bool = False) -> Eye:
    """Allot null and exact sizes in bytes; with `long`, also those of 32 KiB and more."""
    null, known = allot(path, "null"), {size: allot(path, f"length-{size}") for size in sizes}
    longer = allot(path, "long") if long else 0

    def look(data: bytes | None) -> int:
        if data is None:
            return null
        return known.get(len(data)) or (longer if len(data) >= _LONG else 0)

    return look


def _counts(allot: Allot, path: str, exact: Sequence[int]) -> Eye:
    known = {count: allot(path, f"count-{count}") for count in exact}
    few, many = allot(path, "few"), allot(path, "many")
    return lambda items: known.get(len(items)) or (few if len(items) < _MANY else many)


def _flag(allot: Allot, path: str) -> Eye:
    bits = {False: allot(path, "false"), True: allot(path, "true")}
    return lambda value: bits[bool(value)]


_Fields: TypeAlias = Sequence[tuple[str, Any, Eye]]
"""Name, default, and the eye for it."""


def _over(fields: _Fields, value: Mapping[str, Any]) -> int:
    met = 0
    for name, default, eye in fields:
        met |= eye(value.get(name, default))
    return met


def batch_eye(allot: Allot, path: str) -> Eye:
    """A batch of magic 2."""
    fields: list[tuple[str, Any, Eye]] = [
        (name, edges[0], _number(allot, f"{path}.{name}", bits, edges, far=name in _FAR))
        for name, (bits, edges) in _NUMBERS.items()
    ]
    fields += [(name, False, _flag(allot, f"{path}.{name}")) for name in _FLAGS]
    reserved = {0: allot(f"{path}.reserved", "0"), _RESERVED: allot(f"{path}.reserved", "all")}
    fields.append(("reserved", 0, lambda value: reserved.get(value, 0)))
    fields.append(("records", (), _counts(allot, f"{path}.records", (0, 1))))
    control = _control(allot, f"{path}.control")
    gap = allot(f"{path}.lastOffsetDelta", "beyond-records")
    wraps = allot(f"{path}.baseSequence", "wraps")
    negative = {name: allot(f"{path}.{name}", "true-with-negative-sequence") for name in _FLAGS}
    of_record = _record(allot, f"{path}.records[]")

    def look(batch: Mapping[str, Any]) -> int:
        met, records = _over(fields, batch), batch.get("records", ())
        if batch.get("control"):
            met |= control(records)
        if batch.get("baseSequence", -1) < -1:
            met |= sum(bit for name, bit in negative.items() if batch.get(name))
        for record in records[:_MANY]:
            met |= of_record(record)
        if records:
            last = records[-1].get("offsetDelta", 0)
            met |= gap if batch.get("lastOffsetDelta", 0) > last else 0
            met |= wraps if batch.get("baseSequence", -1) + last >= 1 << 31 else 0
        return met

    return look


def _control(allot: Allot, path: str) -> Eye:
    """The types of control records, by their keys."""
    known = {int(kind): allot(path, kind.name.lower().replace("_", "-")) for kind in ControlType}
    unknown, newer = allot(path, "unknown-type"), allot(path, "newer-key")

    def look(records: Sequence[Mapping[str, Any]]) -> int:
        met = 0
        for record in records[:1]:
            key = record.get("key") or b""
            try:
                met |= known.get(int(control_type(key)), unknown)
            except DecodeError:
                return 0
            met |= newer if key[:2] != b"\0\0" else 0
        return met

    return look


def _record(allot: Allot, path: str) -> Eye:
    lengths = (*_VARINT_EDGES[:6], 8191, 8192)
    fields: list[tuple[str, Any, Eye]] = [
        (name, 0, _number(allot, f"{path}.{name}", bits, edges, far=name in _FAR))
        for name, (bits, edges) in _RECORD_NUMBERS.items()
    ]
    fields += [(name, None, _sizes(allot, f"{path}.{name}", lengths, long=True)) for name in ("key", "value")]
    fields.append(("headers", (), _headers(allot, f"{path}.headers")))
    every = allot(f"{path}.value", "every-byte")

    def look(record: Mapping[str, Any]) -> int:
        value = record.get("value")
        met = every if value is not None and len(value) >= _LONG and len(set(value[:4096])) == 256 else 0
        return met | _over(fields, record)

    return look


def _headers(allot: Allot, path: str) -> Eye:
    counts = {count: allot(path, f"count-{count}") for count in (0, 1, *_VARINT_EDGES[2:6])}
    few, repeated = allot(path, "few"), allot(path, "repeated-key")
    of_key = _key(allot, f"{path}[].key")
    of_value = _sizes(allot, f"{path}[].value", _VARINT_EDGES[:6])

    def look(headers: Sequence[Mapping[str, Any]]) -> int:
        met = counts.get(len(headers)) or (few if len(headers) < _MANY else 0)
        keys = [header.get("key", "") for header in headers]
        for key, header in zip(keys, headers, strict=True):
            met |= of_key(key) | of_value(header.get("value"))
        return met | (repeated if len(set(keys)) < len(keys) else 0)

    return look


def _key(allot: Allot, path: str) -> Eye:
    """Text, whose characters may take several bytes."""
    sizes = {size: allot(path, f"length-{size}") for size in _VARINT_EDGES[:6]}
    widths = {width: allot(path, f"{width}-byte") for width in (2, 3, 4)}
    nul, mark, last = (allot(path, name) for name in ("nul", "byte-order-mark-first", "nul-last"))

    def look(key: str) -> int:
        met = sizes.get(len(key.encode()), 0)
        for character in "" if key.isascii() else key:
            met |= widths.get(len(character.encode()), 0)
        met |= (mark if key.startswith("\ufeff") else 0) | (last if key.endswith("\0") else 0)
        return met | (nul if "\0" in key else 0)

    return look


def message_eye(allot: Allot, path: str, magic: int) -> Eye:
    """A message of magic 0 or 1 that stands alone."""
    fields = [*_legacy(allot, path, magic), *_content(allot, path)]
    return lambda message: _over(fields, message)


def message_set_eye(allot: Allot, path: str, magic: int) -> Eye:
    """A compressed set of messages: the wrapper, which has a key but no value, and the inner messages."""
    fields = list(_legacy(allot, path, magic))
    key = {False: allot(f"{path}.key", "null"), True: allot(f"{path}.key", "present")}
    one, several = allot(f"{path}.messages", "count-1"), allot(f"{path}.messages", "several")
    gaps = allot(f"{path}.messages", "gaps")
    inside = f"{path}.messages[]"
    inner = [*_legacy(allot, inside, magic, relative=magic == 1), *_content(allot, inside)]

    def look(batch: Mapping[str, Any]) -> int:
        messages = batch.get("messages", ())
        met = _over(fields, batch) | key[batch.get("key") is not None]
        met |= one if len(messages) == 1 else several if messages else 0
        for message in messages[:_MANY]:
            met |= _over(inner, message)
        offsets = [message.get("offset", 0) for message in messages]
        if any(after - before > 1 for before, after in pairwise(offsets)):
            met |= gaps
        return met

    return look


def _legacy(allot: Allot, path: str, magic: int, *, relative: bool = False) -> Iterator[tuple[str, Any, Eye]]:
    """The part that messages and sets share.

    Args:
        relative: whether offsets count from the first message of the set, so that they stay small.
    """
    offset = f"{path}.offset"
    exact = {0: allot(offset, "0"), 1: allot(offset, "1")} if relative else {0: allot(offset, "0")}
    far = {} if relative else {(1 << 63) - 1: allot(offset, "max")}
    over = 0 if relative else allot(offset, "over-int32")
    offsets = exact | far
    yield "offset", 0, lambda value: offsets.get(value) or (over if value >= 1 << 31 else 0)
    if magic == 1:
        latest = {(1 << 63) - 1: allot(f"{path}.timestamp", "max")}
        known = latest | {edge: allot(f"{path}.timestamp", str(edge)) for edge in _TIMESTAMPS[relative]}
        yield "timestamp", -1, lambda value: known.get(value, 0)
    plain, unused = allot(f"{path}.attributes", "0"), allot(f"{path}.attributes", "unused-bits")
    append = 0 if magic == 0 or relative else allot(f"{path}.attributes", "append-time")

    def attributes(value: int) -> int:
        used = _APPEND_TIME if magic else 0
        met = append if value & used else 0
        return plain if value == 0 else met | (unused if value & ~used & ~7 else 0)

    yield "attributes", 0, attributes


_TIMESTAMPS: Final[Mapping[bool, Sequence[int]]] = {False: (), True: (-1, 0)}
"""The special timestamps. In a set that Kafka builds, the timestamp is the latest inside; others are free."""


def _content(allot: Allot, path: str) -> Iterator[tuple[str, Any, Eye]]:
    for name in ("key", "value"):
        yield name, None, _sizes(allot, f"{path}.{name}", (0, 1), long=True)


class _RecordCoverageModel(CoverageModel):
    def __init__(self, magic: int, magics: frozenset[int], codecs: frozenset[Compression]) -> None:
        self._magic = magic
        self._points: list[Point] = []
        reasons_: dict[int, Reason] = {}
        self._of_set = _SetEye(self._allot, magic, several=len(codecs) > 1, mixed=bool(magics - {magic}))
        if magic < 2:
            reasons_[len(self._points)] = reasons.NoBatch(magic)
            self._allot("batches", "count-0")
            if Compression.ZSTD in codecs:
                reasons_[len(self._points)] = reasons.NoSuchCompression(magic)
                self._allot("batches[zstd]", "any")
        self._batches: dict[int, tuple[int, Eye]] = {}
        for codec in Compression:
            if codec not in codecs:
                continue
            if magic == 2 or codec is not Compression.ZSTD:
                first = len(self._points)
                eye = self._eye(f"batches[{codec.name.lower()}]", codec)
                self._batches[codec] = (1 << len(self._points)) - (1 << first), eye
        super().__init__(self._points, reasons_)

    def _allot(self, path: str, name: str) -> int:
        self._points.append(Point(path, name))
        return 1 << len(self._points) - 1

    def _eye(self, path: str, codec: Compression) -> Eye:
        if self._magic == 2:
            return batch_eye(self._allot, path)
        if codec is Compression.NONE:
            return message_eye(self._allot, path, self._magic)
        return message_set_eye(self._allot, path, self._magic)

    def look(self, value: Mapping[str, Any], wanted: int = ALL, size_bytes: int | None = None) -> int:
        met = self._of_set.look(value)
        for batch in value.get("batches", ()):
            if batch.get("magic", 0) == self._magic:
                bits, eye = self._batches.get(batch.get("compression", 0), (0, _blind))
                if bits & wanted & ~met:
                    met |= eye(batch)
        return met

    def look_refused(self, path: str, value: Mapping[str, Any]) -> int:
        return 0

    def disproof(self, bit: int) -> str:
        return record_disproof(self.points[bit].path, self.unreachable[bit])


@cache
def record_coverage_model(
    magic: int,
    magics: frozenset[int] = frozenset({0, 1, 2}),
    codecs: frozenset[Compression] = frozenset(Compression),
) -> CoverageModel:
    """The coverage model of the cell ``RecordBatch/MAGIC`` of any release.

    Args:
        magics, codecs: the magics and compressions of the sets that a codec may be asked for.
    """
    return _RecordCoverageModel(magic, frozenset(each for each in magics if each <= magic), codecs)


def _blind(value: Any) -> int:
    return 0


def _records(batch: Mapping[str, Any]) -> Any:
    """Return the records of a batch of magic 2; a message of an older one counts as one."""
    return batch.get("records", ()) if batch.get("magic", 0) == 2 else (batch,)


class _SetEye:
    """Classes of a whole set: the number of batches, their magics and compressions, and the tail."""

    def __init__(self, allot: Allot, magic: int, *, several: bool, mixed: bool) -> None:
        self._magic = magic
        self._none = allot("batches", "count-0") if magic == 2 else 0
        self._one, self._several = allot("batches", "count-1"), allot("batches", "several")
        self._codecs = allot("batches", "several-compressions") if several else 0
        self._empties = allot("batches", "empty-in-a-row") if magic == 2 else 0
        self._rising = allot("batches", "magics-rising") if mixed else 0
        self._falling = allot("batches", "magics-falling") if mixed else 0
        self._no_tail = allot("tail", "none")
        # A size follows the offset, the magic follows the size, the records follow the header.
        self._tails = [
            (12, allot("tail", "no-size")),
            (17, allot("tail", "no-magic")),
            (1 << 31, allot("tail", "cut-off")),
        ]
        self._alone = allot("tail", "alone") if magic == 2 else 0

    def look(self, value: Mapping[str, Any]) -> int:
        batches, tail = value.get("batches", ()), value.get("tail", b"")
        met = (self._none, self._one)[len(batches)] if len(batches) < 2 else self._several
        magics = [batch.get("magic", 0) for batch in batches]
        for before, after in pairwise(magics):
            met |= self._rising if before < after else self._falling if before > after else 0
        if any(not (before or after) for before, after in pairwise(map(_records, batches))):
            met |= self._empties
        if len({batch.get("compression", 0) for batch in batches}) > 1:
            met |= self._codecs
        if not tail:
            return met | self._no_tail
        met |= next(bit for limit, bit in self._tails if len(tail) < limit)
        return met if batches else met | self._alone
