package io.wireproof.oracle;

import java.io.Closeable;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Iterator;

/** Control records of a release: made by {@code MemoryRecords}, and put before Kafka's readers of them. */
final class ControlRecords {
    private final ClassLoader loader;
    private final KafkaRecords kafka;

    ControlRecords(ClassLoader loader) throws ReflectiveOperationException {
        this.loader = loader;
        this.kafka = new KafkaRecords(loader);
    }

    Class<?> type(String name) throws ClassNotFoundException {
        return kafka.type(name);
    }

    /** The batch that a method of {@code MemoryRecords} makes; what it asks for beside the content is 0. */
    BlobForm.Blob made(String name, Object content) throws Throwable {
        Method method = maker(name, content.getClass());
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = types[i].isInstance(content) ? content : nothing(types[i]);
        }
        return first(SchemaCodec.call(method, null, arguments));
    }

    private Method maker(String name, Class<?> content) throws ReflectiveOperationException {
        Method found = null;
        for (Method method : type("MemoryRecords").getMethods()) {
            boolean shorter = found == null || method.getParameterCount() < found.getParameterCount();
            if (method.getName().equals(name) && shorter) {
                found = method;
            }
        }
        if (found == null) {
            throw new NoSuchMethodException("MemoryRecords." + name + " of " + content);
        }
        return found;
    }

    private static Object nothing(Class<?> type) {
        if (type == long.class) {
            return 0L;
        }
        if (type == int.class) {
            return 0;
        }
        return type == short.class ? (Object) (short) 0 : ByteBuffer.allocate(1 << 16);
    }

    private BlobForm.Blob first(Object records) throws Throwable {
        Object batch = ((Iterable<?>) kafka.batches.invoke(records)).iterator().next();
        Object held = (Object) kafka.streamingIterator.invoke(batch, kafka.noCaching);
        try (Closeable open = (Closeable) held) {
            Object record = ((Iterator<?>) open).next();
            return new BlobForm.Blob(
                    bytes((ByteBuffer) kafka.key.invoke(record)), bytes((ByteBuffer) kafka.value.invoke(record)));
        }
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] data = new byte[buffer.remaining()];
        buffer.duplicate().get(data);
        return data;
    }

    /** A record of Kafka's with this key and value. */
    Object record(BlobForm.Blob blob) throws ClassNotFoundException {
        return Proxy.newProxyInstance(loader, new Class<?>[] {type("Record")}, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "key":
                    return ByteBuffer.wrap(blob.key);
                case "value":
                    return ByteBuffer.wrap(blob.data);
                default:
                    throw new UnsupportedOperationException(method.getName());
            }
        });
    }
}
