"""A downgrade with real brokers: one release writes the coordinators' logs, others start on copies of them.

``python -m tests.support.capture.downgrade_brokers`` runs it and writes the results into
`harness/wireproof/definitions/downgrade/broker_evidence.json`.

A node of 3.9.2 with ZooKeeper and an old protocol version between brokers writes offsets, group metadata and
transactions. Each partition of its two logs holds, in this order: a group or transactional id of the
broker's own, one added record about the same, and another group or transactional id of its own. The added
record comes through the broker, too: Produce may write internal topics if the client's name is
``__admin_client`` (`AdminUtils`).
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kafkawire.records import Record, RecordBatch, decode_records, encode_records
from kafkawire.values import StructValue
from tests.support.capture.added_records import TOPIC, AddedRecord, added_to
from tests.support.capture.downgrade_node import (
    PARTITIONS,
    PAUSE_S,
    PROTOCOL,
    WAIT_S,
    DowngradeNode,
    node,
    programs,
)
from wireproof.traffic.capture.brokers.node_storage import free_ports
from wireproof.traffic.capture.brokers.started_cluster import ZooKeeper
from wireproof.traffic.wire.inner_messages import InternalLog

WRITER: Final = "3.9.2"
READERS: Final = ("3.4.0", "3.8.1", "3.9.2")
EVIDENCE: Final = Path(__file__).parents[3] / "harness" / "wireproof" / "downgrade" / "broker_evidence.json"

_ADMIN: Final = "__admin_client"


def added_records(log: InternalLog) -> list[AddedRecord]:
    """The record that is added to each partition of a log."""
    count = PARTITIONS[log]
    return added_to(log, tuple(id_of_partition("before", each, count) for each in range(count)))


def id_of_partition(prefix: str, partition: int, partitions: int) -> str:
    """The first id with a prefix that Kafka puts into a partition, by Java's hash of strings."""
    number = 0
    while True:
        text = f"{prefix}{number}"
        digest = 0
        for letter in text:
            digest = (31 * digest + ord(letter)) & 0xFFFFFFFF
        if (
            digest & 0x7FFFFFFF if digest != 0x80000000 else 0
        ) % partitions == partition and digest < 1 << 31:
            return text
        number += 1


def _error(answer: StructValue) -> int:
    return int(answer["errorCode"])


def write_group(broker: DowngradeNode, group: str, offset: int) -> None:
    """Let a member join, get an assignment and commit an offset."""
    broker.until("FindCoordinatorRequest", 3, {"key": group, "keyType": 0}, _error)
    join = {
        "groupId": group,
        "sessionTimeoutMs": 300_000,
        "rebalanceTimeoutMs": 300_000,
        "protocolType": "consumer",
        "protocols": [{"name": "range", "metadata": b"meta"}],
    }
    answer = broker.until("JoinGroupRequest", 5, join, _error)
    join["memberId"] = answer["memberId"]
    answer = broker.until("JoinGroupRequest", 5, join, _error)
    assert answer["errorCode"] == 0, answer
    member = {"groupId": group, "generationId": answer["generationId"], "memberId": answer["memberId"]}
    assigned = [{"memberId": answer["memberId"], "assignment": b"assigned"}]
    assert broker.until("SyncGroupRequest", 3, {**member, "assignments": assigned}, _error)["errorCode"] == 0
    partition = {"partitionIndex": 0, "committedOffset": offset, "committedMetadata": "m"}
    topics = [{"name": TOPIC, "partitions": [partition]}]
    answer = broker.call("OffsetCommitRequest", 7, {**member, "topics": topics})
    assert answer["topics"][0]["partitions"][0]["errorCode"] == 0, answer


def write_transaction(broker: DowngradeNode, name: str) -> None:
    """Begin and commit a transaction over a partition."""
    broker.until("FindCoordinatorRequest", 3, {"key": name, "keyType": 1}, _error)
    begin = {"transactionalId": name, "transactionTimeoutMs": 60_000}
    answer = broker.until("InitProducerIdRequest", 4, begin, _error)
    assert answer["errorCode"] == 0, answer
    producer = {key: answer[key] for key in ("producerId", "producerEpoch")} | {"transactionalId": name}
    topics = [{"name": TOPIC, "partitions": [0]}]
    answer = broker.call("AddPartitionsToTxnRequest", 3, {**producer, "topics": topics})
    assert answer["results"][0]["results"][0]["errorCode"] == 0, answer
    assert broker.until("EndTxnRequest", 3, {**producer, "committed": True}, _error)["errorCode"] == 0
    wait = {"transactionalIds": [name]}
    until = time.monotonic() + WAIT_S
    while broker.call("DescribeTransactionsRequest", 0, wait)["transactionStates"][0]["transactionState"] != (
        "CompleteCommit"
    ):
        assert time.monotonic() < until
        time.sleep(PAUSE_S)


def add_record(broker: DowngradeNode, log: InternalLog, partition: int, record: AddedRecord) -> None:
    """Produce a record into an internal topic, as an admin client may."""
    batch = RecordBatch(records=(Record(key=record.key, value=record.value),))
    data = [{"index": partition, "records": encode_records([batch])}]
    body = {"acks": -1, "timeoutMs": 30_000, "topicData": [{"name": str(log), "partitionData": data}]}
    answer = broker.call("ProduceRequest", 9, body, _ADMIN)
    assert answer["responses"][0]["partitionResponses"][0]["errorCode"] == 0, answer


def write_logs(broker: DowngradeNode) -> None:
    """Write all partitions of both logs."""
    topic = {"name": TOPIC, "numPartitions": 1, "replicationFactor": 1}
    answer = broker.until(
        "CreateTopicsRequest",
        5,
        {"topics": [topic], "timeoutMs": 30_000},
        lambda each: int(each["topics"][0]["errorCode"]),
    )
    assert answer["topics"][0]["errorCode"] == 0, answer
    for log, partitions in PARTITIONS.items():
        for partition, record in enumerate(added_records(log)):
            for place, prefix in enumerate(("before", "after")):
                name = id_of_partition(prefix, partition, partitions)
                if log is InternalLog.OFFSETS:
                    write_group(broker, name, 42 + place)
                else:
                    write_transaction(broker, name)
                if record.key and place == 0:
                    add_record(broker, log, partition, record)


def read_logs(broker: DowngradeNode) -> dict[str, Any]:
    """The broker's answers about the two groups or transactional ids of each partition, and its messages."""
    found: dict[str, Any] = {}
    for log, partitions in PARTITIONS.items():
        for partition in range(partitions):
            names = [id_of_partition(prefix, partition, partitions) for prefix in ("before", "after")]
            ask = _group if log is InternalLog.OFFSETS else _state
            found[f"{log}-{partition}"] = {"answers": {name: ask(broker, name) for name in names}}
    for place, each in found.items():
        each["messages"] = _messages(broker.log, place)
    return found


def _group(broker: DowngradeNode, group: str) -> dict[str, int]:
    """The committed offset, -1 if the broker has none, and the number of members."""
    body = {"groupId": group, "topics": [{"name": TOPIC, "partitionIndexes": [0]}]}
    answer = broker.until("OffsetFetchRequest", 7, body, _error)
    assert answer["errorCode"] == 0, answer
    (described,) = broker.call("DescribeGroupsRequest", 5, {"groups": [group]})["groups"]
    offset = answer["topics"][0]["partitions"][0]["committedOffset"]
    return {"offset": offset, "members": len(described["members"])}


def _state(broker: DowngradeNode, name: str) -> str:
    """The state of a transactional id; the error's number if the broker does not know it."""
    body = {"transactionalIds": [name]}
    answer = broker.until(
        "DescribeTransactionsRequest", 0, body, lambda each: int(each["transactionStates"][0]["errorCode"])
    )
    (state,) = answer["transactionStates"]
    return str(state["transactionState"] or f"error {state['errorCode']}")


def _messages(log: Path, place: str) -> list[str]:
    """The warnings and errors about a partition, each with the exception in the next line."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    found = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        level = next((word for word in (" WARN ", " ERROR ") if word in line), None)
        if level is None or not line.rstrip(". ").replace(".", " ").replace(",", " ").split().count(place):
            continue
        text = level.strip() + " " + line.partition(" - ")[2]
        found.append(f"{text}: {following}" if following.startswith("java.") else text)
    return list(dict.fromkeys(found))


def records_of(data: Path, place: str) -> list[dict[str, str | None]]:
    """The records of a partition in its log, as hexadecimal keys and values; null for a tombstone."""
    found: list[dict[str, str | None]] = []
    for file in sorted((data / place).glob("*.log")):
        for batch in decode_records(file.read_bytes()).batches:
            assert isinstance(batch, RecordBatch)
            found += [_plain(record) for record in batch.records]
    return found


def _plain(record: Record) -> dict[str, str | None]:
    value = None if record.value is None else record.value.hex()
    return {"key": (record.key or b"").hex(), "value": value}


def run_downgrade(folder: Path, readers: Sequence[str] = READERS) -> Mapping[str, Any]:
    """Write the logs with one release, and start each reader on a copy of them."""
    zookeeper = "127.0.0.1", free_ports(1)[0]
    server = ZooKeeper(programs(WRITER), zookeeper, folder / "zookeeper", folder / "zookeeper.log")
    server.start(WAIT_S)
    try:
        with node(WRITER, folder / "writer", zookeeper) as broker:
            write_logs(broker)
        data = folder / "writer" / "data"
        found = {}
        for release in readers:
            copy = folder / f"reader-{release}"
            shutil.copytree(data, copy / "data")
            with node(release, copy, zookeeper) as broker:
                found[release] = read_logs(broker)
    finally:
        server.stop()
    partitions = []
    for log in PARTITIONS:
        for partition, record in enumerate(added_records(log)):
            place = f"{log}-{partition}"
            partitions.append(
                {
                    "partition": place,
                    "added": record.case,
                    "records": records_of(data, place),
                    "readers": {release: each[place] for release, each in found.items()},
                }
            )
    return {
        "writer": {"release": WRITER, "metadata": "ZooKeeper", "inter.broker.protocol.version": PROTOCOL},
        "partitions": partitions,
    }


def main() -> None:
    """Run the downgrade and write the evidence."""
    with tempfile.TemporaryDirectory(prefix="wireproof-downgrade-") as folder:
        evidence = run_downgrade(Path(folder))
    EVIDENCE.write_text(json.dumps(evidence, indent=2) + "\n", encoding="utf-8")
    sys.stderr.write(f"{EVIDENCE}: {len(evidence['partitions'])} partitions\n")


if __name__ == "__main__":
    main()
