"""The face of a source of record sets."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from kafkawire.records import Compression, Message, RecordSet
from kafkawire.schema.layout import MessageLayout
from wireproof.model.case_source import InstanceJudge, SearchResult
from wireproof.model.cell import Cell
from wireproof.model.kafka.releases import FIRST_LINE
from wireproof.model.malformed_input import Mutation, MutationPart

FieldPath: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the message to a field."""


@dataclass(frozen=True, slots=True)
class RecordCase:
    """One record set.

    Attributes:
        name: unique, words joined by ``/``: magic, compression, what is special.
        builder: Kafka's builder makes this very set of its canonical form.
        parts: so do Kafka's writers of single headers and records.
        since: the line of Kafka that first knows all that is in it; older ones read it too, but pass
            over the delete horizon, or know a control type by no name.
        foreign: other bytes that hold the same set, as other writers than Kafka's and ours make them;
            then they alone are read, and nothing is written. None for what our codec writes.
    """

    name: str
    records: RecordSet
    builder: bool = True
    parts: bool = True
    since: tuple[int, int] = FIRST_LINE
    foreign: bytes | None = None


class RecordLimit(StrEnum):
    """Something that a codec's record sets cannot hold, by its name in a testee's hello.

    All but `TAIL` and `APPEND_TIME` concern batches of magic 2 only.
    """

    TAIL = "tail"
    """The bytes of a last batch that is cut off."""
    CONTROL = "control"
    """Control batches."""
    APPEND_TIME = "append-time"
    """Batches with the time at which the broker appended them."""
    DELETE_HORIZON = "delete-horizon"
    """Batches with a delete horizon."""
    UNUSED_BITS = "unused-bits"
    """Bits of a batch's attributes, and of a record's, that Kafka does not use."""
    LEADER_EPOCH = "leader-epoch"
    """A partition leader epoch other than -1."""
    PRODUCER = "producer"
    """A transaction without a producer id, and a producer id without an epoch and a sequence."""
    DERIVED_HEADER = "derived-header"
    """Batches that hold no record, or whose base timestamp, largest timestamp and last offset do not follow
    from records with rising offsets; and sums of a base and a delta that overflow an int64."""
    FIRST_OFFSET = "first-offset"
    """A first record whose offset is not the base offset; it includes `DERIVED_HEADER`, as do the next 3."""
    CONSECUTIVE_OFFSETS = "consecutive-offsets"
    """Gaps between the offsets of a batch."""
    RISING_TIMES = "rising-times"
    """Records older than the base timestamp."""
    CALENDAR_TIMES = "calendar-times"
    """Timestamps before 1970 and after the year 9999."""
    HEADER_KEYS = "header-keys"
    """Two headers with the same key in one record."""
    COMPRESSION_GAIN = "compression-gain"
    """Compressed batches that are not smaller than without compression."""


@dataclass(frozen=True, slots=True)
class RecordDomain:
    """The record sets that a codec is asked for.

    Attributes:
        magics: of the batches that a set may hold.
        compressions: likewise.
        limits: what random sets leave out. Named sets outside of a limit are asked for all the same: the
            codec answers them with `Unsupported`, and the run counts them.
    """

    magics: frozenset[int] = frozenset({0, 1, 2})
    compressions: frozenset[Compression] = frozenset(Compression)
    limits: frozenset[RecordLimit] = frozenset()

    def holds(self, records: RecordSet) -> bool:
        """Return whether every batch of a set is of a magic and a compression that belong to it."""
        return all(
            batch.magic in self.magics
            and (Compression.NONE if isinstance(batch, Message) else batch.compression) in self.compressions
            for batch in records.batches
        )


@dataclass(frozen=True, slots=True)
class MessageRecords:
    """A message with record sets in its records fields.

    Attributes:
        name: unique within the layout.
        value: the message; the records fields of `sets` are still null in it.
        sets: the content of each records field, by its place.
    """

    name: str
    value: dict[str, Any] = field(hash=False)
    sets: dict[FieldPath, RecordSet] = field(hash=False)


class RecordSource(Protocol):
    """A source of record sets."""

    def cases(self, cell: Cell) -> Iterator[RecordCase]:
        """The named sets of a cell of the module ``records``, those too that its release does not know."""
        ...

    def mutations(
        self, cell: Cell, part: MutationPart | None = None
    ) -> Iterator[tuple[RecordCase, Iterator[Mutation]]]:
        """Some of the cell's named sets, each with every hostile change of its bytes, or those of a part."""
        ...

    def slice(self) -> MutationPart:
        """The thin part of a cell's mutations: each operator once at each kind of place."""
        ...

    def search(
        self,
        cell: Cell,
        domain: RecordDomain,
        judge: InstanceJudge,
        *,
        examples: int,
        seed: int,
        shrink_s: float,
        found: Callable[[dict[str, Any]], None],
    ) -> SearchResult:
        """Search as `CaseSource.search` does, over plain values of the domain's sets
        (`kafkawire.records.to_value`).
        """
        ...

    def messages(self, cell: Cell, layout: MessageLayout) -> Iterator[MessageRecords]:
        """Messages of the cell with what its version may carry in each records field."""
        ...
