import io.wireproof.testee.Hello;
import io.wireproof.testee.Primitives;
import io.wireproof.testee.Refusal;
import io.wireproof.testee.Testee;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * The adapter of Kafka's own generated classes, of any release.
 *
 * <p>Any RuntimeException of these classes is a refusal: Kafka does not declare exceptions there, and its brokers and
 * clients treat all of them as a malformed message. An error of the JVM is not a refusal.
 */
final class Adapter implements Testee {
    private final Map<String, Class<? extends ApiMessage>> classes;
    private final Map<String, Direction> directions = new LinkedHashMap<>();

    /** A request or a response of an API. */
    private record Direction(short apiKey, Class<? extends Message> header, HeaderVersion headerVersion) {}

    private interface HeaderVersion {
        short at(short version);
    }

    /** A message to be written at a version. */
    private record Part(Message message, ObjectSerializationCache cache, short version) {
        Part(Message message, short version) {
            this(message, new ObjectSerializationCache(), version);
        }

        int size() {
            MessageSizeAccumulator size = new MessageSizeAccumulator();
            message.addSize(size, cache, version);
            return size.totalSize();
        }

        void write(ByteBuffer to) {
            message.write(new ByteBufferAccessor(to), cache, version);
        }
    }

    private Adapter(Map<String, Class<? extends ApiMessage>> classes) {
        this.classes = classes;
        for (ApiMessageType type : ApiMessageType.values()) {
            note(type, type::newRequest, RequestHeaderData.class, type::requestHeaderVersion);
            note(type, type::newResponse, ResponseHeaderData.class, type::responseHeaderVersion);
        }
    }

    public static void main(String[] args) {
        Testee.main(() -> new Adapter(Messages.in(Path.of(args[0]))));
    }

    private void note(
            ApiMessageType type,
            Supplier<ApiMessage> maker,
            Class<? extends Message> header,
            HeaderVersion headerVersion) {
        try {
            String message = maker.get().getClass().getSimpleName().replaceFirst("Data$", "");
            directions.put(message, new Direction(type.apiKey(), header, headerVersion));
        } catch (UnsupportedVersionException retired) {
            return; // the release has no valid version of it and no class
        }
    }

    @Override
    public Hello hello() {
        String release = Messages.release();
        Hello hello = new Hello("kafka", release)
                .link("source", "https://github.com/apache/kafka")
                .names(release.substring(0, release.indexOf('.', release.indexOf('.') + 1)))
                .refuses()
                .limit("field", "a field that the release's class has in no version")
                .limit("types", "a null, or a number out of range, for the Java type that holds it")
                .limit("tags", "unknown tags that are out of order, doubled or above 2^31 - 2: the class keeps them, a value has no"
                        + " place for them");
        classes.forEach((message, type) -> claim(hello, message, Shape.of(type).newInstance()));
        RecordSets.claim(hello);
        KafkaPrimitives.claim(hello);
        return hello;
    }

    private void claim(Hello hello, String message, Message instance) {
        short lowest = instance.lowestSupportedVersion();
        short highest = instance.highestSupportedVersion();
        String versions = lowest + "-" + highest;
        hello.has(message, versions, "decode", "encode");
        hello.claim(message, versions, "decode", "encode", "reencode", "size", "equal", "copy");
        Direction direction = directions.get(message);
        if (direction == null) {
            return;
        }
        hello.claim(message, versions, "frame", "unframe");
        Map<String, Integer> headers = new LinkedHashMap<>();
        for (short version = lowest; version <= highest; version++) {
            headers.put(Short.toString(version), (int) direction.headerVersion.at(version));
        }
        if (direction.header == RequestHeaderData.class) {
            hello.request(direction.apiKey, message, versions, headers);
        } else {
            hello.response(direction.apiKey, message, versions, headers);
        }
    }

    @Override
    public Decoded decode(String message, short version, byte[] data) {
        if (message.equals(RecordSets.MESSAGE)) {
            return RecordSets.decode(data);
        }
        ByteBuffer in = ByteBuffer.wrap(data);
        Message read = read(classes.get(message), in, version);
        return new Decoded(toValue(read, version), in.position());
    }

    @Override
    public byte[] encode(String message, short version, Map<String, Object> value) {
        if (message.equals(RecordSets.MESSAGE)) {
            return RecordSets.encode(value);
        }
        return written(0, new Part(made(classes.get(message), value), version));
    }

    @Override
    public Reencoded reencode(String message, short version, byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data);
        Message read = read(classes.get(message), in, version);
        return new Reencoded(written(0, new Part(read, version)), in.position());
    }

    @Override
    public Equality equal(String message, short version, byte[] data, byte[] other) {
        Class<? extends Message> type = classes.get(message);
        return Equality.of(read(type, ByteBuffer.wrap(data), version), read(type, ByteBuffer.wrap(other), version));
    }

    @Override
    public byte[] copy(String message, short version, byte[] data) {
        Message copied = read(classes.get(message), ByteBuffer.wrap(data), version).duplicate();
        return written(0, new Part(copied, version));
    }

    @Override
    public Primitives primitives() {
        return new KafkaPrimitives();
    }

    @Override
    public int size(String message, short version, Map<String, Object> value) {
        return sized(new Part(made(classes.get(message), value), version));
    }

    @Override
    public byte[] frame(String message, short version, Map<String, Object> header, Map<String, Object> value) {
        Direction direction = directions.get(message);
        Part head = new Part(made(direction.header, header), direction.headerVersion.at(version));
        return written(Integer.BYTES, head, new Part(made(classes.get(message), value), version));
    }

    @Override
    public Unframed unframe(String message, short version, byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data);
        int size = in.remaining() < Integer.BYTES ? -1 : in.getInt();
        if (size < 0 || size > in.remaining()) { // Kafka's transport layer rejects such frames
            throw Refusal.decoding("InvalidFrame", "a size of " + size + " before " + in.remaining() + " bytes");
        }
        in.limit(in.position() + size);
        Direction direction = directions.get(message);
        short headerVersion = direction.headerVersion.at(version);
        Message header = read(direction.header, in, headerVersion);
        Message body = read(classes.get(message), in, version);
        return new Unframed(toValue(header, headerVersion), toValue(body, version), in.position());
    }

    private static Message read(Class<? extends Message> type, ByteBuffer in, short version) {
        Message instance = Shape.of(type).newInstance();
        try {
            instance.read(new ByteBufferAccessor(in), version);
            return instance;
        } catch (RuntimeException refused) {
            throw Refusal.decoding(refused).at(in.position());
        }
    }

    private static Map<String, Object> toValue(Message read, short version) {
        return Shape.of(read.getClass()).toValue(read, version);
    }

    private static Message made(Class<? extends Message> type, Map<String, Object> value) {
        return Shape.of(type).fromValue(value);
    }

    private static int sized(Part... parts) {
        try {
            int size = 0;
            for (Part part : parts) {
                size += part.size();
            }
            return size;
        } catch (RuntimeException refused) {
            throw Refusal.encoding(refused);
        }
    }

    /** Writes the parts after a size of {@code prefix} bytes, 4 or 0. */
    private static byte[] written(int prefix, Part... parts) {
        int size = sized(parts);
        ByteBuffer out = ByteBuffer.allocate(prefix + size);
        if (prefix > 0) {
            out.putInt(size);
        }
        try {
            for (Part part : parts) {
                part.write(out);
            }
        } catch (RuntimeException refused) {
            throw Refusal.encoding(refused);
        }
        byte[] bytes = new byte[out.position()]; // the class may write fewer bytes than it computed
        out.flip().get(bytes);
        return bytes;
    }
}
