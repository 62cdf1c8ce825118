package io.wireproof.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Producers: every compression, every kind of acknowledgement, idempotent ones and transactions. */
final class Producers {
    private static final int RECORDS = 12;

    private final Session session;
    private final Steps steps;

    Producers(Session session, Steps steps) {
        this.session = session;
        this.steps = steps;
    }

    void run() {
        for (String compression : new String[] {"none", "gzip", "snappy", "lz4", "zstd"}) {
            steps.step("produce/" + compression, () -> produce("acks", "all", "compression.type", compression));
        }
        for (String acks : new String[] {"0", "1"}) {
            steps.step("produce/acks-" + acks, () -> produce("acks", acks, "enable.idempotence", "false"));
        }
        steps.step("produce/unknown-topic", this::unknownTopic);
        steps.step("transaction/commit", () -> transaction("committed", true));
        steps.step("transaction/abort", () -> transaction("aborted", false));
        steps.step("transaction/fenced", this::fenced);
    }

    private KafkaProducer<byte[], byte[]> producer(String id, String... more) {
        Map<String, Object> properties = session.client(id, more);
        properties.putIfAbsent("linger.ms", "20");
        properties.put("max.block.ms", String.valueOf(Session.LIMIT_MS));
        properties.put("delivery.timeout.ms", String.valueOf(2 * Session.LIMIT_MS));
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void produce(String... more) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = producer("producer", more)) {
            producer.partitionsFor(Session.TOPIC);
            sendSome(producer);
            producer.flush();
        }
    }

    /** Records with and without key, value and headers; the last one's future. */
    private static Future<RecordMetadata> sendSome(KafkaProducer<byte[], byte[]> producer) {
        Future<RecordMetadata> last = null;
        for (int i = 0; i < RECORDS; i++) {
            byte[] key = i % 3 == 0 ? null : ("key-" + i).getBytes(UTF_8);
            byte[] value = i % 5 == 4 ? null : ("value ".repeat(i) + i).getBytes(UTF_8);
            ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(Session.TOPIC, i % Session.PARTITIONS, null, key, value);
            for (int header = 0; header < i % 4; header++) {
                record.headers().add("header-" + header, header == 2 ? null : "ünïcode".getBytes(UTF_8));
            }
            last = producer.send(record);
        }
        return last;
    }

    private void unknownTopic() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = producer("lost", "max.block.ms", "1000")) {
            producer.send(new ProducerRecord<>("no such topic", new byte[0])).get();
        }
    }

    @SuppressWarnings("removal") // what replaces it is not in the older jars
    private void transaction(String id, boolean commit) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = transactional(id)) {
            producer.initTransactions();
            producer.beginTransaction();
            sendSome(producer).get();
            producer.sendOffsetsToTransaction(
                    Map.of(new TopicPartition(Session.TOPIC, 0), new OffsetAndMetadata(1, "from a transaction")),
                    new ConsumerGroupMetadata("wireproof-transactions"));
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    /** Two producers of one transactional id: the first one learns that it is fenced. */
    private void fenced() throws Exception {
        try (KafkaProducer<byte[], byte[]> first = transactional("fenced");
                KafkaProducer<byte[], byte[]> second = transactional("fenced")) {
            first.initTransactions();
            second.initTransactions();
            first.beginTransaction();
            sendSome(first).get();
        }
    }

    private KafkaProducer<byte[], byte[]> transactional(String id) {
        return producer(id, "transactional.id", "wireproof-" + id, "transaction.timeout.ms", "15000");
    }
}
