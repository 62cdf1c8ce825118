"""Check what kafka-python reads: it ends with an error unless each answer means what it must.

For `wireproof judge --vary`; see `strict_common.py`.
"""

import sys
import time

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient
from kafka.structs import OffsetAndMetadata
from strict_common import BOOTSTRAP, DAY_S, GROUP, RUN, TOPIC, WAIT_S, records

FIRST = TopicPartition(TOPIC, 0)
SENT_MS = int(time.time() * 1000) - 1000
LOG_APPEND_TIME = 1
COMPRESSIONS = (None, "gzip", "lz4")


def produce(expected, compressions=COMPRESSIONS):
    """Produce a batch with each compression; add what must be read to `expected`."""
    for compression in compressions:
        producer = KafkaProducer(bootstrap_servers=BOOTSTRAP, compression_type=compression, linger_ms=20)
        sent = records(compression)
        futures = [
            producer.send(TOPIC, value, key=key, headers=headers, partition=0, timestamp_ms=SENT_MS)
            for key, value, headers in sent
        ]
        producer.flush(timeout=WAIT_S)
        assert [each.get(timeout=WAIT_S).partition for each in futures] == [0] * len(sent)
        producer.close()
        expected += sent


def transact(expected):
    """Commit one transaction and abort another."""
    producer = KafkaProducer(bootstrap_servers=BOOTSTRAP, transactional_id=f"strict-{RUN}")
    producer.init_transactions()
    for value, end in ((b"aborted", producer.abort_transaction), (b"committed", producer.commit_transaction)):
        producer.begin_transaction()
        producer.send(TOPIC, value, partition=0, timestamp_ms=SENT_MS).get(timeout=WAIT_S)
        producer.send_offsets_to_transaction(
            {TopicPartition(TOPIC, 1): OffsetAndMetadata(7, "note", -1)}, GROUP
        )
        end()
    producer.close()
    expected.append((None, b"committed", []))


def check_time(record):
    """Check that a record has the producer's time, or the later one of the log; magic 0 has none."""
    if record.timestamp_type == LOG_APPEND_TIME:
        assert SENT_MS < record.timestamp < SENT_MS + 1000 * DAY_S, record
    else:
        assert record.timestamp in (None, -1, SENT_MS), record


def open_consumer(**options):
    """Return a consumer that reads committed records from the beginning."""
    return KafkaConsumer(
        bootstrap_servers=BOOTSTRAP,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
        consumer_timeout_ms=1000 * WAIT_S,
        enable_auto_commit=False,
        **options,
    )


def read_as(consumer, expected):
    """Read as many records, compare them, and return their offsets."""
    read, offsets = [], []
    for record in consumer:
        check_time(record)
        read.append((record.key, record.value, list(record.headers)))
        offsets.append(record.offset)
        if len(read) == len(expected):
            break
    assert read == expected, f"read {read}, expected {expected}"
    assert offsets == sorted(set(offsets))
    return offsets


def consume_alone(expected):
    """Read the records without a group, before there are transactions."""
    consumer = open_consumer()
    consumer.assign([FIRST, TopicPartition(TOPIC, 1)])
    read_as(consumer, expected)
    assert not consumer.poll(timeout_ms=50), "the other partition is empty"
    consumer.close()


def consume(expected):
    """Read all records in a group, and compare them."""
    consumer = open_consumer(group_id=GROUP)
    consumer.subscribe([TOPIC])
    offsets = read_as(consumer, expected)
    assert not consumer.poll(timeout_ms=300), "more records than were written"
    consumer.commit({FIRST: OffsetAndMetadata(offsets[-1] + 1, "by hand", -1)})
    assert consumer.committed(FIRST) == offsets[-1] + 1
    assert consumer.beginning_offsets([FIRST]) == {FIRST: 0}
    assert consumer.end_offsets([FIRST])[FIRST] > offsets[-1]
    assert consumer.offsets_for_times({FIRST: 0})[FIRST].offset == 0
    assert TOPIC in consumer.topics()
    consumer.close()


def administer(admin):
    """Ask the admin client for what the steps before made."""
    topics = [each for each in admin.describe_topics([TOPIC]) if each["name"] == TOPIC]
    assert [sorted(each["partition_index"] for each in topic["partitions"]) for topic in topics] == [[0, 1]]
    assert len(admin.describe_cluster()["brokers"]) == 1
    offsets = admin.list_group_offsets(GROUP)
    assert offsets, "no offsets of the group"
    assert any(GROUP in str(each) for each in admin.list_groups())
    admin.delete_topics([TOPIC])


def main():
    """Run all steps."""
    admin = KafkaAdminClient(bootstrap_servers=BOOTSTRAP)
    admin.create_topics({TOPIC: {"num_partitions": 2, "replication_factor": 1}})
    expected = []
    produce(expected)
    consume_alone(expected)
    transact(expected)
    produce(expected, [None])
    consume(expected)
    administer(admin)
    admin.close()
    sys.stdout.write(f"{len(expected)} records\n")


main()
