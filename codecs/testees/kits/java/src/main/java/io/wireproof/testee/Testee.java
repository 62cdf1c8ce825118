package io.wireproof.testee;

import java.util.Map;
import java.util.function.Supplier;

/**
 * A codec under test. An adapter has the operations that it claims, and hands itself to {@link #main}:
 *
 * <pre>
 *   public static void main(String[] words) {
 *       Testee.main(Adapter::new);
 *   }
 * </pre>
 *
 * <p>Operations return their result or throw a {@link Refusal}: where the codec declined in its orderly way, or where
 * its types cannot hold the value. Whatever else is thrown, errors of the JVM included, becomes an internal_error.
 *
 * <p>Record sets are the message {@code RecordBatch}, whose compressions the hello names.
 *
 * <p>Values are canonical JSON as Java's own types, in both directions as {@link Values} says.
 */
public interface Testee {
    /** The version of the testee protocol that this kit speaks. */
    int PROTOCOL = 1;

    /** Who is under test, and what is claimed for it. Asked once. */
    Hello hello();

    /** Bytes to a value, and how many of them were read. */
    default Decoded decode(String message, short version, byte[] data) throws Exception {
        throw unclaimed("decode");
    }

    /** A value to bytes; absent keys mean their defaults. */
    default byte[] encode(String message, short version, Map<String, Object> value) throws Exception {
        throw unclaimed("encode");
    }

    /** Decode, then encode what was decoded. */
    default Reencoded reencode(String message, short version, byte[] data) throws Exception {
        throw unclaimed("reencode");
    }

    /** How long the encoding of a value is. */
    default int size(String message, short version, Map<String, Object> value) throws Exception {
        throw unclaimed("size");
    }

    /** Size, header and body. */
    default byte[] frame(String message, short version, Map<String, Object> header, Map<String, Object> value)
            throws Exception {
        throw unclaimed("frame");
    }

    /** The reverse; what was read counts the four bytes of the size, too. */
    default Unframed unframe(String message, short version, byte[] data) throws Exception {
        throw unclaimed("unframe");
    }

    /** Whether two objects of the codec's, each decoded of its bytes, are equal. */
    default Equality equal(String message, short version, byte[] data, byte[] other) throws Exception {
        throw unclaimed("equal");
    }

    /** Decode, duplicate what was decoded, and encode the duplicate. */
    default byte[] copy(String message, short version, byte[] data) throws Exception {
        throw unclaimed("copy");
    }

    /** Who answers for single primitives; null for nobody. */
    default Primitives primitives() {
        return null;
    }

    /** Who answers for messages in the framings in which other data carry them; null for nobody. */
    default Embedded embedded() {
        return null;
    }

    /** What {@link #decode} gives. */
    record Decoded(Map<String, Object> value, int consumed) {}

    /** What {@link #reencode} gives. */
    record Reencoded(byte[] data, int consumed) {}

    /** What {@link #equal} gives; whether the hashes are the same, too, null where there are none. */
    record Equality(boolean equal, Boolean hashes) {
        /** By what Java has of every object. */
        public static Equality of(Object one, Object other) {
            return new Equality(one.equals(other), one.hashCode() == other.hashCode());
        }
    }

    /** What {@link #unframe} gives. */
    record Unframed(Map<String, Object> header, Map<String, Object> value, int consumed) {}

    /**
     * Answer until told to stop or until standard input ends, and exit.
     *
     * <p>Standard output is taken away from the codec first, before the adapter is made: what it prints goes to
     * standard error.
     */
    static void main(Supplier<? extends Testee> adapter) {
        Serving.main(adapter);
    }

    /** What an operation throws that an adapter does not have. */
    static UnsupportedOperationException unclaimed(String operation) {
        return new UnsupportedOperationException("the operation " + operation + " was not claimed");
    }
}
