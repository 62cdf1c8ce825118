package io.wireproof.testee;

import java.util.LinkedHashMap;
import java.util.Map;

/** An answer other than ok that is none of a fault: the codec declined, or its types cannot hold the question. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The answer's key. */
    final String answer;

    /** What stands beside the message in it. */
    final transient Map<String, Object> details;

    private Refusal(String answer, String key, String name, String message) {
        super(message, null, false, false);
        this.answer = answer;
        this.details = new LinkedHashMap<>(Map.of(key, name));
    }

    /** The codec declined the bytes; {@code kind} is the class of its error. */
    public static Refusal decoding(String kind, String message) {
        return new Refusal("decode_error", "class", kind, message);
    }

    /** The same by what the codec threw. */
    public static Refusal decoding(Throwable thrown) {
        return decoding(thrown.getClass().getSimpleName(), words(thrown));
    }

    /** The codec declined the value; {@code kind} is the class of its error. */
    public static Refusal encoding(String kind, String message) {
        return new Refusal("encode_error", "class", kind, message);
    }

    /** The same by what the codec threw. */
    public static Refusal encoding(Throwable thrown) {
        return encoding(thrown.getClass().getSimpleName(), words(thrown));
    }

    /** The codec's types cannot hold the question; {@code reason} is one of the limits of the {@link Hello}. */
    public static Refusal unsupported(String reason, String message) {
        return new Refusal("unsupported", "reason", reason, message);
    }

    /** The same where the codec knows at which of the bytes. */
    public Refusal at(int offset) {
        details.put("offset", offset);
        return this;
    }

    /** The same where the codec knows at which field. */
    public Refusal at(String path) {
        details.put("path", path);
        return this;
    }

    static String words(Throwable thrown) {
        return String.valueOf(thrown.getMessage());
    }
}
