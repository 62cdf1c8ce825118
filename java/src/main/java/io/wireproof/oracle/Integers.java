package io.wireproof.oracle;

/** Java's numbers as longs, and back without losing bits unseen. */
final class Integers {
    private Integers() {}

    static boolean isInteger(Class<?> type) {
        return type == byte.class || type == Byte.class
                || type == short.class || type == Short.class
                || type == int.class || type == Integer.class
                || type == long.class || type == Long.class;
    }

    /** The lowest value of an integer type, given as itself or as its box. */
    static long lowest(Class<?> type) {
        return -highest(type) - 1;
    }

    /** The highest value of an integer type, given as itself or as its box. */
    static long highest(Class<?> type) {
        if (type == byte.class || type == Byte.class) {
            return Byte.MAX_VALUE;
        }
        if (type == short.class || type == Short.class) {
            return Short.MAX_VALUE;
        }
        if (type == int.class || type == Integer.class) {
            return Integer.MAX_VALUE;
        }
        return Long.MAX_VALUE;
    }

    /** The signed kind of the same width. */
    static Kind natural(Class<?> type) {
        switch (Long.numberOfTrailingZeros(highest(type) + 1)) {
            case 7:
                return Kind.INT8;
            case 15:
                return Kind.INT16;
            case 31:
                return Kind.INT32;
            default:
                return Kind.INT64;
        }
    }

    /** The number in the box that {@code type} (itself or its box) wants. */
    static Object box(long value, Class<?> type) {
        if (value < lowest(type) || value > highest(type)) {
            throw new ArithmeticException(value + " does not fit into " + type.getSimpleName());
        }
        if (type == byte.class || type == Byte.class) {
            return (byte) value;
        }
        if (type == short.class || type == Short.class) {
            return (short) value;
        }
        if (type == int.class || type == Integer.class) {
            return (int) value;
        }
        return value;
    }

    /** The content of a box, as a long: an integer's own value, a double's raw bits, 1 for true. */
    static long bits(Object box) {
        if (box instanceof Boolean) {
            return (Boolean) box ? 1 : 0;
        }
        return box instanceof Double ? Double.doubleToRawLongBits((Double) box) : ((Number) box).longValue();
    }

    /** Write the low bytes of a number: 1, 2, 4 or 8. */
    static void put(ByteSink out, int width, long value) {
        switch (width) {
            case 1:
                out.putByte((int) value);
                break;
            case 2:
                out.putShort((int) value);
                break;
            case 4:
                out.putInt((int) value);
                break;
            default:
                out.putLong(value);
        }
    }

    /** Read a number of this kind with its own sign. */
    static long get(ByteSource in, Kind kind) {
        switch (kind) {
            case BOOL:
            case INT8:
                return in.getByte();
            case INT16:
                return in.getShort();
            case UINT16:
                return in.getShort() & 0xffffL;
            case INT32:
                return in.getInt();
            case UINT32:
                return in.getInt() & 0xffffffffL;
            default:
                return in.getLong();
        }
    }
}
