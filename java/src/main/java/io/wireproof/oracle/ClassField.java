package io.wireproof.oracle;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ObjDoubleConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** One field of a generated class, found by reflection: a getter {@code x()} and a setter {@code setX}. */
final class ClassField {
    /** The class's own name of the field, the same as in Kafka's JSON. */
    final String name;

    final Class<?> owner;
    final Class<?> type;

    /** The type of the elements where the field is a collection; else null. */
    final Class<?> elementType;

    private final Method getterMethod;
    private final Method setterMethod;
    private Function<Object, Object> getter;
    private BiConsumer<Object, Object> setter;
    private ToLongFunction<Object> bitsGetter;
    private ObjLongConsumer<Object> bitsSetter;

    private final BiFunction<Method, Class<?>, Object> accessors;

    private ClassField(
            Field field, Method getter, Method setter, BiFunction<Method, Class<?>, Object> accessors) {
        this.accessors = accessors;
        this.name = field.getName();
        this.owner = field.getDeclaringClass();
        this.type = field.getType();
        this.elementType = elementType(field);
        this.getterMethod = getter;
        this.setterMethod = setter;
    }

    /** The field with its accessors, or null where it has none, as the links of map elements. */
    static ClassField of(Field field, BiFunction<Method, Class<?>, Object> accessors) {
        String name = field.getName();
        Class<?> owner = field.getDeclaringClass();
        try {
            Method getter = owner.getMethod(name);
            Method setter = owner.getMethod("set" + name.substring(0, 1).toUpperCase(java.util.Locale.ROOT)
                    + name.substring(1), field.getType());
            boolean generated = getter.getReturnType() == field.getType() && setter.getReturnType() == owner;
            return generated ? new ClassField(field, getter, setter, accessors) : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    boolean isCollection() {
        return elementType != null;
    }

    /** The type, unqualified: {@code short}, {@code String}, {@code List<Integer>}, {@code FooCollection}. */
    String typeName() {
        boolean isList = isCollection() && type.getName().startsWith("java.");
        return isList ? type.getSimpleName() + "<" + elementType.getSimpleName() + ">" : type.getSimpleName();
    }

    /** The value, a primitive in its box. */
    Object get(Object instance) {
        return type.isPrimitive() ? box(bitsGetter().applyAsLong(instance)) : getter().apply(instance);
    }

    /** Sets the value, a primitive from its box. What the setter throws passes through. */
    void set(Object instance, Object value) {
        if (type.isPrimitive()) {
            bitsSetter().accept(instance, Integers.bits(value));
        } else {
            setter().accept(instance, value);
        }
    }

    /** The value of a field that is not a primitive. */
    Function<Object, Object> getter() {
        if (getter == null) {
            getter = make(getterMethod, Function.class);
        }
        return getter;
    }

    /** Sets a field that is not a primitive. */
    BiConsumer<Object, Object> setter() {
        if (setter == null) {
            setter = make(setterMethod, BiConsumer.class);
        }
        return setter;
    }

    /** The value of a primitive as a long: an integer's own, a double's raw bits, 1 for true. */
    ToLongFunction<Object> bitsGetter() {
        if (bitsGetter == null) {
            bitsGetter = makeBitsGetter();
        }
        return bitsGetter;
    }

    /** Sets a primitive from a long in the form of {@link #bitsGetter}. */
    ObjLongConsumer<Object> bitsSetter() {
        if (bitsSetter == null) {
            bitsSetter = makeBitsSetter();
        }
        return bitsSetter;
    }

    private ToLongFunction<Object> makeBitsGetter() {
        if (type == boolean.class) {
            Predicate<Object> getBoolean = make(getterMethod, Predicate.class);
            return instance -> getBoolean.test(instance) ? 1 : 0;
        }
        if (type == double.class) {
            ToDoubleFunction<Object> getDouble = make(getterMethod, ToDoubleFunction.class);
            return instance -> Double.doubleToRawLongBits(getDouble.applyAsDouble(instance));
        }
        return make(getterMethod, ToLongFunction.class);
    }

    private ObjLongConsumer<Object> makeBitsSetter() {
        if (type == long.class) {
            return make(setterMethod, ObjLongConsumer.class);
        }
        if (type == int.class) {
            ObjIntConsumer<Object> setInt = make(setterMethod, ObjIntConsumer.class);
            return (instance, bits) -> setInt.accept(instance, (int) bits);
        }
        if (type == double.class) {
            ObjDoubleConsumer<Object> setDouble = make(setterMethod, ObjDoubleConsumer.class);
            return (instance, bits) -> setDouble.accept(instance, Double.longBitsToDouble(bits));
        }
        BiConsumer<Object, Object> setBox = make(setterMethod, BiConsumer.class);
        return (instance, bits) -> setBox.accept(instance, box(bits));
    }

    private Object box(long bits) {
        if (type == boolean.class) {
            return bits != 0;
        }
        return type == double.class ? (Object) Double.longBitsToDouble(bits) : Integers.box(bits, type);
    }

    @SuppressWarnings("unchecked")
    private <F> F make(Method accessor, Class<?> function) {
        return (F) accessors.apply(accessor, function);
    }

    @Override
    public String toString() {
        return owner.getSimpleName() + "." + name + " of type " + typeName();
    }

    private static Class<?> elementType(Field field) {
        if (!Collection.class.isAssignableFrom(field.getType())) {
            return null;
        }
        Type declared = field.getGenericType();
        if (!(declared instanceof ParameterizedType)) {
            declared = field.getType().getGenericSuperclass();
        }
        Type element = ((ParameterizedType) declared).getActualTypeArguments()[0];
        return (Class<?>) element;
    }
}
