package io.wireproof.oracle;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Kafka's record classes as method handles, found by name and number of arguments: their package is {@code
 * common.record}, since 4.3 {@code common.record.internal}, and the types in their signatures move too.
 */
final class KafkaRecords {
    static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();
    private static final String RECORD = "org.apache.kafka.common.record.";

    final MethodHandle readable;
    final MethodHandle batches;
    final MethodHandle validBytes;
    final MethodHandle sizeInBytes;
    final MethodHandle buffer;
    final MethodHandle ensureValid;
    final MethodHandle magic;
    final MethodHandle baseOffset;
    final MethodHandle lastOffset;
    final MethodHandle baseTimestamp;
    final MethodHandle maxTimestamp;
    final MethodHandle leaderEpoch;
    final MethodHandle producerId;
    final MethodHandle producerEpoch;
    final MethodHandle baseSequence;
    final MethodHandle isTransactional;
    final MethodHandle isControlBatch;
    final MethodHandle streamingIterator;
    final Object noCaching;
    final MethodHandle ensureRecordValid;
    final MethodHandle offset;
    final MethodHandle timestamp;
    final MethodHandle sequence;
    final MethodHandle key;
    final MethodHandle value;
    final MethodHandle headers;
    final MethodHandle headerKey;
    final MethodHandle headerValue;

    private final ClassLoader loader;
    private final String packageName;
    private final MethodHandle compressionType;
    private final MethodHandle timestampType;
    private final MethodHandle deleteHorizon;
    private final MethodHandle parseControl;
    private final MethodHandle controlId;

    KafkaRecords(ClassLoader loader) throws ReflectiveOperationException {
        this.loader = loader;
        this.packageName = packageOf(loader);
        Class<?> records = type("MemoryRecords");
        Class<?> batch = type("RecordBatch");
        Class<?> record = type("Record");
        Class<?> header = loader.loadClass("org.apache.kafka.common.header.Header");
        readable = handle(records, "readableRecords", 1);
        batches = handle(records, "batches", 0);
        validBytes = handle(records, "validBytes", 0);
        sizeInBytes = handle(records, "sizeInBytes", 0);
        buffer = handle(records, "buffer", 0);
        ensureValid = handle(batch, "ensureValid", 0);
        magic = handle(batch, "magic", 0);
        baseOffset = handle(batch, "baseOffset", 0);
        lastOffset = handle(batch, "lastOffset", 0);
        baseTimestamp = baseTimestamp(type("DefaultRecordBatch"));
        maxTimestamp = handle(batch, "maxTimestamp", 0);
        leaderEpoch = handle(batch, "partitionLeaderEpoch", 0);
        producerId = handle(batch, "producerId", 0);
        producerEpoch = handle(batch, "producerEpoch", 0);
        baseSequence = handle(batch, "baseSequence", 0);
        isTransactional = handle(batch, "isTransactional", 0);
        isControlBatch = handle(batch, "isControlBatch", 0);
        compressionType = handle(batch, "compressionType", 0);
        timestampType = handle(batch, "timestampType", 0);
        deleteHorizon = handleOrNull(batch, "deleteHorizonMs", 0);
        Method streaming = find(batch, "streamingIterator", 1);
        streamingIterator = LOOKUP.unreflect(streaming);
        noCaching = streaming.getParameterTypes()[0].getField("NO_CACHING").get(null);
        ensureRecordValid = handle(record, "ensureValid", 0);
        offset = handle(record, "offset", 0);
        timestamp = handle(record, "timestamp", 0);
        sequence = handle(record, "sequence", 0);
        key = handle(record, "key", 0);
        value = handle(record, "value", 0);
        headers = handle(record, "headers", 0);
        headerKey = handle(header, "key", 0);
        headerValue = handle(header, "value", 0);
        Class<?> control = type("ControlRecordType");
        parseControl = handle(control, "parse", 1);
        Field controlType = control.getDeclaredField("type");
        controlType.setAccessible(true); // older releases have no public way to it
        controlId = LOOKUP.unreflectGetter(controlType);
    }

    int compressionId(Object batch) throws Throwable {
        return id((Object) compressionType.invoke(batch));
    }

    int timestampTypeId(Object batch) throws Throwable {
        return id((Object) timestampType.invoke(batch));
    }

    /** Empty where there is none, or where the release does not know of any. */
    OptionalLong deleteHorizon(Object batch) throws Throwable {
        return deleteHorizon == null ? OptionalLong.empty() : (OptionalLong) deleteHorizon.invoke(batch);
    }

    /** The type in a control record's key; -1 for those the release does not know. */
    short controlType(ByteBuffer controlKey) throws Throwable {
        return (short) controlId.invoke((Object) parseControl.invoke(controlKey));
    }

    /** A class beside MemoryRecords. */
    Class<?> type(String name) throws ClassNotFoundException {
        return loader.loadClass(packageName + name);
    }

    Class<?> typeOf(String qualified) throws ClassNotFoundException {
        return loader.loadClass(qualified);
    }

    /** A public method by name and number of arguments. */
    static MethodHandle handle(Class<?> type, String name, int arguments) throws ReflectiveOperationException {
        Method found = find(type, name, arguments);
        if (found == null) {
            throw new NoSuchMethodException(type.getName() + "." + name);
        }
        return LOOKUP.unreflect(found);
    }

    /** The same; null where there is none. */
    static MethodHandle handleOrNull(Class<?> type, String name, int arguments)
            throws ReflectiveOperationException {
        Method found = find(type, name, arguments);
        return found == null ? null : LOOKUP.unreflect(found);
    }

    static MethodHandle handle(Constructor<?> constructor) throws IllegalAccessException {
        return LOOKUP.unreflectConstructor(constructor);
    }

    /** The constant of an enum whose public field {@code id} has this value. */
    static Object constant(Class<?> type, int id) throws ReflectiveOperationException {
        for (Object each : type.getEnumConstants()) {
            if (id(each) == id) {
                return each;
            }
        }
        throw new IllegalArgumentException(type.getSimpleName() + " has no id " + id);
    }

    private static int id(Object constant) throws ReflectiveOperationException {
        Class<?> declaring = ((Enum<?>) constant).getDeclaringClass();
        return ((Number) declaring.getField("id").get(constant)).intValue();
    }

    private static Method find(Class<?> type, String name, int arguments) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == arguments)
                .filter(method -> !method.isBridge())
                .findFirst()
                .orElse(null);
    }

    /** Before KIP-534's delete horizon it is called {@code firstTimestamp}. */
    private static MethodHandle baseTimestamp(Class<?> batch) throws ReflectiveOperationException {
        return handle(batch, find(batch, "baseTimestamp", 0) == null ? "firstTimestamp" : "baseTimestamp", 0);
    }

    private static String packageOf(ClassLoader loader) {
        try {
            loader.loadClass(RECORD + "internal.MemoryRecords");
            return RECORD + "internal.";
        } catch (ClassNotFoundException e) {
            return RECORD;
        }
    }
}
