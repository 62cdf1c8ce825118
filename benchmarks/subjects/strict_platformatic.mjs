// Checks what @platformatic/kafka reads, as strict_kafka_python.py does; for `wireproof judge --vary`.

import { deepStrictEqual as equal, ok } from "node:assert";
import { Admin, Consumer, ConfigResourceTypes, ListOffsetTimestamps, Producer } from "@platformatic/kafka";

const RUN = process.env.WIREPROOF_RUN ?? "0";
const [topic, groupId] = [`strict-${RUN}`, `strict-group-${RUN}`];
const WAIT_MS = 20_000;
const settings = { clientId: "strict", bootstrapBrokers: [process.env.WIREPROOF_BOOTSTRAP], autocreateTopics: false };

const records = (name) => Array.from({ length: 6 }, (_, at) => ({
  topic, partition: 0, key: at % 3 ? Buffer.from(`key-${at}`) : undefined, value: Buffer.from(`${name} ${at}`.repeat(at)),
  headers: new Map(Array.from({ length: name ? at % 3 : 0 }, (__, number) => [Buffer.from(`h-${number}`), Buffer.from("ü")])),
}));

const seen = ({ key, value, headers }) => [
  key?.toString() ?? null, value?.toString(), [...(headers ?? [])].map(([name, each]) => `${name}=${each}`),
];

async function produce(expected, name, compression) {
  const producer = new Producer(settings);
  await producer.send({ messages: records(name), compression });
  await producer.close();
  expected.push(...records(name).map(seen));
}

async function transact(expected) {
  const producer = new Producer({ ...settings, transactionalId: `strict-${RUN}`, idempotent: true });
  for (const end of ["abort", "commit"]) {
    const transaction = await producer.beginTransaction();
    await transaction.send({ messages: [{ topic, partition: 0, value: Buffer.from(end) }] });
    await transaction[end]();
  }
  await producer.close();
  expected.push([null, "commit", []]);
}

async function consume(expected, admin) {
  const consumer = new Consumer({ ...settings, groupId, maxWaitTime: 200, autocommit: false, minBytes: 1 });
  const stream = await consumer.consume({ topics: [topic], mode: "committed", fallbackMode: "earliest" });
  const timer = setTimeout(() => stream.destroy(new Error("no more records")), WAIT_MS);
  const [read, offsets] = [[], []];
  for await (const message of stream) {
    const { partition, offset, timestamp } = message;
    ok(Number(timestamp) <= 0 || Math.abs(Number(timestamp) - Date.now()) < 86_400_000, `timestamp ${timestamp}`);
    equal(partition, 0);
    read.push(seen(message));
    offsets.push(offset);
    if (read.length === expected.length) break;
  }
  clearTimeout(timer);
  equal(read, expected);
  equal(offsets, [...new Set(offsets)].sort((one, other) => Number(one - other)));
  const offset = offsets.at(-1) + 1n;
  await consumer.commit({ offsets: [{ topic, partition: 0, offset, leaderEpoch: -1 }] });
  const committed = await consumer.listCommittedOffsets({ topics: [{ topic, partitions: [0] }] });
  equal(committed.get(topic)[0], offset);
  const first = await consumer.listOffsets({ topics: [topic], timestamp: ListOffsetTimestamps.EARLIEST });
  const last = await consumer.listOffsets({ topics: [topic], timestamp: ListOffsetTimestamps.LATEST });
  ok(first.get(topic)[0] === 0n && last.get(topic)[0] >= offset, "offsets");
  equal((await admin.describeGroups({ groups: [groupId] })).get(groupId).members.size, 1);
  await consumer.close(true);
}

const admin = new Admin(settings);
await admin.createTopics({ topics: [topic], partitions: 2, replicas: 1 });
const expected = [];
await produce(expected, "", "none");
for (const compression of ["gzip", "snappy", "lz4"]) await produce(expected, compression, compression);
await transact(expected);
await produce(expected, "last", "none");
await consume(expected, admin);
equal((await admin.metadata({ topics: [topic] })).topics.get(topic).partitionsCount, 2);
const [{ configs }] = await admin.describeConfigs({
  resources: [{ resourceType: ConfigResourceTypes.TOPIC, resourceName: topic, configurationKeys: null }],
});
ok(configs.some((each) => each.name === "retention.ms"));
ok((await admin.listGroups()).has(groupId));
ok((await admin.listTopics()).includes(topic));
await admin.deleteTopics({ topics: [topic] });
await admin.close();
console.log(`${expected.length} records`);
