package io.wireproof.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** Conversion of one value between an object and its canonical form. Null included. */
abstract class ValueForm {
    /** Write the canonical form of the value. */
    abstract void write(Object value, ByteSink out) throws Throwable;

    /** Build the value from its canonical form. */
    abstract Object read(ByteSource in) throws Throwable;

    /** A number or truth value in its box, as an element of a list. */
    static final class Numbers extends ValueForm {
        private final Kind kind;
        private final Class<?> box;

        Numbers(Kind kind, Class<?> box) {
            this.kind = kind;
            this.box = box;
        }

        @Override
        void write(Object value, ByteSink out) {
            Integers.put(out, kind.width, Integers.bits(value));
        }

        @Override
        Object read(ByteSource in) {
            long bits = Integers.get(in, kind);
            switch (kind) {
                case BOOL:
                    return bits != 0;
                case FLOAT64:
                    return Double.longBitsToDouble(bits);
                default:
                    return Integers.box(bits, box);
            }
        }
    }

    /** Strings. */
    static final class Text extends ValueForm {
        @Override
        void write(Object value, ByteSink out) {
            if (value == null) {
                out.putInt(-1);
            } else {
                out.putText((String) value);
            }
        }

        @Override
        Object read(ByteSource in) {
            int length = in.getInt();
            return length < 0 ? null : new String(in.getBytes(length), StandardCharsets.UTF_8);
        }
    }

    /** Bytes in an array, or in a ByteBuffer where the schema says zeroCopy. */
    static final class Bytes extends ValueForm {
        private final boolean asBuffer;

        Bytes(boolean asBuffer) {
            this.asBuffer = asBuffer;
        }

        @Override
        void write(Object value, ByteSink out) {
            if (value == null) {
                out.putInt(-1);
            } else if (value instanceof ByteBuffer) {
                out.putBuffer((ByteBuffer) value);
            } else {
                out.putBlock((byte[]) value);
            }
        }

        @Override
        Object read(ByteSource in) {
            int length = in.getInt();
            if (length < 0) {
                return null;
            }
            byte[] data = in.getBytes(length);
            return asBuffer ? ByteBuffer.wrap(data) : data;
        }
    }

    /** Record bytes: opaque here. */
    static final class Records extends ValueForm {
        private final RecordsAccess access;

        Records(RecordsAccess access) {
            this.access = access;
        }

        @Override
        void write(Object value, ByteSink out) throws Throwable {
            if (value == null) {
                out.putInt(-1);
            } else {
                out.putBuffer(access.buffer(value));
            }
        }

        @Override
        Object read(ByteSource in) throws Throwable {
            int length = in.getInt();
            return length < 0 ? null : access.of(ByteBuffer.wrap(in.getBytes(length)));
        }
    }

    /** Uuids: high, then low half. */
    static final class Uuids extends ValueForm {
        private final KafkaProtocol protocol;

        Uuids(KafkaProtocol protocol) {
            this.protocol = protocol;
        }

        @Override
        void write(Object value, ByteSink out) throws Throwable {
            out.putLong(protocol.uuidHigh(value));
            out.putLong(protocol.uuidLow(value));
        }

        @Override
        Object read(ByteSource in) throws Throwable {
            long high = in.getLong();
            return protocol.newUuid(high, in.getLong());
        }
    }

    /** A struct, after a marker if it is nullable in the layout. */
    static final class Struct extends ValueForm {
        private final StructForm struct;
        private final boolean marked;

        Struct(StructForm struct, boolean marked) {
            this.struct = struct;
            this.marked = marked;
        }

        @Override
        void write(Object value, ByteSink out) throws Throwable {
            if (marked) {
                out.putByte(value == null ? 0 : 1);
            } else if (value == null) {
                throw new NullPointerException("null in a struct that the layout does not let be null");
            }
            if (value != null) {
                struct.write(value, out);
            }
        }

        @Override
        Object read(ByteSource in) throws Throwable {
            return marked && in.getByte() == 0 ? null : struct.read(in);
        }
    }

    /** An array. Map-like collections count as lists: order and duplicates stay. */
    static final class Elements extends ValueForm {
        private final ClassShape.CollectionMaker maker;
        private final ValueForm element;

        Elements(ClassShape.CollectionMaker maker, ValueForm element) {
            this.maker = maker;
            this.element = element;
        }

        @Override
        void write(Object value, ByteSink out) throws Throwable {
            if (value == null) {
                out.putInt(-1);
                return;
            }
            Collection<?> elements = (Collection<?>) value;
            out.putInt(elements.size());
            for (Object one : elements) {
                element.write(one, out);
            }
        }

        @Override
        Object read(ByteSource in) throws Throwable {
            int count = in.getInt();
            if (count < 0) {
                return null;
            }
            Collection<?> elements = maker.make(count);
            for (int i = 0; i < count; i++) {
                ClassShape.add(elements, element.read(in));
            }
            return elements;
        }
    }
}
