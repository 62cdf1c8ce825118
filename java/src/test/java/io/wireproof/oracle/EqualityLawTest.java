package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EqualityLawTest {
    private static final String VERSIONS = KafkaReleases.MESSAGES + "ApiVersionsRequestData";

    private static List<String> breaches(byte[] report) {
        ByteSource in = new ByteSource(report);
        List<String> found = new ArrayList<>();
        while (in.hasMore()) {
            String path = new String(in.getBytes(in.getInt()), StandardCharsets.UTF_8);
            found.add(path + ": " + new String(in.getBytes(in.getInt()), StandardCharsets.UTF_8));
        }
        return found;
    }

    private static List<String> check(Release release, Object one, Object other) throws Throwable {
        ByteSink out = new ByteSink(64);
        new EqualityLaw(release, one, other, out).check();
        return breaches(out.toArray());
    }

    private static Object instance(Release release, String className) throws Throwable {
        return release.cell(className, 0, PlanBuilder.inflexible().bytes()).newInstance();
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void twoCopiesKeepTheLaw(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        assertEquals(List.of(), check(release, instance(release, VERSIONS), instance(release, VERSIONS)));
    }

    /** One instance in the place of two: it changes on both sides, so that no change is seen. */
    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void aChangeThatEqualsDoesNotSeeIsReported(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        Object same = instance(release, VERSIONS);
        List<String> found = check(release, same, same);
        assertTrue(found.contains("clientSoftwareName: change-unseen"), found.toString());
        assertTrue(found.contains("clientSoftwareVersion: change-unseen"), found.toString());
        assertTrue(found.contains("_tags: change-unseen"), found.toString());
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void instancesThatDifferAreNoCopies(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        Object other = instance(release, VERSIONS);
        release.shape(other.getClass()).field("clientSoftwareName").set(other, "x");
        List<String> found = check(release, instance(release, VERSIONS), other);
        assertEquals(": copies-differ", found.get(0));
    }

    @ParameterizedTest
    @MethodSource("io.wireproof.oracle.KafkaReleases#versions")
    void floatsAndDuplicatesOfKafkaBreakIt(String version) throws Throwable {
        Release release = KafkaReleases.open(version);
        PlanBuilder value = PlanBuilder.inflexible().field(Kind.STRING, "key").field(Kind.FLOAT64, "value");
        PlanBuilder entry = PlanBuilder.inflexible().struct(PlanBuilder.ARRAY, "values", value);
        CellCodec cell = release.cell(
                KafkaReleases.MESSAGES + "DescribeClientQuotasResponseData",
                0,
                PlanBuilder.inflexible().struct(PlanBuilder.ARRAY, "entries", entry).bytes());
        List<String> found = breaches(cell.equality(Reply.bytes("00000001 00000001 00000000 3ff8000000000000")));
        String path = "entries[].values[].value: ";
        assertEquals(List.of(path + "nan-differs", path + "zeros-equal", path + "zeros-hash"), found);

        CellCodec tagged = release.cell(VERSIONS, 3, PlanBuilder.flexible().bytes());
        assertEquals(List.of(), breaches(tagged.equality(Reply.bytes("00000000"))));
        byte[] unknownTag = Reply.bytes("00000001 00000009 00000001 aa");
        assertEquals(List.of(": duplicate-differs"), breaches(tagged.equality(unknownTag)));
    }
}
