package io.wireproof.oracle;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.CallSite;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ObjDoubleConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Makes functions of getters and setters: (accessor, interface) to an instance of the interface that calls
 * the accessor.
 *
 * <p>A method handle that is not a constant costs several times as much a call, until the JVM has made a
 * class for each handle that is used often; a sweep over all cells lost a third of its time in that.
 *
 * <p>The {@link LambdaMetafactory} works only inside a loader that sees the accessor's class. So
 * {@link ReleaseLoader} defines this class again in itself, where nothing else of ours can be seen: it
 * speaks in types of the JDK only.
 */
public final class Accessors implements BiFunction<Method, Class<?>, Object> {
    private static final MethodType TO_LONG = methodType(long.class, Object.class);

    /** The interfaces that can be had, with their one method. */
    private static final Map<Class<?>, MethodType> FORMS = Map.of(
            ToLongFunction.class, TO_LONG,
            ToDoubleFunction.class, methodType(double.class, Object.class),
            Predicate.class, methodType(boolean.class, Object.class),
            Function.class, methodType(Object.class, Object.class),
            ObjIntConsumer.class, methodType(void.class, Object.class, int.class),
            ObjLongConsumer.class, methodType(void.class, Object.class, long.class),
            ObjDoubleConsumer.class, methodType(void.class, Object.class, double.class),
            BiConsumer.class, methodType(void.class, Object.class, Object.class));

    private static final Map<Class<?>, String> NAMES = Map.of(
            ToLongFunction.class, "applyAsLong",
            ToDoubleFunction.class, "applyAsDouble",
            Predicate.class, "test",
            Function.class, "apply",
            ObjIntConsumer.class, "accept",
            ObjLongConsumer.class, "accept",
            ObjDoubleConsumer.class, "accept",
            BiConsumer.class, "accept");

    @Override
    public Object apply(Method accessor, Class<?> type) {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType form = FORMS.get(type);
        try {
            CallSite site = LambdaMetafactory.metafactory(
                    lookup, NAMES.get(type), methodType(type), form, lookup.unreflect(accessor), exact(accessor, form));
            return site.getTarget().invoke();
        } catch (Throwable e) {
            throw new IllegalStateException("no function can be made of " + accessor, e);
        }
    }

    /** The interface's method with the accessor's own types, where that takes or gives an object: boxed. */
    private static MethodType exact(Method accessor, MethodType form) {
        MethodType own = methodType(accessor.getDeclaringClass(), accessor.getParameterTypes()).wrap();
        MethodType exact = form.changeParameterType(0, accessor.getDeclaringClass());
        if (form.returnType() == Object.class) {
            exact = exact.changeReturnType(methodType(accessor.getReturnType()).wrap().returnType());
        }
        if (form.parameterCount() == 2 && form.parameterType(1) == Object.class) {
            exact = exact.changeParameterType(1, own.parameterType(0));
        }
        return exact;
    }
}
