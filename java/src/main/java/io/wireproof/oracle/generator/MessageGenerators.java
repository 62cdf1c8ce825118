package io.wireproof.oracle.generator;

import java.io.BufferedWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The message generator of one release, called as its own {@code MessageGenerator.processDirectories} calls it,
 * without the folders: that method reads files, writes files and prints on standard output.
 *
 * <p>By reflection, because one build serves every release.
 */
final class MessageGenerators {
    private static final String PACKAGE = "org.apache.kafka.message.";
    private static final String JACKSON = "com.fasterxml.jackson.";
    private static final List<String> DATA = List.of("MessageDataGenerator");
    private static final List<String> DATA_AND_JSON = List.of("MessageDataGenerator", "JsonConverterGenerator");
    private static final Map<String, List<String>> TYPE_GENERATORS = Map.of(
            "REQUEST", List.of("ApiMessageTypeGenerator"),
            "RESPONSE", List.of("ApiMessageTypeGenerator"),
            "METADATA", List.of("MetadataRecordTypeGenerator", "MetadataJsonConvertersGenerator"),
            "COORDINATOR_KEY", List.of("CoordinatorRecordTypeGenerator", "CoordinatorRecordJsonConvertersGenerator"),
            "COORDINATOR_VALUE", List.of("CoordinatorRecordTypeGenerator", "CoordinatorRecordJsonConvertersGenerator"));

    private final Object json;
    private final Method readValue;
    private final Class<?> spec;
    private final Method messageGenerators;
    private final Method typeGenerators;
    private final Method outputName;
    private final Method generate;
    private final Method typeOutputName;
    private final Method register;
    private final Method generateTypes;
    private final List<String> kinds;

    /** @param converters make the JSON converter of each message too */
    MessageGenerators(ClassLoader loader, boolean converters) throws ReflectiveOperationException {
        Class<?> generator = loader.loadClass(PACKAGE + "MessageGenerator");
        Field mapper = generator.getDeclaredField("JSON_SERDE");
        mapper.setAccessible(true);
        json = mapper.get(null);
        readValue = json.getClass().getMethod("readValue", byte[].class, Class.class);
        spec = loader.loadClass(PACKAGE + "MessageSpec");
        messageGenerators = open(generator, "createMessageClassGenerators", String.class, List.class);
        typeGenerators = open(generator, "createTypeClassGenerators", String.class, List.class);
        Class<?> messages = loader.loadClass(PACKAGE + "MessageClassGenerator");
        outputName = open(messages, "outputName", spec);
        generate = open(messages, "generateAndWrite", spec, BufferedWriter.class);
        Class<?> types = loader.loadClass(PACKAGE + "TypeClassGenerator");
        typeOutputName = open(types, "outputName");
        register = open(types, "registerMessageType", spec);
        generateTypes = open(types, "generateAndWrite", BufferedWriter.class);
        kinds = converters ? DATA_AND_JSON : DATA;
    }

    /** The Java of one schema. */
    GeneratedSource message(String text, String packageName) {
        try {
            Map<String, String> sources = new LinkedHashMap<>();
            String className = emit(read(text), packageName, sources);
            return GeneratedSource.accepted(sources, className);
        } catch (Exception | StackOverflowError failure) {
            return GeneratedSource.refused(failure);
        }
    }

    /** The Java of several schemas of one module, with the tables of types that their kinds ask for. */
    GeneratedSource set(String[] texts, String packageName) {
        try {
            Map<String, String> sources = new LinkedHashMap<>();
            List<Object> specs = new ArrayList<>();
            for (String text : texts) {
                specs.add(read(text));
            }
            List<?> tables = (List<?>) call(typeGenerators, null, packageName, namesOfTables(specs));
            for (Object each : specs) {
                emit(each, packageName, sources);
                for (Object table : tables) {
                    call(register, table, each);
                }
            }
            for (Object table : tables) {
                String file = (String) call(typeOutputName, table);
                StringWriter written = new StringWriter();
                try (BufferedWriter writer = new BufferedWriter(written)) {
                    call(generateTypes, table, writer);
                }
                sources.put(packageName + "." + file.replace(".java", ""), written.toString());
            }
            return GeneratedSource.accepted(sources, "");
        } catch (Exception | StackOverflowError failure) {
            return GeneratedSource.refused(failure);
        }
    }

    private Object read(String text) throws Exception {
        return call(readValue, json, text.getBytes(StandardCharsets.UTF_8), spec);
    }

    /** Add a message's sources; return the name of its class. */
    private String emit(Object message, String packageName, Map<String, String> sources) throws Exception {
        if (!hasValidVersion(message)) {
            return "";
        }
        String first = "";
        for (Object generator : (List<?>) call(messageGenerators, null, packageName, kinds)) {
            String name = packageName + "." + call(outputName, generator, message);
            StringWriter written = new StringWriter(16384);
            try (BufferedWriter writer = new BufferedWriter(written)) {
                call(generate, generator, message, writer);
            }
            sources.put(name, written.toString());
            first = first.isEmpty() ? name : first;
        }
        return first;
    }

    /** Releases before 4.0 make a class of a message without valid versions too. */
    private boolean hasValidVersion(Object message) throws Exception {
        try {
            return (boolean) call(spec.getMethod("hasValidVersion"), message);
        } catch (NoSuchMethodException before) {
            return true;
        }
    }

    private List<String> namesOfTables(List<Object> specs) throws Exception {
        Set<String> names = new LinkedHashSet<>();
        for (Object each : specs) {
            String kind = ((Enum<?>) call(spec.getMethod("type"), each)).name();
            names.addAll(TYPE_GENERATORS.getOrDefault(kind, List.of()));
        }
        return new ArrayList<>(names);
    }

    /** The generator's own words: of the exception that Jackson wrapped, if it did. */
    static String reason(Throwable failure) {
        Throwable root = failure;
        while (root.getClass().getName().startsWith(JACKSON) && root.getCause() != null) {
            root = root.getCause();
        }
        String text = root.getClass().getName().startsWith(JACKSON) ? original(root) : root.getMessage();
        if (root.getClass() == RuntimeException.class && text != null) {
            return text;
        }
        return root.getClass().getSimpleName() + (text == null ? "" : ": " + text);
    }

    /** Jackson's message without the place in the source. */
    private static String original(Throwable failure) {
        try {
            return (String) failure.getClass().getMethod("getOriginalMessage").invoke(failure);
        } catch (ReflectiveOperationException none) {
            return failure.getMessage();
        }
    }

    private static Method open(Class<?> type, String name, Class<?>... parameters) throws NoSuchMethodException {
        Method method = type.getDeclaredMethod(name, parameters);
        method.setAccessible(true);
        return method;
    }

    private static Object call(Method method, Object target, Object... arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException wrapped) {
            if (wrapped.getCause() instanceof Error) {
                throw (Error) wrapped.getCause();
            }
            throw (Exception) wrapped.getCause();
        }
    }
}
