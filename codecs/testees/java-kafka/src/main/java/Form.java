import io.wireproof.testee.Refusal;
import io.wireproof.testee.Values;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;

/** The conversions of a field's Java value to and from canonical JSON. Null is null in both. */
interface Form {
    Object toJson(Object value, short version);

    Object fromJson(Object value);

    /** Returns the form of a field's type, or of the elements of a list. */
    static Form of(Type declared) throws ReflectiveOperationException {
        if (declared instanceof ParameterizedType list) {
            return new Elements(ArrayList.class, of(list.getActualTypeArguments()[0]));
        }
        Class<?> type = (Class<?>) declared;
        if (Collection.class.isAssignableFrom(type)) { // with keys: ImplicitLinkedHashMultiCollection
            ParameterizedType keyed = (ParameterizedType) type.getGenericSuperclass();
            return new Elements(type, of(keyed.getActualTypeArguments()[0]));
        }
        if (Message.class.isAssignableFrom(type)) {
            return new Struct(Shape.of(type));
        }
        if (type.getSimpleName().equals("BaseRecords")) {
            return new Records(type);
        }
        return new Scalar(type);
    }

    /** Numbers, strings, bytes and UUIDs. */
    record Scalar(Class<?> type) implements Form {
        @Override
        public Object toJson(Object value, short version) {
            if (value instanceof Uuid uuid) {
                return new UUID(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
            }
            return value; // the kit writes the other types
        }

        @Override
        public Object fromJson(Object value) {
            try {
                return value == null && !type.isPrimitive() ? null : held(value);
            } catch (ArithmeticException | IllegalArgumentException misfit) {
                throw Refusal.unsupported("types", "Java's " + type.getSimpleName() + ": " + misfit.getMessage());
            }
        }

        private Object held(Object value) {
            switch (type.getSimpleName()) {
                case "boolean":
                    return Values.bool(value);
                case "byte", "Byte":
                    return (byte) Values.signed(value, Byte.SIZE);
                case "short", "Short":
                    return (short) Values.signed(value, Short.SIZE);
                case "int", "Integer":
                    return (int) Values.signed(value, Integer.SIZE);
                case "long", "Long":
                    return Values.signed(value, Long.SIZE);
                case "double":
                    return Values.float64(value);
                case "String":
                    return Values.text(value);
                case "byte[]":
                    return Values.bytes(value);
                case "ByteBuffer":
                    return ByteBuffer.wrap(Values.bytes(value));
                case "Uuid":
                    UUID uuid = Values.uuid(value);
                    return new Uuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
                default:
                    throw new IllegalStateException("no generated class holds a " + type);
            }
        }
    }

    /** Records, as bytes. The package of their classes differs between releases. */
    final class Records implements Form {
        private final Method of;
        private final Method buffer;

        Records(Class<?> declared) throws ReflectiveOperationException {
            Class<?> type = Class.forName(declared.getPackageName() + ".MemoryRecords");
            of = type.getMethod("readableRecords", ByteBuffer.class);
            buffer = type.getMethod("buffer");
        }

        @Override
        public Object toJson(Object value, short version) {
            return value == null ? null : Slot.called(() -> buffer.invoke(value));
        }

        @Override
        public Object fromJson(Object value) {
            return value == null ? null : Slot.called(() -> of.invoke(null, ByteBuffer.wrap(Values.bytes(value))));
        }
    }

    /** A struct. */
    record Struct(Shape shape) implements Form {
        @Override
        public Object toJson(Object value, short version) {
            return value == null ? null : shape.toValue((Message) value, version);
        }

        @Override
        public Object fromJson(Object value) {
            return value == null ? null : shape.fromValue((Map<?, ?>) value);
        }
    }

    /** An array, in a list or in a collection with keys. */
    record Elements(Class<?> type, Form element) implements Form {
        @Override
        public Object toJson(Object value, short version) {
            if (value == null) {
                return null;
            }
            List<Object> list = new ArrayList<>();
            for (Object each : (Collection<?>) value) {
                list.add(element.toJson(each, version));
            }
            return list;
        }

        /** Adds an element. A keyed collection hashes its key and rejects keys without a hash. */
        private static void add(Collection<Object> elements, Object each) {
            try {
                elements.add(each);
            } catch (RuntimeException refused) {
                throw Refusal.encoding(refused);
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        public Object fromJson(Object value) {
            if (value == null) {
                return null;
            }
            Collection<Object> elements = (Collection<Object>) Slot.called(() -> type.getConstructor().newInstance());
            for (Object each : (List<?>) value) {
                add(elements, element.fromJson(each));
            }
            return elements;
        }
    }
}
