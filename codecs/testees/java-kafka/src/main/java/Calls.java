import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls of methods by name and arguments, none of which may be null. Between releases the record classes change their
 * packages and the types in their signatures.
 */
final class Calls {
    private static final Map<String, Method> METHODS = new ConcurrentHashMap<>();

    private Calls() {}

    /** Calls a public method of an object, declared in one of its public types. */
    static Object call(Object on, String name, Object... arguments) {
        return invoked(method(on.getClass(), false, name, arguments), on, arguments);
    }

    static Object callStatic(Class<?> type, String name, Object... arguments) {
        return invoked(method(type, true, name, arguments), null, arguments);
    }

    /** Returns whether a type has a public method of this name without arguments. */
    static boolean has(Class<?> type, String name) {
        return Arrays.stream(type.getMethods()).anyMatch(each -> each.getName().equals(name) && each.getParameterCount() == 0);
    }

    /** Returns the public constructor with the most arguments whose first argument has another type. */
    static Constructor<?> longest(Class<?> type, Class<?> excluded) {
        return Arrays.stream(type.getConstructors())
                .filter(each -> each.getParameterTypes()[0] != excluded)
                .max(Comparator.comparingInt(Constructor::getParameterCount))
                .orElseThrow();
    }

    static Object made(Constructor<?> constructor, Object... arguments) {
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException thrown) {
            throw asUnchecked(thrown.getCause());
        } catch (ReflectiveOperationException fault) {
            throw new IllegalStateException(fault);
        }
    }

    private static Method method(Class<?> type, boolean isStatic, String name, Object... arguments) {
        StringBuilder key = new StringBuilder(type.getName()).append('.').append(name);
        for (Object argument : arguments) {
            key.append(' ').append(argument.getClass().getName());
        }
        return METHODS.computeIfAbsent(key.toString(), missing -> {
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Method method : each.getMethods()) {
                    if (method.getName().equals(name)
                            && Modifier.isStatic(method.getModifiers()) == isStatic
                            && Modifier.isPublic(method.getDeclaringClass().getModifiers())
                            && !method.isBridge()
                            && takes(method, arguments)) {
                        return method;
                    }
                }
            }
            throw new IllegalStateException("this release has no " + missing);
        });
    }

    private static boolean takes(Method method, Object... arguments) {
        Class<?>[] types = method.getParameterTypes();
        boolean fits = types.length == arguments.length;
        for (int i = 0; fits && i < types.length; i++) {
            fits = MethodType.methodType(types[i]).wrap().returnType().isInstance(arguments[i]);
        }
        return fits;
    }

    private static Object invoked(Method method, Object on, Object... arguments) {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException thrown) {
            throw asUnchecked(thrown.getCause());
        } catch (IllegalAccessException fault) {
            throw new IllegalStateException(fault);
        }
    }

    private static RuntimeException asUnchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(thrown);
    }
}
