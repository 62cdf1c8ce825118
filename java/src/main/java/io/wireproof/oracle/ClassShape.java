package io.wireproof.oracle;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** The fields of one generated class, of all versions together, in the order in which it declares them. */
final class ClassShape {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

    final Class<?> type;
    private final Map<String, ClassField> fields = new LinkedHashMap<>();
    private final MethodHandle constructor;

    ClassShape(Class<?> type, BiFunction<Method, Class<?>, Object> accessors) throws ReflectiveOperationException {
        this.type = type;
        this.constructor = LOOKUP.findConstructor(type, MethodType.methodType(void.class))
                .asType(MethodType.methodType(Object.class));
        for (Field field : type.getDeclaredFields()) {
            ClassField found = Modifier.isStatic(field.getModifiers()) ? null : ClassField.of(field, accessors);
            if (found != null) {
                fields.put(found.name, found);
            }
        }
    }

    Collection<ClassField> fields() {
        return fields.values();
    }

    /** The field of this name, or null. */
    ClassField field(String name) {
        return fields.get(name);
    }

    Object newInstance() throws Throwable {
        return (Object) constructor.invokeExact();
    }

    /** An empty collection of the field's type. */
    static CollectionMaker collectionMaker(Class<?> type) throws ReflectiveOperationException {
        if (type.isInterface()) {
            return ArrayList::new;
        }
        MethodHandle sized = LOOKUP.findConstructor(type, MethodType.methodType(void.class, int.class))
                .asType(MethodType.methodType(Collection.class, int.class));
        return count -> (Collection<?>) sized.invokeExact(count);
    }

    /** Makes an empty collection for so many elements. */
    @FunctionalInterface
    interface CollectionMaker {
        Collection<?> make(int count) throws Throwable;
    }

    /** Put elements into a collection; each must get in. */
    @SuppressWarnings("unchecked")
    static void add(Collection<?> collection, Object element) {
        if (!((Collection<Object>) collection).add(element)) {
            throw new IllegalStateException("the collection does not take the element");
        }
    }

    /** An unmodifiable view for tests. */
    List<String> names() {
        return List.copyOf(fields.keySet());
    }
}
