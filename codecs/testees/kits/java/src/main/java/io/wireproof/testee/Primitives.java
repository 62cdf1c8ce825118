package io.wireproof.testee;

/**
 * Single primitives of the protocol; an adapter gives it by {@link Testee#primitives}.
 *
 * <p>Their names are those of the protocol's description: {@code Varint}, {@code CompactString}, ... Values are as in
 * {@link Values}.
 */
public interface Primitives {
    /** What bytes hold, whatever stands behind it, and how many of them it takes. */
    default Found decode(String type, byte[] data) throws Exception {
        throw Testee.unclaimed("decode of primitives");
    }

    /** The bytes of a value, which is null where null is one of the primitive's. */
    default byte[] encode(String type, Object value) throws Exception {
        throw Testee.unclaimed("encode of primitives");
    }

    /** What {@link #decode} gives. */
    record Found(Object value, int consumed) {}
}
