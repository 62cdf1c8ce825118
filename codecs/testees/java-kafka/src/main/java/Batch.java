import io.wireproof.testee.Refusal;
import io.wireproof.testee.Values;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.common.header.Header;

/** A batch of a record set in canonical JSON, with accessors for the arguments of Kafka's builder. */
final class Batch {
    /** A record to be appended. */
    record Item(long offset, long timestamp, ByteBuffer key, ByteBuffer value, Header[] headers) {}

    final byte magic;
    private final Map<String, Object> value;

    Batch(Map<String, Object> value) {
        this.value = value;
        this.magic = (byte) Values.signed(value.get("magic"), Byte.SIZE);
    }

    long number(String name, long absent) {
        return number(value, name, absent);
    }

    boolean flag(String name) {
        return value.containsKey(name) && Values.bool(value.get(name));
    }

    /** Returns the base offset for the builder. */
    long baseOffset() {
        if (magic == 2) {
            return number("baseOffset", 0);
        }
        List<Map<String, Object>> held = messages();
        long first = number(held.get(0), "offset", 0);
        if (magic == 0 || number("compression", 0) == 0) {
            return first;
        }
        return number("offset", 0) - number(held.get(held.size() - 1), "offset", 0); // inner offsets are relative
    }

    List<Item> items() {
        List<Item> items = new ArrayList<>();
        for (Map<String, Object> each : messages()) {
            if (magic == 2) {
                items.add(new Item(
                        number("baseOffset", 0) + number(each, "offsetDelta", 0),
                        number("baseTimestamp", -1) + number(each, "timestampDelta", 0),
                        bytes(each, "key"), bytes(each, "value"), headers(each)));
            } else {
                boolean relative = magic == 1 && number("compression", 0) != 0;
                long offset = number(each, "offset", 0) + (relative ? baseOffset() : 0);
                long timestamp = magic == 0 ? -1 : number(each, "timestamp", -1);
                items.add(new Item(offset, timestamp, bytes(each, "key"), bytes(each, "value"), new Header[0]));
            }
        }
        return items;
    }

    /** Throws a refusal for a batch that the builder cannot make: the limits {@code builder} and {@code unused}. */
    void checkBuildable() {
        List<Map<String, Object>> held = messages();
        if (held.isEmpty()) {
            throw Refusal.unsupported("builder", "an empty batch");
        }
        if (number("reserved", 0) != 0 || held.stream().anyMatch(each -> number(each, "attributes", 0) != 0)
                || number("attributes", 0) != 0) {
            throw Refusal.unsupported("unused", "attributes without a meaning");
        }
        if (!(magic == 2 ? follows(held) : followsOfOld(held))) {
            throw Refusal.unsupported("builder", "a header that does not follow from the records");
        }
    }

    private boolean follows(List<Map<String, Object>> held) {
        boolean horizon = flag("deleteHorizon");
        boolean control = flag("control");
        long last = -1;
        for (Map<String, Object> each : held) {
            long delta = number(each, "offsetDelta", 0);
            if (delta <= last) {
                return false; // the builder requires ascending offsets
            }
            last = delta;
        }
        long latest = deltas(held).max().orElse(0) + number("baseTimestamp", -1);
        return (horizon || number(held.get(0), "timestampDelta", 0) == 0)
                && (flag("logAppendTime") || latest == number("maxTimestamp", -1))
                && number("lastOffsetDelta", 0) >= last
                && number("baseTimestamp", -1) >= (horizon ? 0 : -1)
                && deltas(held).allMatch(delta -> number("baseTimestamp", -1) + delta >= (control ? 0 : -1))
                && (!horizon || RecordSets.HORIZONS)
                && hasProducer()
                && (!control || held.stream().allMatch(each -> RecordSets.knowsControl(bytes(each, "key"))));
    }

    /** Checks the producer: a transaction needs one, a producer needs an epoch and, except in markers, a sequence. */
    private boolean hasProducer() {
        if (number("producerId", -1) == -1) {
            return !flag("transactional");
        }
        return number("producerEpoch", -1) >= 0 && (flag("control") || number("baseSequence", -1) >= 0);
    }

    private LongStream deltas(List<Map<String, Object>> held) {
        return held.stream().mapToLong(each -> number(each, "timestampDelta", 0));
    }

    private boolean followsOfOld(List<Map<String, Object>> held) {
        boolean compressed = number("compression", 0) != 0;
        if (!compressed) {
            return true;
        }
        long latest = held.stream().mapToLong(each -> number(each, "timestamp", -1)).max().orElse(-1);
        long first = number(held.get(0), "offset", 0);
        long last = number(held.get(held.size() - 1), "offset", 0);
        return value.get("key") == null
                && (magic == 0 ? number("offset", 0) == last : first == 0)
                && (magic == 0 || number("timestamp", -1) == latest);
    }

    /** Returns the records, or the messages of a compressed set, or the batch itself if it is a message. */
    private List<Map<String, Object>> messages() {
        if (magic < 2 && number("compression", 0) == 0) {
            return List.of(value);
        }
        List<Map<String, Object>> held = new ArrayList<>();
        for (Object each : RecordSets.list(value, magic == 2 ? "records" : "messages")) {
            held.add(RecordSets.object(each));
        }
        return held;
    }

    private static Header[] headers(Map<String, Object> record) {
        List<Header> headers = new ArrayList<>();
        for (Object each : RecordSets.list(record, "headers")) {
            Map<String, Object> pair = RecordSets.object(each);
            Object held = pair.get("value");
            String key = Values.text(pair.getOrDefault("key", ""));
            headers.add(RecordSets.header(key, held == null ? null : Values.bytes(held)));
        }
        return headers.toArray(Header[]::new);
    }

    private static ByteBuffer bytes(Map<String, Object> object, String name) {
        Object held = object.get(name);
        return held == null ? null : ByteBuffer.wrap(Values.bytes(held));
    }

    private static long number(Map<String, Object> object, String name, long absent) {
        return object.containsKey(name) ? Values.signed(object.get(name), Long.SIZE) : absent;
    }
}
