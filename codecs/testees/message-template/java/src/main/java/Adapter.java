import io.wireproof.testee.Hello;
// <decode>
import io.wireproof.testee.Refusal;
// </decode>
import io.wireproof.testee.Testee;
import io.wireproof.testee.Values;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** The adapter of my-codec. It only calls the codec: the kit implements the protocol. */
final class Adapter implements Testee {
    public static void main(String[] args) {
        Testee.main(Adapter::new);
    }

    @Override
    public Hello hello() {
        return new Hello("my-codec", "0.1.0") // better: read the version from the codec
                .claim("MESSAGE", Codec.VERSIONS, OPERATIONS)
                // Claim record sets as the message RecordBatch, with compression(...). For messages inside other data
                // override embedded(). Add all messages that your codec implements, read from the codec itself; for
                // those without a claim give the reason with unclaimed(...).
                .has("MESSAGE", Codec.VERSIONS, WAYS);
    }
    // <decode>

    @Override
    public Decoded decode(String message, short version, byte[] data) {
        Codec.Reader reader = new Codec.Reader(data, version);
        return new Decoded(toValue(read(reader), version, Adapter::ROOT), reader.position());
    }
    // </decode>
    // <encode>

    @Override
    public byte[] encode(String message, short version, Map<String, Object> value) {
        Codec.MESSAGE made = fromValue(value, new Codec.MESSAGE(), Adapter::ROOT);
        return Codec.encode(made, version); // if your codec rejects values: throw Refusal.encoding(...)
    }
    // </encode>
    // <both>

    @Override
    public Reencoded reencode(String message, short version, byte[] data) {
        Codec.Reader reader = new Codec.Reader(data, version);
        return new Reencoded(Codec.encode(read(reader), version), reader.position());
    }
    // </both>
    // <decode>

    /** Calls the codec and converts its exception to a refusal. Any other exception is a failure of the codec. */
    private static Codec.MESSAGE read(Codec.Reader reader) {
        try {
            return Codec.decode(new Codec.MESSAGE(), reader);
        } catch (Codec.MalformedException malformed) {
            throw Refusal.decoding(malformed).at(reader.position());
        }
    }

    /** Converts the codec's object to canonical JSON: Kafka's names, and the fields of this version. */
    private static <T extends Codec.Struct> Map<String, Object> toValue(T read, short version, BiConsumer<Fields, T> shape) {
        Map<String, Object> value = new LinkedHashMap<>();
        shape.accept(new Fields(value, version), read);
        if (!read.unknownTags.isEmpty()) {
            value.put(Values.TAGS, read.unknownTags);
        }
        return value;
    }
    // </decode>
    // <encode>

    /** Converts canonical JSON to the codec's object. Absent fields keep the codec's defaults. */
    private static <T extends Codec.Struct> T fromValue(Map<?, ?> value, T made, BiConsumer<Fields, T> shape) {
        shape.accept(new Fields(value), made);
        Values.tags(value).forEach((tag, data) -> made.unknownTags.put(Math.toIntExact(tag), data));
        return made;
    }
    // </encode>

    // Each struct of Kafka, as a class of the codec: Kafka's name of a field, the versions that have it, what the object
    // holds, and the type.
    // SHAPES
    /** The fields of a struct. A function takes what the object holds, and returns what it holds then. */
    private static final class Fields {
        // <decode>
        private Map<String, Object> made; // of an object, in a version
        private short version;

        Fields(Map<String, Object> made, short version) {
            this.made = made;
            this.version = version;
        }
        // </decode>
        // <encode>
        private Map<?, ?> given = Map.of(); // of which an object is made

        Fields(Map<?, ?> given) {
            this.given = given;
        }
        // </encode>

        <T> T field(String name, String versions, T held, String type) {
            return convert(name, versions, held, each -> each, each -> scalar(each, type));
        }

        <T> List<T> list(String name, String versions, List<T> held, String type) {
            return convert(name, versions, held, each -> each, each -> each(each, item -> scalar(item, type)));
        }

        <T extends Codec.Struct> T struct(
                String name, String versions, T held, Supplier<T> making, BiConsumer<Fields, T> shape) {
            return convert(name, versions, held, each -> to(each, shape), each -> from(each, making, shape));
        }

        <T extends Codec.Struct> List<T> structs(
                String name, String versions, List<T> held, Supplier<T> making, BiConsumer<Fields, T> shape) {
            return convert(
                    name, versions, held,
                    items -> each(items, item -> to(item, shape)),
                    items -> each(items, item -> from(item, making, shape)));
        }

        private <T> T convert(
                String name, String versions, T held, Function<T, Object> to, Function<Object, T> from) {
            // <decode>
            if (made != null) {
                String[] ends = versions.split("-");
                if (Short.parseShort(ends[0]) <= version && version <= Short.parseShort(ends[ends.length - 1])) {
                    made.put(name, held == null ? null : to.apply(held));
                }
                return held;
            }
            // </decode>
            // <encode>
            if (given.containsKey(name)) {
                Object value = given.get(name);
                return value == null ? null : from.apply(value);
            }
            // </encode>
            return held;
        }

        private static <T> List<T> each(Object items, Function<Object, T> converting) {
            List<T> converted = new ArrayList<>();
            ((List<?>) items).forEach(item -> converted.add(converting.apply(item)));
            return converted;
        }

        @SuppressWarnings("unchecked")
        private <T extends Codec.Struct> Object to(Object held, BiConsumer<Fields, T> shape) {
            // <decode>
            if (made != null) {
                return toValue((T) held, version, shape);
            }
            // </decode>
            throw new IllegalStateException("this adapter does not decode");
        }

        private <T extends Codec.Struct> T from(Object value, Supplier<T> making, BiConsumer<Fields, T> shape) {
            // <encode>
            if (value instanceof Map<?, ?> struct) {
                return fromValue(struct, making.get(), shape);
            }
            // </encode>
            throw new IllegalArgumentException(value + " is not a struct");
        }

        @SuppressWarnings("unchecked")
        private static <T> T scalar(Object value, String type) {
            return (T) switch (type) {
                case "bool" -> (Object) Values.bool(value);
                case "int8" -> (byte) Values.signed(value, 8);
                case "int16" -> (short) Values.signed(value, 16);
                case "uint16" -> (int) Values.unsigned(value, 16);
                case "int32" -> (int) Values.signed(value, 32);
                case "uint32" -> Values.unsigned(value, 32);
                case "int64" -> Values.signed(value, 64);
                case "float64" -> Values.float64(value);
                case "uuid" -> Values.uuid(value);
                case "string" -> Values.text(value);
                default -> Values.bytes(value);
            };
        }
    }
}
