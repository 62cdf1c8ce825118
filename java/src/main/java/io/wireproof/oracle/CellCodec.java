package io.wireproof.oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One cell: a generated class at one version, with the layout in whose canonical form values are reported.
 *
 * <p>Batches are arrays of bytes, all numbers big-endian. In: for each input an int32 length, then the
 * input. Out: one {@link Replies reply} for each, in order.
 */
public final class CellCodec extends ValueCell {
    final Class<?> type;
    final StructPlan plan;
    private final KafkaProtocol protocol;
    private final ClassShape shape;
    private final StructForm form;
    private SchemaCodec schemaCodec;

    CellCodec(Release release, Class<?> type, short version, StructPlan plan) throws Throwable {
        super(release, version);
        this.type = type;
        this.plan = plan;
        this.protocol = release.protocol();
        this.shape = release.shape(type);
        this.form = new StructForm(release, type, plan);
    }

    /** Read each body, write it again, report the value. */
    public byte[] reread(byte[] batch) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(4 * batch.length);
        Attempt attempt = new Attempt();
        while (in.hasMore()) {
            int length = in.getInt();
            ByteBuffer body = ByteBuffer.wrap(batch, in.position(), length).slice();
            int mark = out.position();
            attempt.at(Stage.READ);
            try {
                Object instance = newInstance();
                protocol.read(instance, body, version);
                emit(instance, body.position(), out, attempt);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, attempt.stage, refusal, body.position());
            }
            in.position(in.position() + length);
        }
        return out.toArray();
    }

    /** Read each body and report the value, without writing it again: some values cannot be written. */
    public byte[] read(byte[] batch) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(4 * batch.length);
        Attempt attempt = new Attempt();
        while (in.hasMore()) {
            int length = in.getInt();
            ByteBuffer body = ByteBuffer.wrap(batch, in.position(), length).slice();
            int mark = out.position();
            attempt.at(Stage.READ);
            try {
                Object instance = newInstance();
                protocol.read(instance, body, version);
                attempt.at(Stage.VALUE);
                int head = Replies.startValue(out, 0);
                int start = out.position();
                form.write(instance, out);
                Replies.finishValue(out, head, body.position(), 0, out.position() - start, List.of());
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, attempt.stage, refusal, body.position());
            }
            in.position(in.position() + length);
        }
        return out.toArray();
    }

    /** Build an instance from each canonical value and write it. */
    public byte[] write(byte[] batch) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(3 * batch.length);
        Attempt attempt = new Attempt();
        while (in.hasMore()) {
            int length = in.getInt();
            int start = in.position();
            int mark = out.position();
            attempt.at(Stage.BUILD);
            try {
                Object instance = build(in, start + length);
                emit(instance, Replies.ALL_CONSUMED, out, attempt);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, attempt.stage, refusal, 0);
            }
            in.position(start + length);
        }
        return out.toArray();
    }

    /** As {@link #reread}, by Kafka's other codec: see {@link SchemaCodec}. */
    public byte[] schemaReread(byte[] batch) throws Throwable {
        if (schemaCodec == null) {
            schemaCodec = new SchemaCodec(release, release.schemaTypes(), type, version, plan);
        }
        return schemaCodec.reread(batch);
    }

    /** The cell in its framing: see {@link BlobForms}. */
    public BlobCodec blobs(String framing) throws Throwable {
        return new BlobCodec(this, release.blobForm(framing, type));
    }

    /** The breaches of the law of equality that a canonical value brings to light: see {@link EqualityLaw}. */
    public byte[] equality(byte[] value) throws Throwable {
        ByteSink out = new ByteSink(256);
        Object one = build(new ByteSource(value), value.length);
        new EqualityLaw(release, one, build(new ByteSource(value), value.length), out).check();
        ByteSink again = new ByteSink(value.length);
        form.write(EqualityLaw.duplicate(one), again);
        if (!Arrays.equals(value, again.toArray())) {
            EqualityLaw.differs(out);
        }
        return out.toArray();
    }

    /** Each canonical value to JSON text and back: the text in place of bytes, and the value that came back. */
    public byte[] json(byte[] batch) throws Throwable {
        JsonConversion json = release.json(type);
        return each(batch, (in, end, attempt) -> {
            Object instance = build(in, end);
            attempt.at(Stage.WRITE);
            return json.write(instance, version);
        }, json);
    }

    /** Each JSON text to a value. */
    public byte[] readJson(byte[] batch) throws Throwable {
        return each(batch, (in, end, attempt) -> in.getBytes(end - in.position()), release.json(type));
    }

    private byte[] each(byte[] batch, TextSource source, JsonConversion json) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(3 * batch.length);
        Attempt attempt = new Attempt();
        while (in.hasMore()) {
            int length = in.getInt();
            int end = in.position() + length;
            int mark = out.position();
            attempt.at(Stage.BUILD);
            try {
                byte[] text = source.next(in, end, attempt);
                attempt.at(Stage.READ);
                Object back = json.read(text, version);
                attempt.at(Stage.VALUE);
                int head = Replies.startValue(out, text.length);
                out.putBytes(text);
                report(back, head, text.length, Replies.ALL_CONSUMED, out);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, attempt.stage, refusal, 0);
            }
            in.position(end);
        }
        return out.toArray();
    }

    /** Where a JSON text comes from; the input ends at {@code end}. */
    private interface TextSource {
        byte[] next(ByteSource in, int end, Attempt attempt) throws Throwable;
    }

    /** Probes of each field of the class: see {@link Prober}. */
    public byte[] probe() throws Throwable {
        return new ProbeReport(this).write(new Prober(release, version).probe(type));
    }

    /** Instances made by reflection, as replies: see {@link Instances}. */
    public byte[] instances(int count, long seed) throws Throwable {
        ByteSink out = new ByteSink(1 << 16);
        ProbedStruct root = new Prober(release, version).probe(type);
        new Instances(release, root, instance -> emitGuarded(instance, out)).make(count, seed);
        return out.toArray();
    }

    Object newInstance() throws Throwable {
        return shape.newInstance();
    }

    @Override
    void value(Object instance, ByteSink out) throws Throwable {
        form.write(instance, out);
    }

    @Override
    Object parse(ByteBuffer body, short at) throws Throwable {
        Object instance = newInstance();
        protocol.read(instance, body, at);
        return instance;
    }

    @Override
    Object build(ByteSource in, int end) throws Throwable {
        Object instance = form.read(in);
        if (in.position() != end) {
            throw new LayoutMismatchException("the canonical value has " + (end - in.position()) + " bytes too many");
        }
        return instance;
    }

    private void emitGuarded(Object instance, ByteSink out) {
        int mark = out.position();
        Attempt attempt = new Attempt();
        try {
            emit(instance, Replies.ALL_CONSUMED, out, attempt);
        } catch (Throwable refusal) {
            out.rewind(mark);
            Replies.putRefusal(out, attempt.stage, refusal, 0);
        }
    }

    /** Size, write, value and fields of other versions of an instance, as one reply. */
    private void emit(Object instance, int consumed, ByteSink out, Attempt attempt) throws Throwable {
        attempt.at(Stage.SIZE);
        Object cache = protocol.newCache();
        int predicted = protocol.size(instance, cache, version);
        attempt.at(Stage.WRITE);
        int head = Replies.startValue(out, predicted);
        ByteBuffer window = out.window(predicted);
        protocol.write(instance, window, cache, version);
        int written = window.position();
        out.advance(written);
        attempt.at(Stage.VALUE);
        report(instance, head, written, consumed, out);
    }

    /** The second half of a reply: the value, and the fields of other versions. */
    private void report(Object instance, int head, int written, int consumed, ByteSink out) throws Throwable {
        int valueStart = out.position();
        form.write(instance, out);
        int value = out.position() - valueStart;
        List<String> absent = new ArrayList<>(0);
        form.collectAbsentSet(instance, "", absent);
        Replies.finishValue(out, head, consumed, written, value, absent);
    }

    /** The progress of the attempt at one input. */
    static final class Attempt {
        Stage stage;

        void at(Stage reached) {
            stage = reached;
        }
    }
}
