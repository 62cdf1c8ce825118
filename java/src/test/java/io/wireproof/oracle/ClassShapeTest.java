package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ClassShapeTest {
    private static ClassShape shape(String version, String name) throws ReflectiveOperationException {
        Release release = KafkaReleases.open(version);
        return release.shape(release.protocol().message.getClassLoader().loadClass(KafkaReleases.MESSAGES + name));
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void linksOfMapElementsAreNoFields(String version) throws Throwable {
        ClassShape shape = shape(version, "ApiVersionsResponseData$ApiVersion");
        assertEquals(List.of("apiKey", "minVersion", "maxVersion"), shape.names());
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void elementTypesOfListsAndOfMapsAreFound(String version) throws Throwable {
        ClassField ids = shape(version, "FetchResponseData$FetchableTopicResponse").field("partitions");
        assertEquals("PartitionData", ids.elementType.getSimpleName());
        ClassField keys = shape(version, "ApiVersionsResponseData").field("apiKeys");
        assertEquals("ApiVersion", keys.elementType.getSimpleName());
        assertEquals("ApiVersionCollection", keys.typeName());
        ClassField numbers = shape(version, "MetadataResponseData$MetadataResponsePartition").field("replicaNodes");
        assertEquals("List<Integer>", numbers.typeName());
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void everyPrimitiveIsSetAndReadAsBits(String version) throws Throwable {
        ClassShape quota = shape(version, "AlterClientQuotasRequestData$OpData");
        Object op = quota.newInstance();
        quota.field("value").bitsSetter().accept(op, 0xfff8000000000123L);
        assertEquals(0xfff8000000000123L, quota.field("value").bitsGetter().applyAsLong(op));
        quota.field("remove").bitsSetter().accept(op, 1);
        assertEquals(1, quota.field("remove").bitsGetter().applyAsLong(op));
        ClassShape broker = shape(version, "BrokerRegistrationRequestData$Listener");
        Object listener = broker.newInstance();
        broker.field("port").bitsSetter().accept(listener, 65535);
        broker.field("securityProtocol").bitsSetter().accept(listener, -3);
        assertEquals(65535, broker.field("port").bitsGetter().applyAsLong(listener));
        assertEquals(-3, broker.field("securityProtocol").bitsGetter().applyAsLong(listener));
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void settersRefuseWhatTheSchemaTypeCannotHold(String version) throws Throwable {
        ClassShape broker = shape(version, "BrokerRegistrationRequestData$Listener");
        Object listener = broker.newInstance();
        assertThrows(RuntimeException.class, () -> broker.field("port").set(listener, 65536));
    }
}
