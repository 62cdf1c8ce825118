"""The first questions of ``wireproof testee check``: one for each claimed operation, then plain values, whose
right answers are known without Kafka."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.primitives import codec_of
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
from wireproof.model.adapter import (
    Copy,
    Crashed,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Equal,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
    Size,
    Unsupported,
)
from wireproof.model.cell import PRIMITIVES_MODULE, RECORDS_MODULE, Cell
from wireproof.model.divergence import Divergence
from wireproof.model.embedding import BlobReply, EncodedBlob, framing_of
from wireproof.proof.adapters.own.blob_adapter import EmbeddedAdapter
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.adapters.testee.testee_blobs import TesteeBlobs
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import byte_differences, ranked, value_differences
from wireproof.proof.checks.difference_kinds import INVALID
from wireproof.proof.checks.fault_attribution import is_word_of_kit
from wireproof.proof.checks.values.record_set import is_plain, record_differences
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.run.core.environment import Layouts, family_of, label_of
from wireproof.proof.strategies.values.whole_instances import plain_instances
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.verdict.ledger.ledger import Ledger

_ADAPTER_FAULTS = frozenset({"protocol", "value"})
"""Crashes that the adapter causes: answers against the protocol, and invalid values."""


@dataclass(slots=True)
class Survey:
    """The answers of a testee about default instances.

    Attributes:
        answered: by operation, the numbers of correct answers, refusals and exclusions.
        faults: the faults of the adapter, by their text, with the cells.
        failures: the failures of the codec, by their text, with the cells.
    """

    answered: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: dict[str, list[str]] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cell: Cell) -> None:
        layout = layouts.of(cell)
        asked = [each for each in Operation if each in adapter.claimed(cell)]
        for name, questions in _default_questions(adapter, cell, layout):
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


def _default_questions(
    adapter: TesteeAdapter, cell: Cell, layout: MessageLayout
) -> Iterator[tuple[str, Mapping[Operation, Request]]]:
    """Return a suffix for the names of operations, and the request for each operation."""
    if cell.module == RECORDS_MODULE:
        for name, records in sample_sets(adapter, cell):
            yield f"/{name}", _about(to_value(records), encode_records(records))
        return
    suffix = "/primitive" if cell.module == PRIMITIVES_MODULE else ""
    yield suffix, _about({}, codec_of(layout).encode({}))


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


class KnownValue(NamedTuple):
    """A value and its bytes. A compressed record set has other valid bytes, too."""

    name: str
    value: dict[str, Any]
    data: bytes
    records: RecordSet | None = None


@dataclass(slots=True)
class KnownValues:
    """Plain values that a testee reads or writes differently from Kafka.

    Attributes:
        ledger: the known deviations of the codec, which are counted separately.
        answered, wrong: the numbers of compared answers, and of wrong answers.
        known: the number of wrong answers that the ledger explains.
        altered: differences that nothing explains, by their text, with the cases.
    """

    ledger: Ledger = field(default_factory=lambda: Ledger(()))
    answered: int = 0
    wrong: int = 0
    known: int = 0
    altered: dict[str, list[str]] = field(default_factory=dict)

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cell: Cell) -> None:
        """Ask the testee to read and write the plain values of a cell."""
        layout = layouts.of(cell)
        claimed, whole = adapter.claimed(cell), adapter.hello.whole
        observer = AnswerObserver()
        observer.begin(cell, [each for each in self.ledger.known_causes if each.concerns(adapter.name)])
        for known in _known(adapter, cell, layout):
            requests = list(_requests(claimed, known))
            for request, reply in zip(requests, adapter.ask(cell, layout, requests), strict=True):
                self.answered += isinstance(reply, Decoded | Encoded | Reencoded)
                if observer.settle(layout, None, request, reply, whole=whole) is not reply:
                    self.wrong, self.known = self.wrong + 1, self.known + 1  # a cause predicts it
                    continue
                found = tuple(_differences(layout, adapter.name, reply, known))
                self._count(cell, f"{cell.id} {known.name}", found)

    def _count(self, cell: Cell, case: str, found: tuple[Divergence, ...]) -> None:
        self.wrong += bool(found)
        # A difference after a known one may follow from it.
        for first in self.ledger.explain(cell, found)[:1]:
            self.known += first.excused
            if not first.excused:
                place = f"{cell.message}.{first.path}" if first.path else cell.message
                self.altered.setdefault(f"{first.summary}: {place}", []).append(case)


def _known(adapter: TesteeAdapter, cell: Cell, layout: MessageLayout) -> Iterator[KnownValue]:
    if cell.module == RECORDS_MODULE:
        for name, records in sample_sets(adapter, cell):
            yield KnownValue(name, to_value(records), encode_records(records), records)
        return
    codec = codec_of(layout)
    for name, value in plain_instances(layout):
        yield KnownValue(name, value, codec.encode(value))


def _requests(claimed: frozenset[str], known: KnownValue) -> Iterator[Encode | Decode | Reencode]:
    """Yield the requests about a value. As in a run, a codec that decodes is not asked to reencode."""
    if Operation.ENCODE in claimed:
        yield Encode(known.value)
    if Operation.DECODE in claimed:
        yield Decode(known.data)
    elif Operation.REENCODE in claimed:
        yield Reencode(known.data)


def _differences(
    layout: MessageLayout, subject: str, reply: Reply, known: KnownValue
) -> Iterator[Divergence]:
    """Compare an answer with the known value or bytes; refusals and failures are counted elsewhere."""
    match reply:
        case Decoded(read):
            yield from _read_otherwise(layout, subject, read, canonical(layout).to_binary(known.value))
        case Encoded(data):
            summary = "a known value is written as other bytes"
            yield from _written_otherwise(layout, Check.BYTES, subject, summary, data, known)
        case Reencoded(data):
            summary = "known bytes are read and written as other bytes"
            yield from _written_otherwise(layout, Check.DECODE, subject, summary, data, known)


def _written_otherwise(
    layout: MessageLayout, check: Check, subject: str, summary: str, data: bytes, known: KnownValue
) -> Iterator[Divergence]:
    if data == known.data:
        return
    if known.records is None:
        yield from byte_differences(layout, check, subject, summary, data, known.data)
    elif is_plain(known.records):
        yield from ranked(record_differences(check, subject, summary, data, known.data))


def _read_otherwise(
    layout: MessageLayout, subject: str, read: dict[str, Any], known: bytes
) -> Iterator[Divergence]:
    try:
        actual = canonical(layout).to_binary(read)
    except CodecError as error:
        summary = f"known bytes are read as an invalid value ({error})"
        yield Divergence(Check.DECODE, subject, summary, error.path, kind=INVALID)
        return
    if actual != known:
        summary = "known bytes are read as another value"
        yield from value_differences(layout, Check.DECODE, subject, summary, actual, known)
