"""Exercise aiokafka's producer, consumers and admin client."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError
from aiokafka.structs import OffsetAndMetadata

import steps

TOPIC = "python.aiokafka"
FIRST = TopicPartition(TOPIC, 0)
WAIT_S = 30


async def step(name: str, act: Callable[[], Awaitable[object]]) -> None:
    """Run a step and report its outcome."""
    began = time.monotonic()
    try:
        await asyncio.wait_for(act(), 3 * WAIT_S)
    except Exception as error:  # noqa: BLE001 - the line reports any error, and the next steps run
        steps.report(f"aiokafka/{name}", began, error, (KafkaError,))
    else:
        steps.report(f"aiokafka/{name}", began, None, ())


async def run() -> None:
    """Run all steps."""
    admin = AIOKafkaAdminClient(**steps.CLUSTER, client_id="aiokafka")
    await admin.start()
    topic = NewTopic(name=TOPIC, num_partitions=2, replication_factor=steps.REPLICAS)
    await step("create-topic", lambda: admin.create_topics([topic]))
    await step("create-topic-again", lambda: admin.create_topics([topic]))
    for compression in (None, "gzip", "snappy", "lz4", "zstd"):
        await step(f"produce-{compression}", lambda named=compression: produce(compression_type=named))
    await step("produce-idempotent", lambda: produce(enable_idempotence=True))
    for acks in (0, 1):
        await step(f"produce-acks-{acks}", lambda acks=acks: produce(acks=acks))
    await step("transaction", lambda: transaction(commit=True))
    await step("transaction-aborted", lambda: transaction(commit=False))
    await step("consume", consume)
    await step("group", lambda: group("aiokafka", admin))
    await step("group-isolated", lambda: group("aiokafka-2", admin, isolation_level="read_committed"))
    await step("group-static", lambda: group("aiokafka-static", admin, group_instance_id="an-instance"))
    await administer(admin)
    await admin.close()
    if steps.SASL_BOOTSTRAP:
        for mechanism in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"):
            await step(f"login-{mechanism}", lambda named=mechanism: login(named))


async def produce(**config: object) -> None:
    """Produce records to each partition."""
    producer = AIOKafkaProducer(**steps.CLUSTER, client_id="aiokafka", **config)
    await producer.start()
    try:
        for at, (key, value, headers) in enumerate(steps.records()):
            await producer.send(TOPIC, value, key=key, headers=headers, partition=at % 2)
        await producer.flush()
    finally:
        await producer.stop()


async def transaction(*, commit: bool) -> None:
    """Produce records and commit an offset in one transaction."""
    producer = AIOKafkaProducer(**steps.CLUSTER, client_id="aiokafka", transactional_id="aiokafka")
    await producer.start()
    try:
        await producer.begin_transaction()
        await producer.send_and_wait(TOPIC, b"all or none", partition=0)
        await producer.send_offsets_to_transaction({FIRST: OffsetAndMetadata(1, "")}, "aiokafka-offsets")
        if commit:
            await producer.commit_transaction()
        else:
            await producer.abort_transaction()
    finally:
        await producer.stop()


def consumer(*topics: str, **config: object) -> AIOKafkaConsumer:
    """Create a consumer that starts at the earliest offset."""
    return AIOKafkaConsumer(
        *topics, **steps.CLUSTER, client_id="aiokafka", auto_offset_reset="earliest", **config
    )


async def consume() -> None:
    """Consume without a group; look up offsets by time, at both ends, and out of range."""
    reader = consumer()
    await reader.start()
    try:
        both = [FIRST, TopicPartition(TOPIC, 1)]
        reader.assign(both)
        await some(reader)
        await reader.beginning_offsets(both)
        await reader.end_offsets(both)
        await reader.offsets_for_times({FIRST: 0})
        reader.seek(FIRST, 1_000_000)
        await reader.getmany(timeout_ms=500)
    finally:
        await reader.stop()


async def group(name: str, admin: AIOKafkaAdminClient, **config: object) -> None:
    """Join a group, and describe the group while it has a member."""
    reader = consumer(TOPIC, group_id=name, **config)
    await reader.start()
    try:
        await some(reader)
        await reader.commit()
        await reader.committed(FIRST)
        await admin.describe_consumer_groups([name])
    finally:
        await reader.stop()


async def some(reader: AIOKafkaConsumer) -> None:
    """Poll until records arrive."""
    until = time.monotonic() + WAIT_S
    while not await reader.getmany(timeout_ms=200):
        if time.monotonic() > until:
            raise TimeoutError(f"no record in {WAIT_S} s")


async def administer(admin: AIOKafkaAdminClient) -> None:
    """Make the calls of the admin client."""
    described = ConfigResource(ConfigResourceType.TOPIC, TOPIC)
    altered = ConfigResource(ConfigResourceType.TOPIC, TOPIC, {"retention.ms": "3600000"})
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "describe-cluster": admin.describe_cluster,
        "list-topics": admin.list_topics,
        "describe-topics": lambda: admin.describe_topics([TOPIC]),
        "describe-configs": lambda: admin.describe_configs([described], include_synonyms=True),
        "alter-configs": lambda: admin.alter_configs([altered]),
        "create-partitions": lambda: admin.create_partitions({TOPIC: NewPartitions(3)}),
        "delete-records": lambda: admin.delete_records({FIRST: RecordsToDelete(1)}),
        "list-groups": admin.list_consumer_groups,
        "list-group-offsets": lambda: admin.list_consumer_group_offsets("aiokafka"),
        "find-coordinator": lambda: admin.find_coordinator("aiokafka"),
        "delete-topic": lambda: admin.delete_topics([TOPIC]),
    }
    for name, call in calls.items():
        await step(name, call)


async def login(mechanism: str) -> None:
    """Log in with a client."""
    client = AIOKafkaAdminClient(
        bootstrap_servers=steps.SASL_BOOTSTRAP,
        client_id="aiokafka",
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism=mechanism,
        sasl_plain_username=steps.USER,
        sasl_plain_password=steps.PASSWORD,
    )
    await client.start()
    try:
        await client.list_topics()
    finally:
        await client.close()
