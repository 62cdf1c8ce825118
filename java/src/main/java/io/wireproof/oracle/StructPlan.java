package io.wireproof.oracle;

import java.util.ArrayList;
import java.util.List;

/**
 * A struct of one cell's layout, as Python sends it.
 *
 * <pre>
 * struct  flexible (1 byte), count of fields (2 bytes), fields
 * field   kind (5 bits) | 0x20 array | 0x40 may be null | 0x80 of other versions (1 byte),
 *         length of the name (1 byte), name (ASCII), and for kind STRUCT the struct
 * </pre>
 *
 * Fields are in the order of the canonical form: in place, then tagged, then those that only other versions have.
 */
final class StructPlan {
    final boolean flexible;
    final List<FieldPlan> fields;

    private StructPlan(boolean flexible, List<FieldPlan> fields) {
        this.flexible = flexible;
        this.fields = fields;
    }

    static StructPlan read(ByteSource in) {
        boolean flexible = in.getByte() != 0;
        int count = in.getShort();
        List<FieldPlan> fields = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            fields.add(FieldPlan.read(in));
        }
        return new StructPlan(flexible, fields);
    }

    /** The field of this name, of whatever version, or null. */
    FieldPlan find(String name) {
        for (FieldPlan field : fields) {
            if (field.name.equals(name)) {
                return field;
            }
        }
        return null;
    }

    /** One field of the layout. */
    static final class FieldPlan {
        private static final int ARRAY = 0x20;
        private static final int NULLABLE = 0x40;
        private static final int ABSENT = 0x80;

        final String name;
        final Kind kind;
        final boolean array;
        final boolean nullable;
        final boolean absent;
        /** The struct, or that of the array's elements; null for other kinds. */
        final StructPlan struct;

        private FieldPlan(String name, int code, StructPlan struct) {
            this.name = name;
            this.kind = Kind.of(code & 0x1f);
            this.array = (code & ARRAY) != 0;
            this.nullable = (code & NULLABLE) != 0;
            this.absent = (code & ABSENT) != 0;
            this.struct = struct;
        }

        static FieldPlan read(ByteSource in) {
            int code = in.getByte() & 0xff;
            String name = in.getName();
            boolean isStruct = Kind.of(code & 0x1f) == Kind.STRUCT;
            return new FieldPlan(name, code, isStruct ? StructPlan.read(in) : null);
        }

        @Override
        public String toString() {
            return (array ? "[]" : "") + kind.name().toLowerCase(java.util.Locale.ROOT) + " " + name;
        }
    }
}
