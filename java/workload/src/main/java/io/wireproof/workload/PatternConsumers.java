package io.wireproof.workload;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A subscription by pattern that the broker resolves: since 4.0, so in a class of its own. */
final class PatternConsumers {
    private final Session session;

    PatternConsumers(Session session) {
        this.session = session;
    }

    void run() {
        Map<String, Object> properties = session.client("pattern", "group.protocol", "consumer");
        properties.put("group.id", "wireproof-kip848-pattern");
        properties.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(new SubscriptionPattern("wireproof.*"));
            for (int i = 0; i < 50 && consumer.assignment().isEmpty(); i++) {
                consumer.poll(Duration.ofMillis(200));
            }
        }
    }
}
