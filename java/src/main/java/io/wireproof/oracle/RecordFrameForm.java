package io.wireproof.oracle;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Records with frame version, type and version in front: Kafka's {@code MetadataRecordSerde} and the serde
 * inside {@code RemoteLogMetadataSerde}. Both want server-common, but for 2.8, which had its own.
 */
final class RecordFrameForm extends BlobForm {
    private static final String VERSIONED = "ApiMessageAndVersion";

    private final Class<?> versioned;
    private final Constructor<?> newVersioned;
    private final Writer writer;
    private final Reader reader;

    private RecordFrameForm(Class<?> versioned, Writer writer, Reader reader) throws ReflectiveOperationException {
        this.versioned = versioned;
        this.newVersioned = versioned.getConstructors()[0];
        this.writer = writer;
        this.reader = reader;
    }

    /** The metadata log. */
    static RecordFrameForm metadata(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> type = first(loader, "org.apache.kafka.metadata.MetadataRecordSerde",
                "org.apache.kafka.raft.metadata.MetadataRecordSerde");
        Object serde = type.getConstructor().newInstance();
        Constructor<?> accessor = loader.loadClass("org.apache.kafka.common.protocol.ByteBufferAccessor")
                .getConstructor(ByteBuffer.class);
        Constructor<?> cache = loader.loadClass("org.apache.kafka.common.protocol.ObjectSerializationCache")
                .getConstructor();
        Class<?> versioned = versioned(loader);
        Method size = method(type, "recordSize", versioned, null);
        Method write = method(type, "write", versioned, null, null);
        Method read = method(type, "read", null, int.class);
        return new RecordFrameForm(versioned, value -> {
            Object sizes = cache.newInstance();
            ByteBuffer to = ByteBuffer.allocate((int) SchemaCodec.call(size, serde, value, sizes));
            SchemaCodec.call(write, serde, value, sizes, accessor.newInstance(to));
            return Arrays.copyOf(to.array(), to.position());
        }, data -> SchemaCodec.call(read, serde, accessor.newInstance(ByteBuffer.wrap(data)), data.length));
    }

    /** The topic of remote log metadata. */
    static RecordFrameForm remoteLog(ClassLoader loader) throws ReflectiveOperationException {
        String place = "org.apache.kafka.server.log.remote.metadata.storage.serialization.RemoteLogMetadataSerde";
        Class<?> outer = loader.loadClass(place);
        Class<?> inner = loader.loadClass("org.apache.kafka.server.common.serialization.BytesApiMessageSerde");
        Object serde = fieldOf(outer.getConstructor().newInstance(), inner);
        Method write = method(inner, "serialize", versioned(loader));
        Method read = method(inner, "deserialize", byte[].class);
        return new RecordFrameForm(versioned(loader),
                value -> (byte[]) SchemaCodec.call(write, serde, value),
                data -> SchemaCodec.call(read, serde, (Object) data));
    }

    /** The class of a message with its version, which moved from metadata to server-common in 3.0. */
    static Class<?> versioned(ClassLoader loader) throws ClassNotFoundException {
        return first(loader, "org.apache.kafka.server.common." + VERSIONED, "org.apache.kafka.metadata." + VERSIONED);
    }

    private static Class<?> first(ClassLoader loader, String name, String other) throws ClassNotFoundException {
        try {
            return loader.loadClass(name);
        } catch (ClassNotFoundException e) {
            return loader.loadClass(other);
        }
    }

    private static Object fieldOf(Object instance, Class<?> type) throws ReflectiveOperationException {
        for (Field field : instance.getClass().getDeclaredFields()) {
            if (type.isAssignableFrom(field.getType())) {
                field.setAccessible(true);
                return field.get(instance);
            }
        }
        throw new NoSuchFieldException("no field of " + type);
    }

    @Override
    Blob write(Object message, short version) throws Throwable {
        return new Blob(null, writer.write(newVersioned.newInstance(message, version)));
    }

    @Override
    Content read(CellCodec cell, Blob blob) throws Throwable {
        Object value = reader.read(blob.data);
        Object message = SchemaCodec.call(method(versioned, "message"), value);
        return new Content(message, new Blob(null, writer.write(value)));
    }

    /** A message with its version to bytes. */
    private interface Writer {
        byte[] write(Object versioned) throws Throwable;
    }

    /** Bytes to a message with its version. */
    private interface Reader {
        Object read(byte[] data) throws Throwable;
    }
}
