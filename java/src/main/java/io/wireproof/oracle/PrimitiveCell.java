package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/**
 * A single primitive of the protocol: Kafka's {@code Type} of it, which broker and clients share, or, where there is no
 * type, what generated classes call ({@code ByteBufferAccessor}). An instance is the value itself.
 */
public final class PrimitiveCell extends WrittenCell {
    private final ValueForm form;
    private final Wire wire;

    /** @param type a constant of {@code Type}; empty for the unsigned varint, which has none */
    PrimitiveCell(Release release, ClassLoader loader, String type, StructPlan plan) throws Throwable {
        super(release, (short) 0);
        Kind kind = plan.fields.get(0).kind;
        form = form(release, kind);
        wire = type.isEmpty() ? new UnsignedVarint(loader) : new Typed(release.schemaTypes(), loader, type);
    }

    private static ValueForm form(Release release, Kind kind) {
        switch (kind) {
            case STRING:
                return new ValueForm.Text();
            case BYTES:
                return new ValueForm.Bytes(true);
            case UUID:
                return new ValueForm.Uuids(release.protocol());
            default:
                return new ValueForm.Numbers(kind, box(kind));
        }
    }

    /** The Java type that holds a value of {@code Type}. */
    private static Class<?> box(Kind kind) {
        switch (kind) {
            case INT8:
                return Byte.class;
            case INT16:
                return Short.class;
            case UINT16:
            case INT32:
                return Integer.class;
            default:
                return Long.class;
        }
    }

    @Override
    Object build(ByteSource in, int end) throws Throwable {
        Object value = form.read(in);
        if (in.position() != end) {
            throw new LayoutMismatchException("the canonical value has " + (end - in.position()) + " bytes too many");
        }
        return value;
    }

    @Override
    void value(Object instance, ByteSink out) throws Throwable {
        form.write(instance, out);
    }

    @Override
    Object parse(ByteBuffer body, short at) throws Throwable {
        return wire.read(body);
    }

    @Override
    byte[] bytes(Object instance) throws Throwable {
        return wire.bytes(instance);
    }

    /** Its form on the wire. */
    private interface Wire {
        Object read(ByteBuffer from) throws Throwable;

        byte[] bytes(Object value) throws Throwable;
    }

    private static final class Typed implements Wire {
        private final SchemaTypes types;
        private final Object type;

        Typed(SchemaTypes types, ClassLoader loader, String name) throws ReflectiveOperationException {
            this.types = types;
            type = loader.loadClass("org.apache.kafka.common.protocol.types.Type").getField(name).get(null);
        }

        @Override
        public Object read(ByteBuffer from) throws Throwable {
            return types.read(type, from);
        }

        @Override
        public byte[] bytes(Object value) throws Throwable {
            ByteBuffer to = ByteBuffer.allocate(types.sizeOf(type, value));
            types.write(type, to, value);
            return to.array();
        }
    }

    /** Its values are ints whose bits have no sign; here they are longs. */
    private static final class UnsignedVarint implements Wire {
        private static final int LONGEST = 5;

        private final Class<?> accessor;
        private final Method read;
        private final Method write;

        UnsignedVarint(ClassLoader loader) throws ReflectiveOperationException {
            accessor = loader.loadClass("org.apache.kafka.common.protocol.ByteBufferAccessor");
            read = accessor.getMethod("readUnsignedVarint");
            write = accessor.getMethod("writeUnsignedVarint", int.class);
        }

        @Override
        public Object read(ByteBuffer from) throws Throwable {
            return Integer.toUnsignedLong((int) SchemaCodec.call(read, over(from)));
        }

        @Override
        public byte[] bytes(Object value) throws Throwable {
            ByteBuffer to = ByteBuffer.allocate(LONGEST);
            SchemaCodec.call(write, over(to), (int) (long) value);
            return java.util.Arrays.copyOf(to.array(), to.position());
        }

        private Object over(ByteBuffer buffer) throws ReflectiveOperationException {
            return accessor.getConstructor(ByteBuffer.class).newInstance(buffer);
        }
    }
}
