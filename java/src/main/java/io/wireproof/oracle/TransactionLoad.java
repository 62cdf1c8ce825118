package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Records of __transaction_state by {@code TransactionLog}, as {@code TransactionStateManager} reads them. */
abstract class TransactionLoad implements RecordLoad {
    private final Method write;
    private final Object writer;

    TransactionLoad(Class<?> type, Object writer) {
        this.writer = writer;
        Method flexible = BlobForm.methodOrNull(type, "valueToBytes", 2);
        write = flexible == null ? BlobForm.methodOrNull(type, "valueToBytes", 1) : flexible;
    }

    /** Kafka's reader in the language that the release has it in. */
    static RecordLoad of(ClassLoader loader) throws ReflectiveOperationException {
        try {
            return new Scala(loader.loadClass("kafka.coordinator.transaction.TransactionLog$"));
        } catch (ClassNotFoundException e) {
            return new Java(loader.loadClass("org.apache.kafka.coordinator.transaction.TransactionLog"));
        }
    }

    /** The transaction's metadata; null for a record that is skipped. */
    abstract Object read(ByteBuffer key, ByteBuffer value) throws Throwable;

    @Override
    public String load(ByteBuffer key, ByteBuffer value) throws Throwable {
        Object read = read(key, value);
        return read == null ? null : read.toString();
    }

    @Override
    public List<String> rewrite(ByteBuffer key, ByteBuffer value) throws Throwable {
        Object read = read(key, value);
        Object transit = SchemaCodec.call(BlobForm.method(read.getClass(), "prepareNoTransit"), read);
        Map<String, Object> first = new LinkedHashMap<>();
        if (write.getParameterCount() == 1) {
            first.put(RecordLoad.written("", (byte[]) SchemaCodec.call(write, writer, transit)), "always");
        } else {
            for (Object setting : settings(write.getParameterTypes()[1])) {
                byte[] data = (byte[]) SchemaCodec.call(write, writer, transit, setting);
                first.putIfAbsent(RecordLoad.written("", data), setting);
            }
        }
        List<String> written = new ArrayList<>();
        first.forEach((data, setting) -> written.add(setting + data));
        return written;
    }

    private static List<Object> settings(Class<?> type) {
        return type == boolean.class ? List.of(false, true) : List.of(type.getEnumConstants());
    }

    /** Up to 4.2. */
    private static final class Scala extends TransactionLoad {
        private final Class<?> type;
        private final Object log;

        Scala(Class<?> type) throws ReflectiveOperationException {
            super(type, type.getField("MODULE$").get(null));
            this.type = type;
            log = type.getField("MODULE$").get(null);
        }

        @Override
        Object read(ByteBuffer key, ByteBuffer value) throws Throwable {
            Object label = SchemaCodec.call(BlobForm.method(type, "readTxnRecordKey", ByteBuffer.class), log, key);
            String kind = label.getClass().getSimpleName();
            if (kind.equals("UnknownKey") || kind.equals("Left")) {
                return null;
            }
            String getter = kind.equals("Right") ? "value" : "transactionalId"; // from 4.1 on an Either
            Object id = SchemaCodec.call(BlobForm.method(label.getClass(), getter), label);
            Object found = SchemaCodec.call(
                    BlobForm.method(type, "readTxnRecordValue", String.class, ByteBuffer.class), log, id, value);
            return SchemaCodec.call(BlobForm.method(found.getClass(), "get"), found);
        }
    }

    /** From 4.3 on. */
    private static final class Java extends TransactionLoad {
        private final Method read;

        Java(Class<?> type) throws ReflectiveOperationException {
            super(type, null);
            read = BlobForm.method(type, "read", ByteBuffer.class, ByteBuffer.class);
        }

        @Override
        Object read(ByteBuffer key, ByteBuffer value) throws Throwable {
            Object result = SchemaCodec.call(read, null, key, value);
            return result.getClass().getSimpleName().startsWith("Unknown")
                    ? null
                    : SchemaCodec.call(BlobForm.method(result.getClass(), "metadata"), result);
        }
    }
}
