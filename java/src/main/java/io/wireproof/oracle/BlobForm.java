package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

/**
 * The framing by which Kafka's own classes put one kind of message into other data, and take it out.
 *
 * <p>A blob is a key (null where there is none) and its data: records of coordinators and control records have
 * both.
 */
abstract class BlobForm {
    /** Kafka's blob of an instance. */
    abstract Blob write(Object message, short version) throws Throwable;

    /** As {@link #write(Object, short)}, for forms that need more of the cell than its version. */
    Blob write(ValueCell cell, Object message) throws Throwable {
        return write(message, cell.version);
    }

    /**
     * Kafka's reading of a blob, and the blob that it writes of that again.
     *
     * @param cell the message that is expected; for forms that read no message, only objects made of one
     */
    abstract Content read(ValueCell cell, Blob blob) throws Throwable;

    /** Key and data. */
    static final class Blob {
        final byte[] key;
        final byte[] data;

        Blob(byte[] key, byte[] data) {
            this.key = key;
            this.data = data;
        }
    }

    /** An instance that was read, and the blob written of it again. */
    static final class Content {
        final Object message;
        final Blob again;

        Content(Object message, Blob again) {
            this.message = message;
            this.again = again;
        }
    }

    /** The method of this name with so many parameters, wherever it is declared, made accessible; null for none. */
    static Method methodOrNull(Class<?> type, String name, int parameters) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == parameters && !method.isBridge()) {
                    method.setAccessible(true);
                    return method;
                }
            }
        }
        return null;
    }

    /** As {@link #methodOrNull}, with these parameters; null for any type of one. */
    static Method method(Class<?> type, String name, Class<?>... parameters) throws NoSuchMethodException {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name) && !method.isBridge() && fits(method.getParameterTypes(), parameters)) {
                method.setAccessible(true);
                return method;
            }
        }
        if (type.getSuperclass() != null) {
            return method(type.getSuperclass(), name, parameters);
        }
        throw new NoSuchMethodException(name + Arrays.toString(parameters));
    }

    private static boolean fits(Class<?>[] declared, Class<?>[] wanted) {
        if (declared.length != wanted.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i] != null && wanted[i] != declared[i]) {
                return false;
            }
        }
        return true;
    }

    static boolean isStatic(Method method) {
        return Modifier.isStatic(method.getModifiers());
    }
}
