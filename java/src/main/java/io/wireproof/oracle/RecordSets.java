package io.wireproof.oracle;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.OptionalLong;

/**
 * Record sets, the content of a records field: Kafka's MemoryRecords reads them, Kafka's builders make them.
 *
 * <p>Batches of questions as in {@link CellCodec}; each reply is a {@link Replies value} or a refusal. The
 * value is the set in this form (kafkawire/records/canonical.py writes the same), numbers big-endian, a
 * block an int32 length (-1 null) and bytes:
 *
 * <pre>
 * set     count of batches (int32), batches, block tail (bytes of a batch cut off)
 * batch   magic, compression, timestamp type (-1 none, 0 create, 1 append), flags (1 transactional,
 *         2 control, 4 delete horizon; int8 each), base offset, last offset, base timestamp (-1 below
 *         magic 2), max timestamp (int64 each), leader epoch (int32), producer id (int64), producer
 *         epoch (int16), base sequence (int32), delete horizon (int64, -1 none), count (int32), records
 * record  offset, timestamp (int64 each), sequence (int32), control type (int16; -1 unknown, -2 where the
 *         batch is none of control), block key, block value, count of headers (int32), headers
 * header  block key (UTF-8), block value
 * </pre>
 *
 * <p>Offsets are absolute. A timestamp is the one a consumer sees; in what is asked to be written, the one
 * the producer gave, which log-append time then overrides.
 */
public final class RecordSets {
    static final int TRANSACTIONAL = 1;
    static final int CONTROL = 2;
    static final int DELETE_HORIZON = 4;
    static final int NO_CONTROL_TYPE = -2;

    private final KafkaRecords kafka;
    private final RecordSetBuilder builder;

    RecordSets(ClassLoader loader) throws ReflectiveOperationException {
        kafka = new KafkaRecords(loader);
        builder = new RecordSetBuilder(kafka);
    }

    /** Read each record set, checksums included, and report its content. */
    public byte[] read(byte[] batch) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(4 * batch.length);
        while (in.hasMore()) {
            byte[] data = in.getBytes(in.getInt());
            int mark = out.position();
            try {
                emit(data, out);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, Stage.READ, refusal, 0);
            }
        }
        return out.toArray();
    }

    /** Read one record set, checksums included; the answer's value is its form. May be used by many threads. */
    public Answer readOne(byte[] set, boolean whole) {
        Scratch scratch = Scratch.take();
        Answer answer = new Answer();
        try {
            Object records = (Object) kafka.readable.invoke(ByteBuffer.wrap(set));
            int valid = (int) kafka.validBytes.invoke(records);
            putForm(records, set, valid, scratch.out);
            answer.consumed = valid;
            answer.size = (int) kafka.sizeInBytes.invoke(records);
            answer.valueDigest = scratch.digest();
            answer.value = whole ? scratch.out.toArray() : null;
        } catch (Throwable refusal) {
            answer.refuse(Stage.READ, refusal);
        }
        scratch.giveBack();
        return answer;
    }

    /**
     * Make a record set of each form, and read it back.
     *
     * @param parts whether batches of magic 2 are put together of Kafka's header and record writers, which
     *     take any numbers, in place of the builder that producers and brokers use
     */
    public byte[] write(byte[] batch, boolean parts) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(4 * batch.length);
        while (in.hasMore()) {
            int length = in.getInt();
            int end = in.position() + length;
            int mark = out.position();
            Stage stage = Stage.BUILD;
            try {
                byte[] built = builder.build(in, parts);
                stage = Stage.VALUE;
                emit(built, out);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, stage, refusal, 0);
            }
            in.position(end);
        }
        return out.toArray();
    }

    private void emit(byte[] data, ByteSink out) throws Throwable {
        Object records = (Object) kafka.readable.invoke(ByteBuffer.wrap(data));
        int head = Replies.startValue(out, (int) kafka.sizeInBytes.invoke(records));
        int valid = (int) kafka.validBytes.invoke(records);
        ByteBuffer whole = (ByteBuffer) kafka.buffer.invoke(records);
        byte[] written = new byte[valid];
        whole.duplicate().get(written);
        out.putBytes(written);
        int start = out.position();
        putForm(records, data, valid, out);
        Replies.finishValue(out, head, valid, valid, out.position() - start, Collections.emptyList());
    }

    private void putForm(Object records, byte[] data, int valid, ByteSink out) throws Throwable {
        putSet(records, out);
        out.putBlock(Arrays.copyOfRange(data, valid, data.length));
    }

    private void putSet(Object records, ByteSink out) throws Throwable {
        int countAt = out.position();
        int count = 0;
        out.putInt(0);
        for (Object batch : (Iterable<?>) kafka.batches.invoke(records)) {
            kafka.ensureValid.invoke(batch);
            putBatch(batch, out);
            count++;
        }
        out.patchInt(countAt, count);
    }

    private void putBatch(Object batch, ByteSink out) throws Throwable {
        byte magic = (byte) kafka.magic.invoke(batch);
        boolean control = (boolean) kafka.isControlBatch.invoke(batch);
        OptionalLong horizon = kafka.deleteHorizon(batch);
        out.putByte(magic);
        out.putByte(kafka.compressionId(batch));
        out.putByte(kafka.timestampTypeId(batch));
        out.putByte(((boolean) kafka.isTransactional.invoke(batch) ? TRANSACTIONAL : 0)
                | (control ? CONTROL : 0) | (horizon.isPresent() ? DELETE_HORIZON : 0));
        out.putLong((long) kafka.baseOffset.invoke(batch));
        out.putLong((long) kafka.lastOffset.invoke(batch));
        out.putLong(magic < 2 ? -1 : (long) kafka.baseTimestamp.invoke(batch));
        out.putLong((long) kafka.maxTimestamp.invoke(batch));
        out.putInt((int) kafka.leaderEpoch.invoke(batch));
        out.putLong((long) kafka.producerId.invoke(batch));
        out.putShort((short) kafka.producerEpoch.invoke(batch));
        out.putInt((int) kafka.baseSequence.invoke(batch));
        out.putLong(horizon.orElse(-1));
        int countAt = out.position();
        int count = 0;
        out.putInt(0);
        Object records = (Object) kafka.streamingIterator.invoke(batch, kafka.noCaching);
        // The decompressor is not on the Java heap: it has to be released.
        try (Closeable open = (Closeable) records) {
            for (Iterator<?> each = (Iterator<?>) open; each.hasNext(); count++) {
                putRecord(each.next(), control, out);
            }
        }
        out.patchInt(countAt, count);
    }

    private void putRecord(Object record, boolean control, ByteSink out) throws Throwable {
        kafka.ensureRecordValid.invoke(record);
        ByteBuffer key = (ByteBuffer) kafka.key.invoke(record);
        out.putLong((long) kafka.offset.invoke(record));
        out.putLong((long) kafka.timestamp.invoke(record));
        out.putInt((int) kafka.sequence.invoke(record));
        out.putShort(control ? kafka.controlType(key) : NO_CONTROL_TYPE);
        putNullable(key, out);
        putNullable((ByteBuffer) kafka.value.invoke(record), out);
        Object[] headers = (Object[]) kafka.headers.invoke(record);
        out.putInt(headers.length);
        for (Object header : headers) {
            out.putText((String) kafka.headerKey.invoke(header));
            byte[] value = (byte[]) kafka.headerValue.invoke(header);
            putNullable(value == null ? null : ByteBuffer.wrap(value), out);
        }
    }

    private static void putNullable(ByteBuffer data, ByteSink out) {
        if (data == null) {
            out.putInt(-1);
        } else {
            out.putBuffer(data);
        }
    }
}
