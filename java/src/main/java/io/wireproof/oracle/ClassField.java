package io.wireproof.oracle;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Collection;

/** One field of a generated class, found by reflection: a getter {@code x()} and a setter {@code setX}. */
final class ClassField {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

    /** The class's own name of the field, the same as in Kafka's JSON. */
    final String name;

    final Class<?> owner;
    final Class<?> type;

    /** The type of the elements where the field is a collection; else null. */
    final Class<?> elementType;

    private final Method getterMethod;
    private final Method setterMethod;
    private MethodHandle getter;
    private MethodHandle setter;

    private ClassField(Field field, Method getter, Method setter) {
        this.name = field.getName();
        this.owner = field.getDeclaringClass();
        this.type = field.getType();
        this.elementType = elementType(field);
        this.getterMethod = getter;
        this.setterMethod = setter;
    }

    /** The field with its accessors, or null where it has none, as the links of map elements. */
    static ClassField of(Field field) {
        String name = field.getName();
        Class<?> owner = field.getDeclaringClass();
        try {
            Method getter = owner.getMethod(name);
            Method setter = owner.getMethod("set" + name.substring(0, 1).toUpperCase(java.util.Locale.ROOT)
                    + name.substring(1), field.getType());
            boolean generated = getter.getReturnType() == field.getType() && setter.getReturnType() == owner;
            return generated ? new ClassField(field, getter, setter) : null;
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

    Object get(Object instance) throws Throwable {
        return (Object) getter().asType(MethodType.methodType(Object.class, Object.class)).invokeExact(instance);
    }

    void set(Object instance, Object value) throws Throwable {
        MethodType generic = MethodType.methodType(void.class, Object.class, Object.class);
        setter().asType(generic).invokeExact(instance, value);
    }

    /** The getter, with the types of the class. */
    synchronized MethodHandle getter() throws IllegalAccessException {
        if (getter == null) {
            getter = LOOKUP.unreflect(getterMethod);
        }
        return getter;
    }

    /** The setter, with the types of the class. */
    synchronized MethodHandle setter() throws IllegalAccessException {
        if (setter == null) {
            setter = LOOKUP.unreflect(setterMethod);
        }
        return setter;
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
