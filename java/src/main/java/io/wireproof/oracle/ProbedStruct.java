package io.wireproof.oracle;

import java.util.ArrayList;
import java.util.List;

/** A generated class at one version, as trying it has shown it to be. */
final class ProbedStruct {
    final ClassShape shape;

    /** True if it is only written with its records filled: they are null by default, even where null is refused. */
    final boolean needsRecords;

    /** True if it takes unknown tagged fields. */
    final boolean flexible;

    final List<ProbedField> fields = new ArrayList<>();

    ProbedStruct(ClassShape shape, boolean needsRecords, boolean flexible) {
        this.shape = shape;
        this.needsRecords = needsRecords;
        this.flexible = flexible;
    }

    /** The outcome of a try. The order is part of the report's binary form. */
    enum Null {
        ACCEPTED,
        REFUSED,
        PRIMITIVE
    }

    /** The outcome of a value that is not the default. The order is part of the report's binary form. */
    enum Other {
        WRITTEN,
        DROPPED,
        REFUSED
    }

    /** One field. */
    static final class ProbedField {
        final ClassField field;
        final Null onNull;
        final Other onOther;

        /** The struct, or that of the elements, where the field is written; else null. */
        final ProbedStruct inner;

        ProbedField(ClassField field, Null onNull, Other onOther, ProbedStruct inner) {
            this.field = field;
            this.onNull = onNull;
            this.onOther = onOther;
            this.inner = inner;
        }

        boolean isWritten() {
            return onOther == Other.WRITTEN;
        }

        boolean takesNull() {
            return onNull == Null.ACCEPTED;
        }
    }
}
