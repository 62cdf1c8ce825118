package io.wireproof.oracle;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Kafka's table of requests and responses ({@code ApiMessageType}), which knows their headers. */
final class ApiMessageTypes {
    private static final String TABLE = "org.apache.kafka.common.message.ApiMessageType";

    private final Class<?> table;
    private final Class<?> apiMessage;

    ApiMessageTypes(ClassLoader loader) throws ClassNotFoundException {
        table = Class.forName(TABLE, true, loader);
        apiMessage = loader.loadClass("org.apache.kafka.common.protocol.ApiMessage");
    }

    /** The header version of a request or response class at a version; -1 for other classes. */
    int headerVersion(Class<?> type, short version) throws ReflectiveOperationException {
        if (!apiMessage.isAssignableFrom(type)) {
            return -1;
        }
        Object instance = type.getConstructor().newInstance();
        short key = (short) apiMessage.getMethod("apiKey").invoke(instance);
        for (Object entry : table.getEnumConstants()) {
            if (key != (short) table.getMethod("apiKey").invoke(entry)) {
                continue;
            }
            if (makes(entry, "newRequest", type)) {
                return headerVersion(entry, "requestHeaderVersion", version);
            }
            if (makes(entry, "newResponse", type)) {
                return headerVersion(entry, "responseHeaderVersion", version);
            }
        }
        return -1;
    }

    private boolean makes(Object entry, String maker, Class<?> type) throws ReflectiveOperationException {
        try {
            return type.isInstance(table.getMethod(maker).invoke(entry));
        } catch (InvocationTargetException retired) {
            return false;
        }
    }

    private int headerVersion(Object entry, String method, short version) throws ReflectiveOperationException {
        Method versions = table.getMethod(method, short.class);
        return (short) versions.invoke(entry, version);
    }
}
