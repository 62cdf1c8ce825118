package io.wireproof.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Consumers of the classic group protocol and of KIP-848's, and such without a group. */
final class Consumers {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int POLLS = 50;

    private final Admin admin;
    private final Session session;
    private final Steps steps;

    Consumers(Admin admin, Session session, Steps steps) {
        this.admin = admin;
        this.session = session;
        this.steps = steps;
    }

    void run() {
        steps.step("consume/assigned", this::assigned);
        steps.step("consume/offsets", this::offsets);
        for (String assignor : List.of("RangeAssignor", "RoundRobinAssignor", "StickyAssignor", "CooperativeStickyAssignor")) {
            String type = "org.apache.kafka.clients.consumer." + assignor;
            steps.step("group/" + assignor, () -> group(assignor, "partition.assignment.strategy", type));
        }
        steps.step("group/static", () -> group("static", "group.instance.id", "wireproof-instance"));
        steps.step("group/committed-only", () -> group("isolated", "isolation.level", "read_committed"));
        steps.step("group/pattern", this::pattern);
        steps.step("group/rebalance", () -> rebalance("classic"));
        steps.step("group/consumer-protocol", () -> group("kip848", "group.protocol", "consumer"));
        steps.step("group/consumer-static", this::newStatic);
        steps.step("group/consumer-pattern", () -> new PatternConsumers(session).run());
        steps.step("group/consumer-rebalance", () -> rebalance("kip848-two", "group.protocol", "consumer"));
    }

    private void newStatic() throws Exception {
        group("kip848-static", "group.protocol", "consumer", "group.instance.id", "wireproof-new-instance");
    }

    private KafkaConsumer<byte[], byte[]> consumer(String group, String... more) {
        Map<String, Object> properties = session.client("consumer", more);
        properties.put("group.id", "wireproof-" + group);
        properties.put("auto.offset.reset", "earliest");
        properties.put("fetch.max.wait.ms", "100");
        properties.put("client.rack", "rack-1");
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static List<TopicPartition> partitions() {
        List<TopicPartition> partitions = new ArrayList<>();
        for (int i = 0; i < Session.PARTITIONS; i++) {
            partitions.add(new TopicPartition(Session.TOPIC, i));
        }
        return partitions;
    }

    /** Poll until records have come, within bounds. */
    private static void pollSome(KafkaConsumer<byte[], byte[]> consumer) {
        int seen = 0;
        for (int i = 0; i < POLLS && seen == 0; i++) {
            seen += consumer.poll(POLL).count();
        }
        if (seen == 0) {
            throw new IllegalStateException("no record came in " + POLLS + " polls");
        }
    }

    private void assigned() {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("assigned")) {
            consumer.assign(partitions());
            consumer.seekToBeginning(partitions());
            pollSome(consumer);
            consumer.seek(partitions().get(0), 1_000_000); // out of range: the offset is looked up again
            consumer.poll(POLL);
            consumer.seekToEnd(partitions());
            consumer.position(partitions().get(1));
        }
    }

    private void offsets() {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("offsets")) {
            Collection<TopicPartition> all = partitions();
            consumer.listTopics();
            consumer.partitionsFor(Session.TOPIC);
            consumer.beginningOffsets(all);
            consumer.endOffsets(all);
            consumer.offsetsForTimes(Map.of(partitions().get(0), 0L, partitions().get(1), Long.MAX_VALUE));
            consumer.assign(all);
            consumer.commitSync(Map.of(partitions().get(0), new OffsetAndMetadata(1, "by hand")));
            consumer.committed(Map.of(partitions().get(0), 0, partitions().get(2), 0).keySet());
        }
    }

    /** A member takes part, and is described as long as it does. */
    private void group(String group, String... more) throws Exception {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(group, more)) {
            consumer.subscribe(List.of(Session.TOPIC));
            pollSome(consumer);
            consumer.commitAsync();
            consumer.commitSync();
            Results.await(admin.describeConsumerGroups(List.of("wireproof-" + group)));
        }
    }

    private void pattern() {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("pattern")) {
            consumer.subscribe(Pattern.compile("wireproof\\..*"));
            pollSome(consumer);
            consumer.unsubscribe();
        }
    }

    /** A second member comes and goes. */
    private void rebalance(String group, String... more) {
        try (KafkaConsumer<byte[], byte[]> first = consumer(group, more)) {
            first.subscribe(List.of(Session.TOPIC));
            pollSome(first);
            try (KafkaConsumer<byte[], byte[]> second = consumer(group, more)) {
                second.subscribe(List.of(Session.TOPIC));
                for (int i = 0; i < POLLS && second.assignment().isEmpty(); i++) {
                    second.poll(POLL);
                    first.poll(POLL);
                }
                if (second.assignment().isEmpty()) {
                    throw new IllegalStateException("the second member got no partition in " + POLLS + " polls");
                }
            }
        }
    }
}
