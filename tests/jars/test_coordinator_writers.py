"""The records that releases write, against the record helpers in their jars."""

import zipfile
from typing import Final

import pytest

from wireproof.definitions.downgrade.downgrade_matrix import coordinator_schemas
from wireproof.definitions.downgrade.written_records import written_records
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.model.kafka.releases import release_number

METHODS: Final = {
    "ConsumerGroupMetadata": ("newGroupEpochRecord", "newConsumerGroupEpochRecord"),
    "ConsumerGroupPartitionMetadata": (
        "newGroupSubscriptionMetadataRecord",
        "newConsumerGroupSubscriptionMetadataRecord",
    ),
    "ConsumerGroupMemberMetadata": (
        "newMemberSubscriptionRecord",
        "newConsumerGroupMemberSubscriptionRecord",
    ),
    "ConsumerGroupTargetAssignmentMetadata": (
        "newTargetAssignmentEpochRecord",
        "newConsumerGroupTargetAssignmentEpochRecord",
        "newConsumerGroupTargetAssignmentMetadataRecord",
    ),
    "ConsumerGroupTargetAssignmentMember": (
        "newTargetAssignmentRecord",
        "newConsumerGroupTargetAssignmentRecord",
    ),
    "ConsumerGroupCurrentMemberAssignment": (
        "newCurrentAssignmentRecord",
        "newConsumerGroupCurrentAssignmentRecord",
    ),
    "ConsumerGroupRegularExpression": ("newConsumerGroupRegularExpressionRecord",),
    "ShareGroupPartitionMetadata": ("newShareGroupSubscriptionMetadataRecord",),
    "ShareGroupMemberMetadata": ("newShareGroupMemberSubscriptionRecord",),
    "ShareGroupMetadata": ("newShareGroupEpochRecord",),
    "ShareGroupTargetAssignmentMetadata": (
        "newShareGroupTargetAssignmentEpochRecord",
        "newShareGroupTargetAssignmentMetadataRecord",
    ),
    "ShareGroupTargetAssignmentMember": ("newShareGroupTargetAssignmentRecord",),
    "ShareGroupCurrentMemberAssignment": ("newShareGroupCurrentAssignmentRecord",),
    "ShareGroupStatePartitionMetadata": ("newShareGroupStatePartitionMetadataRecord",),
    "StreamsGroupMetadata": ("newStreamsGroupEpochRecord", "newStreamsGroupMetadataRecord"),
    "StreamsGroupMemberMetadata": ("newStreamsGroupMemberRecord",),
    "StreamsGroupTargetAssignmentMetadata": (
        "newStreamsGroupTargetAssignmentEpochRecord",
        "newStreamsGroupTargetAssignmentMetadataRecord",
    ),
    "StreamsGroupTargetAssignmentMember": ("newStreamsGroupTargetAssignmentRecord",),
    "StreamsGroupCurrentMemberAssignment": ("newStreamsGroupCurrentAssignmentRecord",),
    "StreamsGroupTopology": ("newStreamsGroupTopologyRecord",),
    "ShareSnapshot": ("newShareSnapshotRecord",),
    "ShareUpdate": ("newShareUpdateRecord", "newShareSnapshotUpdateRecord"),
}
"""The methods that write each newer record; a method that writes a tombstone has another name."""

NOT_YET: Final = {"3.9.2": {"ShareGroupMemberMetadata"}}
"""3.9 has a method, but its serde refuses the record: share groups began with 4.0."""


def constants(release: str) -> bytes:
    """The class files of a release's record helpers."""
    known = table().find(release)
    found = b""
    for name in ("group-coordinator", "share-coordinator"):
        if name in {module.name for module in known.modules}:
            with zipfile.ZipFile(JarStore().jar(known.module(name).jar)) as jar:
                helpers = [each for each in jar.namelist() if each.endswith("RecordHelpers.class")]
                found += b"".join(jar.read(each) for each in helpers)
    return found


def has_method(classes: bytes, name: str) -> bool:
    """Look for the name as a constant of a class file: a tag, a length of two bytes, and UTF-8."""
    return b"\x01" + len(name).to_bytes(2, "big") + name.encode() in classes


@pytest.mark.parametrize(
    "release", [each.version for each in table() if release_number(each.version) >= (3, 6)]
)
def test_a_release_writes_the_records_that_its_helpers_make(release: str) -> None:
    """The records of consumer, share and streams groups, and of the share coordinator."""
    classes = constants(release)
    made = {record for record, names in METHODS.items() if any(has_method(classes, name) for name in names)}
    written = {record.record for record, _ in written_records(coordinator_schemas(release))}
    assert written - {"OffsetCommit", "GroupMetadata", "TransactionLog"} == made - NOT_YET.get(release, set())
    assert len(made) >= 6
