package io.wireproof.spark;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The layouts of one release and the names of its jars, in the file that the driver ships
 * (harness/wireproof/pipeline/runtime/artifacts.py writes it). Numbers are big-endian, a text is an int32 length and
 * UTF-8, a block an int32 length and bytes.
 *
 * <pre>
 * book     text release, count of jars (int32), texts, count of shared jars (int32), texts,
 *          count of modules (int32), modules
 * module   text name, text Java package, count of messages (int32), messages
 * message  text name, text name of the header before it ("" where there is none), count (int32), cells
 * cell     version, header version (-1 none; int32 each), block plan
 * </pre>
 */
final class PlanBook {
    final String release;
    final List<String> jars;
    final List<String> shared;
    private final Map<String, Message> messages = new HashMap<>();

    private PlanBook(DataInputStream in) throws IOException {
        release = text(in);
        jars = texts(in);
        shared = texts(in);
        for (int modules = in.readInt(); modules > 0; modules--) {
            module(in);
        }
    }

    static PlanBook read(Path file) throws IOException {
        try (InputStream bytes = Files.newInputStream(file);
                DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(bytes))) {
            return new PlanBook(in);
        }
    }

    /** The message of this name, or null. */
    Message message(String module, String name) {
        return messages.get(module + "/" + name);
    }

    private void module(DataInputStream in) throws IOException {
        String name = text(in);
        String javaPackage = text(in);
        for (int count = in.readInt(); count > 0; count--) {
            Message message = new Message(javaPackage, in);
            messages.put(name + "/" + message.name, message);
        }
    }

    private static List<String> texts(DataInputStream in) throws IOException {
        List<String> texts = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
            texts.add(text(in));
        }
        return texts;
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(block(in), StandardCharsets.UTF_8);
    }

    private static byte[] block(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }

    /** One message, with the layouts of its versions. */
    static final class Message {
        final String javaPackage;
        final String name;
        /** Of the header that goes before it; "" where none does. */
        final String header;

        private final Map<Integer, Cell> cells = new HashMap<>();

        Message(String javaPackage, DataInputStream in) throws IOException {
            this.javaPackage = javaPackage;
            name = text(in);
            header = text(in);
            for (int count = in.readInt(); count > 0; count--) {
                cells.put(in.readInt(), new Cell(in));
            }
        }

        /** The layout of this version, or null. */
        Cell cell(int version) {
            return cells.get(version);
        }
    }

    /** One message at one version. */
    static final class Cell {
        /** Of the header that goes before it; -1 where none does. */
        final int headerVersion;
        /** See {@code io.wireproof.oracle.StructPlan}. */
        final byte[] plan;

        Cell(DataInputStream in) throws IOException {
            headerVersion = in.readInt();
            plan = block(in);
        }
    }
}
