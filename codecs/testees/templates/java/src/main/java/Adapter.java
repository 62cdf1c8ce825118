import io.wireproof.testee.Hello;
import io.wireproof.testee.Refusal;
import io.wireproof.testee.Testee;
import io.wireproof.testee.Values;
import java.util.LinkedHashMap;
import java.util.Map;

/** The adapter of my-codec. It only calls the codec: the kit implements the protocol. */
final class Adapter implements Testee {
    public static void main(String[] args) {
        Testee.main(Adapter::new);
    }

    @Override
    public Hello hello() {
        return new Hello("my-codec", "0.1.0") // better: read the version from the codec
                .claim("ApiVersionsRequest", "0-3", "decode", "encode", "reencode")
                // Claim record sets as the message RecordBatch, with compression(...). For messages inside other data
                // override embedded(). Add all messages that your codec implements, read from the codec itself; for
                // those without a claim give the reason with unclaimed(...).
                .has("ApiVersionsRequest", "0-3", "encode", "decode");
    }

    @Override
    public Decoded decode(String message, short version, byte[] data) {
        Codec.Reader reader = new Codec.Reader(data);
        return new Decoded(toValue(read(version, reader), version), reader.position());
    }

    @Override
    public byte[] encode(String message, short version, Map<String, Object> value) {
        return fromValue(value).encode(version); // if your codec rejects values: throw Refusal.encoding(...)
    }

    @Override
    public Reencoded reencode(String message, short version, byte[] data) {
        Codec.Reader reader = new Codec.Reader(data);
        return new Reencoded(read(version, reader).encode(version), reader.position());
    }

    /** Calls the codec and converts its exception to a refusal. Any other exception is a failure of the codec. */
    private static Codec read(short version, Codec.Reader reader) {
        try {
            return Codec.decode(version, reader);
        } catch (Codec.MalformedException malformed) {
            throw Refusal.decoding(malformed).at(reader.position());
        }
    }

    /** Converts the codec's object to canonical JSON: Kafka's names, and the fields of this version. */
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

    /** Converts canonical JSON to the codec's object. Absent fields keep the codec's defaults. */
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
