package io.wireproof.oracle;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/**
 * Records of a coordinator by its own serde: {@code GroupCoordinatorRecordSerde} and its like, {@code
 * CoordinatorRecordSerde} in 3.8 and 3.9, {@code RecordSerde} in 3.6 and 3.7.
 *
 * <p>They want server-common, from 4.0 on coordinator-common too. A key's record is a tombstone.
 */
final class CoordinatorForm extends BlobForm {
    private static final String[] SERDES = {
        "GroupCoordinatorRecordSerde",
        "TransactionCoordinatorRecordSerde",
        "ShareCoordinatorRecordSerde",
        "CoordinatorRecordSerde",
        "RecordSerde"
    };

    private final boolean isKey;
    private final Object serde;
    private final Method serialize;
    private final Method deserialize;
    private final Method part;
    private final Class<?> versioned;
    private final Constructor<?> newVersioned;
    private final Method newRecord;
    private final Method newTombstone;
    private final Constructor<?> recordConstructor;

    CoordinatorForm(ClassLoader loader, Class<?> message, boolean isKey) throws ReflectiveOperationException {
        this.isKey = isKey;
        Class<?> type = serde(loader, message);
        serde = type.getConstructor().newInstance();
        serialize = methodOrNull(type, isKey ? "serializeKey" : "serializeValue", 1);
        deserialize = method(type, "deserialize", ByteBuffer.class, ByteBuffer.class);
        Class<?> record = serialize.getParameterTypes()[0];
        part = method(record, isKey ? "key" : "value");
        versioned = RecordFrameForm.versioned(loader);
        newVersioned = versioned.getConstructors()[0];
        newRecord = methodOrNull(record, "record", 2);
        newTombstone = methodOrNull(record, "tombstone", 1);
        recordConstructor = newRecord == null ? record.getConstructor(versioned, versioned) : null;
    }

    private static Class<?> serde(ClassLoader loader, Class<?> message) throws ClassNotFoundException {
        return serde(loader, message.getPackage().getName().replace(".generated", "."));
    }

    /** The serde of the coordinator in a package, whose name ends in a dot. */
    static Class<?> serde(ClassLoader loader, String place) throws ClassNotFoundException {
        for (String name : SERDES) {
            try {
                return loader.loadClass(place + name);
            } catch (ClassNotFoundException e) {
                continue;
            }
        }
        throw new ClassNotFoundException("no serde of records in " + place);
    }

    @Override
    Blob write(Object message, short version) throws Throwable {
        Object value = newVersioned.newInstance(message, version);
        return new Blob(null, (byte[]) SchemaCodec.call(serialize, serde, record(message, value)));
    }

    /** A record whose other half does not matter. */
    private Object record(Object message, Object value) throws Throwable {
        if (recordConstructor != null) {
            return recordConstructor.newInstance(value, isKey ? null : value);
        }
        return isKey
                ? SchemaCodec.call(newTombstone, null, message)
                : SchemaCodec.call(newRecord, null, message, value);
    }

    @Override
    Content read(ValueCell cell, Blob blob) throws Throwable {
        ByteBuffer data = ByteBuffer.wrap(blob.data);
        Object record = isKey
                ? SchemaCodec.call(deserialize, serde, data, null)
                : SchemaCodec.call(deserialize, serde, ByteBuffer.wrap(blob.key), data);
        Object found = SchemaCodec.call(part, record);
        Object message = versioned.isInstance(found) ? SchemaCodec.call(method(versioned, "message"), found) : found;
        return new Content(message, new Blob(null, (byte[]) SchemaCodec.call(serialize, serde, record)));
    }
}
