// Exercises kafkajs's producer, consumer and admin client. It writes a line of JSON to standard output for each step.

import kafkajs from "kafkajs";

const {
  AclOperationTypes, AclPermissionTypes, AclResourceTypes, CompressionTypes, ConfigResourceTypes, Kafka,
  KafkaJSError, logLevel, ResourcePatternTypes,
} = kafkajs;

const {
  WIREPROOF_BOOTSTRAP: bootstrap, WIREPROOF_SASL_BOOTSTRAP: saslBootstrap, WIREPROOF_USER: username,
  WIREPROOF_PASSWORD: password, WIREPROOF_REPLICAS: replicas, WIREPROOF_LOGIN: login, WIREPROOF_LOGIN_USER: loginUser,
  WIREPROOF_LOGIN_PASSWORD: loginPassword,
} = process.env;
const TOPIC = "javascript.kafkajs";
const WAIT_MS = 30_000;
const LOGS = { logLevel: logLevel.ERROR, logCreator: () => (entry) => console.error(JSON.stringify(entry.log)) };

const LOGIN = login ? { sasl: { mechanism: login.toLowerCase(), username: loginUser, password: loginPassword } } : {};

function kafka(brokers, more = LOGIN) {
  return new Kafka({ clientId: "kafkajs", brokers: [brokers], retry: { retries: 2 }, ...LOGS, ...more });
}

async function step(name, act) {
  const began = Date.now();
  const line = { step: `kafkajs/${name}`, outcome: "done" };
  try {
    await act();
  } catch (error) { // the line reports any error, and the next steps run
    line.outcome = error instanceof KafkaJSError ? "refused" : "failed";
    line.error = `${error.name}: ${error.message}`;
  }
  console.log(JSON.stringify({ ...line, ms: Date.now() - began }));
}

async function during(client, act) {
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.disconnect();
  }
}

const messages = Array.from({ length: 12 }, (_, at) => ({
  key: at % 3 ? `key-${at}` : null,
  value: at % 5 === 4 ? null : "value ".repeat(at),
  headers: Object.fromEntries(Array.from({ length: at % 4 }, (__, number) => [`header-${number}`, "ü"])),
  partition: at % 2,
}));

function produce(settings, how = {}) {
  return during(kafka(bootstrap).producer(settings), (producer) => producer.send({ topic: TOPIC, messages, ...how }));
}

function transact(commit) {
  const settings = { transactionalId: "kafkajs", maxInFlightRequests: 1, idempotent: true };
  return during(kafka(bootstrap).producer(settings), async (producer) => {
    const transaction = await producer.transaction();
    await transaction.send({ topic: TOPIC, messages: [{ value: "all or none", partition: 0 }] });
    const topics = [{ topic: TOPIC, partitions: [{ partition: 0, offset: "1" }] }];
    await transaction.sendOffsets({ consumerGroupId: "kafkajs-offsets", topics });
    await (commit ? transaction.commit() : transaction.abort());
  });
}

function consume(groupId, settings, admin) {
  return during(kafka(bootstrap).consumer({ groupId, maxWaitTimeInMs: 200, ...settings }), async (consumer) => {
    await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
    let seen;
    const some = new Promise((resolve) => { seen = resolve; });
    await consumer.run({ eachMessage: async () => seen() });
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no record in ${WAIT_MS} ms`)), WAIT_MS);
    });
    await Promise.race([some, late]).finally(() => clearTimeout(timer));
    await consumer.commitOffsets([{ topic: TOPIC, partition: 0, offset: "1", metadata: "by hand" }]);
    await consumer.describeGroup();
    await admin.describeGroups([groupId]);
  });
}

async function administer(admin) {
  const resource = { type: ConfigResourceTypes.TOPIC, name: TOPIC };
  const acl = {
    resourceType: AclResourceTypes.TOPIC, resourceName: "javascript.guarded", principal: "User:alice", host: "*",
    resourcePatternType: ResourcePatternTypes.LITERAL, operation: AclOperationTypes.READ,
    permissionType: AclPermissionTypes.ALLOW,
  };
  const calls = {
    "describe-cluster": () => admin.describeCluster(),
    "list-topics": () => admin.listTopics(),
    "topic-metadata": () => admin.fetchTopicMetadata({ topics: [TOPIC] }),
    "topic-offsets": () => admin.fetchTopicOffsets(TOPIC),
    "topic-offsets-by-time": () => admin.fetchTopicOffsetsByTimestamp(TOPIC, 1),
    "describe-configs": () => admin.describeConfigs({ includeSynonyms: true, resources: [resource] }),
    "alter-configs": () => admin.alterConfigs({
      validateOnly: false, resources: [{ ...resource, configEntries: [{ name: "retention.ms", value: "3600000" }] }],
    }),
    "create-partitions": () => admin.createPartitions({ topicPartitions: [{ topic: TOPIC, count: 3 }] }),
    "delete-records": () => admin.deleteTopicRecords({ topic: TOPIC, partitions: [{ partition: 0, offset: "1" }] }),
    "reassign": () => admin.alterPartitionReassignments({
      topics: [{ topic: TOPIC, partitionAssignment: [{ partition: 0, replicas: [1] }] }],
    }),
    "list-reassignments": () => admin.listPartitionReassignments({}),
    "create-acls": () => admin.createAcls({ acl: [acl] }),
    "describe-acls": () => admin.describeAcls(acl),
    "delete-acls": () => admin.deleteAcls({ filters: [acl] }),
    "list-groups": () => admin.listGroups(),
    "fetch-offsets": () => admin.fetchOffsets({ groupId: "kafkajs", topics: [TOPIC] }),
    "reset-offsets": () => admin.resetOffsets({ groupId: "kafkajs", topic: TOPIC, earliest: true }),
    "delete-groups": () => admin.deleteGroups(["kafkajs", "no-such-group"]),
    "delete-topic": () => admin.deleteTopics({ topics: [TOPIC] }),
  };
  for (const [name, call] of Object.entries(calls)) {
    await step(name, call);
  }
}

const admin = kafka(bootstrap).admin();
await during(admin, async () => {
  const topic = { topic: TOPIC, numPartitions: 2, replicationFactor: Number(replicas) };
  const topics = [topic];
  await step("create-topic", () => admin.createTopics({ topics, waitForLeaders: true }));
  await step("create-topic-again", () => admin.createTopics({ topics }));
  await step("produce", () => produce({}));
  await step("produce-gzip", () => produce({}, { compression: CompressionTypes.GZIP }));
  await step("produce-idempotent", () => produce({ idempotent: true, maxInFlightRequests: 1 }));
  await step("produce-acks-0", () => produce({}, { acks: 0 }));
  await step("transaction", () => transact(true));
  await step("transaction-aborted", () => transact(false));
  await step("group", () => consume("kafkajs", {}, admin));
  await step("group-uncommitted", () => consume("kafkajs-2", { readUncommitted: true, rackId: "rack-1" }, admin));
  await administer(admin);
});
for (const mechanism of saslBootstrap ? ["plain", "scram-sha-256", "scram-sha-512"] : []) {
  const sasl = { mechanism, username, password };
  await step(`login-${mechanism}`, () => during(kafka(saslBootstrap, { sasl }).admin(), (each) => each.listTopics()));
}
console.log(JSON.stringify({ step: "end", outcome: "done", ms: 0 }));
