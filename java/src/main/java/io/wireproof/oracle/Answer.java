package io.wireproof.oracle;

import java.util.Locale;

/** What became of one frame, body or record set. What lies beyond the stage that refused it is null, or -1. */
public final class Answer {
    /** Where it was refused: {@code read}, {@code value}, {@code size} or {@code write}; else null. */
    public String stage;

    /** The simple name of what was thrown; null where nothing was. */
    public String errorClass;

    public String errorMessage;

    /** The bytes read, a frame's size among them; up to where it was refused. */
    public int consumed;

    /** How many bytes Kafka says it takes, before it writes them; a frame's size among them. */
    public int size = -1;

    /** SHA-256 of what was written. */
    public byte[] writtenDigest;

    /** SHA-256 of the canonical binary: the header's, and the body's behind it. */
    public byte[] valueDigest;

    /** What was written; this and the two below only where they are asked for. */
    public byte[] written;

    public byte[] header;

    public byte[] value;

    void refuse(Stage reached, Throwable refusal) {
        stage = reached.name().toLowerCase(Locale.ROOT);
        errorClass = refusal.getClass().getSimpleName();
        errorMessage = refusal.getMessage() == null ? "" : refusal.getMessage();
    }
}
