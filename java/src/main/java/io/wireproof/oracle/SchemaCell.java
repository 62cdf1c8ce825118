package io.wireproof.oracle;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A message without a generated class: one or more consecutive {@code Schema} objects of a hand-written protocol. An
 * instance is the list of their {@code Struct}s.
 *
 * <p>Batches are those of {@link CellCodec}. Fields are bound to the plan by their order.
 */
public final class SchemaCell extends WrittenCell {
    private final SchemaTypes types;
    private final List<Object> schemas = new ArrayList<>();
    private final List<List<StructPlan.FieldPlan>> plans = new ArrayList<>();

    /** @param places where the schemas are, each {@code class#FIELD} */
    SchemaCell(Release release, ClassLoader loader, String[] places, short version, StructPlan plan) throws Throwable {
        super(release, version);
        types = release.schemaTypes();
        int start = 0;
        for (String place : places) {
            Object schema = schemaAt(loader, place);
            int end = start + types.boundFields(schema).length;
            schemas.add(schema);
            plans.add(present(plan).subList(start, end));
            start = end;
        }
        if (start != present(plan).size()) {
            throw new LayoutMismatchException("the schemas have " + start + " fields, the layout others");
        }
    }

    private static List<StructPlan.FieldPlan> present(StructPlan plan) {
        List<StructPlan.FieldPlan> found = new ArrayList<>();
        for (StructPlan.FieldPlan field : plan.fields) {
            if (!field.absent) {
                found.add(field);
            }
        }
        return found;
    }

    static List<Object> schemasAt(ClassLoader loader, String[] places) throws ReflectiveOperationException {
        List<Object> found = new ArrayList<>();
        for (String place : places) {
            found.add(schemaAt(loader, place));
        }
        return found;
    }

    private static Object schemaAt(ClassLoader loader, String place) throws ReflectiveOperationException {
        int mark = place.indexOf('#');
        Field field = Class.forName(place.substring(0, mark), true, loader).getDeclaredField(place.substring(mark + 1));
        field.setAccessible(true);
        return field.get(null);
    }

    /** The cell in its framing: see {@link BlobForms}. */
    public BlobCodec blobs(String framing) throws Throwable {
        return new BlobCodec(this, release.blobForm(framing, null));
    }

    /** Schema by schema. */
    @Override
    byte[] bytes(Object instance) throws Throwable {
        List<?> structs = (List<?>) instance;
        int size = 0;
        for (int i = 0; i < structs.size(); i++) {
            size += types.sizeOf(schemas.get(i), structs.get(i));
        }
        ByteBuffer to = ByteBuffer.allocate(size);
        for (int i = 0; i < structs.size(); i++) {
            types.write(schemas.get(i), to, structs.get(i));
        }
        return to.array();
    }

    @Override
    Object parse(ByteBuffer body, short at) throws Throwable {
        List<Object> structs = new ArrayList<>();
        for (Object schema : schemas) {
            structs.add(types.read(schema, body));
        }
        return structs;
    }

    @Override
    Object build(ByteSource in, int end) throws Throwable {
        List<Object> structs = new ArrayList<>();
        for (int i = 0; i < schemas.size(); i++) {
            structs.add(struct(schemas.get(i), plans.get(i), in));
        }
        if (in.position() != end) {
            throw new LayoutMismatchException("the canonical value has " + (end - in.position()) + " bytes too many");
        }
        return structs;
    }

    private Object struct(Object schema, List<StructPlan.FieldPlan> plan, ByteSource in) throws Throwable {
        Object made = types.newStruct(schema);
        Object[] bound = types.boundFields(schema);
        for (int i = 0; i < bound.length; i++) {
            types.set(made, bound[i], field(types.typeOf(bound[i]), plan.get(i), in));
        }
        return made;
    }

    private Object field(Object type, StructPlan.FieldPlan plan, ByteSource in) throws Throwable {
        if (!plan.array) {
            return one(type, plan, in);
        }
        int count = in.getInt();
        if (count < 0) {
            return null;
        }
        Object[] items = new Object[count];
        for (int i = 0; i < count; i++) {
            items[i] = one(types.elementOf(type), plan, in);
        }
        return items;
    }

    private Object one(Object type, StructPlan.FieldPlan plan, ByteSource in) throws Throwable {
        switch (plan.kind) {
            case STRUCT:
                return struct(type, present(plan.struct), in);
            case INT16:
                return in.getShort();
            case INT32:
                return in.getInt();
            case INT64:
                return in.getLong();
            case STRING:
            case BYTES:
                int length = in.getInt();
                byte[] data = length < 0 ? null : in.getBytes(length);
                if (plan.kind == Kind.STRING) {
                    return data == null ? null : new String(data, java.nio.charset.StandardCharsets.UTF_8);
                }
                return data == null ? null : ByteBuffer.wrap(data);
            default:
                throw new LayoutMismatchException("no hand-written protocol has a field such as " + plan);
        }
    }

    @Override
    void value(Object instance, ByteSink out) throws Throwable {
        List<?> structs = (List<?>) instance;
        for (int i = 0; i < structs.size(); i++) {
            report(schemas.get(i), plans.get(i), structs.get(i), out);
        }
    }

    private void report(Object schema, List<StructPlan.FieldPlan> plan, Object struct, ByteSink out) throws Throwable {
        Object[] bound = types.boundFields(schema);
        for (int i = 0; i < bound.length; i++) {
            Object value = types.get(struct, bound[i]);
            StructPlan.FieldPlan field = plan.get(i);
            if (!field.array) {
                reportOne(types.typeOf(bound[i]), field, value, out);
            } else if (value == null) {
                out.putInt(-1);
            } else {
                out.putInt(Array.getLength(value));
                for (int at = 0; at < Array.getLength(value); at++) {
                    reportOne(types.elementOf(types.typeOf(bound[i])), field, Array.get(value, at), out);
                }
            }
        }
    }

    private void reportOne(Object type, StructPlan.FieldPlan plan, Object value, ByteSink out) throws Throwable {
        if (plan.kind == Kind.STRUCT) {
            report(type, present(plan.struct), value, out);
        } else if (plan.kind.isNumber()) {
            Integers.put(out, plan.kind.width, Integers.bits(value));
        } else if (value == null) {
            out.putInt(-1);
        } else if (plan.kind == Kind.STRING) {
            out.putText((String) value);
        } else {
            out.putBuffer((ByteBuffer) value);
        }
    }
}
