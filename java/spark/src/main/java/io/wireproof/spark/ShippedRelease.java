package io.wireproof.spark;

import io.wireproof.oracle.CellCodec;
import io.wireproof.oracle.OneFrame;
import io.wireproof.oracle.RecordSets;
import io.wireproof.oracle.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkFiles;

/**
 * A release of Kafka on this executor, out of the files that came with the job. It is opened by the first row
 * that wants it, and stays as long as the executor: about 20 MiB with all of its classes.
 */
final class ShippedRelease {
    /** By the name of the book: two books of one release, of two jobs, may differ. */
    private static final Map<String, ShippedRelease> OPENED = new ConcurrentHashMap<>();

    private static final String HEADERS = "clients";

    private final PlanBook book;
    private final Release classes;
    private final Map<CellKey, Binding> bindings = new ConcurrentHashMap<>();

    private ShippedRelease(PlanBook book, Release classes) {
        this.book = book;
        this.classes = classes;
    }

    /**
     * The release whose book is the shipped file of this name.
     *
     * @throws IllegalStateException what was shipped did not arrive, or is damaged: the task cannot go on
     */
    static ShippedRelease of(String bookName) {
        // get first: computeIfAbsent locks its bin even where the key is there.
        ShippedRelease known = OPENED.get(bookName);
        return known != null ? known : OPENED.computeIfAbsent(bookName, ShippedRelease::open);
    }

    private static ShippedRelease open(String bookName) {
        try {
            PlanBook book = PlanBook.read(arrived(bookName));
            return new ShippedRelease(book, Release.open(paths(book.jars), paths(book.shared)));
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException("the Kafka release of " + bookName + " cannot be opened: " + e, e);
        }
    }

    private static String[] paths(List<String> names) {
        return names.stream().map(name -> arrived(name).toString()).toArray(String[]::new);
    }

    private static Path arrived(String name) {
        Path path = Path.of(SparkFiles.get(name));
        if (!Files.isRegularFile(path)) {
            throw new IllegalStateException(
                    path + " is not there: the files of the job did not arrive at this executor");
        }
        return path;
    }

    /**
     * The classes of a cell.
     *
     * @param headerVersion of the header before each body; -1 for bodies alone
     */
    OneFrame frames(String module, String message, int version, int headerVersion) throws UnknownCellException {
        CellKey key = new CellKey(module, message, version, headerVersion);
        Binding known = bindings.get(key);
        if (known == null) {
            known = bindings.computeIfAbsent(key, this::bind);
        }
        return known.get();
    }

    RecordSets recordSets() {
        try {
            return classes.recordSets();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(book.release + " has no record sets: " + e, e);
        }
    }

    private Binding bind(CellKey key) {
        try {
            return new Binding(bound(key), null);
        } catch (UnknownCellException refusal) {
            return new Binding(null, refusal);
        } catch (Throwable refusal) {
            String cell = book.release + "/" + key.message + "/" + key.version;
            return new Binding(null, new UnknownCellException("the classes of " + cell + ": " + refusal, refusal));
        }
    }

    private OneFrame bound(CellKey key) throws Throwable {
        PlanBook.Message message = found(key.module, key.message);
        CellCodec body = codec(message, key.version);
        if (key.headerVersion < 0) {
            return classes.oneFrame(null, body);
        }
        int expected = classes.headerVersion(className(message), key.version);
        if (expected != key.headerVersion) {
            throw new UnknownCellException(book.release + " sends " + key.message + " " + key.version
                    + (expected < 0 ? " without a header" : " with header version " + expected)
                    + ", not with header version " + key.headerVersion);
        }
        return classes.oneFrame(codec(found(HEADERS, message.header), expected), body);
    }

    private PlanBook.Message found(String module, String name) throws UnknownCellException {
        PlanBook.Message message = book.message(module, name);
        if (message == null) {
            throw new UnknownCellException(book.release + " has no message " + name + " in a module " + module);
        }
        return message;
    }

    private CellCodec codec(PlanBook.Message message, int version) throws Throwable {
        PlanBook.Cell cell = message.cell(version);
        if (cell == null) {
            throw new UnknownCellException(book.release + " has no version " + version + " of " + message.name);
        }
        return classes.cell(className(message), version, cell.plan);
    }

    /** Requests, responses and headers have the suffix {@code Data} (Kafka: MessageSpec.dataClassName). */
    private String className(PlanBook.Message message) {
        String plain = message.javaPackage + "." + message.name;
        return classes.has(plain + "Data") ? plain + "Data" : plain;
    }

    /** The result for a cell: its classes, or the reason why there are none. */
    private static final class Binding {
        private final OneFrame frames;
        private final UnknownCellException refusal;

        Binding(OneFrame frames, UnknownCellException refusal) {
            this.frames = frames;
            this.refusal = refusal;
        }

        OneFrame get() throws UnknownCellException {
            if (refusal != null) {
                throw refusal;
            }
            return frames;
        }
    }

    /** A message at a version after a header at a version. */
    private static final class CellKey {
        final String module;
        final String message;
        final int version;
        final int headerVersion;

        CellKey(String module, String message, int version, int headerVersion) {
            this.module = module;
            this.message = message;
            this.version = version;
            this.headerVersion = headerVersion;
        }

        @Override
        public boolean equals(Object other) {
            CellKey that = (CellKey) other;
            return version == that.version
                    && headerVersion == that.headerVersion
                    && message.equals(that.message)
                    && module.equals(that.module);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * message.hashCode() + version) + headerVersion;
        }
    }
}
