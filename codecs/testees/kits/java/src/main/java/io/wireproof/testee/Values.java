package io.wireproof.testee;

import java.math.BigInteger;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Canonical JSON as Java's types, and back.
 *
 * <p>In a question a value holds Map, List, String, Boolean, null, Long (BigInteger beyond its range) and Double: the
 * methods here make numbers, bytes and uuids of them. They throw an {@link IllegalArgumentException} for what is
 * none, and an {@link ArithmeticException} for a number that does not fit.
 *
 * <p>In an answer each of Java's types stands for its canonical form: Byte, Short and Integer for a number, Long for a
 * decimal string (int64 and uint32 are those), Float and Double for a number or their bits, byte[] and ByteBuffer
 * for hexadecimal, UUID, String, Boolean, null, any Iterable for an array and any Map for an object.
 */
public final class Values {
    /** The key of a struct's unknown tagged fields. */
    public static final String TAGS = "_tags";

    private static final String BITS = "0x";

    private Values() {}

    /** An integer of so many bits, from a number or from the decimal string of an int64 or uint32. */
    public static long signed(Object value, int bits) {
        BigInteger number = integer(value);
        if (number.bitLength() >= bits) {
            throw new ArithmeticException(number + " does not fit into an int" + bits);
        }
        return number.longValue();
    }

    /** The same without a sign; of 64 bits, those above the highest long are negative, as Java has it. */
    public static long unsigned(Object value, int bits) {
        BigInteger number = integer(value);
        if (number.signum() < 0 || number.bitLength() > bits) {
            throw new ArithmeticException(number + " does not fit into a uint" + bits);
        }
        return number.longValue();
    }

    private static BigInteger integer(Object value) {
        if (value instanceof Long small) {
            return BigInteger.valueOf(small);
        }
        if (value instanceof BigInteger large) {
            return large;
        }
        return new BigInteger(text(value));
    }

    /** A float64, from a number or from its bits. */
    public static double float64(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        String text = text(value);
        if (!text.startsWith(BITS)) {
            throw new IllegalArgumentException(text + " is no float64");
        }
        return Double.longBitsToDouble(Long.parseUnsignedLong(text, BITS.length(), text.length(), 16));
    }

    /** Bytes or records. */
    public static byte[] bytes(Object value) {
        return HexFormat.of().parseHex(text(value));
    }

    public static String text(Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException(value + " is no string");
    }

    public static boolean bool(Object value) {
        if (value instanceof Boolean bool) {
            return bool;
        }
        throw new IllegalArgumentException(value + " is no bool");
    }

    public static UUID uuid(Object value) {
        return UUID.fromString(text(value));
    }

    /** The unknown tagged fields of a struct: those under {@link #TAGS}, by their numbers, whatever numbers these are. */
    public static SortedMap<Long, byte[]> tags(Map<?, ?> struct) {
        SortedMap<Long, byte[]> tags = new TreeMap<>();
        if (struct.get(TAGS) instanceof Map<?, ?> given) {
            given.forEach((tag, data) -> tags.put(Long.valueOf(text(tag)), bytes(data)));
        }
        return tags;
    }
}
