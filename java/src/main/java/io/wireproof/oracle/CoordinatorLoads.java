package io.wireproof.oracle;

import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The readers that load coordinators' records after a restart, and the writers beside them, by name.
 *
 * <p>{@code group-classic}: {@code GroupMetadataManager} of 2.8 to 3.9. {@code group}, {@code share}: the serdes of the
 * coordinator runtime. {@code transaction}: {@code TransactionLog}, in Scala up to 4.2, in Java from 4.3 on.
 */
public final class CoordinatorLoads {
    private final ClassLoader loader;

    CoordinatorLoads(ClassLoader loader) {
        this.loader = loader;
    }

    /**
     * Load records one by one.
     *
     * @param batch of blobs as in {@link BlobCodec}: the key and the value of each record
     * @return for each record the outcome, the class that threw, and words about it, with a tab between; the
     *     outcomes are {@code read}, {@code skipped} and {@code threw}
     */
    public String[] load(String name, byte[] batch) throws ReflectiveOperationException {
        RecordLoad load = load(name);
        ByteSource in = new ByteSource(batch);
        List<String> replies = new ArrayList<>();
        while (in.hasMore()) {
            int end = in.getInt() + in.position();
            ByteBuffer key = ByteBuffer.wrap(in.getBytes(in.getInt()));
            ByteBuffer value = ByteBuffer.wrap(in.getBytes(end - in.position()));
            replies.add(reply(load, key, value));
        }
        return replies.toArray(new String[0]);
    }

    /**
     * Load records as above, and let the release write again what it holds then, once for each of its settings.
     *
     * @return for each record the values in hexadecimal, each after the oldest setting that gives it:
     *     {@code IBP_2_8_IV1=0003...}, with a tab between
     */
    public String[] rewrite(String name, byte[] batch) throws ReflectiveOperationException {
        RecordLoad load = load(name);
        ByteSource in = new ByteSource(batch);
        List<String> replies = new ArrayList<>();
        while (in.hasMore()) {
            int end = in.getInt() + in.position();
            ByteBuffer key = ByteBuffer.wrap(in.getBytes(in.getInt()));
            ByteBuffer value = ByteBuffer.wrap(in.getBytes(end - in.position()));
            try {
                replies.add(String.join("\t", load.rewrite(key, value)));
            } catch (Throwable thrown) {
                throw new IllegalStateException(name + " cannot write again: " + cause(thrown), cause(thrown));
            }
        }
        return replies.toArray(new String[0]);
    }

    private RecordLoad load(String name) throws ReflectiveOperationException {
        switch (name) {
            case "group-classic":
                return new ClassicGroupLoad(loader);
            case "transaction":
                return TransactionLoad.of(loader);
            case "group":
                return new SerdeLoad(loader, "org.apache.kafka.coordinator.group.");
            case "share":
                return new SerdeLoad(loader, "org.apache.kafka.coordinator.share.");
            default:
                throw new IllegalArgumentException("no load " + name);
        }
    }

    private static String reply(RecordLoad load, ByteBuffer key, ByteBuffer value) {
        try {
            String words = load.load(key, value);
            return words == null ? "skipped\t\t" : "read\t\t" + words;
        } catch (Throwable thrown) {
            Throwable cause = cause(thrown);
            if (cause instanceof LinkageError || cause instanceof ReflectiveOperationException) {
                throw new IllegalStateException("a jar is missing: " + cause, cause);
            }
            return "threw\t" + cause.getClass().getSimpleName() + "\t" + cause.getMessage();
        }
    }

    private static Throwable cause(Throwable thrown) {
        return thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
    }
}
