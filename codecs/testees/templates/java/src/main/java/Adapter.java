import io.wireproof.testee.Hello;
import io.wireproof.testee.Refusal;
import io.wireproof.testee.Testee;
import io.wireproof.testee.Values;
import java.util.LinkedHashMap;
import java.util.Map;

/** The adapter of my-codec: the calls of the codec, and nothing else. The protocol is in the kit. */
final class Adapter implements Testee {
    public static void main(String[] words) {
        Testee.main(Adapter::new);
    }

    @Override
    public Hello hello() {
        return new Hello("my-codec", "0.1.0") // the version is better asked of the codec
                .claim("ApiVersionsRequest", "0-3", "decode", "encode", "reencode")
                // Record sets are the message RecordBatch, with compression(...); what others carry is for embedded().
                // All that your codec has, out of its own index; unclaimed(...) says why some of it is not claimed.
                .has("ApiVersionsRequest", "0-3", "encode", "decode");
    }

    @Override
    public Decoded decode(String message, short version, byte[] data) {
        Codec.Reader reader = new Codec.Reader(data);
        return new Decoded(toValue(read(version, reader), version), reader.position());
    }

    @Override
    public byte[] encode(String message, short version, Map<String, Object> value) {
        return fromValue(value).encode(version); // a codec that declines values: as Refusal.encoding
    }

    @Override
    public Reencoded reencode(String message, short version, byte[] data) {
        Codec.Reader reader = new Codec.Reader(data);
        return new Reencoded(read(version, reader).encode(version), reader.position());
    }

    /** Bytes to the codec's own object. Its refusals are told as such; any other exception is its failure. */
    private static Codec read(short version, Codec.Reader reader) {
        try {
            return Codec.decode(version, reader);
        } catch (Codec.MalformedException malformed) {
            throw Refusal.decoding(malformed).at(reader.position());
        }
    }

    /** The object as canonical JSON: Kafka's names, the fields of this version. */
    private static Map<String, Object> toValue(Codec read, short version) {
        Map<String, Object> value = new LinkedHashMap<>();
        if (version >= 3) {
            value.put("clientSoftwareName", read.clientSoftwareName);
            value.put("clientSoftwareVersion", read.clientSoftwareVersion);
        }
        if (!read.tags.isEmpty()) {
            value.put(Values.TAGS, read.tags);
        }
        return value;
    }

    /** Canonical JSON as an object; a key that is absent is left to the codec. */
    private static Codec fromValue(Map<String, Object> value) {
        Codec made = new Codec();
        if (value.containsKey("clientSoftwareName")) {
            made.clientSoftwareName = Values.text(value.get("clientSoftwareName"));
        }
        if (value.containsKey("clientSoftwareVersion")) {
            made.clientSoftwareVersion = Values.text(value.get("clientSoftwareVersion"));
        }
        Values.tags(value).forEach((tag, data) -> made.tags.put(Math.toIntExact(tag), data));
        return made;
    }
}
