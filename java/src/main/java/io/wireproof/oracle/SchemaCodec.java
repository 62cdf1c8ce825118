package io.wireproof.oracle;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Kafka's other codec: {@code SCHEMAS[version]} of the class reads bytes into a {@code Struct} and writes it,
 * with an interpreter that shares no code with the generated {@code read} and {@code write}.
 *
 * <p>The values of a struct are reported in canonical form with the layout's plan. Its fields are found by their
 * order, the tagged ones by the order of their tags: schemas spell the names differently. An absent tagged field
 * is reported with the default of a new instance of the generated class.
 */
final class SchemaCodec {
    private final SchemaTypes types;
    private final KafkaProtocol protocol;
    private final Release release;
    private final Object schema;
    private final StructReader root;

    SchemaCodec(Release release, SchemaTypes types, Class<?> message, short version, StructPlan plan) throws Throwable {
        this.release = release;
        this.types = types;
        this.protocol = release.protocol();
        this.schema = types.schemaOf(message, version);
        this.root = new StructReader(schema, message, plan);
    }

    /** Reads each body with the schema, writes it again, and reports the value. */
    byte[] reread(byte[] batch) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(4 * batch.length);
        CellCodec.Attempt attempt = new CellCodec.Attempt();
        while (in.hasMore()) {
            int length = in.getInt();
            ByteBuffer body = ByteBuffer.wrap(batch, in.position(), length).slice();
            int mark = out.position();
            attempt.at(Stage.READ);
            try {
                emit(types.read(schema, body), body.position(), out, attempt);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, attempt.stage, refusal, body.position());
            }
            in.position(in.position() + length);
        }
        return out.toArray();
    }

    private void emit(Object struct, int consumed, ByteSink out, CellCodec.Attempt attempt) throws Throwable {
        attempt.at(Stage.SIZE);
        int predicted = types.sizeOf(schema, struct);
        attempt.at(Stage.WRITE);
        int head = Replies.startValue(out, predicted);
        ByteBuffer window = out.window(predicted);
        types.write(schema, window, struct);
        int written = window.position();
        out.advance(written);
        attempt.at(Stage.VALUE);
        int start = out.position();
        root.report(struct, out);
        Replies.finishValue(out, head, consumed, written, out.position() - start, List.of());
    }

    /** A struct's schema bound to its plan. */
    private final class StructReader {
        private final List<Slot> inPlace = new ArrayList<>();
        private final List<Slot> tagged = new ArrayList<>();
        private Object tagSection;

        StructReader(Object schema, Class<?> type, StructPlan plan) throws Throwable {
            StructForm form = new StructForm(release, type, plan);
            List<StructPlan.FieldPlan> present = new ArrayList<>();
            for (StructPlan.FieldPlan field : plan.fields) {
                if (!field.absent) {
                    present.add(field);
                }
            }
            Object fresh = release.shape(type).newInstance();
            for (Object bound : types.boundFields(schema)) {
                Object fieldType = types.typeOf(bound);
                if (!types.isTagSection(fieldType)) {
                    inPlace.add(new Slot(bound, -1, fieldType, type, present.get(inPlace.size()), null));
                    continue;
                }
                tagSection = bound;
                for (Map.Entry<?, ?> known : types.taggedFields(fieldType).entrySet()) {
                    int index = inPlace.size() + tagged.size();
                    ByteSink standard = new ByteSink(64);
                    form.writeField(index, fresh, standard);
                    Object knownType = types.typeOfDefinition(known.getValue());
                    int tag = (Integer) known.getKey();
                    tagged.add(new Slot(bound, tag, knownType, type, present.get(index), standard.toArray()));
                }
            }
            if (inPlace.size() + tagged.size() != present.size()) {
                throw new LayoutMismatchException("the schema has other fields than the layout");
            }
        }

        void report(Object struct, ByteSink out) throws Throwable {
            for (Slot slot : inPlace) {
                slot.report(types.get(struct, slot.bound), out);
            }
            if (tagSection == null) {
                return;
            }
            Map<?, ?> held = (Map<?, ?>) types.get(struct, tagSection);
            for (Slot slot : tagged) {
                if (held.containsKey(slot.tag)) {
                    slot.report(held.get(slot.tag), out);
                } else {
                    out.putBytes(slot.standard);
                }
            }
            reportUnknown(held, out);
        }

        private void reportUnknown(Map<?, ?> held, ByteSink out) throws Throwable {
            int countAt = out.position();
            out.putInt(0);
            int count = 0;
            for (Map.Entry<?, ?> entry : held.entrySet()) {
                int tag = (Integer) entry.getKey();
                if (tagged.stream().noneMatch(slot -> slot.tag == tag)) {
                    out.putInt(protocol.rawTag(entry.getValue()));
                    out.putBlock(protocol.rawData(entry.getValue()));
                    count++;
                }
            }
            out.patchInt(countAt, count);
        }
    }

    /** One field: its place in the schema's struct, and its plan. */
    private final class Slot {
        final Object bound;
        final int tag;
        final byte[] standard;
        private final StructPlan.FieldPlan plan;
        private final StructReader inner;

        Slot(Object bound, int tag, Object fieldType, Class<?> owner, StructPlan.FieldPlan plan, byte[] standard)
                throws Throwable {
            this.bound = bound;
            this.tag = tag;
            this.plan = plan;
            this.standard = standard;
            if (plan.kind == Kind.STRUCT) {
                ClassField field = release.shape(owner).field(plan.name);
                Object schema = plan.array ? types.elementOf(fieldType) : fieldType;
                this.inner = new StructReader(schema, plan.array ? field.elementType : field.type, plan.struct);
            } else {
                this.inner = null;
            }
        }

        void report(Object value, ByteSink out) throws Throwable {
            if (!plan.array) {
                one(value, plan.nullable, out);
            } else if (value == null) {
                out.putInt(-1);
            } else {
                int count = Array.getLength(value);
                out.putInt(count);
                for (int i = 0; i < count; i++) {
                    one(Array.get(value, i), false, out);
                }
            }
        }

        private void one(Object value, boolean marked, ByteSink out) throws Throwable {
            if (plan.kind == Kind.STRUCT) {
                if (marked) {
                    out.putByte(value == null ? 0 : 1);
                } else if (value == null) {
                    throw new NullPointerException("null in a struct that the layout does not let be null");
                }
                if (value != null) {
                    inner.report(value, out);
                }
            } else if (plan.kind.isNumber()) {
                Integers.put(out, plan.kind.width, Integers.bits(value));
            } else if (plan.kind == Kind.UUID) {
                out.putLong(protocol.uuidHigh(value));
                out.putLong(protocol.uuidLow(value));
            } else if (value == null) {
                out.putInt(-1);
            } else if (plan.kind == Kind.STRING) {
                out.putText((String) value);
            } else {
                out.putBuffer(value instanceof ByteBuffer
                        ? (ByteBuffer) value
                        : release.records(value.getClass()).buffer(value));
            }
        }
    }

    /** Makes a reflective call. Rethrows the exception of the called method. */
    static Object call(Method method, Object target, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException wrapped) {
            throw wrapped.getCause();
        }
    }
}
