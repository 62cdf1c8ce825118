package io.wireproof.workload;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Consumers of a share group (KIP-932): since 4.1, so in a class of its own. */
final class ShareConsumers {
    private static final AcknowledgeType[] TYPES = {
        AcknowledgeType.ACCEPT, AcknowledgeType.RELEASE, AcknowledgeType.REJECT
    };
    private static final int POLLS = 50;

    private final Admin admin;
    private final Session session;

    ShareConsumers(Admin admin, Session session) {
        this.admin = admin;
        this.session = session;
    }

    /** Take records and acknowledge them in each way: with the next fetch, by a request of its own, and on leaving. */
    void run(String group) throws Exception {
        fromTheBeginning(group);
        Map<String, Object> properties = session.client("share", "share.acknowledgement.mode", "explicit");
        properties.put("group.id", "wireproof-" + group);
        try (KafkaShareConsumer<byte[], byte[]> consumer =
                new KafkaShareConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(Session.TOPIC));
            int seen = 0;
            for (int i = 0; i < POLLS && seen < 2; i++) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(200));
                int type = 0;
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    consumer.acknowledge(record, TYPES[type++ % TYPES.length]);
                }
                seen += records.isEmpty() ? 0 : 1;
                if (seen == 1) {
                    consumer.commitSync();
                    Results.await(admin.describeShareGroups(List.of("wireproof-" + group)));
                }
            }
            if (seen == 0) {
                throw new IllegalStateException("no record came in " + POLLS + " polls");
            }
        }
    }

    /** A share group begins at the end of its topics unless its configuration says otherwise. */
    private void fromTheBeginning(String group) throws Exception {
        ConfigResource config = new ConfigResource(ConfigResource.Type.GROUP, "wireproof-" + group);
        ConfigEntry earliest = new ConfigEntry("share.auto.offset.reset", "earliest");
        Results.await(admin.incrementalAlterConfigs(
                Map.of(config, List.of(new AlterConfigOp(earliest, AlterConfigOp.OpType.SET)))));
    }
}
