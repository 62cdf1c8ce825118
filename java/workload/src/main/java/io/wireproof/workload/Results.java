package io.wireproof.workload;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaFuture;

/**
 * Waits for what a call of the admin client promises.
 *
 * <p>The getters of a result have other names from release to release ({@code values}, {@code all}, {@code
 * allTopicNames}), so they are found by reflection: all that need no argument and give a future, or a map of futures.
 */
final class Results {
    private Results() {}

    /**
     * Wait for all of it.
     *
     * @throws Exception the first error among the answers, once all have come
     */
    static void await(Object result) throws Exception {
        Exception first = null;
        for (KafkaFuture<?> future : futures(result)) {
            try {
                future.get(Session.LIMIT_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException end) {
                throw end;
            } catch (Exception error) {
                first = first == null ? error : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static List<KafkaFuture<?>> futures(Object result) throws ReflectiveOperationException {
        List<KafkaFuture<?>> futures = new ArrayList<>();
        for (Method getter : result.getClass().getMethods()) {
            boolean isFuture = KafkaFuture.class.isAssignableFrom(getter.getReturnType());
            boolean isMap = Map.class.isAssignableFrom(getter.getReturnType());
            if (getter.getParameterCount() == 0 && (isFuture || isMap)) {
                collect(value(getter, result), futures);
            }
        }
        if (futures.isEmpty()) {
            throw new IllegalStateException(result.getClass() + " promises nothing");
        }
        return futures;
    }

    private static Object value(Method getter, Object result) throws ReflectiveOperationException {
        try {
            return getter.invoke(result);
        } catch (InvocationTargetException error) {
            return null; // a getter for another kind of question than the one that was asked
        }
    }

    private static void collect(Object value, List<KafkaFuture<?>> futures) {
        if (value instanceof KafkaFuture) {
            futures.add((KafkaFuture<?>) value);
        } else if (value instanceof Map) {
            ((Map<?, ?>) value).values().forEach(each -> collect(each, futures));
        }
    }
}
