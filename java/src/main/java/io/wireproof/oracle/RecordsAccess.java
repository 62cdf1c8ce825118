package io.wireproof.oracle;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;

/**
 * Kafka's MemoryRecords, in whichever package the release has them: the one of the type that the
 * generated class names (since 4.3 {@code common.record.internal}).
 */
final class RecordsAccess {
    private final Class<?> memoryRecords;
    private final MethodHandle of;
    private final MethodHandle buffer;

    RecordsAccess(Class<?> declared) throws ReflectiveOperationException {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        memoryRecords = declared.getClassLoader().loadClass(declared.getPackageName() + ".MemoryRecords");
        of = lookup.findStatic(memoryRecords, "readableRecords", methodType(memoryRecords, ByteBuffer.class))
                .asType(methodType(Object.class, ByteBuffer.class));
        buffer = lookup.findVirtual(memoryRecords, "buffer", methodType(ByteBuffer.class))
                .asType(methodType(ByteBuffer.class, Object.class));
    }

    /** Records of these bytes, whatever they are. */
    Object of(ByteBuffer bytes) throws Throwable {
        return (Object) of.invokeExact(bytes);
    }

    /** The bytes of the records. */
    ByteBuffer buffer(Object records) throws Throwable {
        return (ByteBuffer) buffer.invokeExact(records);
    }
}
