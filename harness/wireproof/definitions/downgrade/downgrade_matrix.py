"""The downgrade matrix: the outcome of each release's records in each release (KIP-915)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Final, NamedTuple

from kafkawire.schema import MessageLayout, SchemaSet, StructLayout
from kafkawire.values import TAGS, StructValue, Value
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.definitions.downgrade.load_rules import (
    DowngradeOutcome,
    GroupCoordinator,
    LoadRule,
    default_coordinator,
    group_coordinators,
    rules_of,
)
from wireproof.definitions.downgrade.record_loader import LoadedRecord, RecordLoader
from wireproof.definitions.downgrade.written_records import (
    LATER,
    WrittenRecord,
    later_records,
    written_records,
)
from wireproof.definitions.evolution.break_example import value_differences
from wireproof.kafka.releases.release_table import ReleaseError, table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.wire.inner_messages import InternalLog


def dropped_tags(writer: MessageLayout, read: StructValue) -> tuple[str, ...]:
    """Return the paths of the tagged fields that the reader read without a definition.

    The writer's layout names the fields; a tag that it does not define is named by its number.
    """
    return tuple(dict.fromkeys(_dropped("", writer.root, read)))


def changed_fields(
    writer: MessageLayout, reader: MessageLayout, wrote: StructValue, read: StructValue
) -> tuple[str, ...]:
    """Return in words each field whose value differs for the reader, with the reader's value."""
    found = value_differences(writer.root, reader.root, wrote, read)
    return tuple(dict.fromkeys(f"{path} {words}" for path, words in found))


def _dropped(prefix: str, writer: StructLayout | None, read: Mapping[str, Value]) -> Iterator[str]:
    tagged = {field.tag: field.name for field in writer.tagged} if writer else {}
    structs = {field.name: field.struct for field in writer.all_fields} if writer else {}
    for name, value in read.items():
        if name == TAGS and isinstance(value, Mapping):
            for tag in value:
                yield f"{prefix}{tagged[tag]} (tag {tag})" if tag in tagged else f"{prefix}tag {tag}"
        elif isinstance(value, Mapping):
            yield from _dropped(f"{prefix}{name}.", structs.get(name), value)
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, Mapping):
                    yield from _dropped(f"{prefix}{name}[].", structs.get(name), each)


BEFORE_THE_KIP: Final = ("3.4.0", "3.3.2")
"""The last release before KIP-915, which no other table has, and the release with the same definitions."""

_ORDER: Final = tuple(DowngradeOutcome)


class LogReader(NamedTuple):
    """A release that loads the logs, with one of its group coordinators."""

    release: str
    coordinator: GroupCoordinator

    @property
    def is_default(self) -> bool:
        """True if the release runs this coordinator without a setting."""
        return self.coordinator is default_coordinator(self.release)

    def reads(self, log: InternalLog) -> bool:
        """Return whether the reader has outcomes for a log: only one log depends on the group coordinator."""
        return self.is_default or log is InternalLog.OFFSETS

    def __str__(self) -> str:
        return self.release if self.is_default else f"{self.release} ({self.coordinator})"


class RecordWriter(NamedTuple):
    """A release that writes a record, and the setting that it needs; empty for the defaults."""

    release: str
    condition: str


@dataclass(frozen=True, slots=True)
class DowngradeCell:
    """The outcome of one record in one release, and the type, version, fields or error it is about."""

    outcome: DowngradeOutcome
    rule: LoadRule
    words: str


@dataclass(frozen=True, slots=True)
class DowngradeRow:
    """A record, the releases that write these very bytes, and its outcomes by reader, both oldest first."""

    record: WrittenRecord
    writers: tuple[RecordWriter, ...]
    cells: Mapping[LogReader, DowngradeCell] = field(hash=False)

    def read_by(self, release: str) -> "DowngradeRow":
        """Return the row with the cells of one release."""
        cells = {reader: cell for reader, cell in self.cells.items() if reader.release == release}
        return replace(self, cells=cells)


def log_readers(releases: Iterable[str]) -> list[LogReader]:
    """Return the readers of these releases: the default coordinators first, then the optional ones."""
    every = [LogReader(release, each) for release in releases for each in group_coordinators(release)]
    return sorted(every, key=lambda each: not each.is_default)


def downgrade_rows(
    writers: Sequence[SchemaSet], readers: Mapping[LogReader, SchemaSet], newest: SchemaSet | None = None
) -> list[DowngradeRow]:
    """Return the records of all writers, oldest first, with their outcomes in all readers.

    With `newest`, the rows include the records of a hypothetical later release.
    """
    loaders = {
        reader: RecordLoader(schemas, partial(rules_of, reader.release, coordinator=reader.coordinator))
        for reader, schemas in readers.items()
    }
    rows = []
    for record, written_by in _merged(writers, newest):
        cells = {
            reader: judge_record(record, loader.load(record.log, record.key, record.value))
            for reader, loader in loaders.items()
            if reader.reads(record.log)
        }
        rows.append(DowngradeRow(record, tuple(written_by), cells))
    return sorted(rows, key=lambda row: (tuple(InternalLog).index(row.record.log), row.record.type))


def _merged(
    writers: Sequence[SchemaSet], newest: SchemaSet | None
) -> Iterator[tuple[WrittenRecord, list[RecordWriter]]]:
    """Join the writers of equal bytes. The layout is the newest writer's, which names the most fields."""
    found: dict[tuple[object, ...], tuple[WrittenRecord, list[RecordWriter]]] = {}
    for schemas in writers:
        for record, condition in written_records(schemas):
            key = record.log, record.key, record.value
            _, known = found.get(key, (record, []))
            found[key] = record, [*known, RecordWriter(schemas.release, condition)]
    yield from found.values()
    for record in later_records(newest) if newest else ():
        yield record, [RecordWriter(LATER, "")]


def judge_record(record: WrittenRecord, loaded: LoadedRecord) -> DowngradeCell:
    """Return the outcome of a record, with the fields that the reader lost."""
    if loaded.value is None or loaded.layout is None:
        return DowngradeCell(loaded.outcome, loaded.rule, loaded.words)
    if record.layout is None or record.plain is None:
        lost = f"{loaded.words}: the new {record.addition} is ignored"
        return DowngradeCell(DowngradeOutcome.DATA_LOST, loaded.rule, lost)
    changed = changed_fields(record.layout, loaded.layout, record.plain, loaded.value)
    if changed:
        words = "; ".join(changed)
        return DowngradeCell(DowngradeOutcome.DATA_LOST, LoadRule.CHANGED_LAYOUT, words)
    tags = dropped_tags(record.layout, loaded.value)
    if tags:
        return DowngradeCell(DowngradeOutcome.DATA_LOST, LoadRule.UNKNOWN_TAGS, ", ".join(tags))
    return DowngradeCell(loaded.outcome, loaded.rule, loaded.words)


def worst_outcome(cells: Iterable[DowngradeCell]) -> DowngradeOutcome | None:
    return max((cell.outcome for cell in cells), key=_ORDER.index, default=None)


def only_records(rows: Iterable[DowngradeRow], names: str) -> list[DowngradeRow]:
    """Return the rows of records whose name contains the text, in any case."""
    return [row for row in rows if names.lower() in row.record.record.lower()]


def only_writer(rows: Iterable[DowngradeRow], release: str) -> list[DowngradeRow]:
    found = []
    for row in rows:
        writers = tuple(each for each in row.writers if each.release == release)
        if writers:
            found.append(replace(row, writers=writers))
    return found


_OLD, _LIKE = BEFORE_THE_KIP


@cache
def coordinator_schemas(release: str) -> SchemaSet:
    """Return the definitions of a release; 3.4.0 has those of 3.3.2.

    Raises ReleaseError if there is no such release.
    """
    return load_snapshot(table().find(_LIKE if release == _OLD else release))


@cache
def reading_releases() -> tuple[str, ...]:
    """Return the releases of the matrix, oldest first: the table's, and the last one before KIP-915."""
    known = [release.version for release in reversed(table().releases)]
    place = known.index(_LIKE) + 1
    return *known[:place], _OLD, *known[place:]


@cache
def downgrade_matrix() -> tuple[DowngradeRow, ...]:
    """Return the whole matrix."""
    writers = [coordinator_schemas(release) for release in reading_releases() if release != _OLD]
    readers = {reader: coordinator_schemas(reader.release) for reader in log_readers(reading_releases())}
    return tuple(downgrade_rows(writers, readers, writers[-1]))


def selected_rows(writer: str | None, reader: str | None, record: str | None) -> list[DowngradeRow]:
    """Return the rows of one writer, with the cells of one reader, of the records with this text in the name.

    None means all; the writer may be ``later``. Raises FatalError if a release is not in the matrix, or no
    record matches.
    """
    rows = list(downgrade_matrix())
    if record is not None:
        rows = only_records(rows, record)
        if not rows:
            names = ", ".join(sorted({row.record.record for row in downgrade_matrix()}))
            raise FatalError(
                f"no record has {record!r} in its name", f"Names: {names}.", ExitCode.NOTHING_RAN
            )
    if writer is not None:
        chosen = writer if writer == LATER else _release(writer)
        rows = only_writer(rows, chosen)
        if not rows:
            raise FatalError(
                f"{chosen} writes none of these records", "Leave out --record.", ExitCode.NOTHING_RAN
            )
    return rows if reader is None else [row.read_by(_release(reader)) for row in rows]


def _release(word: str) -> str:
    if word == BEFORE_THE_KIP[0]:
        return word
    try:
        return table().find(word).version
    except ReleaseError as error:
        known = ", ".join(reading_releases())
        raise FatalError(str(error), f"Releases of the matrix: {known}.") from error


RECORD_FAMILIES: Final = (
    ("Classic groups and committed offsets", ("OffsetCommit", "GroupMetadata")),
    ("Transactions", ("TransactionLog",)),
    ("Consumer groups (KIP-848)", ("ConsumerGroup",)),
    ("Share groups (KIP-932)", ("ShareGroup", "ShareSnapshot", "ShareUpdate")),
    ("Streams groups (KIP-1071)", ("StreamsGroup",)),
)
"""Titles, and the starts of the names of the records."""


class FamilyGrid(NamedTuple):
    """The pair matrix of a family: the reading releases, oldest first, and each writer with its outcomes."""

    title: str
    readers: tuple[str, ...]
    lines: tuple[tuple[str, tuple[DowngradeOutcome, ...]], ...]


def family_grids(rows: Iterable[DowngradeRow], releases: Sequence[str]) -> list[FamilyGrid]:
    """Return the pair matrix of each family that has rows, for the releases that read, oldest first.

    The grid has the records that a release writes by default. If a release writes no record of a family by
    default, it has those that need a setting. The outcomes are those of the default coordinators.
    """
    known = [row for row in rows if all(writer.release != LATER for writer in row.writers)]
    grids = []
    for title, starts in RECORD_FAMILIES:
        family = [row for row in known if row.record.record.startswith(starts)]
        lines = [(writer, _outcomes(family, writer, releases)) for writer in _writers(family, releases)]
        if lines:
            grids.append(FamilyGrid(title, tuple(releases), tuple(lines)))
    return grids


def _writers(family: Iterable[DowngradeRow], releases: Sequence[str]) -> list[str]:
    writers = {writer.release for row in family for writer in row.writers}
    return sorted(writers, key=list(releases).index)


def _outcomes(
    family: Iterable[DowngradeRow], writer: str, releases: Sequence[str]
) -> tuple[DowngradeOutcome, ...]:
    written = only_writer(family, writer)
    by_default = [row for row in written if any(not each.condition for each in row.writers)]
    found = []
    for release in releases:
        cells = [
            cell
            for row in by_default or written
            for reader, cell in row.cells.items()
            if reader.release == release and reader.coordinator is default_coordinator(release)
        ]
        outcome = worst_outcome(cells)
        assert outcome is not None
        found.append(outcome)
    return tuple(found)
