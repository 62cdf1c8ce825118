package io.wireproof.testee;

import java.util.Map;

/**
 * Messages in the framings in which other data carry them; an adapter gives it by {@link Testee#embedded}.
 *
 * <p>Who reads is told what a reader of Kafka's knows beforehand, {@code known}: the name of the message, the topic of
 * a coordinator's key (group, transaction, share), or null.
 */
public interface Embedded {
    /** Find out which message a blob holds, and make a value of it. */
    default Found decode(String framing, String known, Blob blob) throws Exception {
        throw Testee.unclaimed("decode in framings");
    }

    /** Bytes of a message, with what stands before it. */
    default Blob encode(String framing, String message, short version, Map<String, Object> value) throws Exception {
        throw Testee.unclaimed("encode in framings");
    }

    /** Decode, then encode what was decoded. */
    default Again reencode(String framing, String known, Blob blob) throws Exception {
        throw Testee.unclaimed("reencode in framings");
    }

    /** How long the data would be. */
    default int size(String framing, String message, short version, Map<String, Object> value) throws Exception {
        throw Testee.unclaimed("size in framings");
    }

    /** Bytes that hold a message, and the key of the record whose value they are; null where that says no more. */
    record Blob(byte[] data, byte[] key) {
        public Blob(byte[] data) {
            this(data, null);
        }
    }

    /** What {@link #decode} gives. */
    record Found(String message, short version, Map<String, Object> value, int consumed) {}

    /** What {@link #reencode} gives. */
    record Again(Blob blob, int consumed) {}
}
