"""The downgrade of Kafka's coordinators: records that one release writes and another one loads (KIP-915)."""

from wireproof.definitions.downgrade.broker_evidence import (
    BrokerAnswers,
    BrokerEvidence,
    DowngradedPartition,
    broker_evidence,
)
from wireproof.definitions.downgrade.downgrade_matrix import (
    BEFORE_THE_KIP,
    DowngradeCell,
    DowngradeRow,
    LogReader,
    RecordWriter,
    downgrade_rows,
    judge_record,
    log_readers,
    only_records,
    only_writer,
    worst_outcome,
)
from wireproof.definitions.downgrade.load_rules import (
    AFTER_KIP_915,
    BEFORE_KIP_915,
    DowngradeOutcome,
    GroupCoordinator,
    LoadRule,
    LoadRules,
    UnknownVersion,
    default_coordinator,
    group_coordinators,
    rules_of,
)
from wireproof.definitions.downgrade.partition_load import LoadedPartition, load_partition
from wireproof.definitions.downgrade.record_families import RECORD_FAMILIES, FamilyGrid, family_grids
from wireproof.definitions.downgrade.record_loader import LoadedRecord, RecordLoader
from wireproof.definitions.downgrade.record_types import COORDINATOR_LOGS, CoordinatorRecordType, record_types
from wireproof.definitions.downgrade.released_matrix import (
    coordinator_schemas,
    downgrade_matrix,
    reading_releases,
)
from wireproof.definitions.downgrade.written_records import (
    LATER,
    WrittenRecord,
    later_records,
    version_choices,
    written_records,
)

__all__ = [
    "AFTER_KIP_915",
    "BEFORE_KIP_915",
    "BEFORE_THE_KIP",
    "BrokerAnswers",
    "BrokerEvidence",
    "COORDINATOR_LOGS",
    "LATER",
    "RECORD_FAMILIES",
    "CoordinatorRecordType",
    "DowngradeCell",
    "DowngradeOutcome",
    "DowngradeRow",
    "DowngradedPartition",
    "FamilyGrid",
    "GroupCoordinator",
    "LoadRule",
    "LoadRules",
    "LoadedPartition",
    "LoadedRecord",
    "LogReader",
    "RecordLoader",
    "RecordWriter",
    "UnknownVersion",
    "WrittenRecord",
    "broker_evidence",
    "coordinator_schemas",
    "default_coordinator",
    "downgrade_matrix",
    "downgrade_rows",
    "family_grids",
    "group_coordinators",
    "judge_record",
    "later_records",
    "load_partition",
    "log_readers",
    "only_records",
    "only_writer",
    "reading_releases",
    "record_types",
    "rules_of",
    "version_choices",
    "worst_outcome",
    "written_records",
]
