package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Records of __consumer_offsets by {@code GroupMetadataManager} in Scala, as {@code doLoadGroupsAndOffsets} reads. */
final class ClassicGroupLoad implements RecordLoad {
    private final ClassLoader loader;
    private final Class<?> type;
    private final Object manager;
    private final Object clock;
    private final Class<?> clockType;

    ClassicGroupLoad(ClassLoader loader) throws ReflectiveOperationException {
        this.loader = loader;
        type = loader.loadClass("kafka.coordinator.group.GroupMetadataManager$");
        manager = type.getField("MODULE$").get(null);
        clockType = loader.loadClass("org.apache.kafka.common.utils.Time");
        clock = clockType.getField("SYSTEM").get(null);
    }

    @Override
    public String load(ByteBuffer key, ByteBuffer value) throws Throwable {
        Object read = read(key, value);
        return read == null ? null : read.toString();
    }

    private Object read(ByteBuffer key, ByteBuffer value) throws Throwable {
        Object label = call("readMessageKey", key);
        switch (label.getClass().getSimpleName()) {
            case "OffsetKey":
                return call("readOffsetMessageValue", value);
            case "GroupMetadataKey":
                Object group = SchemaCodec.call(BlobForm.method(label.getClass(), "key"), label);
                return SchemaCodec.call(
                        BlobForm.method(type, "readGroupMessageValue", String.class, ByteBuffer.class, clockType),
                        manager, group, value, clock);
            case "UnknownKey":
                return null;
            default:
                throw new IllegalArgumentException("a key of class " + label.getClass());
        }
    }

    private Object call(String name, ByteBuffer data) throws Throwable {
        return SchemaCodec.call(BlobForm.method(type, name, ByteBuffer.class), manager, data);
    }

    @Override
    public List<String> rewrite(ByteBuffer key, ByteBuffer value) throws Throwable {
        Object read = read(key, value);
        boolean isGroup = read.getClass().getSimpleName().equals("GroupMetadata");
        Method write = isGroup
                ? BlobForm.methodOrNull(type, "groupMetadataValue", 3)
                : BlobForm.methodOrNull(type, "offsetCommitValue", 2);
        Map<String, Object> first = new LinkedHashMap<>();
        for (Object setting : settings()) {
            Object data = isGroup
                    ? SchemaCodec.call(write, manager, read, assignments(read), setting)
                    : SchemaCodec.call(write, manager, read, setting);
            first.putIfAbsent(RecordLoad.written("", (byte[]) data), setting);
        }
        List<String> written = new ArrayList<>();
        first.forEach((data, setting) -> written.add(setting + data));
        return written;
    }

    /** The assignment of each member that the group holds. */
    private Object assignments(Object group) throws Throwable {
        Object members = SchemaCodec.call(BlobForm.method(group.getClass(), "allMemberMetadata"), group);
        Object module = loader.loadClass("scala.collection.immutable.Map$").getField("MODULE$").get(null);
        Object found = SchemaCodec.call(BlobForm.method(module.getClass(), "empty"), module);
        Object iterator = SchemaCodec.call(interfaceMethod("scala.collection.IterableOnce", "iterator"), members);
        Method hasNext = interfaceMethod("scala.collection.Iterator", "hasNext");
        Method next = interfaceMethod("scala.collection.Iterator", "next");
        Method updated = interfaceMethod("scala.collection.immutable.MapOps", "updated", Object.class, Object.class);
        while ((boolean) SchemaCodec.call(hasNext, iterator)) {
            Object member = SchemaCodec.call(next, iterator);
            Object id = SchemaCodec.call(BlobForm.method(member.getClass(), "memberId"), member);
            Object bytes = SchemaCodec.call(BlobForm.method(member.getClass(), "assignment"), member);
            found = SchemaCodec.call(updated, found, id, bytes);
        }
        return found;
    }

    private Method interfaceMethod(String name, String method, Class<?>... parameters)
            throws ReflectiveOperationException {
        return loader.loadClass(name).getMethod(method, parameters);
    }

    /** The protocol versions between brokers that the release can be set to, oldest first. */
    private List<Object> settings() throws Throwable {
        try {
            Class<?> versions = loader.loadClass("org.apache.kafka.server.common.MetadataVersion");
            return List.of(versions.getEnumConstants());
        } catch (ClassNotFoundException e) {
            Object module = loader.loadClass("kafka.api.ApiVersion$").getField("MODULE$").get(null);
            Object all = SchemaCodec.call(BlobForm.method(module.getClass(), "allVersions"), module);
            Object iterator = SchemaCodec.call(interfaceMethod("scala.collection.IterableOnce", "iterator"), all);
            Method hasNext = interfaceMethod("scala.collection.Iterator", "hasNext");
            Method next = interfaceMethod("scala.collection.Iterator", "next");
            List<Object> found = new ArrayList<>();
            while ((boolean) SchemaCodec.call(hasNext, iterator)) {
                found.add(SchemaCodec.call(next, iterator));
            }
            return found;
        }
    }
}
