"""Exercise kafka-python's producer, consumers and admin client."""

import time
from collections.abc import Callable

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    AlterConfigOp,
    ConfigResource,
    ConfigResourceType,
    KafkaAdminClient,
    MemberToRemove,
    OffsetSpec,
    ResourcePattern,
    ResourceType,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata

import steps

TOPIC = "python.kafka-python"
FIRST = TopicPartition(TOPIC, 0)
WAIT_MS = 30_000


def step(name: str, act: Callable[[], object]) -> None:
    """Run a step and report its outcome."""
    began = time.monotonic()
    try:
        act()
    except Exception as error:  # noqa: BLE001 - the line reports any error, and the next steps run
        steps.report(f"kafka-python/{name}", began, error, (KafkaError,))
    else:
        steps.report(f"kafka-python/{name}", began, None, ())


def run() -> None:
    """Run all steps."""
    admin = KafkaAdminClient(**steps.CLUSTER, client_id="kafka-python-admin")
    topic = {TOPIC: {"num_partitions": 2, "replication_factor": steps.REPLICAS}}
    step("create-topic", lambda: admin.create_topics(topic))
    step("create-topic-again", lambda: admin.create_topics(topic))
    for compression in (None, "gzip", "snappy", "lz4", "zstd"):
        step(f"produce-{compression}", lambda named=compression: produce(compression_type=named))
    step("produce-idempotent", lambda: produce(enable_idempotence=True))
    for acks in (0, 1):
        step(f"produce-acks-{acks}", lambda acks=acks: produce(acks=acks, enable_idempotence=False))
    step("transaction", lambda: transaction(commit=True))
    step("transaction-aborted", lambda: transaction(commit=False))
    step("consume", consume)
    step("group", lambda: group("kafka-python", admin))
    step("group-static", lambda: group("kafka-python-static", admin, group_instance_id="an-instance"))
    step("group-isolated", lambda: group("kafka-python-isolated", admin, isolation_level="read_committed"))
    administer(admin)
    admin.close()
    if steps.SASL_BOOTSTRAP:
        for mechanism in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"):
            step(f"login-{mechanism}", lambda named=mechanism: login(named))


def produce(**config: object) -> None:
    """Produce records to each partition."""
    producer = KafkaProducer(**steps.CLUSTER, client_id="kafka-python-producer", **config)
    try:
        sent = [
            producer.send(TOPIC, value, key=key, headers=headers, partition=at % 2)
            for at, (key, value, headers) in enumerate(steps.records())
        ]
        producer.flush(timeout=WAIT_MS / 1000)
        sent[-1].get(timeout=WAIT_MS / 1000)
    finally:
        producer.close()


def transaction(*, commit: bool) -> None:
    """Produce records and commit an offset in one transaction."""
    producer = KafkaProducer(
        **steps.CLUSTER, client_id="kafka-python-producer", transactional_id="kafka-python"
    )
    try:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(TOPIC, b"all or none", partition=0).get(timeout=WAIT_MS / 1000)
        producer.send_offsets_to_transaction({FIRST: OffsetAndMetadata(1, "", -1)}, "kafka-python-offsets")
        if commit:
            producer.commit_transaction()
        else:
            producer.abort_transaction()
    finally:
        producer.close()


def consumer(**config: object) -> KafkaConsumer:
    """Create a consumer that starts at the earliest offset."""
    return KafkaConsumer(
        **steps.CLUSTER, client_id="kafka-python-consumer", auto_offset_reset="earliest", **config
    )


def consume() -> None:
    """Consume without a group; look up offsets by time, at both ends, and out of range."""
    reader = consumer()
    try:
        both = [FIRST, TopicPartition(TOPIC, 1)]
        reader.assign(both)
        some(reader)
        reader.topics()
        reader.beginning_offsets(both)
        reader.end_offsets(both)
        reader.offsets_for_times({FIRST: 0})
        reader.seek(FIRST, 1_000_000)
        reader.poll(timeout_ms=500)
    finally:
        reader.close()


def group(name: str, admin: KafkaAdminClient, **config: object) -> None:
    """Join a group, and describe the group while it has a member."""
    reader = consumer(group_id=name, **config)
    try:
        reader.topics()  # a leader that does not know the partitions assigns none
        reader.subscribe([TOPIC])
        some(reader)
        reader.commit()
        reader.committed(FIRST)
        admin.describe_groups([name])
    finally:
        reader.close()


def some(reader: KafkaConsumer) -> None:
    """Poll until records arrive."""
    until = time.monotonic() + WAIT_MS / 1000
    while not reader.poll(timeout_ms=200):
        if time.monotonic() > until:
            raise TimeoutError(f"no record in {WAIT_MS} ms")


def administer(admin: KafkaAdminClient) -> None:
    """Make the calls of the admin client."""
    described = ConfigResource(ConfigResourceType.TOPIC, TOPIC)
    altered = ConfigResource(
        ConfigResourceType.TOPIC, TOPIC, {"retention.ms": (AlterConfigOp.SET, "3600000")}
    )
    pattern = ResourcePattern(ResourceType.TOPIC, "python.guarded")
    acl = ACL("User:alice", "*", ACLOperation.READ, ACLPermissionType.ALLOW, pattern)
    everything = ACLFilter(None, None, ACLOperation.ANY, ACLPermissionType.ANY, pattern)
    # A request may name a user only once.
    users = [
        [UserScramCredentialUpsertion(steps.USER, mechanism, steps.PASSWORD)]
        for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)
    ]
    gone = {FIRST: OffsetAndMetadata(1, "by hand", -1)}
    calls: dict[str, Callable[[], object]] = {
        "describe-cluster": admin.describe_cluster,
        "describe-features": admin.describe_features,
        "describe-quorum": admin.describe_metadata_quorum,
        "describe-log-dirs": admin.describe_log_dirs,
        "list-topics": admin.list_topics,
        "describe-topics": lambda: admin.describe_topics([TOPIC]),
        "describe-topic-partitions": lambda: admin.describe_topic_partitions([TOPIC]),
        "describe-configs": lambda: admin.describe_configs(
            [described], include_synonyms=True, config_filter="all"
        ),
        "alter-configs": lambda: admin.alter_configs([altered]),
        "alter-configs-of-old": lambda: admin.alter_configs([altered], incremental=False),
        "list-config-resources": admin.list_config_resources,
        "create-partitions": lambda: admin.create_partitions({TOPIC: 3}),
        "list-offsets": lambda: admin.list_partition_offsets({FIRST: OffsetSpec.LATEST}),
        "delete-records": lambda: admin.delete_records({FIRST: 1}),
        "elect-leaders": lambda: admin.elect_leaders(0, {TOPIC: [0]}),
        "reassign": lambda: admin.alter_partition_reassignments({FIRST: [1]}),
        "list-reassignments": admin.list_partition_reassignments,
        "create-acls": lambda: admin.create_acls([acl]),
        "describe-acls": lambda: admin.describe_acls(everything),
        "delete-acls": lambda: admin.delete_acls([everything]),
        "create-user-256": lambda: admin.alter_user_scram_credentials(users[0]),
        "create-user-512": lambda: admin.alter_user_scram_credentials(users[1]),
        "describe-users": admin.describe_user_scram_credentials,
        "list-groups": admin.list_groups,
        "list-group-offsets": lambda: admin.list_group_offsets("kafka-python"),
        "alter-group-offsets": lambda: admin.alter_group_offsets("kafka-python", gone),
        "delete-group-offsets": lambda: admin.delete_group_offsets("kafka-python", [FIRST]),
        "remove-members": lambda: admin.remove_group_members(
            "kafka-python-static", [MemberToRemove(group_instance_id="an-instance")]
        ),
        "delete-groups": lambda: admin.delete_groups(["kafka-python", "no-such-group"]),
        "list-transactions": admin.list_transactions,
        "describe-transactions": lambda: admin.describe_transactions(["kafka-python"]),
        "describe-producers": lambda: admin.describe_producers([FIRST]),
        "delete-topic": lambda: admin.delete_topics([TOPIC]),
    }
    for name, call in calls.items():
        step(name, call)


def login(mechanism: str) -> None:
    """Log in with a client."""
    client = KafkaAdminClient(
        bootstrap_servers=steps.SASL_BOOTSTRAP,
        client_id="kafka-python-login",
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism=mechanism,
        sasl_plain_username=steps.USER,
        sasl_plain_password=steps.PASSWORD,
    )
    try:
        client.list_topics()
    finally:
        client.close()
