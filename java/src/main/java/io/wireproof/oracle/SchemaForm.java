package io.wireproof.oracle;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Hand-written protocols in their framing: by their schemas, and by the classes that use these.
 *
 * <p>Connect's blobs begin with their version; the sticky assignor's have nothing before the body.
 */
final class SchemaForm extends BlobForm {
    private static final String CONNECT = "org.apache.kafka.connect.runtime.distributed.";

    private final boolean prefixed;
    private final Rewriter rewriter;

    private SchemaForm(boolean prefixed, Rewriter rewriter) {
        this.prefixed = prefixed;
        this.rewriter = rewriter;
    }

    /** The schemas alone. */
    static SchemaForm plain(boolean prefixed) {
        return new SchemaForm(prefixed, (data, version) -> data);
    }

    /** The sticky assignor's reader and writer. */
    static SchemaForm sticky(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> type = loader.loadClass("org.apache.kafka.clients.consumer.StickyAssignor");
        Method read = methodOrNull(type, "deserializeTopicPartitionAssignment", 1);
        Method write = methodOrNull(type, "serializeTopicPartitionAssignment", 1);
        return new SchemaForm(false, (data, version) -> {
            Object member = withGeneration(SchemaCodec.call(read, null, ByteBuffer.wrap(data)));
            return bytes(SchemaCodec.call(write, null, member));
        });
    }

    /** A value of version 0 has no generation, and could not be written again at version 1. */
    private static Object withGeneration(Object member) throws ReflectiveOperationException {
        Field generation = member.getClass().getDeclaredField("generation");
        Field partitions = member.getClass().getDeclaredField("partitions");
        generation.setAccessible(true);
        partitions.setAccessible(true);
        if (((Optional<?>) generation.get(member)).isPresent()) {
            return member;
        }
        return member.getClass().getConstructor(List.class, Optional.class)
                .newInstance(partitions.get(member), Optional.of(-1));
    }

    /**
     * Connect's readers and writers: {@code ConnectProtocol} at version 0, above it the incremental one.
     *
     * @param kind {@code Metadata} or {@code Assignment}
     */
    static SchemaForm connect(ClassLoader loader, String kind) throws ReflectiveOperationException {
        Class<?> eager = loader.loadClass(CONNECT + "ConnectProtocol");
        Class<?> incremental = loader.loadClass(CONNECT + "IncrementalCooperativeConnectProtocol");
        return new SchemaForm(true, (data, version) -> {
            Class<?> protocol = version == 0 ? eager : incremental;
            Object held = SchemaCodec.call(methodOrNull(protocol, "deserialize" + kind, 1), null, ByteBuffer.wrap(data));
            Method plain = methodOrNull(protocol, "serialize" + kind, 1);
            Method sessioned = methodOrNull(protocol, "serialize" + kind, 2);
            return bytes(sessioned == null
                    ? SchemaCodec.call(plain, null, held)
                    : SchemaCodec.call(sessioned, null, held, version == 2));
        });
    }

    private static byte[] bytes(Object buffer) {
        ByteBuffer held = (ByteBuffer) buffer;
        byte[] data = new byte[held.remaining()];
        held.get(data);
        return data;
    }

    @Override
    Blob write(Object message, short version) throws Throwable {
        throw new UnsupportedOperationException("written by its cell");
    }

    @Override
    Blob write(ValueCell cell, Object message) throws Throwable {
        byte[] body = ((SchemaCell) cell).bytes(message);
        if (!prefixed) {
            return new Blob(null, body);
        }
        return new Blob(null, ByteBuffer.allocate(body.length + 2).putShort(cell.version).put(body).array());
    }

    @Override
    Content read(ValueCell cell, Blob blob) throws Throwable {
        short version = prefixed ? ByteBuffer.wrap(blob.data).getShort() : cell.version;
        byte[] again = rewriter.again(blob.data, version);
        ByteBuffer body = ByteBuffer.wrap(again);
        if (prefixed) {
            body.getShort();
        }
        return new Content(cell.parse(body, cell.version), new Blob(null, again));
    }

    /** The bytes that a protocol's own classes write of the blob that they read. */
    private interface Rewriter {
        byte[] again(byte[] data, short version) throws Throwable;
    }
}
