package io.wireproof.oracle.generator;

import io.wireproof.oracle.Release;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Kafka's generator of one release, a Java compiler after it, and the clients of that release for both. */
public final class SchemaJudge {
    private static final String PACKAGE = "io.wireproof.generated.m";
    private static final String GENERATED = "org/apache/kafka/common/message/FetchRequestData.class";
    private static final String ECLIPSE = "org.eclipse.jdt.internal.compiler.tool.EclipseCompiler";

    private final MessageGenerators generators;
    private final List<SourceCompiler> compilers;
    private final ClassLoader clients;
    private long messages;

    private SchemaJudge(MessageGenerators generators, List<SourceCompiler> compilers, ClassLoader clients) {
        this.generators = generators;
        this.compilers = compilers;
        this.clients = clients;
    }

    /**
     * Open the generator of a release.
     *
     * @param generatorJars the generator and what it needs
     * @param clientsJars the clients of the release and the jars that its classes need
     * @param compilerJar the Eclipse compiler, for a runtime without {@code javac}; else null
     * @param threads how many compilers work at once
     * @param converters make and compile the JSON converter of each message too
     */
    public static SchemaJudge open(
            String[] generatorJars, String[] clientsJars, String compilerJar, int threads, boolean converters)
            throws Exception {
        ClassLoader loader = loader(generatorJars);
        ClassLoader clients = loader(clientsJars);
        int level = level(clients);
        List<SourceCompiler> compilers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            compilers.add(new SourceCompiler(compiler(compilerJar), clientsJars, level));
        }
        return new SchemaJudge(new MessageGenerators(loader, converters), compilers, clients);
    }

    /** The Java release that the clients were compiled for: class files of Java 8 have version 52, of 11 55. */
    private static int level(ClassLoader clients) throws IOException {
        try (DataInputStream code = new DataInputStream(clients.getResourceAsStream(GENERATED))) {
            code.readInt();
            code.readUnsignedShort();
            return code.readUnsignedShort() - 44;
        }
    }

    /** True if this runtime has a Java compiler of its own. */
    public static boolean hasCompiler() {
        return ToolProvider.getSystemJavaCompiler() != null;
    }

    /** A judgement of each schema, in their order; no two affect each other. */
    public synchronized SchemaJudgement[] judge(String[] texts, boolean compile) throws Throwable {
        List<GeneratedSource> generated = new ArrayList<>();
        for (String text : texts) {
            generated.add(generators.message(text, PACKAGE + messages++));
        }
        return compile ? compiled(generated) : uncompiled(generated);
    }

    /** A judgement of schemas that the generator processes together, as those of one module. */
    public synchronized SchemaJudgement judgeSet(String[] texts, boolean compile) throws Throwable {
        List<GeneratedSource> generated = List.of(generators.set(texts, PACKAGE + messages++));
        return (compile ? compiled(generated) : uncompiled(generated))[0];
    }

    /** The Java that the generator makes of a schema, by class name. */
    public synchronized Map<String, String> sources(String text, String packageName) {
        return generators.message(text, packageName).sources;
    }

    /** The classes of several messages in one loader, over the clients of the release. */
    public Release open(SchemaJudgement[] judgements) throws ReflectiveOperationException {
        Map<String, byte[]> classes = new HashMap<>();
        for (SchemaJudgement each : judgements) {
            classes.putAll(each.classes());
        }
        return Release.over(classes, clients);
    }

    private static SchemaJudgement[] uncompiled(List<GeneratedSource> generated) {
        return generated.stream()
                .map(each -> each.refusal == null ? SchemaJudgement.accepted("", Map.of())
                        : SchemaJudgement.refused(each.refusal))
                .toArray(SchemaJudgement[]::new);
    }

    private SchemaJudgement[] compiled(List<GeneratedSource> generated) throws Throwable {
        SchemaJudgement[] judgements = new SchemaJudgement[generated.size()];
        List<Integer> units = new ArrayList<>();
        for (int i = 0; i < judgements.length; i++) {
            GeneratedSource each = generated.get(i);
            if (each.refusal != null) {
                judgements[i] = SchemaJudgement.refused(each.refusal);
            } else if (each.sources.isEmpty()) {
                judgements[i] = SchemaJudgement.accepted("", Map.of());
            } else {
                units.add(i);
            }
        }
        compile(generated, units, judgements);
        return judgements;
    }

    private void compile(List<GeneratedSource> generated, List<Integer> units, SchemaJudgement[] judgements)
            throws Throwable {
        int shares = Math.min(compilers.size(), units.size());
        if (shares == 0) {
            return;
        }
        ExecutorService threads = Executors.newFixedThreadPool(shares, SchemaJudge::daemon);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int share = 0; share < shares; share++) {
                SourceCompiler compiler = compilers.get(share);
                List<Integer> own = every(units, share, shares);
                running.add(threads.submit(() -> compile(compiler, generated, own, judgements)));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException failure) {
            throw failure.getCause();
        } finally {
            threads.shutdownNow();
        }
    }

    private static void compile(
            SourceCompiler compiler, List<GeneratedSource> generated, List<Integer> own, SchemaJudgement[] judgements) {
        List<Map<String, String>> sources = new ArrayList<>();
        own.forEach(unit -> sources.add(generated.get(unit).sources));
        List<CompiledUnit> results = compiler.compile(sources);
        for (int i = 0; i < results.size(); i++) {
            CompiledUnit result = results.get(i);
            int unit = own.get(i);
            judgements[unit] = result.failed()
                    ? SchemaJudgement.notCompiled(result.error)
                    : SchemaJudgement.accepted(generated.get(unit).className, result.classes);
        }
    }

    private static List<Integer> every(List<Integer> units, int first, int step) {
        List<Integer> own = new ArrayList<>();
        for (int i = first; i < units.size(); i += step) {
            own.add(units.get(i));
        }
        return own;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(null, work, "compiler", 16 << 20);
        thread.setDaemon(true);
        return thread;
    }

    private static JavaCompiler compiler(String compilerJar) throws ReflectiveOperationException {
        JavaCompiler own = ToolProvider.getSystemJavaCompiler();
        if (own != null || compilerJar == null) {
            return own;
        }
        return (JavaCompiler) loader(new String[] {compilerJar}).loadClass(ECLIPSE).getConstructor().newInstance();
    }

    private static ClassLoader loader(String[] jars) {
        URL[] urls = new URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            try {
                urls[i] = new File(jars[i]).toURI().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException(jars[i], e);
            }
        }
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }
}
