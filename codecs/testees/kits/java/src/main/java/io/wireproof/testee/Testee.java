package io.wireproof.testee;

import java.io.InputStream;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A codec under test. An adapter implements the operations that it claims, and passes itself to {@link #main}:
 *
 * <pre>
 *   public static void main(String[] args) {
 *       Testee.main(Adapter::new);
 *   }
 * </pre>
 *
 * <p>Operations return a result or throw a {@link Refusal}, if the codec rejected its input with an exception of its own
 * or if its types cannot hold the value. Any other exception, including errors of the JVM, is reported as an
 * internal_error.
 *
 * <p>Record sets are the message {@code RecordBatch}; list their compressions with {@link Hello#compression}.
 *
 * <p>Values are canonical JSON as Java types; see {@link Values}.
 */
public interface Testee {
    /** The version of the testee protocol that this kit implements. */
    int PROTOCOL = 1;

    /** Returns the description of the codec and the claims for it. */
    Hello hello();

    /** Decodes bytes into a value. */
    default Decoded decode(String message, short version, byte[] data) throws Exception {
        throw unclaimed("decode");
    }

    /** Encodes a value. Absent fields have their defaults. */
    default byte[] encode(String message, short version, Map<String, Object> value) throws Exception {
        throw unclaimed("encode");
    }

    /** Decodes bytes and encodes the result at the same version. */
    default Reencoded reencode(String message, short version, byte[] data) throws Exception {
        throw unclaimed("reencode");
    }

    /** Returns the length of the encoded value in bytes. */
    default int size(String message, short version, Map<String, Object> value) throws Exception {
        throw unclaimed("size");
    }

    /** Encodes a whole frame: size, header and body. */
    default byte[] frame(String message, short version, Map<String, Object> header, Map<String, Object> value)
            throws Exception {
        throw unclaimed("frame");
    }

    /** Decodes a whole frame. The four bytes of the size count as consumed. */
    default Unframed unframe(String message, short version, byte[] data) throws Exception {
        throw unclaimed("unframe");
    }

    /**
     * Decodes a frame from a stream with the codec's own reader. Each {@code read} returns bytes of one part of the
     * frame, then -1. {@code consumed} has no bytes of a next frame.
     */
    default Decoded feed(String message, short version, InputStream stream) throws Exception {
        throw unclaimed("feed");
    }

    /** Decodes both inputs and compares the two objects with the codec's own equality. */
    default Equality equal(String message, short version, byte[] data, byte[] other) throws Exception {
        throw unclaimed("equal");
    }

    /** Decodes bytes, duplicates the object with the codec's own method, and encodes the duplicate. */
    default byte[] copy(String message, short version, byte[] data) throws Exception {
        throw unclaimed("copy");
    }

    /** Returns the implementation of primitives, or null if none are claimed. */
    default Primitives primitives() {
        return null;
    }

    /** Returns the implementation of embedded messages, or null if none are claimed. */
    default Embedded embedded() {
        return null;
    }

    /** The result of {@link #decode} and {@link #feed}, and the number of bytes read. */
    record Decoded(Map<String, Object> value, int consumed) {}

    /** The result of {@link #reencode}, and the number of bytes read. */
    record Reencoded(byte[] data, int consumed) {}

    /** The result of {@link #equal}. {@code hashes} is true if the hash codes are equal, null if there are none. */
    record Equality(boolean equal, Boolean hashes) {
        /** Compares two objects with {@code equals} and {@code hashCode}. */
        public static Equality of(Object one, Object other) {
            return new Equality(one.equals(other), one.hashCode() == other.hashCode());
        }
    }

    /** The result of {@link #unframe}, and the number of bytes read. */
    record Unframed(Map<String, Object> header, Map<String, Object> value, int consumed) {}

    /**
     * Serves requests on standard input until a stop request or the end of the input, and exits the process.
     *
     * <p>Before it creates the adapter it redirects standard output to standard error, so that output of the codec does
     * not mix with the answers.
     */
    static void main(Supplier<? extends Testee> adapter) {
        Serving.main(adapter);
    }

    /** Returns the exception of an operation that the adapter does not implement. */
    static UnsupportedOperationException unclaimed(String operation) {
        return new UnsupportedOperationException("the operation " + operation + " was not claimed");
    }
}
