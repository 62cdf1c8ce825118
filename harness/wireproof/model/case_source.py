"""The interface of a source of cases: of messages, and of record sets."""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from kafkawire.records import Compression, Message, RecordSet
from kafkawire.schema.layout import MessageLayout
from wireproof.model.cell import Case, Cell
from wireproof.model.kafka.releases import FIRST_LINE
from wireproof.model.malformed_input import Mutation, MutationPart


class CollectionKind(StrEnum):
    """The kind of the elements of a collection."""

    STRUCTS = "structs"
    SCALARS = "scalars"
    TEXT = "characters"
    DATA = "blocks of 64 bytes"
    TAGS = "unknown tagged fields"


@dataclass(frozen=True, slots=True)
class ElementCollection:
    """A place of a layout that can hold any number of elements.

    Attributes:
        path: the path of the field; for unknown tagged fields, the path of their tag section.
        element: the type of an element. Codecs read all elements of one kind and type by the same code.
        make: the maker of a whole value with a given number of elements, all different.
        most: the largest number of elements that the collection can hold, or that is worth trying.
    """

    path: str
    kind: CollectionKind
    element: str
    make: Callable[[int], dict[str, Any]]
    most: int


@dataclass(frozen=True, slots=True)
class CpuTime:
    """Processor time that a codec spent so far.

    Attributes:
        process: the number of the codec's process, which each start increases. Times of two processes
            cannot be compared.
    """

    process: int
    seconds: float


InstanceJudge: TypeAlias = Callable[[dict[str, Any]], bool]
"""Return whether an instance is proven; False means a divergence."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a random search.

    Attributes:
        examples: instances judged before any failure, shrinking not counted.
        first: the failing instance before shrinking; None if all instances were proven.
        smallest: the smallest failing instance that shrinking reached within its budget.
    """

    examples: int
    first: dict[str, Any] | None = None
    smallest: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AbsentCase:
    """A value that holds a field which its version lacks.

    Attributes:
        name: unique within the layout and stable: ``topics[].leaderEpoch/off-default``.
        refused_at: the field at which a codec must refuse it; ``""`` if a codec must drop the field.
    """

    name: str
    value: dict[str, Any] = field(hash=False)
    refused_at: str


class CaseSource(Protocol):
    """A source of the cases of a cell."""

    def enumerated(self, cell: Cell, layout: MessageLayout) -> Iterator[Case]:
        """The named boundary cases, always the same."""

    def refused(self, layout: MessageLayout) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Values that this version cannot hold: (case name, value, path of the field at fault)."""

    def mutations(
        self, layout: MessageLayout, data: bytes, part: MutationPart | None = None
    ) -> Iterator[Mutation]:
        """Every hostile change of one valid encoding, or those of a part; always the same ones."""

    def slice(self) -> MutationPart:
        """The thin part of a cell's mutations: each operator once at each kind of place."""

    def independent_count(self, cell: Cell, layout: MessageLayout) -> list[str]:
        """Differences between the number of value classes of each field and the expected number.

        The expected numbers are counted in the release's own JSON, by other code than the layout's.
        """

    def search(
        self,
        layout: MessageLayout,
        judge: InstanceJudge,
        *,
        examples: int,
        seed: int,
        shrink_s: float,
        found: Callable[[dict[str, Any]], None],
    ) -> SearchResult:
        """Draw `examples` instances and judge each, until one fails; then make it small.

        Args:
            seed: the same seed draws the same instances.
            shrink_s: wall-clock seconds that making it small may take.
            found: called with the failing instance as soon as there is one, before shrinking.
        """

    def bulk(self, layout: MessageLayout, first: int, count: int, *, seed: int) -> Iterator[dict[str, Any]]:
        """`count` of the endless seeded instances of a layout, from number `first` on.

        An instance depends on its number and the seed alone. Parts are shared between instances.
        """

    def shrink(
        self,
        layout: MessageLayout,
        value: dict[str, Any],
        still_fails: Callable[[dict[str, Any]], bool],
        *,
        budget_s: float,
    ) -> dict[str, Any]:
        """The smallest value found that still fails, wherever it came from; `value` itself if there is none.

        Args:
            budget_s: wall-clock seconds that it may take.
        """

    def frame_mutations(
        self,
        headers: Mapping[int, MessageLayout],
        layout: MessageLayout,
        header: bytes,
        body: bytes,
        part: MutationPart | None = None,
    ) -> Iterator[Mutation]:
        """Every hostile change of the size and the header of a frame: size, header, body.

        Args:
            headers: the layouts of all versions of the header.
            part: the part that selects the mutations; None for all.
        """

    def whole(self, layout: MessageLayout) -> Iterator[tuple[str, dict[str, Any]]]:
        """The enumerated cases that are about the message as a whole, by name, without the large ones."""

    def changes(self, layout: MessageLayout, value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Copies of the value in which one field is changed, at every depth: the field's path, the copy."""

    def absent(self, layout: MessageLayout) -> Iterator[AbsentCase]:
        """Values with each field that this version lacks, once at its default and once not."""

    def grown(self, layout: MessageLayout) -> tuple[MessageLayout, list[tuple[str, dict[str, Any]]]] | None:
        """The layout with added tagged fields, as a later release may define it, and named values of it.

        None where the layout has no tag sections.
        """

    def collections(self, layout: MessageLayout) -> Iterator[ElementCollection]:
        """The first collection of each kind and element type."""

    def reserved_tags(self, layout: MessageLayout) -> Iterator[tuple[str, MessageLayout, dict[str, Any]]]:
        """Yield case name, layout and value for each tag that only other versions define.

        The layout has the tag at this version. It serves to write bytes that this version refuses.
        """


FieldPath: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the message to a field."""


def filled(value: Mapping[str, Any], data: Mapping[FieldPath, bytes]) -> dict[str, Any]:
    """A copy of the message with these bytes in its fields."""
    made = copy.deepcopy(dict(value))
    for path, held in data.items():
        *way, name = path
        at(made, tuple(way))[name] = held
    return made


def at(value: Any, path: FieldPath) -> Any:
    """The value at a path of a message."""
    for step in path:
        value = value[step]
    return value


def path_words(path: FieldPath) -> str:
    """Return a path as text: ``responses[0].partitions[1].records``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


@dataclass(frozen=True, slots=True)
class RecordCase:
    """One record set.

    Attributes:
        name: unique, words joined by ``/``: magic, compression, what is special.
        builder: whether Kafka's builder makes exactly this set from its canonical form.
        parts: whether Kafka's writers of single headers and records make it, too.
        since: the first line of Kafka that knows everything in the set. Older lines read it too, but ignore
            the delete horizon, or have no name for a control type.
        foreign: the bytes of the same set from a writer other than Kafka and our codec. Then only these bytes
            are read, and nothing is written. None for sets that our codec writes.
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
        magics: the magics of the batches that a set may hold.
        compressions: the compressions of these batches.
        limits: the features that random sets leave out. Named sets have them all the same: the codec answers
            these with `Unsupported`, and the run counts them.
    """

    magics: frozenset[int] = frozenset({0, 1, 2})
    compressions: frozenset[Compression] = frozenset(Compression)
    limits: frozenset[RecordLimit] = frozenset()

    def holds(self, records: RecordSet) -> bool:
        """Return whether every batch of a set has a magic and a compression of this domain."""
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
        """The named sets of a cell of the module ``records``, including sets unknown to its release."""

    def mutations(
        self, cell: Cell, part: MutationPart | None = None
    ) -> Iterator[tuple[RecordCase, Iterator[Mutation]]]:
        """Some of the cell's named sets, each with all hostile changes of its bytes, or those of a part."""

    def slice(self) -> MutationPart:
        """The thin part of a cell's mutations: each operator once at each kind of place."""

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

    def messages(self, cell: Cell, layout: MessageLayout) -> Iterator[MessageRecords]:
        """Messages of the cell with record sets that its version allows in each records field."""
