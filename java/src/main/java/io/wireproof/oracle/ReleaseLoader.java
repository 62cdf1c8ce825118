package io.wireproof.oracle;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.function.BiFunction;

/** The class loader of one release's jars, or of classes in memory, with {@link Accessors} among its classes. */
final class ReleaseLoader extends URLClassLoader {
    private final Map<String, byte[]> classes;

    ReleaseLoader(URL[] jars, ClassLoader parent) {
        super(jars, parent);
        classes = Map.of();
    }

    /**
     * A loader of classes in memory.
     *
     * @param classes class files by qualified name
     */
    ReleaseLoader(Map<String, byte[]> classes, ClassLoader parent) {
        super(new URL[0], parent);
        this.classes = classes;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] code = classes.get(name);
        return code == null ? super.findClass(name) : defineClass(name, code, 0, code.length);
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
