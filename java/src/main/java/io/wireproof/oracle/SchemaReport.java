package io.wireproof.oracle;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;

/**
 * A class's own description of itself, {@code SCHEMAS[version]}, told as it stands. (Releases with
 * KAFKA-19634 describe nullable structs as plain ones.)
 *
 * <pre>
 * fields  count (int16), fields
 * field   text name, text type, text element, tag (int32; -1 in place), flexible (1 byte), fields
 * </pre>
 */
final class SchemaReport {
    private static final String TYPES = "org.apache.kafka.common.protocol.types.";

    private final Class<?> schemaClass;
    private final Class<?> taggedFields;
    private final Field taggedMap;
    private final Class<?> field;
    private final Class<?> boundField;
    private final Class<?> type;

    SchemaReport(ClassLoader loader) throws ReflectiveOperationException {
        schemaClass = loader.loadClass(TYPES + "Schema");
        taggedFields = loader.loadClass(TYPES + "TaggedFields");
        taggedMap = taggedFields.getDeclaredField("fields"); // has a getter only in the newest releases
        taggedMap.setAccessible(true);
        field = loader.loadClass(TYPES + "Field");
        boundField = loader.loadClass(TYPES + "BoundField");
        type = loader.loadClass(TYPES + "Type");
    }

    byte[] write(Class<?> message, int version) throws ReflectiveOperationException {
        Object schemas = message.getField("SCHEMAS").get(null);
        Object schema = version < Array.getLength(schemas) ? Array.get(schemas, version) : null;
        if (schema == null) {
            throw new IllegalArgumentException(message.getSimpleName() + " has no schema of version " + version);
        }
        ByteSink out = new ByteSink(1024);
        writeFields(schema, out);
        return out.toArray();
    }

    private void writeFields(Object schema, ByteSink out) throws ReflectiveOperationException {
        int countAt = out.position();
        out.putShort(0);
        int count = 0;
        for (Object bound : (Object[]) schemaClass.getMethod("fields").invoke(schema)) {
            Object definition = boundField.getField("def").get(bound);
            Object fieldType = typeOf(definition);
            if (taggedFields.isInstance(fieldType)) {
                for (Map.Entry<?, ?> tagged : tagged(fieldType).entrySet()) {
                    writeField(tagged.getValue(), (Integer) tagged.getKey(), out);
                    count++;
                }
            } else {
                writeField(definition, -1, out);
                count++;
            }
        }
        int end = out.position();
        out.rewind(countAt);
        out.putShort(count);
        out.rewind(end);
    }

    private void writeField(Object definition, int tag, ByteSink out) throws ReflectiveOperationException {
        Object fieldType = typeOf(definition);
        Object element = elementOf(fieldType);
        out.putText((String) field.getField("name").get(definition));
        out.putText(element == null ? single(fieldType) : array(fieldType));
        out.putText(element == null ? "" : single(element));
        out.putInt(tag);
        Object struct = element == null ? fieldType : element;
        if (schemaClass.isInstance(struct)) {
            out.putByte(isFlexible(struct) ? 1 : 0);
            writeFields(struct, out);
        } else {
            out.putByte(0);
            out.putShort(0);
        }
    }

    private Object typeOf(Object definition) throws ReflectiveOperationException {
        return field.getField("type").get(definition);
    }

    private Map<?, ?> tagged(Object fieldType) throws ReflectiveOperationException {
        return (Map<?, ?>) taggedMap.get(fieldType);
    }

    private boolean isFlexible(Object schema) throws ReflectiveOperationException {
        for (Object bound : (Object[]) schemaClass.getMethod("fields").invoke(schema)) {
            if (taggedFields.isInstance(typeOf(boundField.getField("def").get(bound)))) {
                return true;
            }
        }
        return false;
    }

    private Object elementOf(Object fieldType) throws ReflectiveOperationException {
        Method elementType = type.getMethod("arrayElementType");
        return ((Optional<?>) elementType.invoke(fieldType)).orElse(null);
    }

    private String array(Object fieldType) throws ReflectiveOperationException {
        String compact = fieldType.getClass().getSimpleName().startsWith("Compact") ? "COMPACT_" : "";
        return compact + (isNullable(fieldType) ? "NULLABLE_" : "") + "ARRAY";
    }

    private String single(Object fieldType) throws ReflectiveOperationException {
        if (schemaClass.isInstance(fieldType)) {
            return isNullable(fieldType) ? "NULLABLE_STRUCT" : "STRUCT";
        }
        return fieldType.toString();
    }

    private boolean isNullable(Object fieldType) throws ReflectiveOperationException {
        return (boolean) type.getMethod("isNullable").invoke(fieldType);
    }
}
