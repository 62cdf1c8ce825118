package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReleaseTest {
    private static int header(String version, String name, int messageVersion) throws Throwable {
        return KafkaReleases.open(version).headerVersion(KafkaReleases.MESSAGES + name, messageVersion);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void headerVersionsAreThoseOfApiMessageType(String version) throws Throwable {
        assertEquals(1, header(version, "ApiVersionsRequestData", 2));
        assertEquals(2, header(version, "ApiVersionsRequestData", 3));
        assertEquals(0, header(version, "ApiVersionsResponseData", 3), "KIP-511: never a tag section");
        assertEquals(1, header(version, "MetadataResponseData", 9));
        assertEquals(-1, header(version, "RequestHeaderData", 1));
        assertEquals(-1, header(version, "LeaderChangeMessage", 0));
    }

    @Test
    void controlledShutdownHadAHeaderOfItsOwn() throws Throwable {
        assertEquals(0, header("3.9.2", "ControlledShutdownRequestData", 0));
        assertEquals(1, header("3.9.2", "ControlledShutdownRequestData", 1));
    }

    @Test
    void twoReleasesHaveTheirOwnClasses() throws Throwable {
        Class<?> one = KafkaReleases.open("4.4.0").protocol().message;
        Class<?> other = KafkaReleases.open("3.9.2").protocol().message;
        assertEquals(one.getName(), other.getName());
        assertNotSame(one, other);
        assertNotSame(Release.class.getClassLoader(), one.getClassLoader());
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void onlyGeneratedClassesCount(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        assertTrue(release.has(KafkaReleases.MESSAGES + "FetchRequestData"));
        assertFalse(release.has(KafkaReleases.MESSAGES + "ApiMessageType"));
        assertFalse(release.has(KafkaReleases.MESSAGES + "NoSuchThing"));
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void versionWithoutSchemaIsRefused(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        assertThrows(
                IllegalArgumentException.class,
                () -> release.schema(KafkaReleases.MESSAGES + "FetchRequestData", 99));
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void frameIsReadAndWrittenWithItsHeader(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        CellCodec header = release.cell(KafkaReleases.MESSAGES + "ResponseHeaderData", 0,
                PlanBuilder.inflexible().field(Kind.INT32, "correlationId").bytes());
        CellCodec body = release.cell(KafkaReleases.MESSAGES + "ApiVersionsResponseData", 3,
                PlanBuilder.apiVersionsResponse().bytes());
        String frame = "0000000c 00000007 0000 01 00000000 00".replace(" ", "");
        ByteSource reply = new ByteSource(release.frame(header, body).reframe(Reply.batch(frame)));
        assertEquals(0, reply.getByte());
        assertEquals(0, reply.getInt());
        assertEquals(16, reply.getInt());
        assertEquals(16, reply.getInt());
        assertEquals(4, reply.getInt());
        reply.getInt();
        assertEquals(frame, Reply.hex(reply.getBytes(16)));
        assertEquals("00000007", Reply.hex(reply.getBytes(4)));
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void frameWhoseSizeLiesIsRefused(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        CellCodec header = release.cell(KafkaReleases.MESSAGES + "ResponseHeaderData", 0,
                PlanBuilder.inflexible().field(Kind.INT32, "correlationId").bytes());
        for (String size : new String[] {"0000000d", "ffffffff"}) {
            byte[] batch = Reply.batch(size + "00000007 0000 01 00000000 00");
            assertEquals(Stage.READ, Reply.all(release.frame(header, header).reframe(batch)).get(0).stage);
        }
    }
}
