package io.wireproof.testee;

import java.math.BigInteger;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Conversions from canonical JSON to Java types.
 *
 * <p>A value of a request consists of Map, List, String, Boolean, null, Long (BigInteger outside its range) and Double.
 * The methods of this class convert these to numbers, bytes and UUIDs. They throw an
 * {@link IllegalArgumentException} for a value of another type, and an {@link ArithmeticException} for a number out of
 * range.
 *
 * <p>A value of an answer may contain these types. The kit writes the canonical form of each: a number for Byte, Short
 * and Integer; a decimal string for Long (int64 and uint32); a number, or the bits, for Float and Double; hexadecimal
 * digits for byte[] and ByteBuffer; an array for any Iterable; an object for any Map; and UUID, String, Boolean and
 * null.
 */
public final class Values {
    /** The key of a struct's unknown tagged fields. */
    public static final String TAGS = "_tags";

    private static final String BITS = "0x";

    private Values() {}

    /** Reads a signed integer of the given width in bits, from a number or a decimal string. */
    public static long signed(Object value, int bits) {
        BigInteger number = integer(value);
        if (number.bitLength() >= bits) {
            throw new ArithmeticException(number + " does not fit into an int" + bits);
        }
        return number.longValue();
    }

    /**
     * Reads an unsigned integer of the given width in bits, from a number or a decimal string. With 64 bits, numbers
     * above {@link Long#MAX_VALUE} are negative.
     */
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

    /** Reads a float64, from a number or a string with its bits. */
    public static double float64(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        String text = text(value);
        if (!text.startsWith(BITS)) {
            throw new IllegalArgumentException(text + " is not a float64");
        }
        return Double.longBitsToDouble(Long.parseUnsignedLong(text, BITS.length(), text.length(), 16));
    }

    /** Reads bytes or records from hexadecimal digits. */
    public static byte[] bytes(Object value) {
        return HexFormat.of().parseHex(text(value));
    }

    /** Reads a string. */
    public static String text(Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException(value + " is not a string");
    }

    /** Reads a bool. */
    public static boolean bool(Object value) {
        if (value instanceof Boolean bool) {
            return bool;
        }
        throw new IllegalArgumentException(value + " is not a bool");
    }

    /** Reads a UUID. */
    public static UUID uuid(Object value) {
        return UUID.fromString(text(value));
    }

    /** Reads the unknown tagged fields of a struct (those under {@link #TAGS}), by number. */
    public static SortedMap<Long, byte[]> tags(Map<?, ?> struct) {
        SortedMap<Long, byte[]> tags = new TreeMap<>();
        if (struct.get(TAGS) instanceof Map<?, ?> given) {
            given.forEach((tag, data) -> tags.put(Long.valueOf(text(tag)), bytes(data)));
        }
        return tags;
    }
}
