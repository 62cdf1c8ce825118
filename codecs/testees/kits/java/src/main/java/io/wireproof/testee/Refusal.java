package io.wireproof.testee;

import java.util.LinkedHashMap;
import java.util.Map;

/** Thrown by an adapter if the codec rejects its input, or if the codec's types cannot hold the value. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The key of the answer. */
    final String answer;

    /** The members of the answer besides the message. */
    final transient Map<String, Object> details;

    private Refusal(String answer, String key, String name, String message) {
        super(message, null, false, false);
        this.answer = answer;
        this.details = new LinkedHashMap<>(Map.of(key, name));
    }

    /** Reports that the codec rejected the bytes; {@code kind} is the class of its error. */
    public static Refusal decoding(String kind, String message) {
        return new Refusal("decode_error", "class", kind, message);
    }

    /** Reports that the codec rejected the bytes by throwing an exception. */
    public static Refusal decoding(Throwable thrown) {
        return decoding(thrown.getClass().getSimpleName(), messageOf(thrown));
    }

    /** Reports that the codec rejected the value; {@code kind} is the class of its error. */
    public static Refusal encoding(String kind, String message) {
        return new Refusal("encode_error", "class", kind, message);
    }

    /** Reports that the codec rejected the value by throwing an exception. */
    public static Refusal encoding(Throwable thrown) {
        return encoding(thrown.getClass().getSimpleName(), messageOf(thrown));
    }

    /** Reports that the codec's types cannot hold the value; {@code reason} is a name of {@link Hello#limit}. */
    public static Refusal unsupported(String reason, String message) {
        return new Refusal("unsupported", "reason", reason, message);
    }

    /** Adds the offset of the rejected byte, if the codec reports it. */
    public Refusal at(int offset) {
        details.put("offset", offset);
        return this;
    }

    /** Adds the path of the rejected field, if the codec reports it. */
    public Refusal at(String path) {
        details.put("path", path);
        return this;
    }

    static String messageOf(Throwable thrown) {
        return String.valueOf(thrown.getMessage());
    }
}
