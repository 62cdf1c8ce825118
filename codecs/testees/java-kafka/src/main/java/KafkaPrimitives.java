import io.wireproof.testee.Hello;
import io.wireproof.testee.Primitives;
import io.wireproof.testee.Refusal;
import io.wireproof.testee.Values;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.Type;

/** Primitives, by Kafka's types, or by its accessor for the one without a type. */
final class KafkaPrimitives implements Primitives {
    private static final int LONGEST_VARINT = 5;
    private static final String UNSIGNED = "UnsignedVarint";
    private static final Map<String, Form> FORMS = new LinkedHashMap<>();

    /** A type, and the conversions of its values to and from canonical JSON. */
    private record Form(Type type, Function<Object, Object> toJson, Function<Object, Object> fromJson) {}

    static {
        put("Bool", Type.BOOLEAN, Values::bool);
        put("Int8", Type.INT8, value -> (byte) Values.signed(value, Byte.SIZE));
        put("Int16", Type.INT16, value -> (short) Values.signed(value, Short.SIZE));
        put("Uint16", Type.UINT16, value -> (int) Values.unsigned(value, Short.SIZE));
        put("Int32", Type.INT32, value -> (int) Values.signed(value, Integer.SIZE));
        put("Uint32", Type.UNSIGNED_INT32, value -> Values.unsigned(value, Integer.SIZE));
        put("Int64", Type.INT64, value -> Values.signed(value, Long.SIZE));
        put("Float64", Type.FLOAT64, Values::float64);
        FORMS.put("Uuid", new Form(Type.UUID, held -> plain((Uuid) held), value -> kafkas(Values.uuid(value))));
        put("Varint", Type.VARINT, value -> (int) Values.signed(value, Integer.SIZE));
        put("Varlong", Type.VARLONG, value -> Values.signed(value, Long.SIZE));
        put("String", Type.STRING, Values::text);
        put("NullableString", Type.NULLABLE_STRING, Values::text);
        put("CompactString", Type.COMPACT_STRING, Values::text);
        put("CompactNullableString", Type.COMPACT_NULLABLE_STRING, Values::text);
        put("Bytes", Type.BYTES, KafkaPrimitives::buffer);
        put("NullableBytes", Type.NULLABLE_BYTES, KafkaPrimitives::buffer);
        put("CompactBytes", Type.COMPACT_BYTES, KafkaPrimitives::buffer);
        put("CompactNullableBytes", Type.COMPACT_NULLABLE_BYTES, KafkaPrimitives::buffer);
    }

    private static void put(String name, Type type, Function<Object, Object> fromJson) {
        FORMS.put(name, new Form(type, held -> held, fromJson));
    }

    static void claim(Hello hello) {
        FORMS.keySet().forEach(name -> hello.primitive(name, "decode", "encode"));
        hello.primitive(UNSIGNED, "decode", "encode");
    }

    @Override
    public Found decode(String name, byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data);
        try {
            if (name.equals(UNSIGNED)) {
                long number = Integer.toUnsignedLong(new ByteBufferAccessor(in).readUnsignedVarint());
                return new Found(number, in.position()); // the kit writes a long as a decimal string
            }
            Form form = FORMS.get(name);
            Object held = form.type.read(in);
            return new Found(held == null ? null : form.toJson.apply(held), in.position());
        } catch (RuntimeException refused) {
            throw Refusal.decoding(refused).at(in.position());
        }
    }

    @Override
    public byte[] encode(String name, Object value) {
        if (name.equals(UNSIGNED)) {
            ByteBuffer out = ByteBuffer.allocate(LONGEST_VARINT);
            new ByteBufferAccessor(out).writeUnsignedVarint(fitted(() -> (int) Values.unsigned(value, Integer.SIZE)));
            return written(out);
        }
        Form form = FORMS.get(name);
        Object held = value == null ? null : fitted(() -> form.fromJson.apply(value));
        try {
            form.type.validate(held); // as a Struct does before it writes
            ByteBuffer out = ByteBuffer.allocate(form.type.sizeOf(held));
            form.type.write(out, held);
            return written(out);
        } catch (RuntimeException refused) {
            throw Refusal.encoding(refused);
        }
    }

    /** Converts a value. Throws a refusal if the Java type of the primitive cannot hold it. */
    private static <T> T fitted(Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException | ArithmeticException misfit) {
            throw Refusal.unsupported("types", misfit.getMessage());
        }
    }

    private static byte[] written(ByteBuffer out) {
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    private static Object buffer(Object value) {
        return ByteBuffer.wrap(Values.bytes(value));
    }

    private static UUID plain(Uuid held) {
        return new UUID(held.getMostSignificantBits(), held.getLeastSignificantBits());
    }

    private static Uuid kafkas(UUID held) {
        return new Uuid(held.getMostSignificantBits(), held.getLeastSignificantBits());
    }
}
