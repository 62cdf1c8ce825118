"""The rules by which a coordinator loads its log after a restart, by release (KIP-915)."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from wireproof.base.text.stated_rule import StatedRule
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.traffic.wire.inner_messages import InternalLog


class DowngradeOutcome(StrEnum):
    """The outcome of a record for the release that reads it. JSON output holds the text."""

    ACCEPTED = "accepted"
    """The release loads every field."""

    DATA_LOST = "data lost"
    """The release loads the log, but without the record or without some of its fields."""

    REFUSED = "refused"
    """The release does not know the type or the version of the record, and stops loading the partition."""

    CRASHED = "crashed"
    """The release begins to read the record and fails; it stops loading the partition."""


class GroupCoordinator(StrEnum):
    """The implementation of the group coordinator that reads ``__consumer_offsets``."""

    CLASSIC = "classic"
    """`GroupMetadataManager` in Scala: up to 3.9 the default, in 4.0 an option."""

    NEW = "new"
    """The coordinator of KIP-848, from 4.0 on the default, from 3.6 on an option."""


class UnknownVersion(StrEnum):
    """The treatment of a value whose version the reader does not know."""

    REFUSE = "refuse"
    READ = "read"
    """Without a check, by the layout of the newest version."""
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class LoadRules:
    """The rules of one reader.

    Attributes:
        skips_unknown_types: True if the reader ignores a record whose key has an unknown type.
        unknown_version: its treatment of an unknown version of a value.
        last_type: the greatest type that it knows; None if it knows all that the release defines.
    """

    skips_unknown_types: bool
    unknown_version: UnknownVersion
    last_type: int | None = None


BEFORE_KIP_915: Final = LoadRules(False, UnknownVersion.REFUSE)
AFTER_KIP_915: Final = LoadRules(True, UnknownVersion.REFUSE)

_UNCHECKED: Final = LoadRules(True, UnknownVersion.READ, last_type=8)
"""3.9 defines records of share groups, but its serde does not know them."""
_SKIPPING: Final = LoadRules(True, UnknownVersion.SKIP)
_CLASSIC_TYPES: Final = 2
"""`GroupMetadataManager` knows only offsets and group metadata, even if the release defines newer types."""


def group_coordinators(release: str) -> tuple[GroupCoordinator, ...]:
    """Return the group coordinators that a release can run, its default one first."""
    found = []
    if not ReleaseFeature.NO_CLASSIC_COORDINATOR.is_in(release):
        found.append(GroupCoordinator.CLASSIC)
    if ReleaseFeature.GROUP_COORDINATOR_SERDE.is_in(release):
        found.append(GroupCoordinator.NEW)
    return tuple(sorted(found, key=lambda each: each is not default_coordinator(release)))


def default_coordinator(release: str) -> GroupCoordinator:
    """Return the group coordinator that a release runs if its configuration does not name one."""
    is_new = ReleaseFeature.NEW_COORDINATOR_BY_DEFAULT.is_in(release)
    return GroupCoordinator.NEW if is_new else GroupCoordinator.CLASSIC


def rules_of(release: str, log: InternalLog, coordinator: GroupCoordinator) -> LoadRules:
    """Return the rules by which a release loads a log.

    Sources: `GroupMetadataManager`, `TransactionLog`, `TransactionStateManager`, `CoordinatorLoaderImpl`;
    tests compare the rules with these classes of each release. The coordinator does not matter for
    transactions.
    """
    if log is InternalLog.TRANSACTIONS:
        if ReleaseFeature.SKIPPED_TRANSACTION_VERSIONS.is_in(release):
            return _SKIPPING
    elif coordinator is GroupCoordinator.NEW or log is InternalLog.SHARE:
        return AFTER_KIP_915 if ReleaseFeature.CHECKED_COORDINATOR_VALUES.is_in(release) else _UNCHECKED
    after = ReleaseFeature.DOWNGRADABLE_COORDINATORS.is_in(release)
    rules = AFTER_KIP_915 if after else BEFORE_KIP_915
    return replace(rules, last_type=_CLASSIC_TYPES) if log is InternalLog.OFFSETS else rules


class LoadRule(StatedRule):
    """A rule that decided about a record, and the document or the class that has it."""

    KNOWN = "known-record", "The release knows the type, the version and all fields.", "KIP-915"
    LOG_NOT_READ = (
        "log-not-read",
        "The release has no coordinator that reads the log.",
        "Kafka before 4.0 has no share coordinator (KIP-932)",
    )
    UNKNOWN_TYPE_SKIPPED = (
        "unknown-type-skipped",
        "A record of an unknown type is skipped with a warning. It stays in the log.",
        "KIP-915, Ignore unknown record types; KAFKA-14869",
    )
    UNKNOWN_TYPE_REFUSED = (
        "unknown-type-refused",
        "A record of an unknown type ends the load of its partition.",
        "Kafka before 3.4.1: GroupMetadataManager.readMessageKey, TransactionLog.readTxnRecordKey",
    )
    UNKNOWN_TAGS = (
        "unknown-tags-dropped",
        "The message class keeps tagged fields that it does not define, but the coordinator's own objects "
        "have no place for them: they are lost as soon as it writes the record again.",
        "KIP-915, Bump non-flexible record types to flexible versions; KIP-482",
    )
    UNKNOWN_VERSION_REFUSED = (
        "unknown-version-refused",
        "A value of an unknown version ends the load of its partition.",
        "GroupMetadataManager, TransactionLog, from 4.0 on CoordinatorRecordSerde (KAFKA-18672)",
    )
    UNKNOWN_VERSION_SKIPPED = (
        "unknown-version-skipped",
        "A transaction of an unknown version is skipped with a warning.",
        "Kafka since 4.3: TransactionStateManager.loadTransactionMetadata",
    )
    UNKNOWN_VERSION_READ = (
        "unknown-version-read",
        "The version is not checked: the newest known layout reads the value, and later bytes are ignored.",
        "CoordinatorRecordSerde of 3.6 to 3.9; KAFKA-18672",
    )
    CHANGED_LAYOUT = (
        "changed-layout",
        "The layout of the version differs between the releases: it was changed before it was released "
        "for production.",
        "KIP-848, KIP-932, KIP-1071: early access",
    )
    UNREADABLE = (
        "unreadable-body",
        "The body is not one of the reader's layout: the reader fails in the middle of it.",
        "CoordinatorRecordSerde.deserialize",
    )
