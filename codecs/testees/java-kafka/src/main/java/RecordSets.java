import io.wireproof.testee.Hello;
import io.wireproof.testee.Refusal;
import io.wireproof.testee.Testee.Decoded;
import io.wireproof.testee.Values;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Record sets: Kafka's MemoryRecords reads them, the MemoryRecordsBuilder of producers and brokers writes them. */
final class RecordSets {
    static final String MESSAGE = "RecordBatch";

    private static final int ATTRIBUTES_AT = 21;
    private static final int DELETE_HORIZON_BIT = 6;
    private static final int NO_WRITE_LIMIT = 0;

    private static final Class<?> RECORDS = type("MemoryRecords");
    private static final Class<?> CONTROL = type("ControlRecordType");
    private static final Class<?> CODEC = type("CompressionType");
    private static final Constructor<?> BUILDER = Calls.longest(type("MemoryRecordsBuilder"), ByteBuffer.class);
    private static final Constructor<?> RECORD = simpleRecord();
    static final boolean HORIZONS = Calls.has(type("RecordBatch"), "deleteHorizonMs");

    private RecordSets() {}

    private static Constructor<?> simpleRecord() {
        try {
            return type("SimpleRecord").getConstructor(long.class, ByteBuffer.class, ByteBuffer.class, Header[].class);
        } catch (NoSuchMethodException none) {
            throw new IllegalStateException(none);
        }
    }

    private static Class<?> type(String name) {
        String records = "org.apache.kafka.common.record.";
        try {
            return Class.forName(records + "internal." + name); // since 4.3
        } catch (ClassNotFoundException older) {
            try {
                return Class.forName(records + name);
            } catch (ClassNotFoundException none) {
                throw new IllegalStateException(none);
            }
        }
    }

    static void claim(Hello hello) {
        hello.has(MESSAGE, "0-2", "encode", "decode")
                .claim(MESSAGE, "0-2", "encode")
                .claim(MESSAGE, "2", "decode")
                .unclaimed(MESSAGE, "0-1", "of an old set the classes show absolute offsets alone, not those that it holds",
                        "decode")
                .limit("builder", "a batch that the builder does not make: of none, with another header than follows, without a producer")
                .recordLimits("tail", "append-time", "unused-bits", "producer", "derived-header", "rising-times")
                .limit("unused", "attributes of records, and bits of a batch's that the release does not know")
                .limit("tail", "the builder cuts nothing off")
                .limit("append-time", "a record's own timestamp where a batch of log-append time shows its own")
                .limit("old-sets", "messages of magic 0 or 1 after batches");
        for (String codec : List.of("none", "gzip", "snappy", "lz4")) {
            hello.compression(codec, "0-2");
        }
        hello.compression("zstd", "2");
    }

    static Decoded decode(byte[] data) {
        try {
            Object records = Calls.callStatic(RECORDS, "readableRecords", ByteBuffer.wrap(data));
            List<Object> batches = new ArrayList<>();
            int at = 0;
            for (Object batch : (Iterable<?>) Calls.call(records, "batches")) {
                Calls.call(batch, "ensureValid");
                batches.add(toJson(batch, data, at));
                at += (int) Calls.call(batch, "sizeInBytes");
            }
            int valid = (int) Calls.call(records, "validBytes");
            byte[] tail = Arrays.copyOfRange(data, valid, data.length);
            return new Decoded(Map.of("batches", batches, "tail", tail), data.length);
        } catch (Refusal refusal) {
            throw refusal;
        } catch (RuntimeException refused) {
            throw Refusal.decoding(refused);
        }
    }

    private static Map<String, Object> toJson(Object batch, byte[] data, int at) {
        if ((byte) Calls.call(batch, "magic") < 2) {
            throw Refusal.unsupported("old-sets", "messages of magic 0 or 1");
        }
        int unknown = (data[at + ATTRIBUTES_AT] << 8 | data[at + ATTRIBUTES_AT + 1] & 0xff) >> DELETE_HORIZON_BIT & 0x3ff;
        boolean horizon = HORIZONS && ((OptionalLong) Calls.call(batch, "deleteHorizonMs")).isPresent();
        if (unknown != (horizon ? 1 : 0)) {
            throw Refusal.unsupported("unused", "bits of the batch's attributes");
        }
        if (id(Calls.call(batch, "timestampType")) != 0) {
            throw Refusal.unsupported("append-time", "each record has the time of the batch");
        }
        long baseOffset = (long) Calls.call(batch, "baseOffset");
        long baseTimestamp = (long) Calls.call(batch, HORIZONS ? "baseTimestamp" : "firstTimestamp");
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("magic", 2);
        json.put("compression", id(Calls.call(batch, "compressionType")));
        json.put("baseOffset", baseOffset);
        json.put("partitionLeaderEpoch", Calls.call(batch, "partitionLeaderEpoch"));
        json.put("transactional", Calls.call(batch, "isTransactional"));
        json.put("control", Calls.call(batch, "isControlBatch"));
        json.put("deleteHorizon", horizon);
        json.put("lastOffsetDelta", (int) ((long) Calls.call(batch, "lastOffset") - baseOffset));
        json.put("baseTimestamp", baseTimestamp);
        json.put("maxTimestamp", Calls.call(batch, "maxTimestamp"));
        json.put("producerId", Calls.call(batch, "producerId"));
        json.put("producerEpoch", Calls.call(batch, "producerEpoch"));
        json.put("baseSequence", Calls.call(batch, "baseSequence"));
        json.put("records", records(batch, baseOffset, baseTimestamp));
        return json;
    }

    /** Iterates as a consumer does. Closing the iterator releases the decompressor's memory, which is off the heap. */
    private static List<Object> records(Object batch, long baseOffset, long baseTimestamp) {
        List<Object> records = new ArrayList<>();
        Object suppliers = noCaching();
        try (Closeable open = (Closeable) Calls.call(batch, "streamingIterator", suppliers)) {
            for (Iterator<?> each = (Iterator<?>) open; each.hasNext();) {
                Object record = each.next();
                Calls.call(record, "ensureValid");
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("timestampDelta", (long) Calls.call(record, "timestamp") - baseTimestamp);
                one.put("offsetDelta", (int) ((long) Calls.call(record, "offset") - baseOffset));
                one.put("key", bytes((ByteBuffer) Calls.call(record, "key")));
                one.put("value", bytes((ByteBuffer) Calls.call(record, "value")));
                List<Object> headers = new ArrayList<>();
                for (Header header : (Header[]) Calls.call(record, "headers")) {
                    Map<String, Object> pair = new LinkedHashMap<>();
                    pair.put("key", header.key());
                    pair.put("value", header.value());
                    headers.add(pair);
                }
                one.put("headers", headers);
                records.add(one);
            }
            return records;
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    private static Object noCaching() {
        String place = "org.apache.kafka.common.utils.";
        for (String name : List.of(place + "internals.BufferSupplier", place + "BufferSupplier")) {
            try {
                return Class.forName(name).getField("NO_CACHING").get(null);
            } catch (ClassNotFoundException elsewhere) {
                continue; // in the other package
            } catch (ReflectiveOperationException fault) {
                throw new IllegalStateException(fault);
            }
        }
        throw new IllegalStateException("this release has no BufferSupplier");
    }

    private static int id(Object constant) {
        try {
            return ((Number) constant.getClass().getField("id").get(constant)).intValue();
        } catch (ReflectiveOperationException fault) {
            throw new IllegalStateException(fault);
        }
    }

    static byte[] encode(Map<String, Object> value) {
        if (Values.bytes(value.getOrDefault("tail", "")).length > 0) {
            throw Refusal.unsupported("tail", "bytes of a batch that is cut off");
        }
        List<byte[]> written = new ArrayList<>();
        for (Object batch : list(value, "batches")) {
            written.add(built(new Batch(object(batch))));
        }
        ByteBuffer set = ByteBuffer.allocate(written.stream().mapToInt(each -> each.length).sum());
        written.forEach(set::put);
        return set.array();
    }

    private static byte[] built(Batch batch) {
        batch.checkBuildable();
        Constructor<?> streams = Calls.longest(BUILDER.getParameterTypes()[0], ByteBuffer.class);
        Object[] arguments = {
            stream(streams), batch.magic, codec(batch.number("compression", 0)), timestampType(batch), batch.baseOffset(),
            batch.flag("logAppendTime") ? batch.number("maxTimestamp", -1) : -1L, batch.number("producerId", -1),
            (short) batch.number("producerEpoch", -1), (int) batch.number("baseSequence", -1),
            batch.flag("transactional"), batch.flag("control"), (int) batch.number("partitionLeaderEpoch", -1),
            NO_WRITE_LIMIT, batch.flag("deleteHorizon") ? batch.number("baseTimestamp", -1) : -1L,
        };
        try {
            Object builder = Calls.made(BUILDER, Arrays.copyOf(arguments, BUILDER.getParameterCount()));
            for (Batch.Item item : batch.items()) {
                Object record = Calls.made(RECORD, item.timestamp(), item.key(), item.value(), item.headers());
                String append = batch.flag("control") ? "appendControlRecordWithOffset" : "appendWithOffset";
                Calls.call(builder, append, item.offset(), record);
            }
            if (batch.magic == 2) {
                Calls.call(builder, "overrideLastOffset", batch.baseOffset() + batch.number("lastOffsetDelta", 0));
            }
            return bytes((ByteBuffer) Calls.call(Calls.call(builder, "build"), "buffer"));
        } catch (RuntimeException refused) {
            throw Refusal.encoding(refused);
        }
    }

    private static Object stream(Constructor<?> streams) {
        return Calls.made(streams, Arrays.copyOf(new Object[] {1024, false}, streams.getParameterCount()));
    }

    /** Returns a compression: an object since 3.8, an enum constant before. */
    private static Object codec(long id) {
        Object constant = Calls.callStatic(CODEC, "forId", (int) id);
        Class<?> wanted = BUILDER.getParameterTypes()[2];
        return wanted == CODEC ? constant : Calls.call(Calls.callStatic(wanted, "of", constant), "build");
    }

    private static Object timestampType(Batch batch) {
        for (Object each : BUILDER.getParameterTypes()[3].getEnumConstants()) {
            if (id(each) == (batch.magic == 0 ? -1 : batch.flag("logAppendTime") ? 1 : 0)) {
                return each;
            }
        }
        throw new IllegalStateException("this release has no such timestamp type");
    }

    /** Returns whether the release knows the type of control record in a key. */
    static boolean knowsControl(ByteBuffer key) {
        return key != null && !Calls.callStatic(CONTROL, "parse", key).toString().equals("UNKNOWN");
    }

    static Header header(String key, byte[] value) {
        return new RecordHeader(key, value);
    }

    static List<?> list(Map<String, Object> object, String name) {
        return (List<?>) object.getOrDefault(name, List.of());
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    private static byte[] bytes(ByteBuffer data) {
        if (data == null) {
            return null;
        }
        byte[] held = new byte[data.remaining()];
        data.duplicate().get(held);
        return held;
    }
}
