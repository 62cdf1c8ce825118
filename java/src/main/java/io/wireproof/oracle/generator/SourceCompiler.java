package io.wireproof.oracle.generator;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/** A Java compiler that reads its sources from memory and writes class files into memory. One thread at a time. */
final class SourceCompiler {
    private static final List<String> OPTIONS = List.of("-proc:none", "-nowarn", "-g:none");

    /** The words of an error: they follow the line with the carets that mark the place. */
    private static final Pattern PRINTED_ERROR = Pattern.compile("(?m)^\\s*\\^+\\R(.+)$");

    private final JavaCompiler compiler;
    private final StandardJavaFileManager files;
    private final List<String> options;

    /**
     * @param classPath the jars that the sources need
     * @param level the Java release that Kafka's build compiles for: a newer one has other escapes and keywords
     */
    SourceCompiler(JavaCompiler compiler, String[] classPath, int level) throws IOException {
        this.compiler = compiler;
        this.options = new ArrayList<>(OPTIONS);
        options.addAll(List.of("-source", "" + level, "-target", "" + level));
        this.files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);
        List<File> jars = new ArrayList<>();
        for (String jar : classPath) {
            jars.add(new File(jar));
        }
        files.setLocation(StandardLocation.CLASS_PATH, jars);
        if (compiler.getClass().getName().startsWith("org.eclipse.")) {
            files.setLocation(StandardLocation.SOURCE_PATH, List.of());
            options.addAll(List.of("-classpath", String.join(File.pathSeparator, classPath)));
        } else {
            options.add("-Xlint:-options");
        }
    }

    /**
     * Compile units together. Where some of them fail, they are compiled apart from the others, and from each
     * other in the end: an error in one unit can make {@code javac} lose java.lang.Object in those after it.
     *
     * @param units the sources of each unit, by qualified class name; no two units share a package
     */
    List<CompiledUnit> compile(List<Map<String, String>> units) {
        CompiledUnit[] results = new CompiledUnit[units.size()];
        List<Integer> all = new ArrayList<>();
        for (int unit = 0; unit < results.length; unit++) {
            all.add(unit);
        }
        settle(units, all, results);
        return List.of(results);
    }

    private void settle(List<Map<String, String>> units, List<Integer> wanted, CompiledUnit[] results) {
        if (wanted.isEmpty()) {
            return;
        }
        Map<Integer, String> failed = compileTogether(units, wanted, results);
        if (failed.isEmpty()) {
            return;
        }
        if (wanted.size() == 1) {
            results[wanted.get(0)] = new CompiledUnit(Map.of(), failed.get(wanted.get(0)));
        } else if (failed.size() == wanted.size()) {
            int half = wanted.size() / 2;
            settle(units, wanted.subList(0, half), results);
            settle(units, wanted.subList(half, wanted.size()), results);
        } else {
            List<Integer> others = new ArrayList<>(wanted);
            others.removeAll(failed.keySet());
            settle(units, others, results);
            settle(units, new ArrayList<>(failed.keySet()), results);
        }
    }

    /** Put the classes of all units into the results, or return the error of each unit that has one. */
    private Map<Integer, String> compileTogether(
            List<Map<String, String>> units, List<Integer> wanted, CompiledUnit[] results) {
        List<JavaFileObject> sources = new ArrayList<>();
        for (int unit : wanted) {
            units.get(unit).forEach((name, text) -> sources.add(new Source(unit, name, text)));
        }
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        ClassFiles written = new ClassFiles(files);
        StringWriter output = new StringWriter();
        Map<Integer, String> failed;
        try {
            if (compiler.getTask(output, written, diagnostics, options, null, sources).call()) {
                wanted.forEach(unit -> results[unit] = new CompiledUnit(written.of(units.get(unit)), ""));
                return Map.of();
            }
            failed = firstErrors(diagnostics);
        } catch (RuntimeException | Error crash) {
            failed = Map.of();
            output.write(crash.toString());
        }
        if (failed.isEmpty()) {
            failed = new LinkedHashMap<>();
            String error = printedError(output.toString());
            for (int unit : wanted) {
                failed.put(unit, error);
            }
        }
        return failed;
    }

    /** The first error that the compiler printed: the Eclipse compiler prints some, and reports no diagnostic. */
    private static String printedError(String output) {
        Matcher error = PRINTED_ERROR.matcher(output);
        return error.find() ? error.group(1) : "the compiler failed: " + output;
    }

    private static Map<Integer, String> firstErrors(DiagnosticCollector<JavaFileObject> diagnostics) {
        Map<Integer, String> errors = new LinkedHashMap<>();
        for (Diagnostic<? extends JavaFileObject> each : diagnostics.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR && each.getSource() instanceof Source) {
                int unit = ((Source) each.getSource()).unit;
                errors.putIfAbsent(unit, each.getMessage(Locale.ROOT));
            }
        }
        return errors;
    }

    /** The address of a file in memory. A message may have any name, and so may its class. */
    private static URI address(String className, JavaFileObject.Kind kind) {
        try {
            return new URI("memory", "", "/" + className.replace('.', '/') + kind.extension, null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(className, e);
        }
    }

    /** A source in memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final int unit;
        private final String text;

        Source(int unit, String className, String text) {
            super(address(className, Kind.SOURCE), Kind.SOURCE);
            this.unit = unit;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** A class file in memory. */
    private static final class ClassFile extends SimpleJavaFileObject {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(8192);

        ClassFile(String className) {
            super(address(className, Kind.CLASS), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    /** Keeps what the compiler writes. */
    private static final class ClassFiles extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ClassFile> written = new HashMap<>();

        ClassFiles(JavaFileManager files) {
            super(files);
        }

        /** The Eclipse compiler asks, and looks on the disk for a source that is in no location. */
        @Override
        public boolean contains(Location location, FileObject file) throws IOException {
            return location == StandardLocation.SOURCE_PATH || super.contains(location, file);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            ClassFile file = new ClassFile(className);
            written.put(className.replace('/', '.'), file); // the Eclipse compiler writes slashes
            return file;
        }

        /** The class files in the package of a unit. */
        Map<String, byte[]> of(Map<String, String> sources) {
            Map<String, byte[]> classes = new HashMap<>();
            String first = sources.keySet().iterator().next();
            String prefix = first.substring(0, first.lastIndexOf('.') + 1);
            written.forEach((name, file) -> {
                if (name.startsWith(prefix)) {
                    classes.put(name, file.bytes.toByteArray());
                }
            });
            return classes;
        }

        @Override
        public void close() {
            // The manager below it is used again.
        }
    }
}
