package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordSetsTest {
    /** Key k, value v, header h of null, timestamp 1000. */
    private static final String BATCH = "0000000000000000 0000003d ffffffff 02";
    private static final String AFTER_CRC = "0000 00000000 00000000000003e8 00000000000003e8"
            + "ffffffffffffffff ffff ffffffff 00000001 16 00 00 00 02 6b 02 76 02 02 68 01";
    private static final String FORM = "00000001 02 00 00 00 0000000000000000 0000000000000000 00000000000003e8"
            + "00000000000003e8 ffffffff ffffffffffffffff ffff ffffffff ffffffffffffffff 00000001"
            + "0000000000000000 00000000000003e8 ffffffff fffe 00000001 6b 00000001 76 00000001"
            + "00000001 68 ffffffff 00000000";

    private static String plain(String hex) {
        return hex.replace(" ", "");
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void builderAndSingleWritersMakeTheSameBatch(String version) throws Throwable {
        RecordSets sets = KafkaReleases.open(version).recordSets();
        for (boolean parts : new boolean[] {false, true}) {
            Reply reply = Reply.all(sets.write(Reply.batch(FORM), parts)).get(0);
            assertNull(reply.stage, reply.error);
            assertEquals(plain(FORM), reply.value);
            assertEquals(plain(BATCH), reply.written.substring(0, 34));
            assertEquals(plain(AFTER_CRC), reply.written.substring(42));
        }
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void wrongChecksumIsARefusalAndACutBatchIsNot(String version) throws Throwable {
        RecordSets sets = KafkaReleases.open(version).recordSets();
        String wrong = BATCH + "00000000" + AFTER_CRC;
        List<Reply> replies = Reply.all(sets.read(Reply.batch(wrong, BATCH)));
        assertEquals(Stage.READ, replies.get(0).stage);
        assertEquals("CorruptRecordException", replies.get(0).error);
        assertNull(replies.get(1).stage, replies.get(1).error);
        assertEquals("00000000" + "00000011" + plain(BATCH), replies.get(1).value);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void whatTheBuilderRefusesIsARefusalOfThatForm(String version) throws Throwable {
        RecordSets sets = KafkaReleases.open(version).recordSets();
        String transactional = plain(FORM).replaceFirst("^0000000102000000", "0000000102000001");
        List<Reply> replies = Reply.all(sets.write(Reply.batch(transactional, FORM), false));
        assertEquals(Stage.BUILD, replies.get(0).stage, "a transaction without a producer id");
        assertNull(replies.get(1).stage, replies.get(1).error);
    }
}
