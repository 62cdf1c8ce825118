package io.wireproof.oracle.generator;

import java.util.Map;

/** What the compiler made of one unit: class files by qualified name, or its first error. */
final class CompiledUnit {
    final Map<String, byte[]> classes;
    final String error;

    CompiledUnit(Map<String, byte[]> classes, String error) {
        this.classes = classes;
        this.error = error;
    }

    boolean failed() {
        return !error.isEmpty();
    }
}
