package io.wireproof.oracle.generator;

import java.util.Map;

/** What Kafka's generator made of a schema, or of several: Java sources, or the reason why it refused. */
final class GeneratedSource {
    /** Sources by qualified class name; empty where it refused, and for a message without valid versions. */
    final Map<String, String> sources;

    /** The qualified name of the message's class; empty where there is none. */
    final String className;

    /** Why the generator refused; null where it accepted. */
    final String refusal;

    private GeneratedSource(Map<String, String> sources, String className, String refusal) {
        this.sources = sources;
        this.className = className;
        this.refusal = refusal;
    }

    static GeneratedSource accepted(Map<String, String> sources, String className) {
        return new GeneratedSource(sources, className, null);
    }

    static GeneratedSource refused(Throwable failure) {
        return new GeneratedSource(Map.of(), "", MessageGenerators.reason(failure));
    }
}
