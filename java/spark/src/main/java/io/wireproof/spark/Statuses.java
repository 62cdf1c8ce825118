package io.wireproof.spark;

import io.wireproof.oracle.Answer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * Answers as rows. The fields, in order: status, error class, error message, consumed, size, SHA-256 of what was
 * written, SHA-256 of the value; and in whole answers what was written, the header, the value
 * (harness/wireproof/pipeline/runtime/kafka_classes.py has them as a Spark schema).
 */
final class Statuses {
    /** The rest of an error's text has no use, and some errors quote the input. */
    private static final int MOST_CHARACTERS = 1000;

    private Statuses() {}

    static Row row(Answer answer, boolean whole) {
        Object[] fields = new Object[whole ? 10 : 7];
        fields[0] = answer.stage == null ? "ok" : answer.stage;
        fields[1] = answer.errorClass;
        fields[2] = bounded(answer.errorMessage);
        fields[3] = answer.consumed;
        fields[4] = answer.size < 0 ? null : answer.size;
        fields[5] = answer.writtenDigest;
        fields[6] = answer.valueDigest;
        if (whole) {
            fields[7] = answer.written;
            fields[8] = answer.header;
            fields[9] = answer.value;
        }
        return RowFactory.create(fields);
    }

    /** A row whose cell the classes do not have; nothing of it was read. */
    static Row unknown(UnknownCellException refusal, boolean whole) {
        Throwable reason = refusal.getCause() == null ? refusal : refusal.getCause();
        Object[] fields = new Object[whole ? 10 : 7];
        fields[0] = "unknown-cell";
        fields[1] = reason.getClass().getSimpleName();
        fields[2] = bounded(refusal.getMessage());
        return RowFactory.create(fields);
    }

    private static String bounded(String text) {
        return text == null || text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS);
    }
}
