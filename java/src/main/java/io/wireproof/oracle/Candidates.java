package io.wireproof.oracle;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Values that a field can be set to and that are not the one it holds. */
final class Candidates {
    private final Release release;

    Candidates(Release release) {
        this.release = release;
    }

    /** A few values other than {@code standing}; the first that the class takes will do. */
    List<Object> of(ClassField field, Object standing) throws Throwable {
        if (field.isCollection()) {
            return lists(field);
        }
        if (isStruct(field.type)) {
            return structs(release.shape(field.type), standing);
        }
        return scalars(field.type, standing);
    }

    /** Set the records of an instance, and of the structs in it, that are null to no records. */
    void fillRecords(Object instance) throws Throwable {
        for (ClassField field : release.shape(instance.getClass()).fields()) {
            Object value = field.get(instance);
            if (Kind.RECORDS.fits(field.type) && !isStruct(field.type) && value == null) {
                field.set(instance, records(field.type, 0));
            } else if (value != null && isStruct(field.type)) {
                fillRecords(value);
            }
        }
    }

    boolean isStruct(Class<?> type) {
        return release.protocol().message.isAssignableFrom(type);
    }

    Object records(Class<?> type, int length) throws Throwable {
        return release.records(type).of(ByteBuffer.wrap(new byte[length]));
    }

    /** One element; one with its records filled; and two, where the first is the present one. */
    private List<Object> lists(ClassField field) throws Throwable {
        List<Object> found = new ArrayList<>();
        if (!isStruct(field.elementType)) {
            Object element = scalars(field.elementType, null).get(0);
            found.add(listOf(field, element));
            found.add(listOf(field, element, element));
            return found;
        }
        found.add(listOf(field, fresh(field.elementType)));
        found.add(listOf(field, filled(field.elementType)));
        found.add(listOf(field, filled(field.elementType), filled(field.elementType)));
        return found;
    }

    /** A collection of the field's type with these elements. */
    static Collection<?> listOf(ClassField field, Object... elements) throws Throwable {
        Collection<?> list = ClassShape.collectionMaker(field.type).make(elements.length);
        for (Object element : elements) {
            ClassShape.add(list, element);
        }
        return list;
    }

    /** Instances of a struct with one field changed in each; first an untouched one where the value is null. */
    private List<Object> structs(ClassShape shape, Object standing) throws Throwable {
        List<Object> found = new ArrayList<>();
        if (standing == null) {
            found.add(shape.newInstance());
        }
        for (ClassField inner : shape.fields()) {
            for (Object value : of(inner, inner.get(shape.newInstance()))) {
                Object varied = shape.newInstance();
                inner.set(varied, value);
                found.add(varied);
            }
        }
        Object filled = filled(shape.type);
        if (!filled.equals(standing)) {
            found.add(filled);
        }
        return found;
    }

    private Object fresh(Class<?> type) throws Throwable {
        return release.shape(type).newInstance();
    }

    private Object filled(Class<?> type) throws Throwable {
        Object instance = fresh(type);
        fillRecords(instance);
        return instance;
    }

    private List<Object> scalars(Class<?> type, Object standing) throws Throwable {
        List<Object> found = new ArrayList<>();
        if (type == boolean.class || type == Boolean.class) {
            found.add(!Boolean.TRUE.equals(standing));
        } else if (type == double.class || type == Double.class) {
            found.add(Double.valueOf(1.5).equals(standing) ? 2.5 : 1.5);
        } else if (Integers.isInteger(type)) {
            Object one = Integers.box(1, type);
            found.add(one.equals(standing) ? Integers.box(2, type) : one);
        } else if (type == String.class) {
            found.add("x".equals(standing) ? "y" : "x");
        } else if (type == byte[].class) {
            found.add(new byte[] {1});
            found.add(new byte[] {2});
        } else if (type == ByteBuffer.class) {
            found.add(ByteBuffer.wrap(new byte[] {1}));
            found.add(ByteBuffer.wrap(new byte[] {2}));
        } else if (Kind.UUID.fits(type)) {
            found.add(release.protocol().newUuid(1, 2));
            found.add(release.protocol().newUuid(3, 4));
        } else {
            found.add(records(type, 3));
            found.add(records(type, 4));
        }
        return found;
    }
}
