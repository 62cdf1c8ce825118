package io.wireproof.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/**
 * An application that counts words by their length. It uses a repartition topic, a store with a changelog topic, and a
 * topic for the results. Stores are in memory, so that no native library is needed.
 */
final class StreamsApplication {
    private static final Serde<byte[]> BYTES = Serdes.ByteArray();
    private static final Serde<Long> LONG = Serdes.Long();
    private static final int TRIES = 200;

    private final Session session;
    private final String name;
    private final String[] more;

    /** @param more properties: name, value, name, value */
    StreamsApplication(Session session, String name, String... more) {
        this.session = session;
        this.name = name;
        this.more = more;
    }

    /** The name of its group. */
    static String group(String name) {
        return "wireproof-streams-" + name;
    }

    /**
     * Run so many instances until each of them has work and there are results, then something else while they run.
     *
     * @throws IllegalStateException nothing comes of it in time
     */
    void run(int instances, Steps.Step meanwhile) throws Exception {
        AtomicInteger results = new AtomicInteger();
        List<KafkaStreams> running = new ArrayList<>();
        Path folder = Files.createTempDirectory("wireproof-streams");
        try {
            for (int i = 0; i < instances; i++) {
                Properties properties = properties(folder.resolve(String.valueOf(i)));
                KafkaStreams instance = new KafkaStreams(topology(results), properties);
                running.add(instance);
                instance.start();
            }
            await("no result", () -> results.get() > 0);
            await("not all instances run", () -> running.stream()
                    .allMatch(each -> each.state() == KafkaStreams.State.RUNNING));
            meanwhile.run();
        } finally {
            for (KafkaStreams instance : running) {
                instance.close(Duration.ofMillis(Session.LIMIT_MS));
                instance.cleanUp();
            }
            delete(folder);
        }
    }

    private Properties properties(Path folder) {
        Properties properties = new Properties();
        properties.putAll(session.client("streams", more));
        properties.remove("default.api.timeout.ms"); // of a consumer, which gets it by its prefix alone
        properties.putAll(Map.of(
                "application.id", group(name),
                "replication.factor", String.valueOf(session.replicas()),
                "state.dir", folder.toString(),
                "commit.interval.ms", "100",
                "num.standby.replicas", "1",
                "auto.offset.reset", "earliest"));
        return properties;
    }

    private static Topology topology(AtomicInteger results) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(Session.TOPIC, Consumed.with(BYTES, BYTES))
                .filter((key, value) -> value != null)
                .groupBy((key, value) -> String.valueOf(value.length).getBytes(UTF_8), Grouped.with(BYTES, BYTES))
                .count(Materialized.<byte[], Long>as(Stores.inMemoryKeyValueStore("counts"))
                        .withKeySerde(BYTES)
                        .withValueSerde(LONG))
                .toStream()
                .peek((key, value) -> results.incrementAndGet())
                .to(Session.OTHER_TOPIC, Produced.with(BYTES, LONG));
        return builder.build();
    }

    private static void await(String what, BooleanSupplier done) throws InterruptedException {
        for (int i = 0; i < TRIES && !done.getAsBoolean(); i++) {
            Thread.sleep(Session.PAUSE_MS);
        }
        if (!done.getAsBoolean()) {
            throw new IllegalStateException(what + " after " + TRIES * Session.PAUSE_MS / 1000 + " s");
        }
    }

    private static void delete(Path folder) throws IOException {
        List<Path> found = new ArrayList<>();
        try (java.util.stream.Stream<Path> paths = Files.walk(folder)) {
            paths.forEach(found::add);
        }
        for (int i = found.size() - 1; i >= 0; i--) { // a folder comes before what is in it
            Files.deleteIfExists(found.get(i));
        }
    }
}
