package io.wireproof.oracle;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** A field of the class that the layout's version does not have: does it hold its default? */
abstract class AbsentField {
    final String name;

    private AbsentField(String name) {
        this.name = name;
    }

    abstract boolean isDefault(Object owner) throws Throwable;

    /** The watch over a field; {@code fresh} is an untouched instance of its class. */
    static AbsentField of(ClassField field, Object fresh) throws Throwable {
        if (field.type.isPrimitive()) {
            return new Primitive(field, fresh);
        }
        return new Reference(field, fresh);
    }

    private static final class Primitive extends AbsentField {
        private final ToLongFunction<Object> getter;
        private final long standard;

        Primitive(ClassField field, Object fresh) throws Throwable {
            super(field.name);
            getter = field.bitsGetter();
            standard = getter.applyAsLong(fresh);
        }

        @Override
        boolean isDefault(Object owner) throws Throwable {
            return getter.applyAsLong(owner) == standard;
        }
    }

    private static final class Reference extends AbsentField {
        private final Function<Object, Object> getter;
        private final Object standard;

        Reference(ClassField field, Object fresh) throws Throwable {
            super(field.name);
            getter = field.getter();
            standard = getter.apply(fresh);
        }

        @Override
        boolean isDefault(Object owner) throws Throwable {
            Object value = getter.apply(owner);
            if (value instanceof byte[] && standard instanceof byte[]) {
                return Arrays.equals((byte[]) value, (byte[]) standard);
            }
            return Objects.equals(value, standard);
        }
    }
}
