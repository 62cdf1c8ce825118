package io.wireproof.oracle;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The base of the generated classes of one release, as method handles: nothing of Kafka is on the
 * compile class path, so that one build serves every release.
 *
 * <p>Holds for 2.8 and later: {@code Message} has {@code addSize} with an accumulator, and uuids are
 * {@code org.apache.kafka.common.Uuid}.
 */
final class KafkaProtocol {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();
    private static final String PROTOCOL = "org.apache.kafka.common.protocol.";

    /** The interface of all generated classes. */
    final Class<?> message;

    private final MethodHandle newAccessor;
    private final MethodHandle newCache;
    private final MethodHandle newAccumulator;
    private final MethodHandle read;
    private final MethodHandle addSize;
    private final MethodHandle totalSize;
    private final MethodHandle write;
    private final MethodHandle unknownTags;
    private final MethodHandle newRawTag;
    private final MethodHandle rawTag;
    private final MethodHandle rawData;
    private final MethodHandle newUuid;
    private final MethodHandle uuidHigh;
    private final MethodHandle uuidLow;

    KafkaProtocol(ClassLoader loader) throws ReflectiveOperationException {
        message = loader.loadClass(PROTOCOL + "Message");
        Class<?> accessor = loader.loadClass(PROTOCOL + "ByteBufferAccessor");
        Class<?> cache = loader.loadClass(PROTOCOL + "ObjectSerializationCache");
        Class<?> accumulator = loader.loadClass(PROTOCOL + "MessageSizeAccumulator");
        newAccessor = constructor(accessor, ByteBuffer.class).asType(methodType(Object.class, ByteBuffer.class));
        newCache = constructor(cache).asType(methodType(Object.class));
        newAccumulator = constructor(accumulator).asType(methodType(Object.class));
        read = call(message, void.class, "read", loader.loadClass(PROTOCOL + "Readable"), short.class)
                .asType(methodType(void.class, Object.class, Object.class, short.class));
        addSize = call(message, void.class, "addSize", accumulator, cache, short.class)
                .asType(methodType(void.class, Object.class, Object.class, Object.class, short.class));
        totalSize = call(accumulator, int.class, "totalSize").asType(methodType(int.class, Object.class));
        write = call(message, void.class, "write", loader.loadClass(PROTOCOL + "Writable"), cache, short.class)
                .asType(methodType(void.class, Object.class, Object.class, Object.class, short.class));
        unknownTags = call(message, List.class, "unknownTaggedFields").asType(methodType(List.class, Object.class));
        Class<?> raw = loader.loadClass(PROTOCOL + "types.RawTaggedField");
        newRawTag = constructor(raw, int.class, byte[].class)
                .asType(methodType(Object.class, int.class, byte[].class));
        rawTag = call(raw, int.class, "tag").asType(methodType(int.class, Object.class));
        rawData = call(raw, byte[].class, "data").asType(methodType(byte[].class, Object.class));
        Class<?> uuid = loader.loadClass("org.apache.kafka.common.Uuid");
        newUuid = constructor(uuid, long.class, long.class)
                .asType(methodType(Object.class, long.class, long.class));
        uuidHigh = call(uuid, long.class, "getMostSignificantBits").asType(methodType(long.class, Object.class));
        uuidLow = call(uuid, long.class, "getLeastSignificantBits").asType(methodType(long.class, Object.class));
    }

    /** Read an instance from the buffer, whose position is then the number of bytes consumed. */
    void read(Object instance, ByteBuffer from, short version) throws Throwable {
        Object readable = (Object) newAccessor.invokeExact(from);
        read.invokeExact(instance, readable, version);
    }

    /** The cache that write must be given again after {@link #size}. */
    Object newCache() throws Throwable {
        return (Object) newCache.invokeExact();
    }

    int size(Object instance, Object cache, short version) throws Throwable {
        Object accumulator = (Object) newAccumulator.invokeExact();
        addSize.invokeExact(instance, accumulator, cache, version);
        return (int) totalSize.invokeExact(accumulator);
    }

    void write(Object instance, ByteBuffer to, Object cache, short version) throws Throwable {
        Object writable = (Object) newAccessor.invokeExact(to);
        write.invokeExact(instance, writable, cache, version);
    }

    /** Size and write: the bytes. */
    byte[] bytes(Object instance, short version) throws Throwable {
        Object cache = newCache();
        ByteBuffer to = ByteBuffer.allocate(size(instance, cache, version));
        write(instance, to, cache, version);
        return java.util.Arrays.copyOf(to.array(), to.position());
    }

    /** The unknown tagged fields of an instance; the list may be added to. */
    @SuppressWarnings("unchecked")
    List<Object> unknownTags(Object instance) throws Throwable {
        return (List<Object>) (List<?>) unknownTags.invokeExact(instance);
    }

    Object newRawTag(int tag, byte[] data) throws Throwable {
        return (Object) newRawTag.invokeExact(tag, data);
    }

    int rawTag(Object raw) throws Throwable {
        return (int) rawTag.invokeExact(raw);
    }

    byte[] rawData(Object raw) throws Throwable {
        return (byte[]) rawData.invokeExact(raw);
    }

    Object newUuid(long high, long low) throws Throwable {
        return (Object) newUuid.invokeExact(high, low);
    }

    long uuidHigh(Object uuid) throws Throwable {
        return (long) uuidHigh.invokeExact(uuid);
    }

    long uuidLow(Object uuid) throws Throwable {
        return (long) uuidLow.invokeExact(uuid);
    }

    private static MethodHandle constructor(Class<?> type, Class<?>... parameters)
            throws ReflectiveOperationException {
        return LOOKUP.findConstructor(type, methodType(void.class, parameters));
    }

    private static MethodHandle call(Class<?> type, Class<?> result, String name, Class<?>... parameters)
            throws ReflectiveOperationException {
        return LOOKUP.findVirtual(type, name, methodType(result, parameters));
    }
}
