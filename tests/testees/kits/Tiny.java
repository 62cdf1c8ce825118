import io.wireproof.testee.Embedded;
import io.wireproof.testee.Hello;
import io.wireproof.testee.Primitives;
import io.wireproof.testee.Refusal;
import io.wireproof.testee.Testee;
import io.wireproof.testee.Values;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A testee for the tests of the Java kit: each operation, each kind of answer, and output of the codec. */
final class Tiny implements Testee {
    public static void main(String[] words) {
        Testee.main(Tiny::new);
    }

    @Override
    public Hello hello() {
        return new Hello("tiny", "1.0.0")
                .variant("small")
                .link("home", "https://example.org")
                .claim("Tiny", "0", "encode", "reencode", "size", "frame", "unframe", "feed", "equal", "copy")
                .primitive("Int8", "decode", "encode")
                .primitive("NullableString", "encode")
                .primitive("NullableBytes", "decode")
                .claim("Tiny", "0-1", "decode")
                .has("Tiny", "0-2", "decode")
                .unclaimed("Tiny", "2", "it is too large")
                .unclaimed("Tiny", "1", "it is too old", "encode")
                .claimEmbedded("Tiny", "0", "decode", "encode", "reencode", "size")
                .compression("none", "0-2")
                .compression("gzip", "2")
                .recordLimits("tail")
                .recordValues()
                .limit("mood", "it has none")
                .refuses()
                .whole()
                .request((short) -1, "Tiny", "0", Map.of("0", 2))
                .response((short) -1, "Tiny", "0", Map.of());
    }

    @Override
    public Decoded decode(String message, short version, byte[] data) throws Exception {
        System.out.println("printed by the codec");
        switch (data.length == 0 ? -1 : data[0]) {
            case -1:
                throw Refusal.decoding("Empty", "nothing").at(2);
            case 1:
                throw new Exception("one byte");
            case 2:
                return new Decoded(Map.of("depth", deeper(0)), 1);
            case 3:
                return new Decoded(Map.of("many", new long[Integer.MAX_VALUE].length), 1);
            case 4:
                return new Decoded(new LinkedHashMap<>(Map.of("fits", 1, "no value", new Object())), 1);
            case 5:
                return new Decoded(everything(), 1);
            case 6:
                return new Decoded(Map.of("absent", Absent.WORD.length()), 1);
            default:
                return new Decoded(Map.of("version", version, "data", data), data.length);
        }
    }

    /** The first byte of a frame is the number of bytes after it. */
    @Override
    public Decoded feed(String message, short version, InputStream stream) throws IOException {
        int length = stream.read();
        if (stream.readNBytes(length).length < length) {
            throw Refusal.decoding("Incomplete", "too short");
        }
        return new Decoded(Map.of("length", length), length + 1);
    }

    @Override
    public Equality equal(String message, short version, byte[] data, byte[] other) {
        return new Equality(Arrays.equals(data, other), data.length == other.length);
    }

    @Override
    public byte[] copy(String message, short version, byte[] data) {
        return data;
    }

    @Override
    public Primitives primitives() {
        return new Primitives() {
            @Override
            public Found decode(String type, byte[] data) {
                return type.equals("Int8") ? new Found(data[0], 1) : new Found(null, 4);
            }

            @Override
            public byte[] encode(String type, Object value) {
                if (type.equals("Int8")) {
                    return new byte[] {(byte) Values.signed(value, 8)};
                }
                return value == null ? new byte[] {-1, -1} : new byte[2];
            }
        };
    }

    private static int deeper(int depth) {
        return deeper(depth + 1) + 1;
    }

    private static Map<String, Object> everything() {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("numbers", List.of((byte) -128, (short) -1, 7, Long.MIN_VALUE, 1.5, 1e300));
        value.put("floats", Arrays.asList(Double.NaN, -0.0, Double.NEGATIVE_INFINITY, 0.0, null));
        value.put("text", "a\"\\\n\0é€😀\ud83d.");
        value.put("bytes", ByteBuffer.wrap(new byte[] {9, 0, -1}, 1, 2));
        value.put("uuid", new UUID(0x1200003456000000L, 0x78));
        value.put("inner", Map.of("flag", true));
        value.put("none", List.of());
        value.put(Values.TAGS, new TreeMap<>(Map.of(7, new byte[] {1}, 300, new byte[0])));
        return value;
    }

    @Override
    public byte[] encode(String message, short version, Map<String, Object> value) {
        if (!value.containsKey("data")) {
            throw Refusal.encoding("Missing", "no data").at("data");
        }
        if (value.get("data") == null) {
            throw Refusal.unsupported("mood", "not today");
        }
        return Values.bytes(value.get("data"));
    }

    @Override
    public Reencoded reencode(String message, short version, byte[] data) {
        return new Reencoded(data, data.length);
    }

    @Override
    public int size(String message, short version, Map<String, Object> value) {
        return Values.text(value.get("text")).length();
    }

    /** The fields of the header, each as eight bytes. */
    @Override
    public byte[] frame(String message, short version, Map<String, Object> header, Map<String, Object> value) {
        return ByteBuffer.allocate(48)
                .putLong(Values.signed(header.get("int16"), 16))
                .putLong(Values.unsigned(header.get("uint32"), 32))
                .putLong(Values.signed(header.get("int64"), 64))
                .putDouble(Values.float64(header.get("float64")))
                .putLong(Values.uuid(header.get("uuid")).getMostSignificantBits())
                .putLong(Values.tags(header).get(300L)[0])
                .array();
    }

    @Override
    public Unframed unframe(String message, short version, byte[] data) {
        return new Unframed(Map.of(), Map.of("flag", Values.bool(true)), data.length);
    }

    @Override
    public Embedded embedded() {
        return new Framed();
    }

    private static final class Framed implements Embedded {
        @Override
        public Found decode(String framing, String known, Blob blob) {
            Map<String, Object> value = new LinkedHashMap<>();
            value.put("framing", framing);
            value.put("known", known);
            value.put("key", blob.key());
            return new Found("Tiny", (short) 3, value, blob.data().length);
        }

        @Override
        public Blob encode(String framing, String message, short version, Map<String, Object> value) {
            return new Blob(new byte[] {(byte) version, (byte) value.size()}, new byte[] {9});
        }

        @Override
        public Again reencode(String framing, String known, Blob blob) {
            return new Again(new Blob(blob.data()), blob.data().length);
        }

        @Override
        public int size(String framing, String message, short version, Map<String, Object> value) {
            return value.size();
        }
    }

    /** A class of a library. The tests remove it after the adapter is compiled. */
    private static final class Absent {
        static final String WORD = "absent".trim();
    }
}
