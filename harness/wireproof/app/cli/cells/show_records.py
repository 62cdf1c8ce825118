"""The lines of ``wireproof show`` about a record set."""

from collections import Counter
from collections.abc import Iterator

from kafkawire.annotate import hexdump
from kafkawire.canonical import canonical
from kafkawire.records import (
    Batch,
    Header,
    Message,
    Record,
    RecordBatch,
    RecordSet,
    annotate_records,
    encode_records,
    to_value,
)
from kafkawire.schema.layout import MessageLayout
from wireproof.base.text.wording import counted
from wireproof.model import Cell
from wireproof.proof.strategies.records.record_source import RecordSets

__all__ = ["record_cases_lines", "sample_lines"]

_STAMP = 1_700_000_000_000


def record_cases_lines(cell: Cell) -> Iterator[str]:
    """The number of named sets, by magic and compression."""
    counts = Counter("/".join(case.name.split("/")[:2]) for case in RecordSets().cases(cell))
    yield f"{sum(counts.values())} named record sets:"
    for name, number in counts.items():
        yield f"  {name}: {number}"


def sample_lines(layout: MessageLayout) -> Iterator[str]:
    """A batch of this magic as an annotated hexdump and as canonical JSON."""
    records = RecordSet((_sample(layout.version),))
    data = encode_records(records)
    yield f"a sample, {counted(len(data), 'byte')}:"
    for offset, text, meaning in hexdump(annotate_records(data), data):
        yield f"  {offset}  {text:38}  {meaning}"
    yield f"  {canonical(layout).to_json(to_value(records))}"


def _sample(magic: int) -> Batch:
    if magic < 2:
        return Message(7, _STAMP if magic else -1, b"key", b"value", magic)
    rows = [Record(0, 0, b"key", b"value", (Header("h", b"x"),)), Record(1, 250, None, None)]
    return RecordBatch.of(rows, base_offset=7, base_timestamp=_STAMP)
