package io.wireproof.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The values at the edges of each Java type that a field can have. */
final class BoundaryValues {
    /** A two-byte, a three-byte and a four-byte character (beyond the BMP). */
    private static final String MULTIBYTE = "\u00e9\u20ac\ud83d\ude80";

    private static final int[] LENGTHS = {0, 1, 126, 127, 128, 300};

    private static final long[] WIDE = {
        32767, 32768, 65535, 65536, 2147483647L, 2147483648L, 4294967295L
    };

    private static final double[] DOUBLES = {
        0.0, -0.0, 1.0, -1.5, Double.MIN_VALUE, Double.MAX_VALUE,
        Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN,
        Double.longBitsToDouble(0x7ff8000000000001L), Double.longBitsToDouble(0xfff8000000000123L)
    };

    private final Release release;

    BoundaryValues(Release release) {
        this.release = release;
    }

    /**
     * All of them for one type, null left out. Setters refuse what the schema's type cannot hold
     * (uint16 in an int).
     */
    List<Object> of(Class<?> type) throws Throwable {
        if (type == boolean.class || type == Boolean.class) {
            return Arrays.asList(false, true);
        }
        if (type == double.class || type == Double.class) {
            return doubles();
        }
        if (Integers.isInteger(type)) {
            return integers(type);
        }
        if (type == String.class) {
            return texts();
        }
        if (Kind.UUID.fits(type)) {
            return uuids();
        }
        return blobs(type);
    }

    private static List<Object> doubles() {
        List<Object> found = new ArrayList<>();
        for (double value : DOUBLES) {
            found.add(value);
        }
        return found;
    }

    private static List<Object> integers(Class<?> type) {
        List<Object> found = new ArrayList<>();
        for (long value : new long[] {Integers.lowest(type), -1, 0, 1, Integers.highest(type)}) {
            found.add(Integers.box(value, type));
        }
        for (long value : WIDE) {
            if (value < Integers.highest(type)) {
                found.add(Integers.box(value, type));
            }
        }
        return found;
    }

    private static List<Object> texts() {
        List<Object> found = new ArrayList<>();
        for (int length : LENGTHS) {
            found.add("a".repeat(length));
        }
        found.add(MULTIBYTE);
        found.add("a".repeat(118) + MULTIBYTE);
        found.add("\u00e9".repeat(64));
        found.add("\u0000");
        return found;
    }

    private List<Object> uuids() throws Throwable {
        KafkaProtocol protocol = release.protocol();
        return Arrays.asList(
                protocol.newUuid(0, 0),
                protocol.newUuid(0, 1),
                protocol.newUuid(-1, -1),
                protocol.newUuid(0x0123456789abcdefL, 0xfedcba9876543210L));
    }

    private List<Object> blobs(Class<?> type) throws Throwable {
        List<Object> found = new ArrayList<>();
        for (int length : LENGTHS) {
            found.add(blob(type, "wireproof ".repeat(length / 10 + 1).substring(0, length)));
        }
        found.add(blob(type, "\u0000\u00ff"));
        return found;
    }

    private Object blob(Class<?> type, String latin1) throws Throwable {
        return blob(type, latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Bytes as the type that holds them: an array, a buffer, or records. */
    Object blob(Class<?> type, byte[] bytes) throws Throwable {
        if (type == byte[].class) {
            return bytes;
        }
        if (type == ByteBuffer.class) {
            return ByteBuffer.wrap(bytes);
        }
        return release.records(type).of(ByteBuffer.wrap(bytes));
    }
}
