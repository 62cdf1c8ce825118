"""The source of record sets that the harness hands to a run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import product
from typing import Any, Final
from uuid import UUID

from kafkawire.records import (
    Batch,
    Compression,
    Message,
    MessageSet,
    RecordBatch,
    RecordSet,
    encode_records,
    highest_magic,
    to_value,
)
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType, VersionRange
from wireproof.model.case_source import (
    FieldPath,
    InstanceJudge,
    MessageRecords,
    RecordCase,
    RecordDomain,
    SearchResult,
)
from wireproof.model.cell import Cell
from wireproof.model.kafka.releases import release_line
from wireproof.model.malformed_input import Mutation, MutationPart
from wireproof.proof.strategies.malformed.mutation_slice import Slice
from wireproof.proof.strategies.malformed.record_mutations import RECORD_BASES, record_mutations
from wireproof.proof.strategies.records.foreign_compression import foreign_cases
from wireproof.proof.strategies.records.record_cases import (
    DELETE_HORIZON_SINCE,
    LARGEST,
    message_set,
    record_cases,
)

_PRODUCE: Final = "ProduceRequest"
_SNAPSHOT: Final = "FetchSnapshotResponse"
_FETCH: Final = "FetchResponse"

_MAGICS: Final = {
    _PRODUCE: ((VersionRange(0, 1), (0,)), (VersionRange(2, 2), (0, 1)), (VersionRange.parse("3+"), (2,))),
    _FETCH: ((VersionRange(0, 1), (0,)), (VersionRange(2, 3), (0, 1)), (VersionRange.parse("4+"), (0, 1, 2))),
    _SNAPSHOT: ((VersionRange.ALL, (2,)),),
}
"""The magics that `ProduceRequest.validateRecords` and the down-conversion of `ReplicaManager` allow. Old
segments keep their magic, so the newest Fetch carries all. Messages that are not named carry all magics."""

_ZSTD_SINCE: Final = {_PRODUCE: 7, _FETCH: 10}
"""The first version that may carry zstd (KIP-110)."""

_PARTITIONS: Final = 3
"""Records fields in one element of the outer array."""


@cache
def _named_cases() -> tuple[RecordCase, ...]:
    """Every named set, the largest last. This requires the libraries of the extra `records`."""
    return tuple(sorted((*record_cases(), *foreign_cases()), key=lambda case: case.name == LARGEST))


def _way_to_records(struct: StructLayout) -> tuple[FieldLayout, ...]:
    """The fields on the path from the message to its records field; empty if it has none."""
    for field in struct.all_fields:
        if field.struct is None:
            if field.scalar is ScalarType.RECORDS:
                return (field,)
        elif inner := _way_to_records(field.struct):
            return (field, *inner)
    return ()


class _Carrying:
    """The record sets that one message at one version may carry."""

    def __init__(self, message: str, version: int) -> None:
        self._message = message
        ranges = _MAGICS.get(message, ((VersionRange.ALL, (0, 1, 2)),))
        self._magics = next(magics for versions, magics in ranges if version in versions)
        self._zstd = version >= _ZSTD_SINCE.get(message, 0)
        self._single = message == _PRODUCE and version >= 3
        self._cut = message != _PRODUCE  # a fetched batch may be cut off; a produced one is whole

    def groups(self, cases: Mapping[str, RecordCase]) -> Iterator[tuple[str, list[RecordSet]]]:
        """The sets that one message carries together, by the name of the case."""
        for magic in self._magics:
            codecs = [codec for codec in Compression if self._has(codec, magic)]
            for title, words in _TITLES.items():
                names = [f"v{magic}/{codec.name.lower()}/{word}" for codec in codecs for word in words]
                sets = [cases[name].records for name in names if name in cases and cases[name].parts]
                if sets := [each for each in sets if self._takes(each)]:
                    yield f"magic-{magic}/{title}", sets
        if not self._single:
            yield from self._several(cases)

    def alone(self, cases: Mapping[str, RecordCase]) -> Iterator[tuple[str, RecordSet]]:
        """Sets as a producer makes them, each the only set of its message, as a producer sends it."""
        for magic, codec, word in product(self._magics, Compression, _ALONE):
            case = cases.get(f"v{magic}/{codec.name.lower()}/{word}")
            if case is not None and self._has(codec, magic) and self._takes(case.records):
                yield f"magic-{magic}/alone-{codec.name.lower()}-{word}", case.records

    def _has(self, codec: Compression, magic: int) -> bool:
        return codec is not Compression.ZSTD or (magic == 2 and self._zstd)

    def _takes(self, records: RecordSet) -> bool:
        if self._message == _PRODUCE and any(
            isinstance(batch, RecordBatch) and batch.control for batch in records.batches
        ):
            return False  # only brokers write them
        return not self._single or len(records.batches) == 1

    def _several(self, cases: Mapping[str, RecordCase]) -> Iterator[tuple[str, list[RecordSet]]]:
        """Several batches in one field, of one magic and of several; also cut at the end where allowed."""
        lists = [self._batches(cases, magic) for magic in self._magics]
        mixed = [each for batches in zip(*lists, strict=False) for each in batches]
        yield "several-batches", [RecordSet(tuple(batches)) for batches in lists]
        if len(lists) > 1:
            yield "mixed-magics", [RecordSet(tuple(mixed)), RecordSet(tuple(reversed(mixed)))]
        if self._cut:
            yield "cut-off", [*_cut(lists[-1])]

    def _batches(self, cases: Mapping[str, RecordCase], magic: int) -> list[Batch]:
        """A batch of each compression, with consecutive offsets."""
        found: list[Batch] = []
        for codec in Compression:
            if not self._has(codec, magic):
                continue
            case = cases.get(f"v{magic}/{codec.name.lower()}/plain")
            if case is not None:
                found += [_moved(batch, 10 * len(found)) for batch in case.records.batches]
        return found


_ALONE: Final = ("plain", "headers-unicode", "records-300", "several", "timestamps-as-text")
"""The endings of the names of sets that are alone in a message."""

_TITLES: Final = {
    "plain": ("plain", "nulls", "empty"),
    "large": ("value-100000",),
    "headers": ("headers-repeated", "headers-null", "headers-unicode", "headers-count-64"),
    "producers": ("idempotent", "idempotent-wrap", "transactional", "leader-epoch"),
    "times": ("log-append-time", "delete-horizon", "timestamp-back", "timestamp-2147483648", "timestamps"),
    "offsets": ("gaps", "several", "compacted", "offset-2147483647", "no-records", "records-300"),
    "control": tuple(
        f"control-{kind}"
        for kind in ("abort", "commit", "leader_change", "snapshot_header", "snapshot_footer",
                     "kraft_version", "kraft_voters", "newer-key")
    ),
}  # fmt: skip
"""The endings of the names of the sets in one message, by the name of the case."""


def _moved(batch: Batch, offset: int) -> Batch:
    match batch:
        case RecordBatch():
            return replace(batch, base_offset=offset)
        case MessageSet():
            first = batch.offset_of(batch.messages[0])
            held = [each._replace(offset=batch.offset_of(each) - first + offset) for each in batch.messages]
            return message_set(batch.compression, held)
        case Message():
            return batch._replace(offset=offset)


def _cut(batches: Sequence[Batch]) -> Iterator[RecordSet]:
    """Sets whose last batch is cut off: within its prefix, in the middle, and just before its end."""
    whole = encode_records((batches[0],))
    for left in (5, 16, len(whole) // 2, len(whole) - 1):
        yield RecordSet(tuple(batches), whole[:left])
    yield RecordSet((), whole[:-1])


def _message(
    layout: MessageLayout,
    way: tuple[FieldLayout, ...],
    name: str,
    sets: Sequence[RecordSet],
    *,
    alone: bool = False,
) -> MessageRecords:
    """Put the sets in as many partitions, with a null or empty field after each message's last.

    Args:
        alone: leave out the partitions without records.
    """
    paths: dict[FieldPath, RecordSet] = {}
    value = _struct(way, (), list(sets), paths, alone)
    return MessageRecords(name, value, paths)


def _struct(
    way: tuple[FieldLayout, ...],
    path: FieldPath,
    sets: list[RecordSet],
    paths: dict[FieldPath, RecordSet],
    alone: bool,
) -> dict[str, Any]:
    """A struct on the way, with all the sets somewhere below it."""
    field, *rest = way
    if not rest:
        if sets:
            paths[*path, field.name] = sets[0]
        return {field.name: None if field.nullable else b""}
    assert field.struct is not None  # each step to a records field is a struct
    if not field.is_array:
        return {field.name: _struct(tuple(rest), (*path, field.name), sets, paths, alone)}
    elements = []
    most = _PARTITIONS if len(rest) > 1 else 1
    shared = [sets[start : start + most] for start in range(0, len(sets), most)]
    for index, held in enumerate([*shared, *([] if alone else [[]])]):
        here = (*path, field.name, index)
        elements.append({**_identity(field.struct, index), **_struct(tuple(rest), here, held, paths, alone)})
    return {field.name: elements}


def _identity(struct: StructLayout, index: int) -> dict[str, Any]:
    """The value that distinguishes an element from its neighbours: its first text, UUID or number."""
    for field in struct.fields:
        match field.scalar if not field.is_array and field.struct is None else None:
            case ScalarType.STRING:
                return {field.name: f"topic-{index}"}
            case ScalarType.UUID:
                return {field.name: UUID(int=index + 1)}
            case ScalarType.INT32:
                return {field.name: index}
    return {}


class RecordSets:
    """Named sets and random ones, for cells and for records fields."""

    def cases(self, cell: Cell) -> Iterator[RecordCase]:
        """The named sets whose highest magic is the cell's."""
        return (case for case in _named_cases() if highest_magic(case.records) == cell.version)

    def mutations(
        self, cell: Cell, part: MutationPart | None = None
    ) -> Iterator[tuple[RecordCase, Iterator[Mutation]]]:
        """Some of the cell's named sets, each with every hostile change of its bytes, or those of a part."""
        line = release_line(cell.release)
        for case in self.cases(cell):
            if case.name in RECORD_BASES and case.since <= line:
                found = record_mutations(case, part)
                yield case, (each for each in found if line >= DELETE_HORIZON_SINCE or not _of_horizon(each))

    def slice(self) -> MutationPart:
        """The thin part of a cell's mutations, see `Slice`."""
        return Slice()

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
        """Let Hypothesis look for a set that is not proven: of the cell's magic and those below it.

        Args:
            domain: the magics and compressions to draw from, and what most sets leave out.
        """
        from wireproof.proof.strategies.drawing.search import search
        from wireproof.proof.strategies.records.hypothesis_records import drawn_record_sets

        digest = sha256(f"{seed}/{cell.message}/{cell.version}".encode()).digest()
        magics = [magic for magic in range(cell.version, -1, -1) if magic in domain.magics]
        codecs = [codec for codec in Compression if codec in domain.compressions]
        line = release_line(cell.release)
        return search(
            drawn_record_sets(
                magics=magics, codecs=codecs, unused_bits=True, line=line, limits=domain.limits
            ).map(lambda drawn: [to_value(drawn)]),
            judge,
            examples=examples,
            seed=int.from_bytes(digest[:8]),
            shrink_s=shrink_s,
            found=found,
        )

    def messages(self, cell: Cell, layout: MessageLayout) -> Iterator[MessageRecords]:
        """Messages of the cell with what its version may carry in each records field.

        Sets with features that the release does not know are left out.
        """
        way = _way_to_records(layout.root)
        if not way:
            return
        may_carry, line = _Carrying(cell.message, cell.version), release_line(cell.release)
        cases = {case.name: case for case in _named_cases() if case.since <= line}
        for name, sets in may_carry.groups(cases):
            yield _message(layout, way, name, sets)
        for name, records in may_carry.alone(cases):
            yield _message(layout, way, name, [records], alone=True)


def _of_horizon(mutation: Mutation) -> bool:
    """Return True if it does nothing but turn the delete horizon on or off, which older lines pass over."""
    return mutation.operator.startswith("attribute-64")
