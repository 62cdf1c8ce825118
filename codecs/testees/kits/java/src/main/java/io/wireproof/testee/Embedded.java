package io.wireproof.testee;

import java.util.Map;

/**
 * Operations on messages that other data carry, such as the values of records. An adapter returns its implementation
 * from {@link Testee#embedded}.
 *
 * <p>The argument {@code known} is what a Kafka reader knows before it reads: the name of the message, the topic of a
 * coordinator's key (group, transaction, share), or null.
 */
public interface Embedded {
    /** Detects which message a blob holds and decodes it. */
    default Found decode(String framing, String known, Blob blob) throws Exception {
        throw Testee.unclaimed("decode in framings");
    }

    /** Encodes a message, including the bytes that its framing puts before it. */
    default Blob encode(String framing, String message, short version, Map<String, Object> value) throws Exception {
        throw Testee.unclaimed("encode in framings");
    }

    /** Decodes a blob and encodes the result. */
    default Again reencode(String framing, String known, Blob blob) throws Exception {
        throw Testee.unclaimed("reencode in framings");
    }

    /** Returns the length of the data that {@link #encode} would return. */
    default int size(String framing, String message, short version, Map<String, Object> value) throws Exception {
        throw Testee.unclaimed("size in framings");
    }

    /**
     * The bytes of an embedded message, and the key of the record that has them as its value; null if the message does
     * not depend on a key.
     */
    record Blob(byte[] data, byte[] key) {
        public Blob(byte[] data) {
            this(data, null);
        }
    }

    /** The result of {@link #decode}, and the number of bytes read. */
    record Found(String message, short version, Map<String, Object> value, int consumed) {}

    /** The result of {@link #reencode}, and the number of bytes read. */
    record Again(Blob blob, int consumed) {}
}
