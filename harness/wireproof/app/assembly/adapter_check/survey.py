"""The first questions of ``wireproof testee check``: one for each claimed operation."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kafkawire.compiler import fastest_codec
from kafkawire.primitives import primitive_codec
from kafkawire.records import (
    Compression,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    encode_records,
    to_value,
)
from kafkawire.schema.layout import MessageLayout
from wireproof.model import (
    PRIMITIVES_MODULE,
    RECORDS_MODULE,
    BlobReply,
    Cell,
    Copy,
    Crashed,
    Decode,
    Encode,
    EncodedBlob,
    Equal,
    Reencode,
    Refused,
    Reply,
    Request,
    Size,
    Unsupported,
    framing_of,
)
from wireproof.proof.adapters.own import EmbeddedAdapter
from wireproof.proof.adapters.testee import TesteeAdapter, TesteeBlobs
from wireproof.proof.checks.fault_attribution import is_word_of_kit
from wireproof.proof.run import Layouts, family_of, label_of
from wireproof.proof.testees import Operation

_ADAPTER_FAULTS = frozenset({"protocol", "value"})
"""Crashes that the adapter causes: answers against the protocol, and invalid values."""


@dataclass(slots=True)
class Survey:
    """The answers of a testee about default instances.

    Attributes:
        answered: by operation, the numbers of correct answers, refusals and exclusions.
        faults: of the adapter, by their text, with the cells.
        failures: of the codec, likewise.
    """

    answered: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: dict[str, list[str]] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cell: Cell) -> None:
        """Ask for every claimed operation of a cell."""
        layout = layouts.of(cell)
        asked = [each for each in Operation if each in adapter.claimed(cell)]
        for name, questions in _questions(adapter, cell, layout):
            chosen = [operation for operation in asked if operation in questions]
            replies = adapter.ask(cell, layout, [questions[operation] for operation in chosen])
            for operation, reply in zip(chosen, replies, strict=True):
                self._count(f"{operation}{name}", cell, reply)
        self._ask_embedded(adapter, layouts, cell)

    def _ask_embedded(self, adapter: TesteeAdapter, layouts: Layouts, cell: Cell) -> None:
        """Ask about the message in its framing."""
        framing = framing_of(cell, layouts.of(cell))
        claimed = [each for each in adapter.claimed(cell) if each.startswith("embedded-")]
        if framing is None or not claimed:
            for operation in claimed:
                fault = f"{operation}: the message has no framing in this release"
                self.faults.setdefault(fault, []).append(cell.id)
            return
        family, label = family_of(layouts, cell, framing), label_of(cell.release, framing, layouts.of(cell))
        testee = TesteeBlobs(adapter)
        if "embedded-encode" in claimed:
            self._count("embedded-encode", cell, *testee.encode(family, label, [{}]))
        if "embedded-size" in claimed:
            self._count("embedded-size", cell, *testee.size(family, label, [{}]))
        (own,) = EmbeddedAdapter("", fastest_codec).encode(family, label, [{}])
        if isinstance(own, EncodedBlob) and {"embedded-decode", "embedded-reencode"} & {*claimed}:
            self._count("embedded-decode", cell, *testee.decode(family, label, [own.blob]))

    def _count(self, operation: str, cell: Cell, reply: Reply | BlobReply) -> None:
        match reply:
            case Crashed(error, message):
                of_adapter = error in _ADAPTER_FAULTS or is_word_of_kit(error)
                texts = self.faults if of_adapter else self.failures
                texts.setdefault(f"{operation}: {error}: {message[:200]}", []).append(cell.id)
                self.answered[operation, "failed"] += 1
            case Refused(error, message):
                self.failures.setdefault(f"{operation}: {error}: {message[:200]}", []).append(cell.id)
                self.answered[operation, "refused"] += 1
            case Unsupported(reason):
                self.answered[operation, f"left out by {reason}"] += 1
            case _:
                self.answered[operation, "answered"] += 1


def _questions(
    adapter: TesteeAdapter, cell: Cell, layout: MessageLayout
) -> Iterator[tuple[str, Mapping[Operation, Request]]]:
    """A suffix for the names of operations, and the request for each operation."""
    if cell.module == PRIMITIVES_MODULE:
        yield "/primitive", _about({}, primitive_codec(cell.message).encode({}))
        return
    if cell.module != RECORDS_MODULE:
        yield "", _about({}, fastest_codec(layout).encode({}))
        return
    for name, records in sample_sets(adapter, cell):
        yield f"/{name}", _about(to_value(records), encode_records(records))


def sample_sets(adapter: TesteeAdapter, cell: Cell) -> Iterator[tuple[str, RecordSet]]:
    """Yield a set of one record for each compression that the testee supports, by its name."""
    for codec in sorted(adapter.record_domain(cell).compressions):
        if cell.version == 2 or codec is not Compression.ZSTD:
            yield codec.name.lower(), _one_record(cell.version, codec)


def _about(value: dict[str, object], data: bytes) -> Mapping[Operation, Request]:
    return {
        Operation.ENCODE: Encode(value),
        Operation.SIZE: Size(value),
        Operation.DECODE: Decode(data),
        Operation.REENCODE: Reencode(data),
        Operation.EQUAL: Equal(data, data),
        Operation.COPY: Copy(data),
    }


def _one_record(magic: int, codec: Compression) -> RecordSet:
    if magic == 2:
        return RecordSet(
            (RecordBatch.of([Record(0, 0, b"key", b"value" * 40)], compression=codec, base_timestamp=0),)
        )
    message = Message(0, 0 if magic else -1, b"key", b"value" * 40, magic)
    if codec is Compression.NONE:
        return RecordSet((message,))
    return RecordSet((MessageSet(codec, (message,), 0, message.timestamp, magic),))
