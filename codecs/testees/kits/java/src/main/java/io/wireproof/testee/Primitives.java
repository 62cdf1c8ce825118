package io.wireproof.testee;

/**
 * Operations on primitive types. An adapter returns its implementation from {@link Testee#primitives}.
 *
 * <p>Types have the names of the protocol's documentation: {@code Varint}, {@code CompactString}, ... See
 * {@link Values} for the values.
 */
public interface Primitives {
    /** Decodes the value at the start of the bytes, and ignores the bytes after it. */
    default Found decode(String type, byte[] data) throws Exception {
        throw Testee.unclaimed("decode of primitives");
    }

    /** Encodes a value. It may be null if the type is nullable. */
    default byte[] encode(String type, Object value) throws Exception {
        throw Testee.unclaimed("encode of primitives");
    }

    /** The result of {@link #decode}, and the number of bytes read. */
    record Found(Object value, int consumed) {}
}
