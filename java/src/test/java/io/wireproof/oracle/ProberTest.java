package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wireproof.oracle.ProbedStruct.Null;
import io.wireproof.oracle.ProbedStruct.Other;
import io.wireproof.oracle.ProbedStruct.ProbedField;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProberTest {
    private static ProbedStruct probe(Release release, String name, int version) throws Throwable {
        Class<?> type = release.protocol().message.getClassLoader().loadClass(KafkaReleases.MESSAGES + name);
        return new Prober(release, (short) version).probe(type);
    }

    private static ProbedStruct probe(String release, String name, int version) throws Throwable {
        return probe(KafkaReleases.open(release), name, version);
    }

    /** The field at a path such as {@code topics.partitions}. */
    private static ProbedField find(ProbedStruct struct, String path) {
        int dot = path.indexOf('.');
        String name = dot < 0 ? path : path.substring(0, dot);
        for (ProbedField field : struct.fields) {
            if (field.field.name.equals(name)) {
                return dot < 0 ? field : find(field.inner, path.substring(dot + 1));
            }
        }
        throw new IllegalArgumentException(path);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void nullsAreTakenFromTheVersionOnThatAllowsThem(String version) throws Throwable {
        assertEquals(Null.REFUSED, find(probe(version, "MetadataRequestData", 0), "topics").onNull);
        assertEquals(Null.ACCEPTED, find(probe(version, "MetadataRequestData", 1), "topics").onNull);
        assertEquals(Null.PRIMITIVE, find(probe(version, "MetadataResponseData", 2), "controllerId").onNull);
        assertEquals(Null.ACCEPTED, find(probe(version, "MetadataResponseData", 2), "clusterId").onNull);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void fieldsOfOtherVersionsAreDroppedOrRefused(String version) throws Throwable {
        ProbedStruct fetch = probe(version, "FetchRequestData", 4);
        assertEquals(Other.DROPPED, find(fetch, "rackId").onOther, "ignorable");
        assertEquals(Other.REFUSED, find(fetch, "forgottenTopicsData").onOther, "not ignorable");
        assertEquals(Other.WRITTEN, find(fetch, "topics.partitions.fetchOffset").onOther);
        assertNull(find(fetch, "forgottenTopicsData").inner);
        assertFalse(fetch.flexible);
        assertTrue(probe(version, "FetchRequestData", 12).flexible);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void taggedStructsAreSeenThrough(String version) throws Throwable {
        ProbedField state = find(probe(version, "FetchRequestData", 15), "replicaState");
        assertEquals(Other.WRITTEN, state.onOther);
        assertEquals(Null.REFUSED, state.onNull);
        assertNotNull(state.inner);
        assertEquals(Other.WRITTEN, find(state.inner, "replicaId").onOther);
        assertEquals(Other.WRITTEN, find(state.inner, "replicaEpoch").onOther);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void recordsThatMayNotBeNullAreFilled(String version) throws Throwable {
        ProbedStruct snapshot = probe(version, "FetchSnapshotResponseData", 0);
        ProbedField records = find(snapshot, "topics.partitions.unalignedRecords");
        assertEquals(Null.REFUSED, records.onNull);
        assertEquals(Other.WRITTEN, records.onOther);
        assertTrue(find(snapshot, "topics.partitions").inner.needsRecords);
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void instancesAreTheSameForTheSameSeed(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        assertEquals(written(release, 7), written(release, 7));
        assertFalse(written(release, 7).equals(written(release, 8)));
    }

    @Test
    void instancesReachNullEmptyAndTheLengthOfTwoBytes() throws Throwable {
        Release release = KafkaReleases.open("4.4.0");
        ProbedStruct root = probe(release, "MetadataRequestData", 12);
        List<Integer> counts = new ArrayList<>();
        ProbedField topics = find(root, "topics");
        new Instances(release, root, instance -> {
            Object value = topics.field.get(instance);
            counts.add(value == null ? -1 : ((java.util.Collection<?>) value).size());
        }).make(0, 0);
        assertTrue(counts.containsAll(List.of(-1, 0, 1, 2, 128)));
    }

    private static List<String> written(Release release, long seed) throws Throwable {
        List<String> found = new ArrayList<>();
        ProbedStruct root = probe(release, "FetchRequestData", 12);
        Instances.Taker taker = instance -> found.add(Reply.hex(release.protocol().bytes(instance, (short) 12)));
        new Instances(release, root, taker).make(20, seed);
        return found;
    }
}
