package io.wireproof.oracle;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;

/** Kafka's {@code common.protocol.types}: schemas, their fields, and how they read and write structs. */
final class SchemaTypes {
    private static final String TYPES = "org.apache.kafka.common.protocol.types.";

    private final Class<?> schema;
    private final Class<?> tagSection;
    private final Field taggedMap;
    private final Field boundDefinition;
    private final Field fieldType;
    private final Field fieldName;
    private final Method fields;
    private final Method elementType;
    private final Method isNullable;
    private final Method get;
    private final Constructor<?> newStruct;
    private final Method set;
    private final Method read;
    private final Method write;
    private final Method sizeOf;

    SchemaTypes(ClassLoader loader) throws ReflectiveOperationException {
        schema = loader.loadClass(TYPES + "Schema");
        tagSection = loader.loadClass(TYPES + "TaggedFields");
        taggedMap = tagSection.getDeclaredField("fields"); // has a getter only in the newest releases
        taggedMap.setAccessible(true);
        Class<?> bound = loader.loadClass(TYPES + "BoundField");
        boundDefinition = bound.getField("def");
        Class<?> field = loader.loadClass(TYPES + "Field");
        fieldType = field.getField("type");
        fieldName = field.getField("name");
        fields = schema.getMethod("fields");
        Class<?> type = loader.loadClass(TYPES + "Type");
        elementType = type.getMethod("arrayElementType");
        isNullable = type.getMethod("isNullable");
        get = loader.loadClass(TYPES + "Struct").getMethod("get", bound);
        newStruct = loader.loadClass(TYPES + "Struct").getConstructor(schema);
        set = loader.loadClass(TYPES + "Struct").getMethod("set", bound, Object.class);
        read = type.getMethod("read", ByteBuffer.class);
        write = type.getMethod("write", ByteBuffer.class, Object.class);
        sizeOf = type.getMethod("sizeOf", Object.class);
    }

    /** The class's schema of a version. */
    Object schemaOf(Class<?> message, int version) throws ReflectiveOperationException {
        Object schemas = message.getField("SCHEMAS").get(null);
        boolean within = version >= 0 && version < Array.getLength(schemas);
        Object found = within ? Array.get(schemas, version) : null;
        if (found == null) {
            throw new IllegalArgumentException(message.getSimpleName() + " has no schema of version " + version);
        }
        return found;
    }

    Object[] boundFields(Object struct) throws Throwable {
        return (Object[]) SchemaCodec.call(fields, struct);
    }

    boolean isSchema(Object type) {
        return schema.isInstance(type);
    }

    boolean isNullable(Object type) throws Throwable {
        return (boolean) SchemaCodec.call(isNullable, type);
    }

    /** The field of a bound field. */
    Object definitionOf(Object boundField) throws ReflectiveOperationException {
        return boundDefinition.get(boundField);
    }

    String nameOf(Object field) throws ReflectiveOperationException {
        return (String) fieldName.get(field);
    }

    Object typeOf(Object boundField) throws ReflectiveOperationException {
        return typeOfDefinition(definitionOf(boundField));
    }

    Object typeOfDefinition(Object field) throws ReflectiveOperationException {
        return fieldType.get(field);
    }

    boolean isTagSection(Object type) {
        return tagSection.isInstance(type);
    }

    /** The known fields of a tag section by ascending tag. */
    Map<?, ?> taggedFields(Object type) throws ReflectiveOperationException {
        return (Map<?, ?>) taggedMap.get(type);
    }

    /** The type of an array's elements; null for other types. */
    Object elementOf(Object type) throws Throwable {
        return ((Optional<?>) SchemaCodec.call(elementType, type)).orElse(null);
    }

    Object get(Object struct, Object boundField) throws Throwable {
        return SchemaCodec.call(get, struct, boundField);
    }

    Object newStruct(Object struct) throws ReflectiveOperationException {
        return newStruct.newInstance(struct);
    }

    void set(Object struct, Object boundField, Object value) throws Throwable {
        SchemaCodec.call(set, struct, boundField, value);
    }

    Object read(Object type, ByteBuffer from) throws Throwable {
        return SchemaCodec.call(read, type, from);
    }

    void write(Object type, ByteBuffer to, Object value) throws Throwable {
        SchemaCodec.call(write, type, to, value);
    }

    int sizeOf(Object type, Object value) throws Throwable {
        return (int) SchemaCodec.call(sizeOf, type, value);
    }
}
