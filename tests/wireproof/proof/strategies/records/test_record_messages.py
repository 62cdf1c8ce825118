"""Messages with record sets: each version carries every set that it allows, and no other."""

from functools import cache

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.records import Compression, Message, RecordBatch, RecordSet, control_type, encode_records
from kafkawire.schema import SchemaSet, resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.case_source import MessageRecords, at, filled, path_words
from wireproof.model.cell import Cell
from wireproof.proof.run.phases.records_phase import carries_records
from wireproof.proof.strategies.records.record_source import RecordSets

CARRIERS = ["FetchResponse", "FetchSnapshotResponse", "ProduceRequest", "ShareFetchResponse"]


@cache
def schemas(release: str) -> SchemaSet:
    return load_snapshot(table().find(release))


def messages(message: str, version: int, release: str = "4.4.0") -> list[MessageRecords]:
    module, spec = schemas(release).find(message)
    layout = resolve(spec, version)
    return list(RecordSets().messages(Cell(release, module, message, version), layout))


def carried(message: str, version: int, release: str = "4.4.0") -> list[RecordSet]:
    return [records for each in messages(message, version, release) for records in each.sets.values()]


def magics(sets: list[RecordSet]) -> set[int]:
    return {batch.magic for records in sets for batch in records.batches}


def codecs(sets: list[RecordSet]) -> set[Compression]:
    return {
        Compression.NONE if isinstance(batch, Message) else batch.compression
        for records in sets
        for batch in records.batches
    }


@pytest.mark.parametrize("release", ["2.8.2", "3.9.2", "4.4.0"])
def test_messages_with_a_records_field_carry_records(release: str) -> None:
    """Such a message has a field of type records, in every version of the four."""
    found = set()
    for _, spec in schemas(release):
        for version in spec.valid_versions:
            if carries_records(resolve(spec, version)):
                found.add(spec.name)
                assert messages(spec.name, version, release), (spec.name, version)
    assert found == set(CARRIERS) - ({"ShareFetchResponse"} if release == "2.8.2" else set())


def test_a_version_carries_its_magics() -> None:
    """Old versions carry old magics, and a flexible Fetch carries legacy sets too."""
    assert [magics(carried("ProduceRequest", version, "3.9.2")) for version in (0, 2, 3, 11)] == [
        {0}, {0, 1}, {2}, {2},
    ]  # fmt: skip
    assert [magics(carried("FetchResponse", version, "3.9.2")) for version in (1, 3, 4, 12, 17)] == [
        {0}, {0, 1}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2},
    ]  # fmt: skip
    assert magics(carried("ShareFetchResponse", 2)) == {0, 1, 2}
    assert magics(carried("FetchSnapshotResponse", 1)) == {2}


def test_a_version_carries_its_compressions() -> None:
    """All compressions occur, but zstd only since KIP-110."""
    for message, version in (("ProduceRequest", 7), ("FetchResponse", 10), ("FetchSnapshotResponse", 0)):
        assert codecs(carried(message, version)) == set(Compression)
    for message, version in (("ProduceRequest", 6), ("FetchResponse", 9)):
        assert codecs(carried(message, version)) == set(Compression) - {Compression.ZSTD}


def test_several_batches_and_tails_are_carried_where_allowed() -> None:
    """Produce carries exactly one batch since version 3, and no records that only brokers write."""
    produced = carried("ProduceRequest", 12)
    assert {len(records.batches) for records in produced} == {1}
    assert not any(records.tail for records in produced)
    assert not any(isinstance(batch, RecordBatch) and batch.control for (batch,) in _batches(produced))
    fetched = carried("FetchResponse", 12)
    assert any(len({batch.magic for batch in records.batches}) == 3 for records in fetched)
    assert any(records.tail and not records.batches for records in fetched)
    assert any(records.tail and records.batches for records in fetched)
    assert any(records.tail and records.batches for records in carried("ShareFetchResponse", 2))


def _batches(sets: list[RecordSet]) -> list[tuple[object, ...]]:
    return [records.batches for records in sets]


def test_control_batches_of_every_kind_are_carried() -> None:
    """A Fetch and a snapshot of a release with all kinds carry them."""
    for message in ("FetchResponse", "FetchSnapshotResponse"):
        kinds = {
            control_type(batch.records[0].key)
            for records in carried(message, 1 if "Snapshot" in message else 18)
            for batch in records.batches
            if isinstance(batch, RecordBatch) and batch.control
        }
        assert kinds >= set(range(7))


@pytest.mark.parametrize(("message", "version"), [("FetchResponse", 4), ("ProduceRequest", 13)])
def test_messages_are_values_of_their_layout(message: str, version: int) -> None:
    """There are several partitions of several topics, with elements without records between them, and all are
    encoded."""
    layout = resolve(schemas("4.4.0").find(message)[1], version)
    codec = compile_layout(layout)
    for each in messages(message, version):
        data = {path: encode_records(records) for path, records in each.sets.items()}
        value = filled(each.value, data)
        decoded = codec.decode(codec.encode(value))
        assert all(at(decoded, path) == held for path, held in data.items())
        assert each.value != value
    paths = [path_words(path) for path in next(iter(messages("FetchResponse", 12))).sets]
    assert paths[:4] == [f"responses[{n // 3}].partitions[{n % 3}].records" for n in range(4)]


def test_a_producers_set_is_alone_in_its_message() -> None:
    """One partition with one set of each compression, and no partition without records: a producer sends no
    other."""
    alone = [each for each in messages("ProduceRequest", 12) if "/alone-" in each.name]
    assert codecs([records for each in alone for records in each.sets.values()]) == set(Compression)
    for each in alone:
        (topic,) = each.value["topicData"]
        assert len(topic["partitionData"]) == len(each.sets) == 1
