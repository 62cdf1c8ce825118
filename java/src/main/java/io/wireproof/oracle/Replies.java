package io.wireproof.oracle;

import java.util.List;

/**
 * The binary form of replies; harness/wireproof/kafka/oracle/_batch.py reads it. Numbers are big-endian, a
 * text is an int32 length and UTF-8.
 *
 * <pre>
 * value    0 (1 byte), predicted size, bytes consumed, length of the bytes written, length of the
 *          canonical value, count of absent fields (int32 each), bytes written, value, texts
 * refusal  1 + ordinal of the stage (1 byte), bytes consumed (int32), text class, text message
 * frame    0 (1 byte), header version, bytes consumed, length of the bytes written, length of the
 *          header's value, length of the body's value (int32 each), the three blocks
 * </pre>
 */
final class Replies {
    /** In place of a number of bytes consumed: as many as were written. */
    static final int ALL_CONSUMED = -1;

    private Replies() {}

    /** Begin a value: the fixed head. Gives its position for {@link #finishValue}. */
    static int startValue(ByteSink out, int predicted) {
        int head = out.position();
        out.putByte(0);
        out.putInt(predicted);
        out.putLong(0);
        out.putLong(0);
        return head;
    }

    static void finishValue(
            ByteSink out, int head, int consumed, int written, int value, List<String> absent) {
        out.patchInt(head + 5, consumed == ALL_CONSUMED ? written : consumed);
        out.patchInt(head + 9, written);
        out.patchInt(head + 13, value);
        out.patchInt(head + 17, absent.size());
        for (String path : absent) {
            out.putText(path);
        }
    }

    static void putRefusal(ByteSink out, Stage stage, Throwable refusal, int consumed) {
        out.putByte(1 + stage.ordinal());
        out.putInt(consumed);
        out.putText(refusal.getClass().getSimpleName());
        out.putText(refusal.getMessage() == null ? "" : refusal.getMessage());
    }
}
