package io.wireproof.oracle;

import java.nio.charset.StandardCharsets;

/** Plans as Python sends them, written by hand. */
final class PlanBuilder {
    static final int ARRAY = 0x20;
    static final int NULLABLE = 0x40;
    static final int ABSENT = 0x80;

    private final boolean flexible;
    private final ByteSink fields = new ByteSink(64);
    private int count;

    private PlanBuilder(boolean flexible) {
        this.flexible = flexible;
    }

    static PlanBuilder flexible() {
        return new PlanBuilder(true);
    }

    static PlanBuilder inflexible() {
        return new PlanBuilder(false);
    }

    PlanBuilder field(Kind kind, String name) {
        return field(kind, 0, name);
    }

    PlanBuilder field(Kind kind, int flags, String name) {
        byte[] ascii = name.getBytes(StandardCharsets.US_ASCII);
        fields.putByte(kind.ordinal() | flags);
        fields.putByte(ascii.length);
        fields.putBytes(ascii);
        count++;
        return this;
    }

    PlanBuilder struct(int flags, String name, PlanBuilder inner) {
        field(Kind.STRUCT, flags, name);
        fields.putBytes(inner.bytes());
        return this;
    }

    byte[] bytes() {
        ByteSink out = new ByteSink(64);
        out.putByte(flexible ? 1 : 0);
        out.putShort(count);
        out.putBytes(fields.toArray());
        return out.toArray();
    }

    /** ApiVersionsResponse 3 and 4 of 3.9 and 4.x. */
    static PlanBuilder apiVersionsResponse() {
        PlanBuilder key = flexible().field(Kind.INT16, "apiKey").field(Kind.INT16, "minVersion")
                .field(Kind.INT16, "maxVersion");
        PlanBuilder supported = flexible().field(Kind.STRING, "name").field(Kind.INT16, "minVersion")
                .field(Kind.INT16, "maxVersion");
        PlanBuilder finalized = flexible().field(Kind.STRING, "name").field(Kind.INT16, "maxVersionLevel")
                .field(Kind.INT16, "minVersionLevel");
        return flexible()
                .field(Kind.INT16, "errorCode")
                .struct(ARRAY, "apiKeys", key)
                .field(Kind.INT32, "throttleTimeMs")
                .struct(ARRAY, "supportedFeatures", supported)
                .field(Kind.INT64, "finalizedFeaturesEpoch")
                .struct(ARRAY, "finalizedFeatures", finalized)
                .field(Kind.BOOL, "zkMigrationReady");
    }
}
