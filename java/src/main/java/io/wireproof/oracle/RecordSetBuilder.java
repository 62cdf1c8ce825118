package io.wireproof.oracle;

import java.io.DataOutputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** Record sets of the form in {@link RecordSets}, made by Kafka's own writers. */
final class RecordSetBuilder {
    private static final int NO_WRITE_LIMIT = 0;
    private static final long NO_TIMESTAMP = -1;

    private final Class<?> compressionType;
    private final Class<?> timestampType;
    private final Class<?> headerType;
    private final boolean codecObjects;
    private final boolean horizons;
    private final MethodHandle compressionOf;
    private final MethodHandle compressionBuild;
    private final MethodHandle wrapForOutput;
    private final MethodHandle newStream;
    private final MethodHandle streamBuffer;
    private final MethodHandle newBuilder;
    private final MethodHandle newRecord;
    private final MethodHandle append;
    private final MethodHandle appendControl;
    private final MethodHandle overrideLastOffset;
    private final MethodHandle build;
    private final MethodHandle closeForAppends;
    private final MethodHandle recordsBuffer;
    private final MethodHandle newHeader;
    private final MethodHandle writeRecord;
    private final MethodHandle writeHeader;
    private final boolean headerHorizons;

    RecordSetBuilder(KafkaRecords kafka) throws ReflectiveOperationException {
        Class<?> builder = kafka.type("MemoryRecordsBuilder");
        Constructor<?> constructor = Arrays.stream(builder.getConstructors())
                .filter(each -> each.getParameterTypes()[0] != ByteBuffer.class)
                .max(Comparator.comparingInt(Constructor::getParameterCount))
                .orElseThrow(NoSuchMethodException::new);
        Class<?> stream = constructor.getParameterTypes()[0];
        Class<?> compression = constructor.getParameterTypes()[2];
        Class<?> simple = kafka.type("SimpleRecord");
        timestampType = constructor.getParameterTypes()[3];
        compressionType = kafka.type("CompressionType");
        headerType = kafka.typeOf("org.apache.kafka.common.header.Header");
        codecObjects = compression != compressionType; // Compression since 3.8 (KIP-390)
        horizons = constructor.getParameterCount() == 14;
        compressionOf = codecObjects
                ? KafkaRecords.LOOKUP.unreflect(compression.getMethod("of", compressionType)) : null;
        compressionBuild = codecObjects
                ? KafkaRecords.handle(kafka.typeOf(compression.getName() + "$Builder"), "build", 0) : null;
        wrapForOutput = KafkaRecords.handle(compression, "wrapForOutput", 2);
        newStream = KafkaRecords.handle(stream.getConstructor(int.class));
        streamBuffer = KafkaRecords.handle(stream, "buffer", 0);
        newBuilder = KafkaRecords.handle(constructor);
        newRecord = KafkaRecords.handle(simple.getConstructor(
                long.class, ByteBuffer.class, ByteBuffer.class, Array.newInstance(headerType, 0).getClass()));
        append = KafkaRecords.LOOKUP.unreflect(builder.getMethod("appendWithOffset", long.class, simple));
        appendControl = KafkaRecords.handle(builder, "appendControlRecordWithOffset", 2);
        overrideLastOffset = KafkaRecords.handle(builder, "overrideLastOffset", 1);
        build = KafkaRecords.handle(builder, "build", 0);
        closeForAppends = KafkaRecords.handle(builder, "closeForRecordAppends", 0);
        recordsBuffer = KafkaRecords.handle(kafka.type("MemoryRecords"), "buffer", 0);
        newHeader = KafkaRecords.handle(kafka.typeOf("org.apache.kafka.common.header.internals.RecordHeader")
                .getConstructor(String.class, byte[].class));
        writeRecord = KafkaRecords.handle(kafka.type("DefaultRecord"), "writeTo", 6);
        MethodHandle header = KafkaRecords.handleOrNull(kafka.type("DefaultRecordBatch"), "writeHeader", 17);
        headerHorizons = header != null;
        writeHeader = headerHorizons
                ? header : KafkaRecords.handle(kafka.type("DefaultRecordBatch"), "writeHeader", 16);
    }

    /** The bytes of a set. */
    byte[] build(ByteSource in, boolean parts) throws Throwable {
        ByteSink out = new ByteSink(1024);
        int batches = in.getInt();
        for (int i = 0; i < batches; i++) {
            BatchForm batch = new BatchForm(in);
            ByteBuffer bytes = parts && batch.magic == 2 ? ofParts(batch, in) : ofBuilder(batch, in);
            byte[] data = new byte[bytes.remaining()];
            bytes.get(data);
            out.putBytes(data);
        }
        out.putBytes(in.getBytes(in.getInt()));
        return out.toArray();
    }

    private ByteBuffer ofBuilder(BatchForm batch, ByteSource in) throws Throwable {
        Object stream = (Object) newStream.invoke(1024);
        Object builder = newBuilder(batch, stream);
        try {
            return built(builder, batch, in);
        } finally {
            // A builder that refused something still holds its compressor, which is not on the Java heap.
            closeForAppends.invoke(builder);
        }
    }

    private ByteBuffer built(Object builder, BatchForm batch, ByteSource in) throws Throwable {
        for (int i = 0; i < batch.count; i++) {
            RecordForm record = new RecordForm(in);
            Object simple = (Object) newRecord.invoke(record.timestamp, record.key, record.value, record.headers);
            if (batch.is(RecordSets.CONTROL)) {
                appendControl.invoke(builder, record.offset, simple);
            } else {
                append.invoke(builder, record.offset, simple);
            }
        }
        if (batch.magic == 2) {
            overrideLastOffset.invoke(builder, batch.lastOffset);
        }
        return ((ByteBuffer) recordsBuffer.invoke((Object) build.invoke(builder))).duplicate();
    }

    private Object newBuilder(BatchForm batch, Object stream) throws Throwable {
        Object type = KafkaRecords.constant(timestampType, batch.timestampType);
        long appendTime = batch.timestampType == 1 ? batch.maxTimestamp : NO_TIMESTAMP;
        Object[] arguments = {
            stream, batch.magic, compression(batch), type, batch.baseOffset, appendTime, batch.producerId,
            batch.producerEpoch, batch.baseSequence, batch.is(RecordSets.TRANSACTIONAL),
            batch.is(RecordSets.CONTROL), batch.leaderEpoch, NO_WRITE_LIMIT, batch.deleteHorizon,
        };
        return newBuilder.invokeWithArguments(Arrays.copyOf(arguments, horizons ? 14 : 13));
    }

    /** Header and records one by one: any deltas, and a header that may say what a builder would not. */
    private ByteBuffer ofParts(BatchForm batch, ByteSource in) throws Throwable {
        Object stream = (Object) newStream.invoke(1024);
        ((OutputStream) stream).write(new byte[61]);
        OutputStream codec = (OutputStream) wrapForOutput.invoke(compression(batch), stream, batch.magic);
        try (DataOutputStream body = new DataOutputStream(codec)) {
            for (int i = 0; i < batch.count; i++) {
                RecordForm record = new RecordForm(in);
                int offsetDelta = (int) (record.offset - batch.baseOffset);
                long timestampDelta = record.timestamp - batch.baseTimestamp;
                writeRecord.invoke(body, offsetDelta, timestampDelta, record.key, record.value, record.headers);
            }
        }
        ByteBuffer bytes = (ByteBuffer) streamBuffer.invoke(stream);
        int size = bytes.position();
        bytes.flip();
        writeHeader(batch, bytes, size);
        bytes.position(0).limit(size);
        return bytes;
    }

    private void writeHeader(BatchForm batch, ByteBuffer bytes, int size) throws Throwable {
        Object codec = KafkaRecords.constant(compressionType, batch.compression);
        Object type = KafkaRecords.constant(timestampType, batch.timestampType);
        int lastOffsetDelta = (int) (batch.lastOffset - batch.baseOffset);
        boolean transactional = batch.is(RecordSets.TRANSACTIONAL);
        boolean control = batch.is(RecordSets.CONTROL);
        if (headerHorizons) {
            writeHeader.invoke(bytes, batch.baseOffset, lastOffsetDelta, size, batch.magic, codec, type,
                    batch.baseTimestamp, batch.maxTimestamp, batch.producerId, batch.producerEpoch,
                    batch.baseSequence, transactional, control, batch.is(RecordSets.DELETE_HORIZON),
                    batch.leaderEpoch, batch.count);
        } else {
            writeHeader.invoke(bytes, batch.baseOffset, lastOffsetDelta, size, batch.magic, codec, type,
                    batch.baseTimestamp, batch.maxTimestamp, batch.producerId, batch.producerEpoch,
                    batch.baseSequence, transactional, control, batch.leaderEpoch, batch.count);
        }
    }

    private Object compression(BatchForm batch) throws Throwable {
        Object type = KafkaRecords.constant(compressionType, batch.compression);
        return codecObjects ? (Object) compressionBuild.invoke((Object) compressionOf.invoke(type)) : type;
    }

    /** The fields of a batch, in the order of the form. */
    private static final class BatchForm {
        final byte magic;
        final byte compression;
        final byte timestampType;
        final byte flags;
        final long baseOffset;
        final long lastOffset;
        final long baseTimestamp;
        final long maxTimestamp;
        final int leaderEpoch;
        final long producerId;
        final short producerEpoch;
        final int baseSequence;
        final long deleteHorizon;
        final int count;

        BatchForm(ByteSource in) {
            magic = in.getByte();
            compression = in.getByte();
            timestampType = in.getByte();
            flags = in.getByte();
            baseOffset = in.getLong();
            lastOffset = in.getLong();
            baseTimestamp = in.getLong();
            maxTimestamp = in.getLong();
            leaderEpoch = in.getInt();
            producerId = in.getLong();
            producerEpoch = in.getShort();
            baseSequence = in.getInt();
            deleteHorizon = in.getLong();
            count = in.getInt();
        }

        boolean is(int flag) {
            return (flags & flag) != 0;
        }
    }

    /** A record; sequence and control type follow from others and are passed over. */
    private final class RecordForm {
        final long offset;
        final long timestamp;
        final ByteBuffer key;
        final ByteBuffer value;
        final Object headers;

        RecordForm(ByteSource in) throws Throwable {
            offset = in.getLong();
            timestamp = in.getLong();
            in.getBytes(6);
            key = nullable(in);
            value = nullable(in);
            int count = in.getInt();
            headers = Array.newInstance(headerType, count);
            for (int i = 0; i < count; i++) {
                String name = new String(in.getBytes(in.getInt()), StandardCharsets.UTF_8);
                ByteBuffer data = nullable(in);
                Array.set(headers, i, (Object) newHeader.invoke(name, data == null ? null : data.array()));
            }
        }

        private ByteBuffer nullable(ByteSource in) {
            int length = in.getInt();
            return length < 0 ? null : ByteBuffer.wrap(in.getBytes(length));
        }
    }
}
