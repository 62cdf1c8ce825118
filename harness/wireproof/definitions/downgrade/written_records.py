"""The records that a release writes into its coordinators' logs: their versions and example frames.

Most writers have one version. The exceptions are in `_CHOICES`, with the setting that each depends on; tests
compare them with the writers of each release.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from kafkawire.compiler import fastest_codec
from kafkawire.schema import MessageLayout, SchemaSet, StructLayout, resolve
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import write_int16, write_int32
from wireproof.definitions.downgrade.record_loader import (
    COORDINATOR_LOGS,
    CoordinatorRecordType,
    record_types,
)
from wireproof.model.kafka.releases import release_line
from wireproof.proof.strategies.values.whole_instances import full
from wireproof.traffic.wire.inner_messages import InternalLog

EVERY_FIELD: Final = "every field set"
WITHOUT_TAGS: Final = "without tagged fields"
LATER: Final = "later"
"""The writer of records of a release after the newest one: with what KIP-915 allows, and what it forbids."""

_LONGEST_TEXT: Final = 4
_LATER_TAG: Final = 100
_LATER_TYPES: Final = 100
_LATER_RECORDS: Final = (
    "OffsetCommit",
    "GroupMetadata",
    "ConsumerGroupMetadata",
    "TransactionLog",
    "ShareSnapshot",
)


class VersionChoice(NamedTuple):
    """A version of a value that a writer chooses.

    Attributes:
        condition: the setting that leads to the version; empty for the defaults of a new cluster.
        since: the first line that has the choice.
        until: the last line that has it; None if the newest line has it.
    """

    version: int
    condition: str
    since: str = "2.8"
    until: str | None = None


_RETENTION: Final = "a retention time in the OffsetCommit request (versions 2 to 4)"

_CHOICES: Final[Mapping[str, tuple[VersionChoice, ...]]] = {
    "OffsetCommit": (
        VersionChoice(1, "inter.broker.protocol.version below 2.1, or a retention time", until="3.9"),
        VersionChoice(1, _RETENTION, "4.0"),
        VersionChoice(2, "inter.broker.protocol.version=2.1-IV0", until="3.9"),
        VersionChoice(3, "", until="4.0"),
        VersionChoice(4, "", "4.1"),
    ),
    "GroupMetadata": (
        VersionChoice(0, "inter.broker.protocol.version below 0.10.1", until="3.9"),
        VersionChoice(1, "inter.broker.protocol.version 0.10.1 to 2.0", until="3.9"),
        VersionChoice(2, "inter.broker.protocol.version 2.1 or 2.2", until="3.9"),
        VersionChoice(3, ""),
    ),
    "TransactionLog": (
        VersionChoice(0, "", until="3.9"),
        VersionChoice(0, "transaction.version=0", "4.0"),
        VersionChoice(1, "transaction.version=1 or 2 (not for production)", "3.9", "3.9"),
        VersionChoice(1, "", "4.0"),
    ),
}
"""The choices by record, sorted by version. LegacyOffsetCommit is only read: Kafka wrote it before 0.8.2."""


class RecordFamily(NamedTuple):
    """Newer records whose names have a common prefix.

    Attributes:
        since: the first line that writes them. Older ones may define them.
        default_since: the first line that writes them without a setting.
        condition: the setting before that line.
        until: the last line that writes them; later ones only read them. None if the newest line writes them.
    """

    start: str
    since: str
    default_since: str
    condition: str
    until: str | None = None


def _has(choice: "VersionChoice | RecordFamily", line: tuple[int, int]) -> bool:
    """Test if a release line has a choice or a family."""
    within = choice.until is None or line <= release_line(choice.until)
    return within and release_line(choice.since) <= line


_CONSUMER: Final = ("4.0", "group.coordinator.new.enable=true (early access, preview)")
_SHARE: Final = ("4.2", "share.version=1 (early access, preview)")
_FAMILIES: Final = (
    RecordFamily("ConsumerGroupPartitionMetadata", "3.6", *_CONSUMER, until="4.0"),
    RecordFamily("ConsumerGroup", "3.6", *_CONSUMER),
    RecordFamily("ShareGroupStatePartitionMetadata", "4.1", *_SHARE),
    RecordFamily("ShareGroup", "4.0", *_SHARE),
    RecordFamily("ShareSnapshot", "4.0", *_SHARE),
    RecordFamily("ShareUpdate", "4.0", *_SHARE),
    RecordFamily("StreamsGroup", "4.1", "4.2", "streams.version=1 (early access)"),
)
"""The families. The first match counts. Sources: the record helpers in the jars, which a test compares."""


@dataclass(frozen=True, slots=True)
class WrittenRecord:
    """A record as a writer puts it into a log.

    Attributes:
        record: the name of key and value without these words: ``OffsetCommit``.
        type: the number at the start of the key.
        layout: the writer's layout of the value; None if no release has one.
        plain: the value; None if no release has a layout of it.
        addition: the part that a later release added, in words; empty for records of known releases.
    """

    log: InternalLog
    record: str
    type: int
    version: int
    case: str
    key: bytes
    value: bytes
    key_layout: MessageLayout | None
    layout: MessageLayout | None
    plain: StructValue | None
    addition: str = ""

    @property
    def name(self) -> str:
        """Its name in tables: ``OffsetCommit v3``."""
        return f"{self.record} v{self.version}"


def version_choices(release: str, record: str) -> tuple[VersionChoice, ...]:
    """Return the versions that a release writes of a record whose version depends on a setting."""
    line = release_line(release)
    return tuple(each for each in _CHOICES.get(record, ()) if _has(each, line))


def written_records(schemas: SchemaSet) -> list[tuple[WrittenRecord, str]]:
    """Return the records that a release writes, each with the setting that it needs.

    The setting is empty for the defaults of a new cluster.
    """
    found: list[tuple[WrittenRecord, str]] = []
    for kind in record_types(schemas).values():
        for choice in _choices(schemas.release, kind):
            found += ((record, choice.condition) for record in _of_version(kind, choice.version))
    return found


def _choices(release: str, kind: CoordinatorRecordType) -> tuple[VersionChoice, ...]:
    if kind.name in _CHOICES:
        return version_choices(release, kind.name)
    family = next((each for each in _FAMILIES if kind.name.startswith(each.start)), None)
    line = release_line(release)
    if family is None or not _has(family, line):
        return ()
    condition = "" if line >= release_line(family.default_since) else family.condition
    return (VersionChoice(kind.value.valid_versions.highest, condition),)


def _of_version(kind: CoordinatorRecordType, version: int) -> Iterator[WrittenRecord]:
    layout = resolve(kind.value, version)
    plain = _every_field(layout)
    yield _record(kind, layout, EVERY_FIELD, plain)
    bare = _without_tagged(layout.root, plain)
    if bare != plain:
        yield _record(kind, layout, WITHOUT_TAGS, bare)


def _record(
    kind: CoordinatorRecordType, layout: MessageLayout, case: str, plain: StructValue
) -> WrittenRecord:
    value = write_int16(layout.version) + fastest_codec(layout).encode(plain)
    key_layout, key = _key(kind)
    return WrittenRecord(
        kind.log, kind.name, kind.number, layout.version, case, key, value, key_layout, layout, plain
    )


def _key(kind: CoordinatorRecordType) -> tuple[MessageLayout, bytes]:
    layout = resolve(kind.key, kind.key_version)
    body = fastest_codec(layout).encode(full(layout.root, unknown_tags=False))
    return layout, write_int16(kind.number) + body


def _every_field(layout: MessageLayout) -> StructValue:
    """Return a value with every field set; strings are short."""
    return {name: _shortened(value) for name, value in full(layout.root, unknown_tags=False).items()}


def _shortened(value: Value) -> Value:
    if isinstance(value, str):
        return value[:_LONGEST_TEXT]
    if isinstance(value, list):
        return [_shortened(each) for each in value]
    return {name: _shortened(each) for name, each in value.items()} if isinstance(value, dict) else value


def _without_tagged(struct: StructLayout, value: StructValue) -> StructValue:
    """Return the value without tagged fields, in nested structs too."""
    bare: StructValue = {}
    for field in struct.fields:
        if field.name in value:
            bare[field.name] = _bare(field.struct, value[field.name])
    return bare


def _bare(struct: StructLayout | None, value: Value) -> Value:
    if struct is None:
        return value
    if isinstance(value, list):
        return [_bare(struct, each) for each in value]
    return _without_tagged(struct, value) if isinstance(value, dict) else value


def later_records(schemas: SchemaSet) -> list[WrittenRecord]:
    """Return records of a release after this one: a new tagged field, a new version, a new type.

    KIP-915 allows the first and the last of them.
    """
    types = record_types(schemas).values()
    found: list[WrittenRecord] = []
    for kind in types:
        if kind.name in _LATER_RECORDS:
            found += _later(kind)
    return [*found, *(_later_type(log) for log in COORDINATOR_LOGS)]


def _later(kind: CoordinatorRecordType) -> Iterator[WrittenRecord]:
    layout = resolve(kind.value, kind.value.valid_versions.highest)
    bare = _without_tagged(layout.root, _every_field(layout))
    key_layout, key = _key(kind)
    prefix = kind.log, kind.name, kind.number
    tagged = {**bare, TAGS: {_LATER_TAG: b"later"}}
    value = write_int16(layout.version) + fastest_codec(layout).encode(tagged)
    case = "a new tagged field"
    yield WrittenRecord(*prefix, layout.version, case, key, value, key_layout, layout, tagged, "tagged field")
    body = fastest_codec(layout).encode(bare)
    version, tag_section = layout.version + 1, body[-1:]
    value = write_int16(version) + body[:-1] + write_int32(1) + tag_section
    case = "a new version with a new field"
    yield WrittenRecord(*prefix, version, case, key, value, key_layout, None, None, "field")


def _later_type(log: InternalLog) -> WrittenRecord:
    key, value = write_int16(_LATER_TYPES) + write_int16(1) + b"x", write_int16(0) + b"\x00"
    return WrittenRecord(
        log, f"type {_LATER_TYPES}", _LATER_TYPES, 0, "a new type", key, value, None, None, None, "record"
    )
