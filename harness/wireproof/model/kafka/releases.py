"""The numbers of Kafka releases, and the table of features: what a release can do, and since which line.

A *line* is the first two numbers of a release: 3.9.2 is a patch of the line 3.9. A feature never goes away
within the table, except ZooKeeper, whose removal is the feature.
"""

from enum import Enum
from typing import Final


def base_of(release: str) -> str:
    """Return the release that a fork is of: ``4.4.0+acme`` -> ``4.4.0``; a release of Kafka is its own."""
    return release.partition("+")[0]


def fork_name_of(release: str) -> str:
    """Return the name of a fork: ``4.4.0+acme`` -> ``acme``; empty for a release of Kafka."""
    return release.partition("+")[2]


def release_number(release: str) -> tuple[int, ...]:
    """Return the numbers of a release, to compare it by: ``3.9.2`` -> (3, 9, 2), before ``3.10.0``.

    A fork has the numbers of the release that it is of.

    Raises:
        ValueError: a part is not a number.
    """
    return tuple(int(part) for part in base_of(release).split("."))


def release_line(release: str) -> tuple[int, int]:
    """Return the line of a release or of a fork: ``3.9.2`` -> (3, 9); ``3.9`` is its own line.

    Raises:
        ValueError: it has fewer than two numbers.
    """
    major, minor, *_ = base_of(release).split(".")
    return int(major), int(minor)


class ReleaseFeature(Enum):
    """A feature of Kafka releases: the first line or release that has it, and where that is said or was seen.

    Attributes:
        since: the first line.
        first: its numbers; those of a release, if the feature came with a patch.
        witness: a KIP, a Kafka issue or class, or how it was seen on the pinned jars.
    """

    since: tuple[int, int]
    first: tuple[int, ...]
    witness: str

    def __init__(self, first: str, witness: str) -> None:
        self.since = release_line(first)
        self.first = release_number(first)
        self.witness = witness

    def is_in(self, release: str) -> bool:
        """Return whether a release has the feature."""
        return release_number(release)[: len(self.first)] >= self.first

    # Classes that read and write.
    METADATA_RECORD_FRAME_1 = "3.0", "MetadataRecordSerde: frame version 1; 2.8 previews version 0"
    CHECKED_METADATA_RECORDS = (
        "3.0",
        "MetadataRecordSerde refuses numbers above 16 bits, and a tail",
    )
    CONSUMER_PROTOCOL_MESSAGES = "3.9", "ConsumerProtocol: readers that return the generated message"
    CHECKED_COORDINATOR_VALUES = "4.0", "CoordinatorRecordSerde refuses a value of an unknown version"
    GROUP_COORDINATOR_SERDE = "3.6", "the group-coordinator jar has a serde of its records"
    SHARE_COORDINATOR_SERDE = "4.0", "the share-coordinator jar has a serde of its records"
    SHARE_GROUP_SERDE = "4.0", "the serde of group-coordinator knows the records of share groups"
    DOWNGRADABLE_COORDINATORS = (
        "3.4.1",
        "KIP-915: coordinators skip records of unknown types, and know flexible values",
    )
    NEW_COORDINATOR_BY_DEFAULT = "4.0", "KIP-848: KafkaConfig.isNewGroupCoordinatorEnabled is true"
    NO_CLASSIC_COORDINATOR = "4.1", "kafka_2.13 has no GroupMetadataManager"
    SKIPPED_TRANSACTION_VERSIONS = (
        "4.3",
        "TransactionStateManager skips a value of an unknown version (TransactionLog.UnknownValueVersion)",
    )
    TRANSACTION_COORDINATOR_SERDE = "4.1", "the transaction-coordinator jar has a serde of its records"
    NULLABILITY_IN_SCHEMAS = (
        "4.3",
        "KAFKA-19634: SCHEMAS distinguish nullable structs and records from plain ones",
    )
    # Record sets.
    SNAPSHOT_FOOTERS = "3.0", "KIP-630: ControlRecordType.SNAPSHOT_FOOTER"
    DELETE_HORIZON = "3.1", "KIP-534: the delete horizon of a batch"
    KRAFT_CONTROL_RECORDS = "3.8", "KIP-853: ControlRecordType.KRAFT_VERSION and KRAFT_VOTERS"
    # Brokers.
    READABLE_METADATA_LOG = (
        "3.0",
        "a KRaft node reads again the log that it wrote (RegisterBrokerRecord)",
    )
    METADATA_SNAPSHOTS = "3.0", "KIP-630: metadata.log.max.record.bytes.between.snapshots"
    KRAFT_AUTHORIZER = "3.2", "KIP-801: StandardAuthorizer needs no ZooKeeper"
    PRODUCTION_KRAFT = "3.3", "KIP-833: KRaft is declared ready for production"
    UNSTABLE_API_VERSIONS = "3.5", "brokers have the setting unstable.api.versions.enable"
    KRAFT_DELEGATION_TOKENS = "3.6", "KIP-900: delegation tokens with KRaft"
    KRAFT_LOG_FOLDERS = "3.7", "KIP-858: several log folders with KRaft"
    UNSTABLE_FEATURE_VERSIONS = "3.8", "brokers have the setting unstable.feature.versions.enable"
    DYNAMIC_VOTERS = "3.9", "KIP-853: voters of a quorum may change"
    ADVERTISED_CONTROLLERS = "3.9", "advertised.listeners may name the listener of a controller"
    LATER_GROUP_PROTOCOLS = "3.9", "KIP-848, KIP-932: group.coordinator.rebalance.protocols with share groups"
    NO_ZOOKEEPER = "4.0", "KIP-500: ZooKeeper is gone"
    STREAMS_GROUPS = "4.1", "KIP-1071: the group protocol of Kafka Streams"


FIRST_LINE: Final = (2, 8)
"""The oldest line of the table of releases."""
