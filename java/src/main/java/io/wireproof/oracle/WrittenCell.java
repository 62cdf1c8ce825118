package io.wireproof.oracle;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A cell without a generated class, whose instances are written by Kafka's own code. Batches are those of
 * {@link CellCodec}.
 */
public abstract class WrittenCell extends ValueCell {
    WrittenCell(Release release, short version) {
        super(release, version);
    }

    /** The bytes of an instance. */
    abstract byte[] bytes(Object instance) throws Throwable;

    /** Read each body, write it again, report the value. */
    public byte[] reread(byte[] batch) {
        return each(batch, (in, length, attempt) -> {
            attempt.at(Stage.READ);
            ByteBuffer body = ByteBuffer.wrap(batch, in.position(), length).slice();
            Object instance = parse(body, version);
            return new Parsed(instance, body.position());
        });
    }

    /** As {@link #reread}: whatever was read can be written. */
    public byte[] read(byte[] batch) {
        return reread(batch);
    }

    /** Build each canonical value and write it. */
    public byte[] write(byte[] batch) {
        return each(batch, (in, length, attempt) -> {
            attempt.at(Stage.BUILD);
            return new Parsed(build(in, in.position() + length), Replies.ALL_CONSUMED);
        });
    }

    private byte[] each(byte[] batch, Step step) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(4 * batch.length);
        CellCodec.Attempt attempt = new CellCodec.Attempt();
        while (in.hasMore()) {
            int length = in.getInt();
            int start = in.position();
            int mark = out.position();
            try {
                emit(step.take(in, length, attempt), out, attempt);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, attempt.stage, refusal, 0);
            }
            in.position(start + length);
        }
        return out.toArray();
    }

    private void emit(Parsed parsed, ByteSink out, CellCodec.Attempt attempt) throws Throwable {
        attempt.at(Stage.WRITE);
        byte[] written = bytes(parsed.instance);
        attempt.at(Stage.VALUE);
        int head = Replies.startValue(out, written.length);
        out.putBytes(written);
        int start = out.position();
        value(parsed.instance, out);
        Replies.finishValue(out, head, parsed.consumed, written.length, out.position() - start, List.of());
    }

    /** An instance, and how much of the input it took. */
    private static final class Parsed {
        final Object instance;
        final int consumed;

        Parsed(Object instance, int consumed) {
            this.instance = instance;
            this.consumed = consumed;
        }
    }

    /** From one input to an instance. */
    private interface Step {
        Parsed take(ByteSource in, int length, CellCodec.Attempt attempt) throws Throwable;
    }
}
