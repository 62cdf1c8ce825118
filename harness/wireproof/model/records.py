"""Record sets as a subject of their own: the cells, the cases, and the face of a codec of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from kafkawire.records.model import RecordSet
from wireproof.model.adapter import Crashed, Encoded, Refused
from wireproof.model.cell import Cell

__all__ = [
    "RECORDS_MODULE",
    "RecordCase",
    "RecordsAdapter",
    "RecordsDecoded",
    "RecordsReply",
    "record_cells",
]

RECORDS_MODULE: Final = "records"
"""The module of the cells ``RELEASE/RecordBatch/MAGIC``, for which no jar has a schema."""
MESSAGE: Final = "RecordBatch"
MAGICS: Final = (0, 1, 2)


def record_cells(release: str) -> Iterator[Cell]:
    """The cells of a release that are record batches: one for each magic."""
    return (Cell(release, RECORDS_MODULE, MESSAGE, magic) for magic in MAGICS)


@dataclass(frozen=True, slots=True)
class RecordCase:
    """One record set.

    Attributes:
        name: unique, words joined by ``/``: magic, compression, what is special.
        builder: Kafka's builder makes this very set of its canonical form.
        parts: so do Kafka's writers of single headers and records.
        since: the line of Kafka that first knows all that is in it; older ones read it too, but pass
            over the delete horizon, or know a control type by no name.
    """

    name: str
    records: RecordSet
    builder: bool = True
    parts: bool = True
    since: tuple[int, int] = (2, 8)

    @property
    def magic(self) -> int:
        """The highest magic in it: the version of its cell."""
        return max((batch.magic for batch in self.records.batches), default=MAGICS[-1])


@dataclass(frozen=True, slots=True)
class RecordsDecoded:
    records: RecordSet


RecordsReply: TypeAlias = Encoded | RecordsDecoded | Refused | Crashed


class RecordsAdapter(Protocol):
    """One codec of record sets under test. Never raises for what the codec does."""

    @property
    def name(self) -> str:
        """The codec's name in reports, such as ``kafkawire[records]``."""
        ...

    def encode(self, records: RecordSet) -> Encoded | Refused | Crashed:
        """The bytes of a records field."""
        ...

    def decode(self, data: bytes, before: bytes = b"", after: bytes = b"") -> RecordsReply:
        """The batches of a records field, and what is left of a last one cut off.

        Args:
            before, after: bytes that surround `data` in a buffer which is overwritten once the value is
                there.
        """
        ...
