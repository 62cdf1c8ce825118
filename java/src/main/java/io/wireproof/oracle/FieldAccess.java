package io.wireproof.oracle;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

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
        private final MethodHandle getter;
        private MethodHandle setter;

        Primitive(ClassField field, Kind kind) throws ReflectiveOperationException {
            this.field = field;
            this.kind = kind;
            boolean integer = Integers.isInteger(field.type);
            this.lowest = integer ? Integers.lowest(field.type) : Long.MIN_VALUE;
            this.highest = integer ? Integers.highest(field.type) : Long.MAX_VALUE;
            this.getter = longGetter(field);
        }

        @Override
        void write(Object owner, ByteSink out) throws Throwable {
            Integers.put(out, kind.width, (long) getter.invokeExact(owner));
        }

        @Override
        void read(ByteSource in, Object owner) throws Throwable {
            long value = Integers.get(in, kind);
            if (value < lowest || value > highest) {
                throw new ArithmeticException(value + " does not fit into " + field);
            }
            setter().invokeExact(owner, value);
        }

        private MethodHandle setter() throws ReflectiveOperationException {
            if (setter == null) {
                setter = longSetter(field);
            }
            return setter;
        }
    }

    /** A value that Java holds as an object. */
    static final class Reference extends FieldAccess {
        private final ClassField field;
        private final ValueForm form;
        private final MethodHandle getter;
        private MethodHandle setter;

        Reference(ClassField field, ValueForm form) throws ReflectiveOperationException {
            this.field = field;
            this.form = form;
            this.getter = field.getter().asType(methodType(Object.class, Object.class));
        }

        @Override
        void write(Object owner, ByteSink out) throws Throwable {
            form.write((Object) getter.invokeExact(owner), out);
        }

        @Override
        void read(ByteSource in, Object owner) throws Throwable {
            Object value = form.read(in);
            if (setter == null) {
                setter = field.setter().asType(methodType(void.class, Object.class, Object.class));
            }
            setter.invokeExact(owner, value);
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

    /** The getter of a primitive field as {@code (Object) long}; a double gives its raw bits. */
    static MethodHandle longGetter(ClassField field) throws ReflectiveOperationException {
        MethodHandle getter = field.getter();
        if (field.type == double.class) {
            getter = MethodHandles.filterReturnValue(getter, MethodHandles.publicLookup()
                    .findStatic(Double.class, "doubleToRawLongBits", methodType(long.class, double.class)));
        }
        return MethodHandles.explicitCastArguments(getter, methodType(long.class, Object.class));
    }

    private static MethodHandle longSetter(ClassField field) throws ReflectiveOperationException {
        MethodHandle setter = field.setter();
        if (field.type == double.class) {
            setter = MethodHandles.filterArguments(setter, 1, MethodHandles.publicLookup()
                    .findStatic(Double.class, "longBitsToDouble", methodType(double.class, long.class)));
        }
        return MethodHandles.explicitCastArguments(setter, methodType(void.class, Object.class, long.class));
    }
}
