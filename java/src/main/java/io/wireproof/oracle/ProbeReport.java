package io.wireproof.oracle;

import io.wireproof.oracle.ProbedStruct.ProbedField;
import java.nio.ByteBuffer;
import java.util.Collection;

/**
 * The binary form of what a {@link Prober} found, fields of outer structs before those inside.
 *
 * <pre>
 * field  text path, null (1 byte), other (1 byte), int32 length, default, text Java type
 * </pre>
 *
 * <p>The default is reported in canonical form with the type that the layout has for the field. Where the
 * layout has none that the class can hold, the Java type's own width counts (int: 4 bytes). A struct
 * that the layout's version lacks is reported by its marker alone.
 */
final class ProbeReport {
    private final CellCodec cell;
    private final ByteSink out = new ByteSink(4096);

    ProbeReport(CellCodec cell) {
        this.cell = cell;
    }

    byte[] write(ProbedStruct root) throws Throwable {
        struct("", root, cell.plan);
        return out.toArray();
    }

    private void struct(String prefix, ProbedStruct probed, StructPlan plan) throws Throwable {
        Object fresh = probed.shape.newInstance();
        for (ProbedField found : probed.fields) {
            StructPlan.FieldPlan planned = plan == null ? null : plan.find(found.field.name);
            out.putText(prefix + found.field.name);
            out.putByte(found.onNull.ordinal());
            out.putByte(found.onOther.ordinal());
            int lengthAt = out.position();
            out.putInt(0);
            standard(found.field, planned, found.field.get(fresh));
            out.patchInt(lengthAt, out.position() - lengthAt - 4);
            out.putText(found.field.typeName());
        }
        for (ProbedField found : probed.fields) {
            if (found.inner != null) {
                StructPlan.FieldPlan planned = plan == null ? null : plan.find(found.field.name);
                String path = prefix + found.field.name + (found.field.isCollection() ? "[]." : ".");
                struct(path, found.inner, planned == null ? null : planned.struct);
            }
        }
    }

    private void standard(ClassField field, StructPlan.FieldPlan plan, Object value) throws Throwable {
        if (field.isCollection()) {
            out.putInt(value == null ? -1 : ((Collection<?>) value).size());
        } else if (cell.release.protocol().message.isAssignableFrom(field.type)) {
            standardStruct(field, plan, value);
        } else {
            boolean fits = plan != null && !plan.array && plan.kind.fits(field.type);
            Kind kind = fits ? plan.kind : natural(field.type);
            StructForm.scalarForm(cell.release, kind, field.type).write(value, out);
        }
    }

    private void standardStruct(ClassField field, StructPlan.FieldPlan plan, Object value) throws Throwable {
        boolean described = plan != null && !plan.absent && !plan.array && plan.kind == Kind.STRUCT;
        if (!described || (value == null && !plan.nullable)) {
            out.putByte(value == null ? 0 : 1);
        } else {
            StructForm struct = new StructForm(cell.release, field.type, plan.struct);
            int mark = out.position();
            try {
                new ValueForm.Struct(struct, plan.nullable).write(value, out);
            } catch (LayoutMismatchException e) {
                out.rewind(mark);
                out.putByte(1);
            }
        }
    }

    /** The kind of the schema language that the Java type means, where nothing else is known. */
    private static Kind natural(Class<?> type) {
        if (type == boolean.class) {
            return Kind.BOOL;
        }
        if (type == double.class) {
            return Kind.FLOAT64;
        }
        if (type == String.class) {
            return Kind.STRING;
        }
        if (type == byte[].class || type == ByteBuffer.class) {
            return Kind.BYTES;
        }
        if (Kind.UUID.fits(type)) {
            return Kind.UUID;
        }
        return Integers.isInteger(type) ? Integers.natural(type) : Kind.RECORDS;
    }
}
