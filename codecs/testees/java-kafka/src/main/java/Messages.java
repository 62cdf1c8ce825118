import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiMessage;

/** The generated classes in Kafka's jars: for each schema file the class that was made of it. */
final class Messages {
    private static final Pattern SCHEMA = Pattern.compile("(?:.*/)?(?:message|metadata)/\\w+\\.json");
    private static final Pattern NAME = Pattern.compile("\"name\"\\s*:\\s*\"(\\w+)\"");

    /** The packages of generated classes. Other classes, in Scala, may have the name of a message. */
    private static final Pattern CLASS =
            Pattern.compile("(.*/(?:generated|common/message|common/metadata)/(\\w+?)(?:Data)?)\\.class");

    private Messages() {}

    /** Returns the classes by Kafka's names of the messages. Retired messages have a schema file but no class. */
    static Map<String, Class<? extends ApiMessage>> in(Path folder) {
        Map<String, Class<? extends ApiMessage>> found = new TreeMap<>();
        try (Stream<Path> jars = Files.list(folder)) {
            for (Path jar : (Iterable<Path>) jars::iterator) {
                if (jar.getFileName().toString().startsWith("kafka")) {
                    addAll(jar.toFile(), found);
                }
            }
        } catch (IOException | ClassNotFoundException fault) {
            throw new IllegalStateException("the jars in " + folder + " cannot be read", fault);
        }
        return found;
    }

    /** Returns the release of the classes, from the name of their jar. */
    static String release() {
        String jar = ApiMessage.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        return jar.replaceFirst(".*/kafka-clients-", "").replaceFirst("\\.jar$", "");
    }

    /** Returns the name of the message in a schema, which may differ from the file's name. It is the first name. */
    private static String nameIn(JarFile jar, JarEntry entry) throws IOException {
        Matcher name = NAME.matcher(new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
        if (!name.find()) {
            throw new IllegalStateException(entry.getName() + " is a schema without a name");
        }
        return name.group(1);
    }

    private static void addAll(File file, Map<String, Class<? extends ApiMessage>> found)
            throws IOException, ClassNotFoundException {
        Set<String> schemas = new HashSet<>();
        Map<String, String> classes = new TreeMap<>();
        try (JarFile jar = new JarFile(file)) {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                Matcher schema = SCHEMA.matcher(entry.getName());
                Matcher type = CLASS.matcher(entry.getName());
                if (schema.matches()) {
                    schemas.add(nameIn(jar, entry));
                } else if (type.matches()) {
                    classes.put(type.group(1).replace('/', '.'), type.group(2));
                }
            }
        }
        for (Map.Entry<String, String> each : classes.entrySet()) {
            String simple = each.getKey().substring(each.getKey().lastIndexOf('.') + 1);
            String message = schemas.contains(simple) ? simple : each.getValue(); // some names end with Data themselves
            if (schemas.contains(message)) {
                Class<?> type = Class.forName(each.getKey());
                if (ApiMessage.class.isAssignableFrom(type)) {
                    found.put(message, type.asSubclass(ApiMessage.class));
                }
            }
        }
    }
}
