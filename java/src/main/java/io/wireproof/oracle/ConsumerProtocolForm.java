package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/**
 * Subscriptions and assignments by Kafka's {@code ConsumerProtocol}.
 *
 * <p>Its two readers: one gives the generated message, in newer releases; the other an object of the consumer's
 * own, which is reported as {@code ConsumerProtocol} writes it. That sorts, and puts partitions of one topic
 * together, so that only what it means is the same.
 */
final class ConsumerProtocolForm extends BlobForm {
    private final VersionPrefix prefix;
    private final Method versionOf;
    private final Method readMessage;
    private final Method readObject;
    private final Method writeObject;

    /**
     * @param kind {@code Subscription} or {@code Assignment}
     * @param messages whether the reader of messages is meant
     */
    ConsumerProtocolForm(ClassLoader loader, VersionPrefix prefix, String kind, boolean messages)
            throws ReflectiveOperationException {
        this.prefix = prefix;
        Class<?> protocol = loader.loadClass("org.apache.kafka.clients.consumer.internals.ConsumerProtocol");
        Class<?> object = loader.loadClass("org.apache.kafka.clients.consumer.ConsumerPartitionAssignor$" + kind);
        versionOf = method(protocol, "deserializeVersion", ByteBuffer.class);
        readObject = method(protocol, "deserialize" + kind, ByteBuffer.class);
        writeObject = method(protocol, "serialize" + kind, object, short.class);
        readMessage = messages ? method(protocol, "deserializeConsumerProtocol" + kind, ByteBuffer.class) : null;
    }

    @Override
    Blob write(Object message, short version) throws Throwable {
        return new Blob(null, prefix.versioned(message, version));
    }

    @Override
    Content read(ValueCell cell, Blob blob) throws Throwable {
        short version = (short) SchemaCodec.call(versionOf, null, ByteBuffer.wrap(blob.data));
        short known = version > cell.version ? cell.version : version;
        if (readMessage != null) {
            Object message = SchemaCodec.call(readMessage, null, ByteBuffer.wrap(blob.data));
            return new Content(message, write(message, known));
        }
        Object object = SchemaCodec.call(readObject, null, ByteBuffer.wrap(blob.data));
        ByteBuffer again = (ByteBuffer) SchemaCodec.call(writeObject, null, object, known);
        byte[] data = new byte[again.remaining()];
        again.get(data);
        return new Content(VersionPrefix.body(cell, data, known), new Blob(null, data));
    }
}
