package io.wireproof.oracle;

import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.ToLongFunction;

/** One field of a layout bound to the class: moves its value between an instance and canonical form. */
abstract class FieldAccess {
    /** Write the field's canonical form. */
    abstract void write(Object owner, ByteSink out) throws Throwable;

    /** Read the field's canonical form and set it. */
    abstract void read(ByteSource in, Object owner) throws Throwable;

    /** A number or truth value in a Java primitive. */
    static final class Primitive extends FieldAccess {
        private final ClassField field;
        private final Kind kind;
        private final long lowest;
        private final long highest;
        private final ToLongFunction<Object> getter;
        private ObjLongConsumer<Object> setter;

        Primitive(ClassField field, Kind kind) throws Throwable {
            this.field = field;
            this.kind = kind;
            boolean integer = Integers.isInteger(field.type);
            this.lowest = integer ? Integers.lowest(field.type) : Long.MIN_VALUE;
            this.highest = integer ? Integers.highest(field.type) : Long.MAX_VALUE;
            this.getter = field.bitsGetter();
        }

        @Override
        void write(Object owner, ByteSink out) throws Throwable {
            Integers.put(out, kind.width, getter.applyAsLong(owner));
        }

        @Override
        void read(ByteSource in, Object owner) throws Throwable {
            long value = Integers.get(in, kind);
            if (value < lowest || value > highest) {
                throw new ArithmeticException(value + " does not fit into " + field);
            }
            if (setter == null) {
                setter = field.bitsSetter();
            }
            setter.accept(owner, value);
        }
    }

    /** A value that Java holds as an object. */
    static final class Reference extends FieldAccess {
        private final ClassField field;
        private final ValueForm form;
        private final Function<Object, Object> getter;
        private BiConsumer<Object, Object> setter;

        Reference(ClassField field, ValueForm form) throws Throwable {
            this.field = field;
            this.form = form;
            this.getter = field.getter();
        }

        @Override
        void write(Object owner, ByteSink out) throws Throwable {
            form.write(getter.apply(owner), out);
        }

        @Override
        void read(ByteSource in, Object owner) throws Throwable {
            Object value = form.read(in);
            if (setter == null) {
                setter = field.setter();
            }
            setter.accept(owner, value);
        }
    }

    /** A field that the class lacks or holds in another type: each use fails and says so. */
    static final class Unfit extends FieldAccess {
        private final String reason;

        Unfit(String reason) {
            this.reason = reason;
        }

        @Override
        void write(Object owner, ByteSink out) {
            throw new LayoutMismatchException(reason);
        }

        @Override
        void read(ByteSource in, Object owner) {
            throw new LayoutMismatchException(reason);
        }
    }
}
