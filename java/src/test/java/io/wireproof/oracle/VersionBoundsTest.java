package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VersionBoundsTest {
    private static String bounds(String release, String name, int version) throws Throwable {
        ByteSource in = new ByteSource(KafkaReleases.open(release).bounds(KafkaReleases.MESSAGES + name, version));
        String range = in.getShort() + "-" + in.getShort();
        String described = in.getByte() == 0 ? "no schema" : "schema";
        return String.join(", ", range, described, text(in), text(in));
    }

    private static String text(ByteSource in) {
        return new String(in.getBytes(in.getInt()), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void aRequestBeyondItsVersionsIsRefusedWhereItIsParsed(String release) throws Throwable {
        String refused = ", no schema, taken, UnsupportedVersionException";
        String range = bounds(release, "SaslHandshakeRequestData", 0).split(",")[0];
        assertEquals("0-1", range);
        assertEquals(range + refused, bounds(release, "SaslHandshakeRequestData", -1));
        assertEquals(range + refused, bounds(release, "SaslHandshakeRequestData", 2));
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void aVersionThatThereIsIsTaken(String release) throws Throwable {
        assertEquals("0-1, schema, taken, taken", bounds(release, "SaslHandshakeRequestData", 1));
    }

    /** A struct inside looks at the version; the class around it does not. */
    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void aResponseIsNotParsed(String release) throws Throwable {
        assertEquals("0-1, no schema, taken, ", bounds(release, "SaslHandshakeResponseData", 2));
    }
}
