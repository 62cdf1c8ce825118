package io.wireproof.oracle;

import java.util.List;

/**
 * One cell in its framing: batches of blobs as in {@link CellCodec}.
 *
 * <p>A blob is an int32 length of the key (-1 null), the key, and the data to the end. In the replies a blob
 * replaces the bytes written.
 */
public final class BlobCodec {
    private final ValueCell cell;
    private final BlobForm form;

    BlobCodec(ValueCell cell, BlobForm form) {
        this.cell = cell;
        this.form = form;
    }

    /** Kafka's blob of each canonical value. */
    public byte[] write(byte[] batch) {
        return each(batch, (in, end, attempt) -> {
            attempt.at(Stage.BUILD);
            Object message = cell.build(in, end);
            attempt.at(Stage.WRITE);
            return new BlobForm.Content(message, form.write(cell, message));
        });
    }

    /** Kafka's reading of each blob, and the blob that it writes of that again. */
    public byte[] read(byte[] batch) {
        return each(batch, (in, end, attempt) -> {
            attempt.at(Stage.READ);
            int key = in.getInt();
            byte[] label = key < 0 ? null : in.getBytes(key);
            return form.read(cell, new BlobForm.Blob(label, in.getBytes(end - in.position())));
        });
    }

    private byte[] each(byte[] batch, Step step) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(4 * batch.length);
        CellCodec.Attempt attempt = new CellCodec.Attempt();
        while (in.hasMore()) {
            int length = in.getInt();
            int end = in.position() + length;
            int mark = out.position();
            try {
                BlobForm.Content content = step.take(in, end, attempt);
                attempt.at(Stage.VALUE);
                emit(content, length, out);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, attempt.stage, refusal, 0);
            }
            in.position(end);
        }
        return out.toArray();
    }

    private void emit(BlobForm.Content content, int consumed, ByteSink out) throws Throwable {
        int head = Replies.startValue(out, content.again.data.length);
        int start = out.position();
        if (content.again.key == null) {
            out.putInt(-1);
        } else {
            out.putBlock(content.again.key);
        }
        out.putBytes(content.again.data);
        int written = out.position() - start;
        cell.value(content.message, out);
        Replies.finishValue(out, head, consumed, written, out.position() - start - written, List.of());
    }

    /** From one input, which ends at {@code end}, to what it holds. */
    private interface Step {
        BlobForm.Content take(ByteSource in, int end, CellCodec.Attempt attempt) throws Throwable;
    }
}
