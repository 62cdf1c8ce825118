"""Check what aiokafka reads, as strict_kafka_python.py does; for `wireproof judge --vary`."""

import asyncio
import time

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.structs import OffsetAndMetadata
from strict_common import BOOTSTRAP, DAY_S, GROUP, RUN, TOPIC, WAIT_S, records

FIRST = TopicPartition(TOPIC, 0)


async def produce(expected, *compressions):
    """Produce a batch with each compression; add what must be read to `expected`."""
    for compression in compressions:
        producer = AIOKafkaProducer(bootstrap_servers=BOOTSTRAP, compression_type=compression, linger_ms=20)
        await producer.start()
        sent = records(compression)
        futures = [
            await producer.send(TOPIC, value, key=key, headers=headers, partition=0)
            for key, value, headers in sent
        ]
        await producer.flush()
        assert [(await each).partition for each in futures] == [0] * len(sent)
        await producer.stop()
        expected += sent


async def transact(expected):
    """Abort one transaction and commit another."""
    producer = AIOKafkaProducer(bootstrap_servers=BOOTSTRAP, transactional_id=f"strict-{RUN}")
    await producer.start()
    for value, end in ((b"aborted", producer.abort_transaction), (b"committed", producer.commit_transaction)):
        await producer.begin_transaction()
        await producer.send_and_wait(TOPIC, value, partition=0)
        await producer.send_offsets_to_transaction(
            {TopicPartition(TOPIC, 1): OffsetAndMetadata(7, "note")}, GROUP
        )
        await end()
    await producer.stop()
    expected.append((None, b"committed", []))


async def consume(expected):
    """Read all records in a group, and compare them."""
    consumer = AIOKafkaConsumer(
        TOPIC,
        bootstrap_servers=BOOTSTRAP,
        group_id=GROUP,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
        enable_auto_commit=False,
    )
    await consumer.start()
    read, offsets, began = [], [], time.time()
    while len(read) < len(expected) and time.time() < began + WAIT_S:
        for batch in (await consumer.getmany(timeout_ms=500)).values():
            for record in batch:
                assert record.timestamp in (None, -1) or abs(record.timestamp / 1000 - began) < DAY_S
                read.append((record.key, record.value, list(record.headers)))
                offsets.append(record.offset)
    assert read == expected, f"read {read}, expected {expected}"
    assert offsets == sorted(set(offsets))
    await consumer.commit({FIRST: OffsetAndMetadata(offsets[-1] + 1, "by hand")})
    assert await consumer.committed(FIRST) == offsets[-1] + 1
    assert await consumer.beginning_offsets([FIRST]) == {FIRST: 0}
    assert (await consumer.end_offsets([FIRST]))[FIRST] > offsets[-1]
    assert (await consumer.offsets_for_times({FIRST: 0}))[FIRST].offset == 0
    assert TOPIC in await consumer.topics()
    await consumer.stop()


async def administer(admin):
    """Ask the admin client for what the steps before made."""
    (topic,) = await admin.describe_topics([TOPIC])
    assert sorted(each["partition"] for each in topic["partitions"]) == [0, 1]
    assert len((await admin.describe_cluster())["brokers"]) == 1
    assert await admin.list_consumer_group_offsets(GROUP)
    assert any(name == GROUP for name, *_ in await admin.list_consumer_groups())
    await admin.delete_topics([TOPIC])


async def main():
    """Run all steps."""
    admin = AIOKafkaAdminClient(bootstrap_servers=BOOTSTRAP)
    await admin.start()
    await admin.create_topics([NewTopic(name=TOPIC, num_partitions=2, replication_factor=1)])
    expected = []
    await produce(expected, None, "gzip", "snappy", "lz4", "zstd")
    await transact(expected)
    await produce(expected, None)
    await consume(expected)
    await administer(admin)
    await admin.close()


asyncio.run(main())
