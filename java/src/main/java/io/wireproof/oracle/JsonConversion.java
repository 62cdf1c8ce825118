package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

/**
 * The JSON converter beside a generated class ({@code XJsonConverter}), with text in between: a tree of
 * nodes in memory keeps what text loses. It needs Jackson on the shared loader.
 */
final class JsonConversion {
    private final Method write;
    private final Method read;
    private final Object mapper;
    private final Method toText;
    private final Method toTree;

    JsonConversion(ClassLoader loader, Class<?> message) throws ReflectiveOperationException {
        Class<?> node = loader.loadClass("com.fasterxml.jackson.databind.JsonNode");
        Class<?> mapperType = loader.loadClass("com.fasterxml.jackson.databind.ObjectMapper");
        Class<?> converter = loader.loadClass(message.getName() + "JsonConverter");
        write = converter.getMethod("write", message, short.class);
        read = converter.getMethod("read", node, short.class);
        mapper = mapperType.getConstructor().newInstance();
        toText = mapperType.getMethod("writeValueAsString", Object.class);
        toTree = mapperType.getMethod("readTree", String.class);
    }

    /** The text of an instance. */
    byte[] write(Object instance, short version) throws Throwable {
        Object tree = SchemaCodec.call(write, null, instance, version);
        return ((String) SchemaCodec.call(toText, mapper, tree)).getBytes(StandardCharsets.UTF_8);
    }

    /** The instance of a text. */
    Object read(byte[] text, short version) throws Throwable {
        Object tree = SchemaCodec.call(toTree, mapper, new String(text, StandardCharsets.UTF_8));
        return SchemaCodec.call(read, null, tree, version);
    }
}
