package io.wireproof.oracle;

import java.nio.file.Path;
import java.util.stream.Stream;

/** The releases that Maven has put beside the tests, opened as the oracle opens them. */
final class KafkaReleases {
    static final String MESSAGES = "org.apache.kafka.common.message.";

    private static final Path JARS = Path.of(System.getProperty("kafka.jars"));

    private KafkaReleases() {}

    static Stream<String> versions() {
        return Stream.of("4.4.0", "3.9.2");
    }

    static Release open(String version) throws ReflectiveOperationException {
        String[] shared = {jar("slf4j-api-1.7.36"), jar("slf4j-nop-1.7.36")};
        return Release.open(new String[] {jar("kafka-clients-" + version)}, shared);
    }

    private static String jar(String name) {
        return JARS.resolve(name + ".jar").toString();
    }
}
