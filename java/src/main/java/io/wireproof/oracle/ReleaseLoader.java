package io.wireproof.oracle;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.BiFunction;

/** The class loader of one release's jars, with {@link Accessors} among its classes. */
final class ReleaseLoader extends URLClassLoader {
    ReleaseLoader(URL[] jars, ClassLoader parent) {
        super(jars, parent);
    }

    /** The maker of getters and setters for classes of this loader. */
    @SuppressWarnings("unchecked")
    BiFunction<Method, Class<?>, Object> accessors() throws ReflectiveOperationException {
        byte[] code = codeOfAccessors();
        Class<?> here = defineClass(Accessors.class.getName(), code, 0, code.length);
        return (BiFunction<Method, Class<?>, Object>) here.getConstructor().newInstance();
    }

    private static byte[] codeOfAccessors() {
        try (InputStream code = Accessors.class.getResourceAsStream("Accessors.class")) {
            return code.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
