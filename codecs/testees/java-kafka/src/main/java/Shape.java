import io.wireproof.testee.Refusal;
import io.wireproof.testee.Values;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;

/**
 * A generated class of a message, or of a struct in one, and the conversions of its instances to and from canonical
 * JSON.
 *
 * <p>The class's own {@code SCHEMAS} list the fields of each version. The Java fields have Kafka's names.
 */
final class Shape {
    private static final Map<Class<?>, Shape> KNOWN = new ConcurrentHashMap<>();

    private final Class<? extends Message> type;
    private final Constructor<? extends Message> constructor;
    private final Map<String, Slot> slots = new LinkedHashMap<>();
    private final Schema[] schemas;
    private final Map<Short, List<Slot>> ofVersion = new ConcurrentHashMap<>();

    private Shape(Class<? extends Message> type) throws ReflectiveOperationException {
        this.type = type;
        this.constructor = type.getConstructor();
        this.schemas = (Schema[]) type.getField("SCHEMAS").get(null);
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && Slot.isOfSchema(field)) {
                slots.put(field.getName(), new Slot(field));
            }
        }
    }

    static Shape of(Class<?> type) {
        Shape known = KNOWN.get(type);
        if (known == null) {
            try {
                known = new Shape(type.asSubclass(Message.class));
            } catch (ReflectiveOperationException fault) {
                throw new IllegalStateException(type.getName() + " is not a class of Kafka's message generator", fault);
            }
            KNOWN.put(type, known);
        }
        return known;
    }

    Message newInstance() {
        return Slot.called(constructor::newInstance);
    }

    /** Converts an instance to a value with the fields of the version, and the unknown tags if there are any. */
    Map<String, Object> toValue(Message instance, short version) {
        Map<String, Object> value = new LinkedHashMap<>();
        for (Slot slot : slots(version)) {
            value.put(slot.name, slot.toJson(instance, version));
        }
        List<RawTaggedField> unknown = instance.unknownTaggedFields();
        if (!unknown.isEmpty()) {
            value.put(Values.TAGS, tags(unknown));
        }
        return value;
    }

    /** Converts a value to an instance. Absent fields have the class's defaults. */
    Message fromValue(Map<?, ?> value) {
        Message instance = newInstance();
        for (Map.Entry<?, ?> member : value.entrySet()) {
            if (member.getKey().equals(Values.TAGS)) {
                Values.tags(value).forEach((tag, data) -> instance.unknownTaggedFields().add(raw(tag, data)));
                continue;
            }
            Slot slot = slots.get(member.getKey());
            if (slot == null) {
                throw Refusal.unsupported("field", type.getSimpleName() + " has no field " + member.getKey());
            }
            slot.fromJson(instance, member.getValue());
        }
        return instance;
    }

    private static RawTaggedField raw(long tag, byte[] data) {
        if (tag != (int) tag) {
            throw Refusal.unsupported("types", "a tag is an int, not " + tag);
        }
        return new RawTaggedField((int) tag, data);
    }

    /** Converts tags to an object. It cannot hold tags that are duplicated or out of order. */
    private static Map<String, Object> tags(List<RawTaggedField> unknown) {
        Map<String, Object> tags = new LinkedHashMap<>();
        int last = -1;
        for (RawTaggedField each : unknown) {
            if (each.tag() <= last || each.tag() == Integer.MAX_VALUE) {
                throw Refusal.unsupported("tags", "tag " + each.tag() + " after tag " + last);
            }
            tags.put(Integer.toString(each.tag()), each.data());
            last = each.tag();
        }
        return tags;
    }

    private List<Slot> slots(short version) {
        List<Slot> known = ofVersion.get(version);
        if (known == null) {
            known = new ArrayList<>();
            for (BoundField field : schemas[version].fields()) {
                if (field.def.type instanceof TaggedFields tagged) {
                    Slot.tagged(tagged).map(each -> slot(each.name)).forEach(known::add);
                } else {
                    known.add(slot(field.def.name));
                }
            }
            ofVersion.put(version, known);
        }
        return known;
    }

    /** Returns the field with a schema's name, which is in snake case. */
    private Slot slot(String schemaName) {
        String letters = schemaName.replace("_", "");
        return slots.values().stream()
                .filter(slot -> slot.name.equalsIgnoreCase(letters))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        type.getName() + " has no " + schemaName + " in " + Arrays.toString(slots.keySet().toArray())));
    }
}
