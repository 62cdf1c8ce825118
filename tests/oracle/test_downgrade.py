"""The downgrade matrix against Kafka's own readers and writers of coordinators' records, of every release."""

import pytest

from kafkawire.schema import resolve
from tests.support.oracles.coordinator_loads import CoordinatorLoad, LoadOutcome
from tests.support.oracles.kafka_coordinators import OLD, coordinators, kafka_outcomes, load_of
from wireproof.definitions.downgrade.broker_evidence import broker_evidence
from wireproof.definitions.downgrade.downgrade_matrix import (
    LogReader,
    coordinator_schemas,
    downgrade_matrix,
    log_readers,
    only_writer,
    reading_releases,
)
from wireproof.definitions.downgrade.load_rules import (
    DowngradeOutcome,
    GroupCoordinator,
    LoadRule,
    default_coordinator,
)
from wireproof.definitions.downgrade.record_loader import COORDINATOR_LOGS
from wireproof.definitions.downgrade.written_records import version_choices, written_records
from wireproof.kafka.releases.broker_classpath import coordinator_jars
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_schemas import load_schemas
from wireproof.kafka.releases.release_table import Module, Release
from wireproof.model.embedding import EmbeddedBlob
from wireproof.model.kafka.releases import release_line
from wireproof.model.oracle import OracleError
from wireproof.traffic.wire.inner_messages import InternalLog

READERS = [
    (reader, log)
    for reader in log_readers(reading_releases())
    for log in COORDINATOR_LOGS
    if reader.reads(log)
]
LOADED = [
    (reader, log)
    for reader, log in READERS
    if log is not InternalLog.SHARE or release_line(reader.release) >= (4, 0)
]


@pytest.mark.parametrize(("reader", "log"), LOADED, ids=str)
def test_kafkas_own_readers_have_the_outcomes_of_the_matrix(reader: LogReader, log: InternalLog) -> None:
    """Each record of every writer, those of a later release among them."""
    rows = [row for row in downgrade_matrix() if row.record.log is log]
    found = kafka_outcomes(reader, log, [row.record for row in rows])
    different = [
        (row.record.name, row.record.case, row.writers[0], row.cells[reader], outcome)
        for row, outcome in zip(rows, found, strict=True)
        if row.cells[reader].outcome is not outcome
    ]
    assert not different
    assert len(found) >= 7


def test_the_matrix_has_every_outcome_and_rule() -> None:
    """Each outcome and each rule is met."""
    cells = [cell for row in downgrade_matrix() for cell in row.cells.values()]
    assert {cell.outcome for cell in cells} == set(DowngradeOutcome)
    assert {cell.rule for cell in cells} == set(LoadRule)


@pytest.mark.parametrize("release", [release for release in reading_releases() if release != OLD])
def test_a_writer_chooses_the_listed_versions(release: str) -> None:
    """Kafka's writers, asked with every protocol version between brokers and every feature level, write the
    versions of the table, and with the newest setting the default one."""
    reader = LogReader(release, default_coordinator(release))
    for log, name in (
        (InternalLog.OFFSETS, "OffsetCommit"),
        (InternalLog.OFFSETS, "GroupMetadata"),
        (InternalLog.TRANSACTIONS, "TransactionLog"),
    ):
        records = [each for each, _ in written_records(coordinator_schemas(release)) if each.record == name]
        blobs = [EmbeddedBlob(each.value, each.key) for each in records]
        if name == "TransactionLog":
            blobs = blobs[:1]  # a transaction of version 1 cannot be written with transaction.version=0
        written = coordinators(release).rewrite(load_of(log, reader), blobs)
        versions = {value[1] for each in written for value in each.values()}
        assert versions == {choice.version for choice in version_choices(release, name)}, name
        (default,) = {choice.version for choice in version_choices(release, name) if not choice.condition}
        newest = {list(each.values())[-1][1] for each in written}
        if not (name == "TransactionLog" and release.startswith("3.9")):
            assert default in newest, name


@pytest.mark.parametrize("release", ["3.4.1", "3.9.2"])
def test_a_tagged_field_is_lost_when_the_record_is_written_again(release: str) -> None:
    """The release reads offsets of 4.1 and later, and no setting lets it write the topic's id again."""
    reader = LogReader(release, GroupCoordinator.CLASSIC)
    row = next(
        row
        for row in downgrade_matrix()
        if row.record.name == "OffsetCommit v4" and row.cells[reader].rule is LoadRule.UNKNOWN_TAGS
    )
    (written,) = coordinators(release).rewrite(
        CoordinatorLoad.GROUP_CLASSIC, [EmbeddedBlob(row.record.value, row.record.key)]
    )
    assert row.record.plain is not None
    topic_id = row.record.plain["topicId"].bytes
    assert topic_id in row.record.value
    assert written
    assert not any(topic_id in value for value in written.values())


def test_the_release_before_the_kip_has_the_definitions_of_the_line_before_it() -> None:
    """The matrix takes the coordinators' definitions of 3.4.0 from 3.3.2."""
    (jar,) = [each for each in coordinator_jars(Release(OLD, (), ())) if each.artifact == "kafka_2.13"]
    module = Module("core", jar, "", "common/message/", 6, 13)
    found = load_schemas(Release(OLD, (module,), ()), {"core": JarStore().jar(jar)}).modules["core"]
    like = coordinator_schemas(OLD).modules["core"]
    assert len(found) == 6
    for name, spec in found.items():
        assert spec.valid_versions == like[name].valid_versions
        for version in spec.valid_versions:
            assert resolve(spec, version) == resolve(like[name], version)


def test_a_reader_without_its_jars_is_an_error_and_no_crash() -> None:
    """A release without the reader is not judged."""
    with pytest.raises(OracleError, match="no serde of records"):
        coordinators("2.8.2").load(CoordinatorLoad.GROUP, [EmbeddedBlob(b"\0\0", b"\0\0")])


def test_kafka_skips_and_refuses_in_its_own_words() -> None:
    """The words of both sides of the KIP."""
    record = EmbeddedBlob(b"\0\0\0", b"\0\x64\0\1x")
    (before,) = coordinators(OLD).load(CoordinatorLoad.GROUP_CLASSIC, [record])
    (after,) = coordinators("3.4.1").load(CoordinatorLoad.GROUP_CLASSIC, [record])
    assert before == (
        LoadOutcome.THREW,
        "IllegalStateException",
        "Unknown group metadata message version: 100",
    )
    assert after.outcome is LoadOutcome.SKIPPED


@pytest.mark.parametrize("release", ["3.4.0", "3.8.1", "3.9.2"])
def test_the_readers_in_this_process_have_the_words_of_the_brokers(release: str) -> None:
    """Kafka's readers, given the logs of the committed run, throw what the broker of the release logged, and
    skip as many records as it warned of."""
    reader = LogReader(release, GroupCoordinator.CLASSIC)
    stopped = 0
    for partition in broker_evidence().partitions:
        blobs = [EmbeddedBlob(value, key) for key, value in partition.records if value is not None]
        assert len(blobs) == len(partition.records)
        replies = coordinators(release).load(load_of(partition.log, reader), blobs)
        thrown = [each for each in replies if each.outcome is LoadOutcome.THREW]
        errors = [text for text in partition.readers[release].messages if text.startswith("ERROR")]
        assert len(errors) == len(thrown) <= 1
        for reply, text in zip(thrown, errors, strict=True):
            assert text.endswith(f"java.lang.{reply.error}: {reply.words}")
            stopped += 1
        skipped = [each for each in replies if each.outcome is LoadOutcome.SKIPPED]
        assert len(skipped) + len(errors) == len(partition.readers[release].messages)
    assert stopped == {"3.4.0": 8}.get(release, 3)


@pytest.mark.parametrize("release", ["4.0.2", "4.4.0"])
def test_a_transaction_of_version_1_cannot_go_back_to_version_0(release: str) -> None:
    """Once loaded, its tagged fields keep Kafka from writing it with transaction.version=0: they are not
    ignorable."""
    row = next(
        row
        for row in only_writer(downgrade_matrix(), release)
        if (row.record.name, row.record.case) == ("TransactionLog v1", "every field set")
    )
    blob = EmbeddedBlob(row.record.value, row.record.key)
    with pytest.raises(OracleError, match="Attempted to write a non-default"):
        coordinators(release).rewrite(CoordinatorLoad.TRANSACTION, [blob])
