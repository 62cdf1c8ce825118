package io.wireproof.oracle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A class's own description of itself, {@code SCHEMAS[version]}, reported unchanged. (Releases with
 * KAFKA-19634 describe nullable structs as plain ones.)
 *
 * <pre>
 * fields  count (int16), fields
 * field   text name, text type, text element, tag (int32; -1 in place), flexible (1 byte), fields
 * </pre>
 */
final class SchemaReport {
    private final SchemaTypes types;

    SchemaReport(SchemaTypes types) {
        this.types = types;
    }

    byte[] write(Class<?> message, int version) throws Throwable {
        ByteSink out = new ByteSink(1024);
        writeFields(types.schemaOf(message, version), out);
        return out.toArray();
    }

    /** The fields of schemas that follow each other. */
    byte[] write(List<Object> schemas) throws Throwable {
        ByteSink out = new ByteSink(1024);
        List<Object> fields = new ArrayList<>();
        for (Object schema : schemas) {
            fields.addAll(Arrays.asList(types.boundFields(schema)));
        }
        writeFields(fields.toArray(), out);
        return out.toArray();
    }

    private void writeFields(Object schema, ByteSink out) throws Throwable {
        writeFields(types.boundFields(schema), out);
    }

    private void writeFields(Object[] fields, ByteSink out) throws Throwable {
        int countAt = out.position();
        out.putShort(0);
        int count = 0;
        for (Object bound : fields) {
            Object definition = types.definitionOf(bound);
            Object fieldType = types.typeOfDefinition(definition);
            if (types.isTagSection(fieldType)) {
                for (Map.Entry<?, ?> tagged : types.taggedFields(fieldType).entrySet()) {
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

    private void writeField(Object definition, int tag, ByteSink out) throws Throwable {
        Object fieldType = types.typeOfDefinition(definition);
        Object element = types.elementOf(fieldType);
        out.putText(types.nameOf(definition));
        out.putText(element == null ? single(fieldType) : array(fieldType));
        out.putText(element == null ? "" : single(element));
        out.putInt(tag);
        Object struct = element == null ? fieldType : element;
        if (types.isSchema(struct)) {
            out.putByte(isFlexible(struct) ? 1 : 0);
            writeFields(struct, out);
        } else {
            out.putByte(0);
            out.putShort(0);
        }
    }

    private boolean isFlexible(Object schema) throws Throwable {
        for (Object bound : types.boundFields(schema)) {
            if (types.isTagSection(types.typeOf(bound))) {
                return true;
            }
        }
        return false;
    }

    private String array(Object fieldType) throws Throwable {
        String compact = fieldType.getClass().getSimpleName().startsWith("Compact") ? "COMPACT_" : "";
        return compact + (types.isNullable(fieldType) ? "NULLABLE_" : "") + "ARRAY";
    }

    private String single(Object fieldType) throws Throwable {
        if (types.isSchema(fieldType)) {
            return types.isNullable(fieldType) ? "NULLABLE_STRUCT" : "STRUCT";
        }
        return fieldType.toString();
    }
}
