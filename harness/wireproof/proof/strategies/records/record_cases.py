"""Named record sets: each one tries a single thing that codecs of record batches get wrong."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, Final

from kafkawire.records import (
    Batch,
    Compression,
    ControlType,
    EndTransactionMarker,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    control_key,
    control_type,
    encode_records,
)
from wireproof.model.case_source import RecordCase
from wireproof.model.kafka.releases import FIRST_LINE, ReleaseFeature

BASE: Final = 1_700_000_000_000
"""A realistic timestamp, in ms."""

LIMITS: Final[Mapping[str, int]] = {
    "base_offset": 64,
    "partition_leader_epoch": 32,
    "last_offset_delta": 32,
    "base_timestamp": 64,
    "max_timestamp": 64,
    "producer_id": 64,
    "producer_epoch": 16,
    "base_sequence": 32,
}
"""The number of bits of each number in the header of a batch of magic 2."""

_MARKER: Final = Record(0, 0, control_key(ControlType.COMMIT), EndTransactionMarker(7).to_bytes())
_PLAIN: Final = RecordBatch.of([Record(0, 0, b"k", b"v")], base_timestamp=BASE)

_WITH: Final[Mapping[str, Mapping[str, Any]]] = {
    "append-time": {"log_append_time": True},
    "transactional": {"transactional": True},
    "control": {"control": True, "records": (_MARKER,)},
    "delete-horizon": {"delete_horizon": True},
}

_KINDS: Final[Mapping[str, RecordBatch]] = {
    "plain": _PLAIN,
    "empty": RecordBatch((), last_offset_delta=4, base_timestamp=BASE, max_timestamp=BASE),
    "control": replace(
        _PLAIN, records=(_MARKER,), control=True, transactional=True, producer_id=1, producer_epoch=2
    ),
    "compacted": RecordBatch.of([Record(3, 0, b"k")], base_timestamp=BASE, last_offset_delta=9),
}


def batches_at_limits(codec: Compression) -> Iterator[tuple[str, RecordBatch]]:
    """Yield each number at its least and its greatest value, together with each attribute.

    Codecs read the header before they know the compression. So three of the four compressions repeat only a
    negative sequence, by which some codecs recognise a batch without a producer.
    """
    whole = codec in (Compression.NONE, Compression.GZIP)
    for (word, fields), (name, bits) in product(_WITH.items(), LIMITS.items()):
        for end, number in (("min", -(1 << bits - 1)), ("max", (1 << bits - 1) - 1)):
            if whole or (name, end) == ("base_sequence", "min"):
                batch = replace(_PLAIN, **{**fields, name: number, "compression": codec})
                yield f"{word}-{name.replace('_', '-')}-{end}", batch


def batches_in_a_row() -> Iterator[tuple[str, tuple[RecordBatch, ...]]]:
    """Yield each kind of batch before each kind, and all pairs in one set."""
    pairs = list(product(_KINDS, repeat=2))
    for names in (*pairs, [name for pair in pairs for name in pair]):
        title = "-then-".join(names) if len(names) == 2 else "all-kinds-in-a-row"
        yield title, tuple(_in_a_row([_KINDS[name] for name in names]))


def _in_a_row(batches: list[RecordBatch]) -> Iterator[RecordBatch]:
    """Yield the batches with consecutive offsets."""
    start = 0
    for batch in batches:
        yield replace(batch, base_offset=start)
        start += batch.last_offset_delta + 1


INT32: Final = 1 << 31
INT64: Final = 1 << 63
APPEND: Final = BASE + 86_400_000

VARINT_EDGES: Final = (0, 1, 63, 64, 127, 128, 8191, 8192)
"""Zig-zag varints grow by a byte at 64 and at 8192; the other numbers are edges of an unsigned byte."""

DELETE_HORIZON_SINCE: Final = ReleaseFeature.DELETE_HORIZON.since
CONTROL_SINCE: Final = {
    ControlType.SNAPSHOT_FOOTER: ReleaseFeature.SNAPSHOT_FOOTERS.since,
    ControlType.KRAFT_VERSION: ReleaseFeature.KRAFT_CONTROL_RECORDS.since,
    ControlType.KRAFT_VOTERS: ReleaseFeature.KRAFT_CONTROL_RECORDS.since,
}
"""The first line of Kafka that knows a control type. All lines of the table know the other types."""

CONTROL_VALUES: Final = {
    ControlType.LEADER_CHANGE: bytes.fromhex("0000 00000002 03 00000001 00 00000002 00 02 00000002 00 00"),
    ControlType.SNAPSHOT_HEADER: bytes.fromhex("0000 0000018bcfe56800 00"),
    ControlType.SNAPSHOT_FOOTER: bytes.fromhex("0000 00"),
    ControlType.KRAFT_VERSION: bytes.fromhex("0000 0001 00"),
    ControlType.KRAFT_VOTERS: bytes.fromhex(
        "0000 02 00000001" + "5a" * 16 + "02 0b434f4e54524f4c4c4552 0a6c6f63616c686f7374 2385 00"
        "0000 0001 00 00 00"
    ),
}
"""Version 0 of the message of each kind (`ControlRecordUtils`): leader 2 of voters 1 and 2, a snapshot's
time, and voter 1 with its endpoint and versions."""

LARGEST: Final = "v2/none/records-65536"
"""The case that takes as long as all others together; so it comes last."""
LEGACY_CODECS: Final = (Compression.NONE, Compression.GZIP, Compression.SNAPPY, Compression.LZ4)


def record_cases() -> Iterator[RecordCase]:
    """Every case; the order is fixed."""
    for codec in Compression:
        for name, batch in _batches():
            yield _case(f"v2/{codec.name.lower()}/{name}", replace(batch, compression=codec))
        for name, batch in _unbuildable():
            yield _case(f"v2/{codec.name.lower()}/{name}", replace(batch, compression=codec), builder=False)
        for name, batch in _unwritable():
            changed = replace(batch, compression=codec)
            yield _case(f"v2/{codec.name.lower()}/{name}", changed, builder=False, parts=False)
    for magic in (0, 1):
        for codec in LEGACY_CODECS:
            for name, messages in _legacy(magic):
                entries = messages if codec is Compression.NONE else (message_set(codec, messages),)
                yield _case(f"v{magic}/{codec.name.lower()}/{name}", *entries)
            for name, old in _unbuilt_legacy(codec, magic):
                yield _case(f"v{magic}/{codec.name.lower()}/{name}", old, builder=False, parts=False)
    yield from _log_append_time()
    yield from _combined()
    for codec in Compression:
        for name, batch in batches_at_limits(codec):
            yield _case(f"v2/{codec.name.lower()}/limits/{name}", batch, builder=False, parts=False)
    for name, batches in batches_in_a_row():
        yield _case(f"set/{name}", *batches, builder=False)
    many = _of(*(Record(number) for number in range(1 << 16)))  # once: a count of 16 bits is 0
    yield _case(LARGEST, many, builder=False, parts=False)


def message_set(codec: Compression, messages: Iterable[Message], **fields: Any) -> MessageSet:
    """A compressed set of messages with absolute offsets, in the form of Kafka's builder."""
    held = tuple(messages)
    magic, first, last = held[0].magic, held[0].offset, held[-1].offset
    fields.setdefault("timestamp", max(message.timestamp for message in held))
    inner = held if magic == 0 else tuple(each._replace(offset=each.offset - first) for each in held)
    return MessageSet(codec, inner, offset=last, magic=magic, **fields)


def _case(
    name: str, *batches: Batch, tail: bytes = b"", builder: bool = True, parts: bool = True
) -> RecordCase:
    since = max((FIRST_LINE, *(_since(batch) for batch in batches)))
    return RecordCase(name, RecordSet(batches, tail), builder, parts, since)


def _since(batch: Batch) -> tuple[int, int]:
    if not isinstance(batch, RecordBatch):
        return FIRST_LINE
    if batch.delete_horizon:
        return DELETE_HORIZON_SINCE
    kind = control_type(batch.records[0].key) if batch.control else None
    return next((since for known, since in CONTROL_SINCE.items() if known == kind), FIRST_LINE)


def _of(*records: Record, **fields: Any) -> RecordBatch:
    fields.setdefault("base_timestamp", BASE)
    return RecordBatch.of(records, **fields)


def _batches() -> Iterator[tuple[str, RecordBatch]]:
    """Batches of magic 2 that Kafka's builder makes."""
    plain = Record(0, 0, b"k", b"v")
    yield "plain", _of(plain)
    yield "nulls", _of(Record())
    yield "empty", _of(Record(0, 0, b"", b""))
    for size in (*VARINT_EDGES[2:], 100_000):
        yield f"key-{size}", _of(Record(0, 0, bytes(size), b"v"))
        yield f"value-{size}", _of(Record(0, 0, b"k", bytes(range(256)) * (size // 256) + bytes(size % 256)))
    for name, headers in _headers():
        yield f"headers-{name}", _of(Record(0, 0, b"k", b"v", headers), Record(1, 0, b"k", None, headers[:1]))
    for delta in (*VARINT_EDGES, INT32 - 1, INT32, INT32 + 1, 1 << 40):
        yield f"timestamp-{delta}", _of(plain, Record(1, delta))
    yield "timestamp-back", _of(plain, Record(1, -1), Record(2, -64), Record(3, -65), Record(4, -INT32 - 1))
    yield "timestamp-none", _of(Record(), base_timestamp=-1)
    yield "timestamps-as-text", _of(plain, Record(1, 1), base_timestamp=999)  # "1000" is before "999"
    for delta in (*VARINT_EDGES[1:], 1_048_576, INT32 - 1):
        yield f"offset-{delta}", _of(plain, Record(delta, 0, None, b"v"))
    yield "offset-base", _of(Record(0, 0, b"k"), Record(1, 0, b"k"), base_offset=INT32 + 7)
    yield "compacted", _of(Record(3, 0, b"k"), last_offset_delta=99, base_offset=100)
    yield "records-300", _of(*(Record(n, n, b"key %d" % n, b"value %d" % n) for n in range(300)))
    yield from _producers(plain)
    yield "log-append-time", _of(plain, Record(1, 5), log_append_time=True, max_timestamp=APPEND)
    yield "delete-horizon", _of(Record(0, -500, b"k"), Record(1, 900), delete_horizon=True)
    yield from _controls()


def _producers(plain: Record) -> Iterator[tuple[str, RecordBatch]]:
    last = replace(_of(plain, Record(1, 1)), producer_id=INT64 - 1, producer_epoch=32767)
    yield "leader-epoch", _of(plain, partition_leader_epoch=INT32 - 1)
    yield "idempotent", _of(plain, Record(1, 0), producer_id=0, producer_epoch=0, base_sequence=0)
    yield "idempotent-wrap", replace(last, base_sequence=INT32 - 1)
    yield "transactional", replace(last, transactional=True, base_sequence=77)


def _headers() -> Iterator[tuple[str, tuple[Header, ...]]]:
    yield "null", (Header("h", None),)
    yield "empty", (Header("", b""),)
    yield "repeated", (Header("h", b"1"), Header("h", b"2"), Header("a", b"1"))
    yield "unicode", (Header("\ufeff\u00e9\u20ac\U0001f600\0", b"\xff\x00"),)
    for size in VARINT_EDGES[2:6]:
        yield f"count-{size}", tuple(Header(f"h{n}", b"%d" % n) for n in range(size))
        yield f"length-{size}", (Header("h" * size, bytes(size)),)


def _controls() -> Iterator[tuple[str, RecordBatch]]:
    marker = EndTransactionMarker(7).to_bytes()
    for kind in (ControlType.ABORT, ControlType.COMMIT):
        yield (
            f"control-{kind.name.lower()}",
            _of(
                Record(0, 0, control_key(kind), marker), control=True, transactional=True, producer_id=1,
                producer_epoch=2,
            ),
        )  # fmt: skip
    for kind, value in CONTROL_VALUES.items():
        yield f"control-{kind.name.lower()}", _of(Record(0, 0, control_key(kind), value), control=True)
    yield "control-newer-key", _of(Record(0, 0, control_key(2, version=1) + b"more", b"v"), control=True)


def _unbuildable() -> Iterator[tuple[str, RecordBatch]]:
    """Sets that Kafka's single writers make, but its builder does not."""
    yield "no-records", RecordBatch((), base_offset=5, last_offset_delta=4, base_timestamp=1, max_timestamp=2)
    yield "no-records-of-a-transaction", RecordBatch(
        (), 90, 3, transactional=True, last_offset_delta=9, base_timestamp=BASE, max_timestamp=BASE + 1,
        producer_id=5, producer_epoch=6, base_sequence=7,
    )  # fmt: skip
    yield "offset-back", _of(Record(5, 0, b"k"), Record(-1, 0), Record(-65, 0), Record(-INT32, 0))
    yield "offset-past-the-end", _of(Record(1, 0), base_offset=INT64 - 1)
    for delta in (-INT64, INT64 - 1, -(1 << 40)):
        yield f"timestamp-far-{delta}", _of(Record(0, delta), max_timestamp=BASE)
    yield "sequence-alone", _of(Record(0, 0), Record(9, 0), base_sequence=INT32 - 5)
    yield "control-unknown", _of(Record(0, 0, control_key(99), None), control=True)
    yield (
        "delete-horizon-append-time",
        _of(
            Record(0, 3), delete_horizon=True, log_append_time=True, max_timestamp=APPEND, transactional=True
        ),
    )
    yield "highest", RecordBatch(
        (Record(0, 0),), INT64 - 1, INT32 - 1, last_offset_delta=INT32 - 1, base_timestamp=INT64 - 1,
        max_timestamp=INT64 - 1, producer_id=INT64 - 1, producer_epoch=32767, base_sequence=INT32 - 1,
    )  # fmt: skip


def _unwritable() -> Iterator[tuple[str, RecordBatch]]:
    """Sets that Kafka only reads."""
    yield "lowest", RecordBatch(
        (Record(0, 0),), -INT64, -INT32, last_offset_delta=-INT32, base_timestamp=-INT64,
        max_timestamp=-INT64, producer_id=-INT64, producer_epoch=-32768, base_sequence=-INT32,
    )  # fmt: skip
    yield "reserved-bits", _of(Record(0, 0, b"k"), reserved=0x1FF)
    yield "record-attributes", _of(Record(0, 0, b"k", attributes=-128), Record(1, 0, b"k", attributes=127))


def _legacy(magic: int) -> Iterator[tuple[str, tuple[Message, ...]]]:
    """Messages with absolute offsets."""

    def message(offset: int, key: bytes | None, value: bytes | None, timestamp: int = BASE) -> Message:
        return Message(offset, timestamp if magic else -1, key, value, magic)

    yield "plain", (message(0, b"k", b"v"),)
    yield "nulls", (message(0, None, None),)
    yield "empty", (message(0, b"", b""),)
    for size in (127, 128, 100_000):
        yield f"value-{size}", (message(0, bytes(size // 2), bytes(range(256)) * (size // 256 + 1)),)
    yield "several", tuple(message(n, b"k%d" % n, b"v%d" % n, BASE + n) for n in range(20))
    yield (
        "gaps",
        (message(INT32, b"a", b"1"), message(INT32 + 3, b"b", b"2"), message(INT32 + 99, b"c", None)),
    )
    yield (
        "timestamps",
        (message(7, b"a", b"1", BASE + 9), message(8, b"b", b"2", 0), message(9, b"c", None, -1)),
    )
    yield "far", (message(INT64 - 2, b"a", b"1", INT64 - 1), message(INT64 - 1, b"b", b"2", 1))


def _unbuilt_legacy(codec: Compression, magic: int) -> Iterator[tuple[str, Batch]]:
    """Legacy batches that Kafka reads, but its builder does not make."""
    plain = Message(7, BASE if magic else -1, b"k", b"v", magic)
    if codec is Compression.NONE:
        yield "unused-bits", plain._replace(attributes=-16)
        return
    held = [plain._replace(offset=offset) for offset in (40, 41, 45)]
    whole = message_set(codec, held)
    yield "wrapper-key", replace(whole, key=b"key of the set")
    yield "wrapper-bits", replace(whole, attributes=-16)
    yield "compacted-inside", replace(whole, messages=whole.messages[1:])
    yield "inner-bits", replace(whole, messages=tuple(m._replace(attributes=-16) for m in whole.messages))


def _log_append_time() -> Iterator[RecordCase]:
    messages = [Message(n, APPEND, b"k", b"v", attributes=8) for n in range(3)]
    yield _case("v1/none/log-append-time", *messages)
    for codec in LEGACY_CODECS[1:]:
        inner = [each._replace(timestamp=BASE, attributes=0) for each in messages]
        wrapped = message_set(codec, inner, timestamp=APPEND, attributes=8)
        # Kafka's builder overrides the timestamps inside, too.
        yield _case(f"v1/{codec.name.lower()}/log-append-time", wrapped, builder=False, parts=False)


def _combined() -> Iterator[RecordCase]:
    new = _of(Record(0, 0, b"k", b"v"))
    old: list[Batch] = [
        Message(1, -1, b"k", b"v", 0),
        message_set(Compression.LZ4, [Message(2, -1, b"a", None, 0)]),
    ]
    middle: list[Batch] = [
        Message(3, BASE, b"k", b"v"),
        message_set(Compression.GZIP, [Message(4, BASE, None, b"b")]),
    ]
    yield _case("set/empty")
    yield _case("set/two-batches", new, replace(new, base_offset=1, compression=Compression.ZSTD))
    for codec in LEGACY_CODECS:  # for those that lack zstd
        name = f"set/two-batches-{codec.name.lower()}"
        yield _case(name, new, replace(new, base_offset=1, compression=codec))
    yield _case("set/mixed-magics", *old, *middle, replace(new, base_offset=5))
    yield _case("set/newest-first", new, *middle, *old)
    for magic, both in enumerate((old, middle)):
        yield _case(f"set/v{magic}-two-compressions", *both)
        whole = encode_records(both[:1])
        for left in (11, 16, 17, len(whole) - 1):
            yield _case(f"set/v{magic}-cut-at-{left}", *both[:1], tail=whole[:left])
    yield _case("set/legacy-rising", *old, *middle)
    yield _case("set/legacy-falling", *middle, *old)
    whole = encode_records((new,))
    for left in (1, 11, 12, 16, 17, len(whole) - 1):
        yield _case(f"set/cut-at-{left}", new, tail=whole[:left])
        yield _case(f"set/only-cut-at-{left}", tail=whole[:left])
