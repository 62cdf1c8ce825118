// Checks what kafkajs reads, as strict_kafka_python.py does; for `wireproof judge --vary`.

import { deepStrictEqual as equal, ok } from "node:assert";
import kafkajs from "kafkajs";
import snappy from "kafkajs-snappy";

const { CompressionCodecs, CompressionTypes, ConfigResourceTypes, Kafka, logLevel } = kafkajs;
const RUN = process.env.WIREPROOF_RUN ?? "0";
const [topic, groupId] = [`strict-${RUN}`, `strict-group-${RUN}`];
const WAIT_MS = 20_000;
CompressionCodecs[CompressionTypes.Snappy] = snappy;

const kafka = new Kafka({
  clientId: "strict", brokers: [process.env.WIREPROOF_BOOTSTRAP], logLevel: logLevel.ERROR,
  logCreator: () => (entry) => console.error(JSON.stringify(entry.log)),
});

const records = (name) => Array.from({ length: 6 }, (_, at) => ({
  key: at % 3 ? `key-${at}` : null, value: at === 5 ? null : `${name} ${at}`.repeat(at),
  headers: Object.fromEntries(Array.from({ length: name ? at % 3 : 0 }, (__, number) => [`h-${number}`, "ü"])),
  partition: 0,
}));

async function during(client, act) {
  await client.connect();
  await act(client);
  await client.disconnect();
}

async function produce(expected, name, compression) {
  await during(kafka.producer(), (producer) => producer.send({ topic, messages: records(name), compression }));
  expected.push(...records(name));
}

async function transact(expected) {
  const settings = { transactionalId: `strict-${RUN}`, maxInFlightRequests: 1, idempotent: true };
  await during(kafka.producer(settings), async (producer) => {
    for (const end of ["abort", "commit"]) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ value: end, partition: 0 }] });
      const topics = [{ topic, partitions: [{ partition: 1, offset: "7" }] }];
      await transaction.sendOffsets({ consumerGroupId: groupId, topics });
      await transaction[end]();
    }
  });
  expected.push({ key: null, value: "commit", headers: {}, partition: 0 });
}

async function consume(expected, admin) {
  const [read, offsets] = [[], []];
  await during(kafka.consumer({ groupId, maxWaitTimeInMs: 200 }), async (consumer) => {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    let finish;
    const all = new Promise((resolve) => { finish = resolve; });
    const timer = setTimeout(finish, WAIT_MS);
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message: { key, value, headers, offset, timestamp } }) => {
        ok(timestamp === "-1" || Math.abs(Number(timestamp) - Date.now()) < 86_400_000, `timestamp ${timestamp}`);
        const texts = Object.fromEntries(Object.entries(headers).map(([name, each]) => [name, String(each)]));
        read.push({ key: key && String(key), value: value && String(value), headers: texts, partition });
        offsets.push(Number(offset));
        if (read.length === expected.length) finish();
      },
    });
    await all;
    clearTimeout(timer);
    equal(read, expected);
    equal(offsets, [...new Set(offsets)].sort((one, other) => one - other));
    const offset = String(offsets.at(-1) + 1);
    await consumer.commitOffsets([{ topic, partition: 0, offset, metadata: "by hand" }]);
    const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const committed = found.partitions.find((each) => each.partition === 0);
    equal([committed.offset, committed.metadata], [offset, "by hand"]);
    ok((await admin.describeGroups([groupId])).groups[0].members.length === 1);
  });
  const ends = (await admin.fetchTopicOffsets(topic)).find((each) => each.partition === 0);
  ok(ends.low === "0" && Number(ends.high) > offsets.at(-1), JSON.stringify(ends));
}

await during(kafka.admin(), async (admin) => {
  await admin.createTopics({ topics: [{ topic, numPartitions: 2, replicationFactor: 1 }] });
  const expected = [];
  await produce(expected, "", CompressionTypes.None);
  await produce(expected, "gzip", CompressionTypes.GZIP);
  await produce(expected, "snappy", CompressionTypes.Snappy);
  await transact(expected);
  await produce(expected, "last", CompressionTypes.None);
  await consume(expected, admin);
  const { topics: [{ partitions }] } = await admin.fetchTopicMetadata({ topics: [topic] });
  equal(partitions.map((each) => each.partitionId).sort(), [0, 1]);
  equal((await admin.describeCluster()).brokers.length, 1);
  const { resources: [{ configEntries }] } = await admin.describeConfigs({
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
  });
  ok(configEntries.some((each) => each.configName === "retention.ms"));
  ok((await admin.listGroups()).groups.some((each) => each.groupId === groupId));
  await admin.deleteTopics({ topics: [topic] });
});
