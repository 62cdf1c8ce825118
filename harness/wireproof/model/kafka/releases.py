"""The numbers of Kafka releases, and the table of features: the first line of releases that has each.

A *line* is the first two numbers of a release: 3.9.2 is a patch of the line 3.9. A feature never goes away
within the table, except ZooKeeper, whose removal is the feature.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from kafkawire.schema.layout import FieldLayout
from kafkawire.schema.model import ScalarType


def base_of(release: str) -> str:
    """Return the base release of a fork: ``4.4.0+acme`` -> ``4.4.0``; a release of Kafka is its own base."""
    return release.partition("+")[0]


def fork_name_of(release: str) -> str:
    """Return the name of a fork: ``4.4.0+acme`` -> ``acme``; empty for a release of Kafka."""
    return release.partition("+")[2]


def release_number(release: str) -> tuple[int, ...]:
    """Return the numbers of a release, to compare it by: ``3.9.2`` -> (3, 9, 2), before ``3.10.0``.

    A fork has the numbers of the release on which it is based.

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
    """A feature of Kafka releases: the first line or release that has it, and the evidence.

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
        return release_number(release)[: len(self.first)] >= self.first

    # Classes that read and write.
    METADATA_RECORD_FRAME_1 = "3.0", "MetadataRecordSerde: frame version 1; 2.8 previews version 0"
    CHECKED_METADATA_RECORDS = ("3.0", "MetadataRecordSerde refuses numbers above 16 bits, and a tail")
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
    READABLE_METADATA_LOG = ("3.0", "a KRaft node reads again the log that it wrote (RegisterBrokerRecord)")
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


_FROM: Final = -1
_NAMES: Final = """
    UNKNOWN_SERVER_ERROR NONE OFFSET_OUT_OF_RANGE CORRUPT_MESSAGE UNKNOWN_TOPIC_OR_PARTITION
    INVALID_FETCH_SIZE LEADER_NOT_AVAILABLE NOT_LEADER_OR_FOLLOWER REQUEST_TIMED_OUT BROKER_NOT_AVAILABLE
    REPLICA_NOT_AVAILABLE MESSAGE_TOO_LARGE STALE_CONTROLLER_EPOCH OFFSET_METADATA_TOO_LARGE
    NETWORK_EXCEPTION COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR
    INVALID_TOPIC_EXCEPTION RECORD_LIST_TOO_LARGE NOT_ENOUGH_REPLICAS NOT_ENOUGH_REPLICAS_AFTER_APPEND
    INVALID_REQUIRED_ACKS ILLEGAL_GENERATION INCONSISTENT_GROUP_PROTOCOL INVALID_GROUP_ID UNKNOWN_MEMBER_ID
    INVALID_SESSION_TIMEOUT REBALANCE_IN_PROGRESS INVALID_COMMIT_OFFSET_SIZE TOPIC_AUTHORIZATION_FAILED
    GROUP_AUTHORIZATION_FAILED CLUSTER_AUTHORIZATION_FAILED INVALID_TIMESTAMP UNSUPPORTED_SASL_MECHANISM
    ILLEGAL_SASL_STATE UNSUPPORTED_VERSION TOPIC_ALREADY_EXISTS INVALID_PARTITIONS
    INVALID_REPLICATION_FACTOR INVALID_REPLICA_ASSIGNMENT INVALID_CONFIG NOT_CONTROLLER INVALID_REQUEST
    UNSUPPORTED_FOR_MESSAGE_FORMAT POLICY_VIOLATION OUT_OF_ORDER_SEQUENCE_NUMBER DUPLICATE_SEQUENCE_NUMBER
    INVALID_PRODUCER_EPOCH INVALID_TXN_STATE INVALID_PRODUCER_ID_MAPPING INVALID_TRANSACTION_TIMEOUT
    CONCURRENT_TRANSACTIONS TRANSACTION_COORDINATOR_FENCED TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    SECURITY_DISABLED OPERATION_NOT_ATTEMPTED KAFKA_STORAGE_ERROR LOG_DIR_NOT_FOUND
    SASL_AUTHENTICATION_FAILED UNKNOWN_PRODUCER_ID REASSIGNMENT_IN_PROGRESS DELEGATION_TOKEN_AUTH_DISABLED
    DELEGATION_TOKEN_NOT_FOUND DELEGATION_TOKEN_OWNER_MISMATCH DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    DELEGATION_TOKEN_AUTHORIZATION_FAILED DELEGATION_TOKEN_EXPIRED INVALID_PRINCIPAL_TYPE NON_EMPTY_GROUP
    GROUP_ID_NOT_FOUND FETCH_SESSION_ID_NOT_FOUND INVALID_FETCH_SESSION_EPOCH LISTENER_NOT_FOUND
    TOPIC_DELETION_DISABLED FENCED_LEADER_EPOCH UNKNOWN_LEADER_EPOCH UNSUPPORTED_COMPRESSION_TYPE
    STALE_BROKER_EPOCH OFFSET_NOT_AVAILABLE MEMBER_ID_REQUIRED PREFERRED_LEADER_NOT_AVAILABLE
    GROUP_MAX_SIZE_REACHED FENCED_INSTANCE_ID ELIGIBLE_LEADERS_NOT_AVAILABLE ELECTION_NOT_NEEDED
    NO_REASSIGNMENT_IN_PROGRESS GROUP_SUBSCRIBED_TO_TOPIC INVALID_RECORD UNSTABLE_OFFSET_COMMIT
    THROTTLING_QUOTA_EXCEEDED PRODUCER_FENCED RESOURCE_NOT_FOUND DUPLICATE_RESOURCE UNACCEPTABLE_CREDENTIAL
    INCONSISTENT_VOTER_SET INVALID_UPDATE_VERSION FEATURE_UPDATE_FAILED PRINCIPAL_DESERIALIZATION_FAILURE
    SNAPSHOT_NOT_FOUND POSITION_OUT_OF_RANGE UNKNOWN_TOPIC_ID DUPLICATE_BROKER_REGISTRATION
    BROKER_ID_NOT_REGISTERED INCONSISTENT_TOPIC_ID INCONSISTENT_CLUSTER_ID TRANSACTIONAL_ID_NOT_FOUND
    FETCH_SESSION_TOPIC_ID_ERROR INELIGIBLE_REPLICA NEW_LEADER_ELECTED OFFSET_MOVED_TO_TIERED_STORAGE
    FENCED_MEMBER_EPOCH UNRELEASED_INSTANCE_ID UNSUPPORTED_ASSIGNOR STALE_MEMBER_EPOCH
    MISMATCHED_ENDPOINT_TYPE UNSUPPORTED_ENDPOINT_TYPE UNKNOWN_CONTROLLER_ID UNKNOWN_SUBSCRIPTION_ID
    TELEMETRY_TOO_LARGE INVALID_REGISTRATION TRANSACTION_ABORTABLE INVALID_RECORD_STATE
    SHARE_SESSION_NOT_FOUND INVALID_SHARE_SESSION_EPOCH FENCED_STATE_EPOCH INVALID_VOTER_KEY
    DUPLICATE_VOTER VOTER_NOT_FOUND INVALID_REGULAR_EXPRESSION REBOOTSTRAP_REQUIRED
    STREAMS_INVALID_TOPOLOGY STREAMS_INVALID_TOPOLOGY_EPOCH STREAMS_TOPOLOGY_FENCED
    SHARE_SESSION_LIMIT_REACHED GROUP_DELETION_FAILED STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED
    CONTROLLER_ID_NOT_REGISTERED
"""

ERROR_NAMES: Final[Mapping[int, str]] = dict(enumerate(_NAMES.split(), _FROM))
"""The names of errors by code, from -1 without a gap. Kafka never reuses a code; newer releases add some."""

UNKNOWN_ERROR: Final = max(ERROR_NAMES) + 1
"""The least code that no release knows: the one that the next release adds first."""


def error_name(code: int) -> str:
    """The name of an error code, or its number if 4.4.0 does not have the code."""
    return ERROR_NAMES.get(code, f"error {code}")


def holds_error_code(field: FieldLayout) -> bool:
    """Return whether a field holds an error code of Kafka: an int16 whose name is or ends in ``ErrorCode``.

    Kafka's schemas do not mark such fields. In the releases 2.8 to 4.4 the rule matches ``errorCode``,
    ``partitionErrorCode``, ``topicConfigErrorCode`` and ``acknowledgeErrorCode``. It leaves out ``error``,
    an int8 of consumer groups, and ``errorCode``, an int32 of Kafka Streams: they have codes of their own.
    """
    return field.scalar is ScalarType.INT16 and not field.is_array and names_error_code(field.name)


def names_error_code(name: str) -> bool:
    """Return whether a field of this name holds an error code, as far as the name shows it."""
    return name.lower().endswith("errorcode")
