package io.wireproof.oracle;

import java.util.Locale;

/** The outcome of one frame, body or record set. Fields of stages after the one that refused it are null, or -1. */
public final class Answer {
    /** Where it was refused: {@code read}, {@code value}, {@code size} or {@code write}; else null. */
    public String stage;

    /** The simple name of what was thrown; null where nothing was. */
    public String errorClass;

    public String errorMessage;

    /** The bytes read, a frame's size among them; up to where it was refused. */
    public int consumed;

    /** The size in bytes that Kafka computes before it writes; a frame's size among them. */
    public int size = -1;

    /** SHA-256 of what was written. */
    public byte[] writtenDigest;

    /** SHA-256 of the canonical binary: that of the header, then that of the body. */
    public byte[] valueDigest;

    /** The bytes written; this and the two below only on request. */
    public byte[] written;

    public byte[] header;

    public byte[] value;

    void refuse(Stage reached, Throwable refusal) {
        stage = reached.name().toLowerCase(Locale.ROOT);
        errorClass = refusal.getClass().getSimpleName();
        errorMessage = refusal.getMessage() == null ? "" : refusal.getMessage();
    }
}
