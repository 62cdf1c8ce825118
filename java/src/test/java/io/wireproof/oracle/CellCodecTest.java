package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CellCodecTest {
    private static final String DEFAULTS = "0000 01 00000000 00";
    private static final String DEFAULTS_VALUE =
            "0000 00000000 00000000 00000000 ffffffffffffffff 00000000 00 00000000".replace(" ", "");
    private static final String EPOCH_AND_FOREIGN_TAG = "0000 01 00000000 02 01 08 0000000000000007 09 01 aa";

    private static CellCodec apiVersions(String version) throws Throwable {
        return KafkaReleases.open(version).cell(
                KafkaReleases.MESSAGES + "ApiVersionsResponseData", 3, PlanBuilder.apiVersionsResponse().bytes());
    }

    private static CellCodec fetchRequest(String version, PlanBuilder plan) throws Throwable {
        return KafkaReleases.open(version).cell(KafkaReleases.MESSAGES + "FetchRequestData", 4, plan.bytes());
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void bodyIsReadWrittenAgainAndReported(String version) throws Throwable {
        Reply reply = Reply.all(apiVersions(version).reread(Reply.batch(DEFAULTS))).get(0);
        assertNull(reply.stage);
        assertEquals(DEFAULTS.replace(" ", ""), reply.written);
        assertEquals(DEFAULTS_VALUE, reply.value);
        assertEquals(8, reply.predicted);
        assertEquals(8, reply.consumed);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void knownAndForeignTagsAreReported(String version) throws Throwable {
        Reply reply = Reply.all(apiVersions(version).reread(Reply.batch(EPOCH_AND_FOREIGN_TAG))).get(0);
        assertEquals(EPOCH_AND_FOREIGN_TAG.replace(" ", ""), reply.written);
        String value = "0000 00000000 00000000 00000000 0000000000000007 00000000 00 00000001 00000009 00000001 aa";
        assertEquals(value.replace(" ", ""), reply.value);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void refusedInputLeavesTheOthersOfItsBatchAlone(String version) throws Throwable {
        List<Reply> replies = Reply.all(apiVersions(version).reread(Reply.batch(DEFAULTS, "0000", DEFAULTS + "ff")));
        assertEquals(3, replies.size());
        assertEquals(Stage.READ, replies.get(1).stage);
        assertEquals("BufferUnderflowException", replies.get(1).error);
        assertEquals(2, replies.get(1).consumed);
        assertEquals(8, replies.get(2).consumed, "the tail follows from the bytes consumed");
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void zeroCopyFieldNeverReachesIntoTheNextInput(String version) throws Throwable {
        PlanBuilder plan = PlanBuilder.flexible()
                .field(Kind.BYTES, "requestData").field(Kind.BYTES, PlanBuilder.NULLABLE, "requestPrincipal")
                .field(Kind.BYTES, "clientHostAddress");
        CellCodec envelope =
                KafkaReleases.open(version).cell(KafkaReleases.MESSAGES + "EnvelopeRequestData", 0, plan.bytes());
        List<Reply> replies = Reply.all(envelope.reread(Reply.batch("ff01", "02aa 00 01 00")));
        assertEquals(Stage.READ, replies.get(0).stage);
        assertEquals("00000001aa ffffffff 00000000 00000000".replace(" ", ""), replies.get(1).value);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void valueIsBuiltAndWritten(String version) throws Throwable {
        CellCodec cell = apiVersions(version);
        String value = Reply.all(cell.reread(Reply.batch(EPOCH_AND_FOREIGN_TAG))).get(0).value;
        Reply reply = Reply.all(cell.write(Reply.batch(value))).get(0);
        assertEquals(EPOCH_AND_FOREIGN_TAG.replace(" ", ""), reply.written);
        assertEquals(value, reply.value);
        assertEquals(reply.written.length() / 2, reply.consumed);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void duplicateKeysOfMapsStay(String version) throws Throwable {
        PlanBuilder key = PlanBuilder.inflexible().field(Kind.INT16, "apiKey").field(Kind.INT16, "minVersion")
                .field(Kind.INT16, "maxVersion");
        PlanBuilder plan = PlanBuilder.inflexible().field(Kind.INT16, "errorCode")
                .struct(PlanBuilder.ARRAY, "apiKeys", key);
        CellCodec cell =
                KafkaReleases.open(version).cell(KafkaReleases.MESSAGES + "ApiVersionsResponseData", 0, plan.bytes());
        String body = "0000 00000002 0001 0000 0001 0001 0000 0009".replace(" ", "");
        Reply read = Reply.all(cell.reread(Reply.batch(body))).get(0);
        assertEquals(body, read.written);
        assertEquals(body, read.value, "a version without tags is its own canonical form here");
        assertEquals(body, Reply.all(cell.write(Reply.batch(read.value))).get(0).written);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void fieldThatTheLayoutOverlooksIsNamedWhereItIsSet(String version) throws Throwable {
        CellCodec cell = fetchRequest(version, PlanBuilder.inflexible().field(Kind.INT32, "replicaId"));
        Reply reply = Reply.all(cell.reread(Reply.batch("ffffffff 00000005 00000000 7fffffff 00 00000000"))).get(0);
        assertEquals(List.of("maxWaitMs"), reply.absent);
        assertEquals("ffffffff", reply.value);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void layoutThatDoesNotFitTheClassIsARefusalOfTheValue(String version) throws Throwable {
        CellCodec cell = fetchRequest(version, PlanBuilder.inflexible().field(Kind.STRING, "maxWaitMs"));
        Reply reply = Reply.all(cell.reread(Reply.batch("ffffffff 00000005 00000000 7fffffff 00 00000000"))).get(0);
        assertEquals(Stage.VALUE, reply.stage);
        assertEquals("LayoutMismatchException", reply.error);
        Reply built = Reply.all(cell.write(Reply.batch("00000000"))).get(0);
        assertEquals(Stage.BUILD, built.stage);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void nullWhereTheClassTakesNoneIsRefusedAtSizeOrWrite(String version) throws Throwable {
        CellCodec cell = KafkaReleases.open(version).cell(
                KafkaReleases.MESSAGES + "MetadataRequestData", 0,
                PlanBuilder.inflexible().struct(PlanBuilder.ARRAY | PlanBuilder.NULLABLE, "topics",
                        PlanBuilder.inflexible().field(Kind.STRING, "name")).bytes());
        Reply reply = Reply.all(cell.write(Reply.batch("ffffffff"))).get(0);
        assertEquals("NullPointerException", reply.error);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void recordsKeepTheirBytesWhateverTheyAre(String version) throws Throwable {
        PlanBuilder partition = PlanBuilder.inflexible().field(Kind.INT32, "index")
                .field(Kind.RECORDS, PlanBuilder.NULLABLE, "records");
        PlanBuilder topic = PlanBuilder.inflexible().field(Kind.STRING, "name")
                .struct(PlanBuilder.ARRAY, "partitionData", partition);
        PlanBuilder plan = PlanBuilder.inflexible().field(Kind.STRING, PlanBuilder.NULLABLE, "transactionalId")
                .field(Kind.INT16, "acks").field(Kind.INT32, "timeoutMs").struct(PlanBuilder.ARRAY, "topicData", topic);
        CellCodec cell =
                KafkaReleases.open(version).cell(KafkaReleases.MESSAGES + "ProduceRequestData", 3, plan.bytes());
        String head = "ffff 0001 00000000 00000001 0001 74 00000001 00000000";
        for (String records : List.of("ffffffff", "00000000", "00000003 010203")) {
            Reply reply = Reply.all(cell.reread(Reply.batch(head + records))).get(0);
            assertEquals((head + records).replace(" ", ""), reply.written);
            assertEquals(reply.written, Reply.all(cell.write(Reply.batch(reply.value))).get(0).written);
        }
    }
}
