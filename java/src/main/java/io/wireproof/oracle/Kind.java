package io.wireproof.oracle;

/**
 * The types of the schema language. The order is part of the plan's binary form: Python sends the
 * ordinal (harness/wireproof/kafka/oracle/java_release.py).
 */
enum Kind {
    BOOL(1),
    INT8(1),
    INT16(2),
    UINT16(2),
    INT32(4),
    UINT32(4),
    INT64(8),
    FLOAT64(8),
    UUID(16),
    STRING(0),
    BYTES(0),
    RECORDS(0),
    STRUCT(0);

    private static final Kind[] ALL = values();

    /** The bytes of the canonical form; 0 where it has no fixed length. */
    final int width;

    Kind(int width) {
        this.width = width;
    }

    static Kind of(int code) {
        return ALL[code];
    }

    /** True if it fits into a long: bool, the integers, and the raw bits of a float64. */
    boolean isNumber() {
        return width > 0 && width <= 8;
    }

    /** True if a Java field or element of this type can hold it, whatever the width of an integer. */
    boolean fits(Class<?> type) {
        switch (this) {
            case BOOL:
                return type == boolean.class || type == Boolean.class;
            case FLOAT64:
                return type == double.class || type == Double.class;
            case STRING:
                return type == String.class;
            case BYTES:
                return type == byte[].class || type == java.nio.ByteBuffer.class;
            case UUID:
                return type.getSimpleName().equals("Uuid");
            case RECORDS:
                return type.getSimpleName().endsWith("Records");
            case STRUCT:
                return !type.isPrimitive() && !type.getName().startsWith("java.");
            default:
                return Integers.isInteger(type);
        }
    }
}
