import io.wireproof.testee.Refusal;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.TaggedFields;

/** A field of a generated class. */
final class Slot {
    /** Java fields outside the schema: the unknown tags, and the links between elements of keyed collections. */
    private static final Set<String> OTHERS = Set.of("_unknownTaggedFields", "next", "prev");

    final String name;
    private final Form form;
    private final Method getter;
    private final Method setter;

    Slot(Field field) throws ReflectiveOperationException {
        name = field.getName();
        form = Form.of(field.getGenericType());
        getter = field.getDeclaringClass().getMethod(name);
        String upper = Character.toUpperCase(name.charAt(0)) + name.substring(1);
        setter = field.getDeclaringClass().getMethod("set" + upper, field.getType());
    }

    static boolean isOfSchema(Field field) {
        return !OTHERS.contains(field.getName());
    }

    Object toJson(Message owner, short version) {
        return form.toJson(called(() -> getter.invoke(owner)), version);
    }

    /** Sets the field. An exception of the setter is a refusal. */
    void fromJson(Message owner, Object value) {
        Object held = form.fromJson(value);
        try {
            called(() -> setter.invoke(owner, held));
        } catch (RuntimeException refused) {
            throw Refusal.encoding(refused).at(name);
        }
    }

    /** Returns the fields of a tag section. Before 4.0 it has no accessor for them. */
    @SuppressWarnings("unchecked")
    static Stream<org.apache.kafka.common.protocol.types.Field> tagged(TaggedFields section) {
        return called(() -> {
            Field fields = TaggedFields.class.getDeclaredField("fields");
            fields.setAccessible(true);
            return ((Map<Integer, org.apache.kafka.common.protocol.types.Field>) fields.get(section)).values().stream();
        });
    }

    /** Makes a reflective call. Rethrows the exception of the called method. */
    static <T> T called(Call<T> call) {
        try {
            return call.make();
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (thrown.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new IllegalStateException(thrown);
        } catch (ReflectiveOperationException fault) {
            throw new IllegalStateException(fault);
        }
    }

    /** A reflective call. */
    interface Call<T> {
        T make() throws ReflectiveOperationException;
    }
}
