package io.wireproof.oracle;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Records of a coordinator by the serde of its runtime, as {@code CoordinatorLoaderImpl} reads them. */
final class SerdeLoad implements RecordLoad {
    private static final String SKIPPED = "UnknownRecordTypeException";

    private final ClassLoader loader;
    private final String place;
    private final Object serde;
    private final Method deserialize;

    SerdeLoad(ClassLoader loader, String place) throws ReflectiveOperationException {
        this.loader = loader;
        this.place = place;
        Class<?> type = CoordinatorForm.serde(loader, place);
        serde = type.getConstructor().newInstance();
        deserialize = BlobForm.method(type, "deserialize", ByteBuffer.class, ByteBuffer.class);
    }

    @Override
    public String load(ByteBuffer key, ByteBuffer value) throws Throwable {
        try {
            return SchemaCodec.call(deserialize, serde, key, value).toString();
        } catch (Throwable thrown) {
            Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
            if (thrown.getClass().getSimpleName().equals(SKIPPED) || cause.getClass().getSimpleName().equals(SKIPPED)) {
                return null;
            }
            throw thrown;
        }
    }

    /** Committed offsets as they were read; of a classic group only the empty one. Others are not written again. */
    @Override
    public List<String> rewrite(ByteBuffer key, ByteBuffer value) throws Throwable {
        Object record = SchemaCodec.call(deserialize, serde, key, value);
        Object versioned = SchemaCodec.call(BlobForm.method(record.getClass(), "value"), record);
        Object message = SchemaCodec.call(BlobForm.method(versioned.getClass(), "message"), versioned);
        Class<?> helpers = loader.loadClass(place + "GroupCoordinatorRecordHelpers");
        Object again = message.getClass().getSimpleName().equals("GroupMetadataValue")
                ? SchemaCodec.call(BlobForm.methodOrNull(helpers, "newGroupMetadataRecord", 2), null, group(), Map.of())
                : SchemaCodec.call(
                        BlobForm.methodOrNull(helpers, "newOffsetCommitRecord", 4), null, "g", "t", 0, offset(message));
        Method serialize = BlobForm.methodOrNull(serde.getClass(), "serializeValue", 1);
        List<String> written = new ArrayList<>();
        written.add(RecordLoad.written("always", (byte[]) SchemaCodec.call(serialize, serde, again)));
        return written;
    }

    private Object offset(Object message) throws Throwable {
        Class<?> held = loader.loadClass(place + "OffsetAndMetadata");
        return SchemaCodec.call(
                BlobForm.method(held, "fromRecord", long.class, message.getClass()), null, 0L, message);
    }

    private Object group() throws ReflectiveOperationException {
        for (Constructor<?> each : loader.loadClass(place + "classic.ClassicGroup").getConstructors()) {
            if (each.getParameterCount() == 4) {
                Class<?>[] types = each.getParameterTypes();
                Object clock = types[3].getField("SYSTEM").get(null);
                return each.newInstance(
                        types[0].getConstructor().newInstance(), "g", types[2].getEnumConstants()[0], clock);
            }
        }
        throw new NoSuchMethodException("a constructor of ClassicGroup with four parameters");
    }
}
