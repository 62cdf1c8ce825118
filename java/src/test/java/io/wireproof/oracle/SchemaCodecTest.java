package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SchemaCodecTest {
    private static final String BODY = "0000 02 0012 0000 0004 00 00000007 02 01 08 0000000000000009 09 01 aa";

    private static CellCodec apiVersions(String version) throws Throwable {
        return KafkaReleases.open(version).cell(
                KafkaReleases.MESSAGES + "ApiVersionsResponseData", 3, PlanBuilder.apiVersionsResponse().bytes());
    }

    /** Arrays, a tagged field that is there, some that are not, an unknown one: all as the class reports them. */
    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void schemasSayWhatTheClassSays(String version) throws Throwable {
        Reply first = Reply.all(apiVersions(version).reread(Reply.batch(BODY))).get(0);
        Reply second = Reply.all(apiVersions(version).schemaReread(Reply.batch(BODY))).get(0);
        assertNull(second.stage);
        assertEquals(first.value, second.value);
        assertEquals(BODY.replace(" ", ""), second.written);
        assertEquals(first.predicted, second.predicted);
        assertEquals(first.consumed, second.consumed);
    }

    /** Two times the same unknown tag: the class reads it, schemas are stricter. */
    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void schemasReadByThemselves(String version) throws Throwable {
        String twice = "0000 01 00000000 02 09 00 09 00";
        List<Reply> replies = Reply.all(apiVersions(version).schemaReread(Reply.batch(twice, BODY)));
        assertEquals(Stage.READ, replies.get(0).stage);
        assertEquals("SchemaException", replies.get(0).error);
        assertNull(replies.get(1).stage);
        assertNotNull(replies.get(1).value);
    }
}
