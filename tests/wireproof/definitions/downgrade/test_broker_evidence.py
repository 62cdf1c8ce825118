"""The downgrade with real brokers against our reader: it must give the answers that the brokers gave."""

import re

import pytest

from tests.wireproof.definitions.downgrade.partition_load import LoadedPartition, load_partition
from wireproof.definitions.downgrade.broker_evidence import (
    BrokerAnswers,
    DowngradedPartition,
    broker_evidence,
)
from wireproof.definitions.downgrade.downgrade_matrix import coordinator_schemas
from wireproof.definitions.downgrade.load_rules import LoadRule, default_coordinator, rules_of
from wireproof.definitions.downgrade.record_loader import RecordLoader
from wireproof.traffic.wire.inner_messages import InternalLog

CASES = [(partition, release) for partition in broker_evidence().partitions for release in partition.readers]


def loaded(partition: DowngradedPartition, release: str) -> LoadedPartition:
    coordinator = default_coordinator(release)
    loader = RecordLoader(coordinator_schemas(release), lambda log: rules_of(release, log, coordinator))
    return load_partition(partition.log, partition.records, loader)


def expected_answers(state: LoadedPartition, partition: DowngradedPartition, names: list[str]) -> object:
    if partition.log is InternalLog.TRANSACTIONS:
        return {name: state.transactions.get(name, "error 105") for name in names}
    offsets = {group: offset for (group, _, _), offset in state.offsets.items()}
    return {name: {"offset": offsets.get(name, -1), "members": state.members.get(name, 0)} for name in names}


@pytest.mark.parametrize(("partition", "release"), CASES, ids=lambda each: getattr(each, "added", each))
def test_our_reader_gives_the_answers_of_the_broker(partition: DowngradedPartition, release: str) -> None:
    """Offsets, members and states of transactions; and a message of the broker for each record that the
    rules refuse or skip."""
    seen: BrokerAnswers = partition.readers[release]
    state = loaded(partition, release)
    assert seen.answers == expected_answers(state, partition, list(seen.answers))
    errors = [text for text in seen.messages if text.startswith("ERROR")]
    warnings = [text for text in seen.messages if text.startswith("WARN")]
    assert len(seen.messages) == len(errors) + len(warnings)
    assert len(errors) == (state.stopped is not None)
    assert len(warnings) == len(state.skipped)
    if state.stopped is not None:
        number = re.findall(r"\d+", state.stopped.words)[0]
        assert re.search(rf"IllegalStateException: Unknown .*\bversion:? {number}\b", errors[0])
    for skipped in state.skipped:
        assert skipped.rule is LoadRule.UNKNOWN_TYPE_SKIPPED
        assert f"version {skipped.words.removeprefix('type ')} while loading" in warnings[0]
        assert "Ignoring it" in warnings[0]


def test_the_evidence_shows_both_sides_of_the_kip() -> None:
    """The writer has ZooKeeper and an old protocol version; one reader is older than the KIP, two are not."""
    evidence = broker_evidence()
    assert (evidence.writer, evidence.protocol) == ("3.9.2", "3.4")
    assert set(evidence.partitions[0].readers) == {"3.4.0", "3.8.1", "3.9.2"}
    stopped = {
        release: sum(loaded(partition, release).stopped is not None for partition in evidence.partitions)
        for release in evidence.partitions[0].readers
    }
    assert stopped == {"3.4.0": 8, "3.8.1": 3, "3.9.2": 3}
    assert all(len(partition.records) >= 4 for partition in evidence.partitions)


def test_a_tombstone_removes_what_was_loaded() -> None:
    """An offset without a value is gone; the members of the group stay."""
    partition = broker_evidence().partitions[0]
    ((group, topic, number), *_) = loaded(partition, "3.9.2").offsets
    key = next(key for key, _ in partition.records if key[:2] == b"\0\1" and group.encode() in key)
    with_tombstone = DowngradedPartition(
        partition.log, 0, "", (*partition.records, (key, None)), partition.readers
    )
    state = loaded(with_tombstone, "3.9.2")
    assert (group, topic, number) not in state.offsets
    assert len(state.offsets) == 1
    assert state.members[group] == 1
