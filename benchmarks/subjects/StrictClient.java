import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Checks what Kafka's own clients read, as strict_kafka_python.py does; for {@code wireproof judge --vary}. */
public final class StrictClient {
    private static final String BOOTSTRAP = System.getenv("WIREPROOF_BOOTSTRAP");
    private static final String RUN = System.getenv().getOrDefault("WIREPROOF_RUN", "0");
    private static final String TOPIC = "java-" + RUN;
    private static final String GROUP = "java-group-" + RUN;
    private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);

    private StrictClient() {}

    public static void main(String[] words) throws Exception {
        List<String> expected = new ArrayList<>();
        try (Admin admin = Admin.create(settings())) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1))).all().get();
            for (String compression : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
                produce(compression, expected);
            }
            transact(expected);
            produce("none", expected);
            consume(expected);
            administer(admin);
        }
        System.out.println(expected.size() + " records");
    }

    private static Properties settings() {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", BOOTSTRAP);
        return settings;
    }

    private static void produce(String compression, List<String> expected) throws Exception {
        Properties settings = settings();
        settings.put("compression.type", compression);
        settings.put("linger.ms", "20");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int number = 0; number < 6; number++) {
                byte[] key = number % 3 == 0 ? null : bytes("key-" + number);
                byte[] value = number == 5 ? null : bytes((compression + " ").repeat(number));
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC, 0, key, value);
                int headers = compression.equals("none") ? 0 : number % 3; // old magics have none
                for (int header = 0; header < headers; header++) {
                    record.headers().add("h-" + header, header == 1 ? null : bytes("\u00fc"));
                }
                producer.send(record);
                expected.add(text(key, value, record.headers()));
            }
            producer.flush();
        }
    }

    private static void transact(List<String> expected) {
        Properties settings = settings();
        settings.put("transactional.id", "java-" + RUN);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC, 0, null, bytes("aborted")));
            producer.flush();
            producer.abortTransaction();
            producer.beginTransaction();
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC, 0, null, bytes("committed"));
            producer.send(record);
            producer.commitTransaction();
            expected.add(text(null, bytes("committed"), record.headers()));
        }
    }

    private static void consume(List<String> expected) {
        Properties settings = settings();
        settings.put("group.id", GROUP);
        settings.put("auto.offset.reset", "earliest");
        settings.put("isolation.level", "read_committed");
        settings.put("enable.auto.commit", "false");
        List<String> read = new ArrayList<>();
        long last = -1;
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            long until = System.currentTimeMillis() + 20_000;
            while (read.size() < expected.size() && System.currentTimeMillis() < until) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    check(record.offset() > last, "offset " + record.offset() + " after " + last);
                    last = record.offset();
                    read.add(text(record.key(), record.value(), record.headers()));
                }
            }
            check(read.equals(expected), "read " + read + ", expected " + expected);
            consumer.commitSync(Map.of(FIRST, new OffsetAndMetadata(last + 1, "by hand")));
            OffsetAndMetadata committed = consumer.committed(Set.of(FIRST)).get(FIRST);
            check(committed.offset() == last + 1 && committed.metadata().equals("by hand"), "committed " + committed);
            check(consumer.beginningOffsets(List.of(FIRST)).get(FIRST) == 0, "beginning");
            check(consumer.endOffsets(List.of(FIRST)).get(FIRST) > last, "end");
            check(consumer.listTopics().containsKey(TOPIC), "topics");
        }
    }

    /** Returns the method that has one of these names: the second is the one of clients before 3.1. */
    private static Method named(Object value, String name, String before) {
        List<Method> all = List.of(value.getClass().getMethods());
        return all.stream().filter(each -> Set.of(name, before).contains(each.getName())).findFirst().orElseThrow();
    }

    @SuppressWarnings("unchecked")
    private static void administer(Admin admin) throws Exception {
        DescribeTopicsResult topics = admin.describeTopics(List.of(TOPIC));
        Map<?, ?> found = ((KafkaFuture<Map<?, ?>>) named(topics, "allTopicNames", "all").invoke(topics)).get();
        check(((TopicDescription) found.get(TOPIC)).partitions().size() == 2, "topic");
        check(admin.describeCluster().nodes().get().size() == 1, "nodes");
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
        check(admin.describeConfigs(List.of(topic)).all().get().get(topic).get("retention.ms") != null, "configs");
        check(admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get().containsKey(FIRST), "offsets");
        check(admin.describeConsumerGroups(List.of(GROUP)).all().get().containsKey(GROUP), "group");
        admin.deleteTopics(List.of(TOPIC)).all().get();
    }

    private static String text(byte[] key, byte[] value, Iterable<Header> headers) {
        StringBuilder text = new StringBuilder(text(key) + "=" + text(value));
        headers.forEach(each -> text.append(' ').append(each.key()).append(':').append(text(each.value())));
        return text.toString();
    }

    private static String text(byte[] data) {
        return data == null ? "null" : "'" + new String(data, StandardCharsets.UTF_8) + "'";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }
}
