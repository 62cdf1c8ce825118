"""The questions of ``wireproof testee check`` whose right answers are known without Kafka: plain values."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.primitives import PRIMITIVES, primitive_codec
from kafkawire.records import RecordSet, encode_records, to_value
from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.adapter_check.survey import sample_sets
from wireproof.model import (
    RECORDS_MODULE,
    Cell,
    Decode,
    Decoded,
    Divergence,
    Encode,
    Encoded,
    Reencode,
    Reencoded,
    Reply,
)
from wireproof.proof.adapters.testee import TesteeAdapter
from wireproof.proof.checks import Check
from wireproof.proof.checks.comparing.divergences import byte_differences, ranked, value_differences
from wireproof.proof.checks.difference_kinds import INVALID
from wireproof.proof.checks.values.record_set import is_plain, record_differences
from wireproof.proof.deviations import AnswerObserver
from wireproof.proof.run import Layouts
from wireproof.proof.strategies.values.whole_instances import plain_instances
from wireproof.proof.testees import Operation
from wireproof.verdict.ledger import Ledger


class _Known(NamedTuple):
    """A value and its bytes; a record set has other valid bytes, too, where it is compressed."""

    name: str
    value: dict[str, Any]
    data: bytes
    records: RecordSet | None = None


@dataclass(slots=True)
class KnownValues:
    """Plain values that a testee reads or writes otherwise.

    Attributes:
        ledger: the known deviations of the codec, which are counted apart.
        answered, wrong: the numbers of answers that were compared, and of those that differ.
        known: of those that differ, the number that the ledger explains.
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


def _known(adapter: TesteeAdapter, cell: Cell, layout: MessageLayout) -> Iterator[_Known]:
    if cell.module == RECORDS_MODULE:
        for name, records in sample_sets(adapter, cell):
            yield _Known(name, to_value(records), encode_records(records), records)
        return
    codec = primitive_codec(cell.message) if cell.message in PRIMITIVES else fastest_codec(layout)
    for name, value in plain_instances(layout):
        yield _Known(name, value, codec.encode(value))


def _requests(claimed: frozenset[str], known: _Known) -> Iterator[Encode | Decode | Reencode]:
    """Yield the requests about a value. As in a run, bytes are written again only where no value is read."""
    if Operation.ENCODE in claimed:
        yield Encode(known.value)
    if Operation.DECODE in claimed:
        yield Decode(known.data)
    elif Operation.REENCODE in claimed:
        yield Reencode(known.data)


def _differences(layout: MessageLayout, subject: str, reply: Reply, known: _Known) -> Iterator[Divergence]:
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
    layout: MessageLayout, check: Check, subject: str, summary: str, data: bytes, known: _Known
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
