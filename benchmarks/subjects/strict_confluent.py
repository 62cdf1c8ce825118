"""Check what librdkafka reads, as strict_kafka_python.py does; for `wireproof judge --vary`."""

import time

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType
from strict_common import BOOTSTRAP, DAY_S, GROUP, RUN, TOPIC, WAIT_S, records

CLUSTER = {"bootstrap.servers": BOOTSTRAP}
GROUPED = {
    **CLUSTER,
    "group.id": GROUP,
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "enable.auto.commit": False,
    "check.crcs": True,
}


def produce(expected, *compressions):
    """Produce a batch with each compression; add what must be read to `expected`."""
    for compression in compressions:
        ends = []
        producer = Producer({**CLUSTER, "compression.type": compression or "none", "linger.ms": 20})
        sent = records(compression)
        for key, value, headers in sent:
            producer.produce(
                TOPIC,
                value,
                key,
                partition=0,
                headers=headers,
                on_delivery=lambda error, message, ends=ends: ends.append((error, message.partition())),
            )
        assert producer.flush(WAIT_S) == 0
        assert ends == [(None, 0)] * len(sent), ends
        expected += sent


def transact(expected, consumer):
    """Abort one transaction and commit another."""
    producer = Producer({**CLUSTER, "transactional.id": f"strict-{RUN}"})
    producer.init_transactions(WAIT_S)
    for value, end in ((b"aborted", producer.abort_transaction), (b"committed", producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce(TOPIC, value, partition=0)
        producer.send_offsets_to_transaction(
            [TopicPartition(TOPIC, 1, 7)], consumer.consumer_group_metadata(), WAIT_S
        )
        end(WAIT_S)
    expected.append((None, b"committed", []))


def consume(expected, consumer):
    """Read all records in a group, and compare them."""
    consumer.subscribe([TOPIC])
    read, offsets, began = [], [], time.time()
    while len(read) < len(expected) and time.time() < began + WAIT_S:
        record = consumer.poll(0.5)
        if record is None:
            continue
        assert record.error() is None, record.error()
        kind, stamp = record.timestamp()
        assert not kind or abs(stamp / 1000 - began) < DAY_S
        read.append((record.key(), record.value(), record.headers() or []))
        offsets.append(record.offset())
    assert read == expected, f"read {read}, expected {expected}"
    assert offsets == sorted(set(offsets))
    first = TopicPartition(TOPIC, 0)
    consumer.commit(offsets=[TopicPartition(TOPIC, 0, offsets[-1] + 1, "by hand")], asynchronous=False)
    (committed,) = consumer.committed([first], WAIT_S)
    assert (committed.offset, committed.metadata) == (offsets[-1] + 1, "by hand")
    low, high = consumer.get_watermark_offsets(first, WAIT_S)
    assert low == 0
    assert high > offsets[-1]
    assert consumer.offsets_for_times([TopicPartition(TOPIC, 0, 0)], WAIT_S)[0].offset == 0
    assert TOPIC in consumer.list_topics(timeout=WAIT_S).topics
    consumer.close()


def administer(admin):
    """Ask the admin client for what the steps before made."""

    def only(futures):
        (future,) = futures.values()
        return future.result(WAIT_S)

    assert sorted(admin.list_topics(TOPIC, WAIT_S).topics[TOPIC].partitions) == [0, 1]
    assert len(admin.describe_cluster().result(WAIT_S).nodes) == 1
    assert "retention.ms" in only(admin.describe_configs([ConfigResource(ResourceType.TOPIC, TOPIC)]))
    groups = only(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(GROUP)]))
    assert groups.topic_partitions
    assert GROUP in [each.group_id for each in admin.list_consumer_groups().result(WAIT_S).valid]
    assert only(admin.describe_consumer_groups([GROUP])).group_id == GROUP
    only(admin.delete_topics([TOPIC]))


def main():
    """Run all steps."""
    admin = AdminClient(CLUSTER)
    for future in admin.create_topics([NewTopic(TOPIC, 2, 1)]).values():
        future.result(WAIT_S)
    expected = []
    produce(expected, None, "gzip", "snappy", "lz4", "zstd")
    consumer = Consumer(GROUPED)
    transact(expected, consumer)
    produce(expected, None)
    consume(expected, consumer)
    administer(admin)


main()
