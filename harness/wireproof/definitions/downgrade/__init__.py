"""The downgrade of Kafka's coordinators: records that one release writes and another one loads (KIP-915)."""

from wireproof.definitions.downgrade.broker_evidence import broker_evidence
from wireproof.definitions.downgrade.downgrade_matrix import (
    DowngradeRow,
    downgrade_matrix,
    family_grids,
    reading_releases,
)
from wireproof.definitions.downgrade.load_rules import LoadRule
from wireproof.definitions.downgrade.written_records import written_records

__all__ = [
    "DowngradeRow",
    "LoadRule",
    "broker_evidence",
    "downgrade_matrix",
    "family_grids",
    "reading_releases",
    "written_records",
]
