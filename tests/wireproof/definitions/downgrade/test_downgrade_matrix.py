"""The downgrade matrix without Java: rules of releases, versions of writers, and cells."""

import pytest

from kafkawire.schema import resolve
from wireproof.definitions.downgrade.downgrade_matrix import (
    DowngradeCell,
    DowngradeRow,
    LogReader,
    changed_fields,
    coordinator_schemas,
    downgrade_matrix,
    dropped_tags,
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
    UnknownVersion,
    default_coordinator,
    group_coordinators,
    rules_of,
)
from wireproof.definitions.downgrade.written_records import LATER, version_choices, written_records
from wireproof.traffic.wire.inner_messages import InternalLog

CLASSIC, NEW = GroupCoordinator.CLASSIC, GroupCoordinator.NEW


def cell(record: str, case: str, writer: str, reader: str, coordinator: GroupCoordinator) -> DowngradeCell:
    rows = [
        row
        for row in only_writer(downgrade_matrix(), writer)
        if row.record.name == record and row.record.case == case
    ]
    (row,) = rows
    return row.cells[LogReader(reader, coordinator)]


@pytest.mark.parametrize("log", [InternalLog.OFFSETS, InternalLog.TRANSACTIONS])
@pytest.mark.parametrize(
    ("release", "skips"), [("2.8.2", False), ("3.4.0", False), ("3.4.1", True), ("3.9.2", True)]
)
def test_the_kip_begins_with_a_patch(log: InternalLog, release: str, skips: bool) -> None:
    """3.4.1 has the rules after the KIP, 3.4.0 those before it."""
    rules = rules_of(release, log, CLASSIC)
    expected = AFTER_KIP_915 if skips else BEFORE_KIP_915
    assert (rules.skips_unknown_types, rules.unknown_version) == (skips, expected.unknown_version)


@pytest.mark.parametrize(
    ("release", "unknown"),
    [("3.9.2", UnknownVersion.READ), ("4.0.2", UnknownVersion.REFUSE), ("4.4.0", UnknownVersion.REFUSE)],
)
def test_the_new_coordinator_checks_versions_from_4_0_on(release: str, unknown: UnknownVersion) -> None:
    """KAFKA-18672."""
    assert rules_of(release, InternalLog.OFFSETS, NEW).unknown_version is unknown


def test_transactions_of_an_unknown_version_are_skipped_from_4_3_on() -> None:
    """Up to 4.2 they end the load."""
    found = [
        rules_of(each, InternalLog.TRANSACTIONS, default_coordinator(each)).unknown_version
        for each in ("4.2.2", "4.3.1")
    ]
    assert found == [UnknownVersion.REFUSE, UnknownVersion.SKIP]


def test_the_default_coordinator_changes_with_4_0() -> None:
    """Releases from 3.6 to 4.0 can run both."""
    assert [group_coordinators(each) for each in ("3.5.2", "3.6.2", "4.0.2", "4.1.2")] == [
        (CLASSIC,),
        (CLASSIC, NEW),
        (NEW, CLASSIC),
        (NEW,),
    ]
    assert [str(each) for each in log_readers(["3.9.2", "4.0.2"])] == [
        "3.9.2",
        "4.0.2",
        "3.9.2 (new)",
        "4.0.2 (classic)",
    ]


def test_a_writer_has_one_default_version_of_each_record() -> None:
    """Two defaults would make two matrices."""
    for release in ("2.8.2", "3.9.2", "4.0.2", "4.4.0"):
        for record in ("OffsetCommit", "GroupMetadata", "TransactionLog"):
            assert [each.condition for each in version_choices(release, record)].count("") == 1


def test_no_release_writes_what_only_older_ones_wrote() -> None:
    """The first type of offsets is older than all releases of the table; 3.5 writes no consumer group."""
    names = {record.record for record, _ in written_records(coordinator_schemas("4.4.0"))}
    assert "LegacyOffsetCommit" not in names
    assert "OffsetCommit" in names
    assert not {record.record for record, _ in written_records(coordinator_schemas("3.5.2"))} - {
        "OffsetCommit",
        "GroupMetadata",
        "TransactionLog",
    }


def test_every_release_accepts_its_own_records() -> None:
    """By its default coordinator, or by the new one for records that need it."""
    for row in downgrade_matrix():
        for writer in row.writers:
            if writer.release == LATER:
                continue
            outcomes = {
                cell.outcome for reader, cell in row.cells.items() if reader.release == writer.release
            }
            assert DowngradeOutcome.ACCEPTED in outcomes, (row.record.name, writer)


def test_the_records_of_the_kip_have_its_outcomes() -> None:
    """A tagged field after the KIP is lost, an unknown type is skipped, and a new version is refused."""
    tag, version, kind = "a new tagged field", "a new version with a new field", "a new type"
    for reader, coordinator in (("3.4.1", CLASSIC), ("3.9.2", CLASSIC), ("4.4.0", NEW)):
        assert cell("OffsetCommit v4", tag, LATER, reader, coordinator).rule is LoadRule.UNKNOWN_TAGS
        refused = cell("OffsetCommit v5", version, LATER, reader, coordinator)
        assert refused.outcome is DowngradeOutcome.REFUSED
    for reader in ("2.8.2", "3.4.0"):
        assert cell("OffsetCommit v4", tag, LATER, reader, CLASSIC).outcome is DowngradeOutcome.REFUSED
    row = next(
        row for row in downgrade_matrix() if row.record.case == kind and row.record.log is InternalLog.OFFSETS
    )
    assert row.cells[LogReader("3.4.0", CLASSIC)].outcome is DowngradeOutcome.REFUSED
    assert row.cells[LogReader("3.4.1", CLASSIC)].rule is LoadRule.UNKNOWN_TYPE_SKIPPED


def test_a_topic_id_is_lost_below_4_1() -> None:
    """4.1 writes it as a tagged field; the cell names the field."""
    found = cell("OffsetCommit v4", "every field set", "4.4.0", "4.0.2", NEW)
    assert (found.outcome, found.words) == (DowngradeOutcome.DATA_LOST, "topicId (tag 0)")
    assert (
        cell("OffsetCommit v4", "every field set", "4.4.0", "4.1.2", NEW).outcome is DowngradeOutcome.ACCEPTED
    )


def test_early_access_layouts_are_not_compatible() -> None:
    """4.1 changed the records of the share coordinator without a new version."""
    found = cell("ShareSnapshot v0", "every field set", "4.0.2", "4.1.2", NEW)
    assert found.outcome is DowngradeOutcome.CRASHED


def test_the_worst_outcome_of_cells() -> None:
    """The order is that of the outcomes; no cells have none."""
    cells = [DowngradeCell(each, LoadRule.KNOWN, "") for each in DowngradeOutcome]
    assert worst_outcome(cells) is DowngradeOutcome.CRASHED
    assert worst_outcome(cells[:2]) is DowngradeOutcome.DATA_LOST
    assert worst_outcome([]) is None


def test_rows_by_name_and_by_writer() -> None:
    """Names match in any case; the writers of a row are only the chosen one."""
    rows: list[DowngradeRow] = only_records(downgrade_matrix(), "transactionlog")
    assert {row.record.record for row in rows} == {"TransactionLog"}
    assert {writer.release for row in only_writer(rows, "3.9.2") for writer in row.writers} == {"3.9.2"}


def test_lost_fields_have_the_names_of_the_writer() -> None:
    """A tag without a definition in the writer's layout has its number."""
    layout = resolve(coordinator_schemas("4.4.0").find("OffsetCommitValue")[1], 4)
    assert dropped_tags(layout, {"_tags": {0: b"x", 9: b"y"}}) == ("topicId (tag 0)", "tag 9")
    assert changed_fields(layout, layout, {"offset": 1}, {"offset": 2}) == (
        "offset reads 2 where 1 was written",
    )
    assert changed_fields(layout, layout, {"offset": 1}, {"offset": 1}) == ()
