package io.wireproof.oracle.generator;

import java.util.Map;

/** What became of one schema: accepted, with the classes of its message; refused; or Java that does not compile. */
public final class SchemaJudgement {
    private final String outcome;
    private final String cause;
    private final String className;
    private final Map<String, byte[]> classes;

    private SchemaJudgement(String outcome, String cause, String className, Map<String, byte[]> classes) {
        this.outcome = outcome;
        this.cause = cause;
        this.className = className;
        this.classes = classes;
    }

    static SchemaJudgement accepted(String className, Map<String, byte[]> classes) {
        return new SchemaJudgement("accepted", "", className, classes);
    }

    static SchemaJudgement refused(String cause) {
        return new SchemaJudgement("refused", cause, "", Map.of());
    }

    static SchemaJudgement notCompiled(String error) {
        return new SchemaJudgement("not-compiled", error, "", Map.of());
    }

    /** One of accepted, refused, not-compiled. */
    public String outcome() {
        return outcome;
    }

    /** The generator's reason, or the compiler's first error; empty where accepted. */
    public String cause() {
        return cause;
    }

    /** The qualified name of the message's class; empty where there is none. */
    public String className() {
        return className;
    }

    Map<String, byte[]> classes() {
        return classes;
    }
}
