"""Kafka's own readers of coordinators' records, with their verdicts in the terms of the downgrade matrix."""

from collections.abc import Sequence
from functools import cache

from kafkawire.canonical import canonical
from kafkawire.schema import resolve
from tests.support.oracles.coordinator_loads import CoordinatorLoad, KafkaCoordinators, LoadOutcome, LoadReply
from tests.support.oracles.kafka_classes import kafka
from wireproof.definitions.downgrade.downgrade_matrix import (
    BEFORE_THE_KIP,
    LogReader,
    coordinator_schemas,
    judge_record,
)
from wireproof.definitions.downgrade.load_rules import DowngradeOutcome, GroupCoordinator, LoadRule
from wireproof.definitions.downgrade.record_loader import LoadedRecord, record_types
from wireproof.definitions.downgrade.written_records import WrittenRecord
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import Release, table
from wireproof.model.cell import Cell
from wireproof.model.embedding import EmbeddedBlob
from wireproof.model.oracle import OracleValue
from wireproof.traffic.wire.inner_messages import InternalLog

OLD, LIKE = BEFORE_THE_KIP


@cache
def coordinators(release: str) -> KafkaCoordinators:
    store = JarStore()
    known = Release(OLD, (), ()) if release == OLD else table().find(release)
    return KafkaCoordinators(
        release,
        store.coordinator_jars(known),
        shared=store.support_jars(),
        cache_dir=store.cache_dir,
        ecj=lambda: store.tool_jar("ecj"),
    )


def load_of(log: InternalLog, reader: LogReader) -> CoordinatorLoad:
    """The reader of Kafka's that loads a log."""
    if log is InternalLog.TRANSACTIONS:
        return CoordinatorLoad.TRANSACTION
    if log is InternalLog.SHARE:
        return CoordinatorLoad.SHARE
    classic = reader.coordinator is GroupCoordinator.CLASSIC
    return CoordinatorLoad.GROUP_CLASSIC if classic else CoordinatorLoad.GROUP


def kafka_outcomes(
    reader: LogReader, log: InternalLog, records: Sequence[WrittenRecord]
) -> list[DowngradeOutcome]:
    """The outcome of each record for Kafka's own reader, and for its message class where that reads it."""
    blobs = [EmbeddedBlob(record.value, record.key) for record in records]
    replies = coordinators(reader.release).load(load_of(log, reader), blobs)
    return [_outcome(reader, log, *each) for each in zip(records, replies, strict=True)]


def _outcome(
    reader: LogReader, log: InternalLog, record: WrittenRecord, reply: LoadReply
) -> DowngradeOutcome:
    if reply.outcome is LoadOutcome.SKIPPED:
        return DowngradeOutcome.DATA_LOST
    if reply.outcome is LoadOutcome.THREW:
        checked = reply.error in ("IllegalStateException", "UnknownRecordVersionException")
        checked = checked and "unknown" in reply.words.lower()
        return DowngradeOutcome.REFUSED if checked else DowngradeOutcome.CRASHED
    if record.layout is None:
        return DowngradeOutcome.DATA_LOST  # the later part has no place in any class
    release = LIKE if reader.release == OLD else reader.release
    kind = record_types(coordinator_schemas(release))[log, record.type]
    layout = resolve(kind.value, record.version)
    module = coordinator_schemas(release).find(kind.value.name)[0]
    cell = Cell(release, module, kind.value.name, record.version)
    (read,) = kafka(release).oracle.reread(cell, layout, [record.value[2:]])
    if not isinstance(read, OracleValue):
        # The class reads bytes of another layout, and then cannot write what it has read.
        assert read.stage == "write", (reader, record.name, read)
        return DowngradeOutcome.DATA_LOST
    value = canonical(layout).from_binary(read.value)
    loaded = LoadedRecord(DowngradeOutcome.ACCEPTED, LoadRule.KNOWN, "", kind, layout, value)
    return judge_record(record, loaded).outcome
