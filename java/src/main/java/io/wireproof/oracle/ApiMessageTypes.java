package io.wireproof.oracle;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/** Kafka's table of requests and responses ({@code ApiMessageType}), which knows their headers. */
final class ApiMessageTypes {
    private static final String TABLE = "org.apache.kafka.common.message.ApiMessageType";

    private final Method apiKey;
    private final Method requestVersion;
    private final Method responseVersion;
    private final Map<Class<?>, Object> requests = new HashMap<>();
    private final Map<Class<?>, Object> responses = new HashMap<>();

    ApiMessageTypes(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> table = Class.forName(TABLE, true, loader);
        apiKey = table.getMethod("apiKey");
        requestVersion = table.getMethod("requestHeaderVersion", short.class);
        responseVersion = table.getMethod("responseHeaderVersion", short.class);
        for (Object entry : table.getEnumConstants()) {
            note(entry, table.getMethod("newRequest"), requests);
            note(entry, table.getMethod("newResponse"), responses);
        }
    }

    /** The header version of a request or response class at a version; -1 for other classes. */
    int headerVersion(Class<?> type, short version) throws ReflectiveOperationException {
        if (requests.containsKey(type)) {
            return (short) requestVersion.invoke(requests.get(type), version);
        }
        if (responses.containsKey(type)) {
            return (short) responseVersion.invoke(responses.get(type), version);
        }
        return -1;
    }

    boolean isRequest(Class<?> type) {
        return requests.containsKey(type);
    }

    /** The api key of a request class. */
    short apiKey(Class<?> request) throws ReflectiveOperationException {
        return (short) apiKey.invoke(requests.get(request));
    }

    private static void note(Object entry, Method maker, Map<Class<?>, Object> entries)
            throws ReflectiveOperationException {
        try {
            entries.put(maker.invoke(entry).getClass(), entry);
        } catch (InvocationTargetException retired) {
            // No version of it is valid any more: it has no cells and is sent no more.
            return;
        }
    }
}
