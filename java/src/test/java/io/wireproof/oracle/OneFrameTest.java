package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.security.MessageDigest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OneFrameTest {
    /** Correlation id 7, no error, no keys, no throttling, no tags; the header has version 0. */
    private static final String FRAME = "0000000c 00000007 0000 01 00000000 00";
    private static final String VALUE = "0000 00000000 00000000 00000000 ffffffffffffffff 00000000 00 00000000";
    private static final String TAG_TWICE = "0000 01 00000000 02 09 00 09 00";

    private static byte[] bytes(String hex) {
        return Reply.bytes(hex);
    }

    private static OneFrame responses(String version, boolean framed) throws Throwable {
        Release release = KafkaReleases.open(version);
        CellCodec body = release.cell(
                KafkaReleases.MESSAGES + "ApiVersionsResponseData", 3, PlanBuilder.apiVersionsResponse().bytes());
        byte[] plan = PlanBuilder.inflexible().field(Kind.INT32, "correlationId").bytes();
        CellCodec header = release.cell(KafkaReleases.MESSAGES + "ResponseHeaderData", 0, plan);
        return release.oneFrame(framed ? header : null, body);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void frameIsReadReportedSizedAndWritten(String version) throws Throwable {
        Answer answer = responses(version, true).reread(bytes(FRAME), true);
        assertNull(answer.stage, answer.errorMessage);
        assertEquals(16, answer.consumed);
        assertEquals(16, answer.size);
        assertArrayEquals(bytes(FRAME), answer.written);
        assertArrayEquals(bytes("00000007"), answer.header);
        assertArrayEquals(bytes(VALUE), answer.value);
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        assertArrayEquals(sha256.digest(bytes(FRAME)), answer.writtenDigest);
        assertArrayEquals(sha256.digest(bytes("00000007" + VALUE)), answer.valueDigest);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void digestsAloneCarryNoBytes(String version) throws Throwable {
        Answer answer = responses(version, true).reread(bytes(FRAME), false);
        assertNotNull(answer.writtenDigest);
        assertNull(answer.written);
        assertNull(answer.header);
        assertNull(answer.value);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void bodyWithoutAFrameHasNoSizeBeforeIt(String version) throws Throwable {
        Answer answer = responses(version, false).reread(bytes("0000 01 00000000 00"), true);
        assertNull(answer.stage, answer.errorMessage);
        assertEquals(8, answer.size);
        assertArrayEquals(bytes("0000 01 00000000 00"), answer.written);
        assertNull(answer.header);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void refusalSaysHowFarItCame(String version) throws Throwable {
        OneFrame frames = responses(version, true);
        Answer cut = frames.reread(bytes("00000006 00000007 0000"), true);
        assertEquals("read", cut.stage);
        assertEquals("BufferUnderflowException", cut.errorClass);
        assertEquals(10, cut.consumed);
        assertNull(cut.valueDigest);
        assertEquals("InvalidFrameException", frames.reread(bytes("0000000d 00000007"), true).errorClass);

        Answer unwritten = responses(version, false).reread(bytes(TAG_TWICE), true);
        assertEquals("write", unwritten.stage);
        assertEquals(12, unwritten.consumed);
        assertEquals(12, unwritten.size);
        assertNotNull(unwritten.valueDigest, "the value that was read is reported");
        assertNull(unwritten.writtenDigest);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void recordSetIsReadWithItsChecksum(String version) throws Throwable {
        RecordSets sets = KafkaReleases.open(version).recordSets();
        Answer empty = sets.readOne(new byte[0], true);
        assertNull(empty.stage, empty.errorMessage);
        assertArrayEquals(bytes("00000000 00000000"), empty.value);
        Answer wrong = sets.readOne(
                bytes("0000000000000000 00000031 ffffffff 02 00000000 0000 00000000 00000000000003e8"
                        + "00000000000003e8 ffffffffffffffff ffff ffffffff 00000000"),
                true);
        assertEquals("read", wrong.stage);
        assertEquals("CorruptRecordException", wrong.errorClass);
    }
}
