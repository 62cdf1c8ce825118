package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Checks {@code equals}, {@code hashCode} and {@code duplicate} of a generated class on one value. It builds two copies
 * and changes each field of one of them in turn, also the fields of other versions. It reports every breach of their
 * contract:
 *
 * <pre>
 * breach  text path, text what
 * </pre>
 *
 * <ul>
 *   <li>{@code copies-differ}: two copies are not equal, or not an instance to itself;
 *   <li>{@code hashes-differ}: equal copies have different hash codes;
 *   <li>{@code change-unseen}: equal though the field was changed;
 *   <li>{@code duplicate-differs}: {@code duplicate()} has another value;
 *   <li>{@code nan-differs}: with NaN in the field, copies are not equal;
 *   <li>{@code zeros-equal}: with 0.0 and -0.0 in the field, which are other bytes, copies are equal;
 *   <li>{@code zeros-hash}: they are equal, and their hash codes differ.
 * </ul>
 */
final class EqualityLaw {
    private final Release release;
    private final Candidates candidates;
    private final Object one;
    private final Object other;
    private final ByteSink out;

    EqualityLaw(Release release, Object one, Object other, ByteSink out) {
        this.release = release;
        this.candidates = new Candidates(release);
        this.one = one;
        this.other = other;
        this.out = out;
    }

    void check() throws Throwable {
        expectEqual("");
        struct("", other);
        expectEqual("");
    }

    /** Checks each field of a struct of the copy, then the structs in it. */
    private void struct(String prefix, Object owner) throws Throwable {
        for (ClassField field : release.shape(owner.getClass()).fields()) {
            String path = prefix + field.name;
            Object standing = field.get(owner);
            for (Object changed : changes(field, standing)) {
                field.set(owner, changed);
                expectDifferent(path);
            }
            field.set(owner, standing);
            if (field.type == double.class) {
                floats(path, owner, field);
            }
            Object inner = inner(field, standing);
            if (inner != null) {
                struct(path + (field.isCollection() ? "[]." : "."), inner);
            }
        }
        unknownTags(prefix + "_tags", owner);
    }

    /** Returns values of the field other than its present one. */
    private List<Object> changes(ClassField field, Object standing) throws Throwable {
        List<Object> found = new ArrayList<>();
        if (!field.type.isPrimitive() && !Kind.UUID.fits(field.type) && standing != null) {
            found.add(null); // no version of the schema language lets a uuid be null
        }
        if (field.isCollection()) {
            boolean holds = standing != null && !((Collection<?>) standing).isEmpty();
            found.add(holds ? Candidates.listOf(field) : candidates.of(field, standing).get(0));
        } else if (!candidates.isStruct(field.type)) {
            for (Object candidate : candidates.of(field, standing)) {
                if (!same(candidate, standing)) {
                    found.add(candidate);
                }
            }
        } else if (standing == null) {
            found.add(release.shape(field.type).newInstance());
        }
        return found;
    }

    private boolean same(Object left, Object right) throws Throwable {
        if (left == null || right == null) {
            return left == right;
        }
        if (left instanceof byte[]) {
            return Arrays.equals((byte[]) left, (byte[]) right);
        }
        if (Kind.RECORDS.fits(left.getClass())) {
            ByteBuffer mine = release.records(left.getClass()).buffer(left);
            return mine.equals(release.records(right.getClass()).buffer(right));
        }
        return left.equals(right);
    }

    /** Returns the struct in the field, or the first element of an array of structs; null if there is none. */
    private Object inner(ClassField field, Object standing) {
        Object held = standing;
        if (field.isCollection() && standing != null) {
            Collection<?> elements = (Collection<?>) standing;
            held = elements.isEmpty() ? null : elements.iterator().next();
        }
        return held != null && candidates.isStruct(held.getClass()) ? held : null;
    }

    private void unknownTags(String path, Object owner) throws Throwable {
        List<Object> tags = release.protocol().unknownTags(owner);
        List<Object> standing = new ArrayList<>(tags);
        tags.add(release.protocol().newRawTag(Tags.HIGHEST, new byte[] {1}));
        expectDifferent(path);
        if (!standing.isEmpty()) {
            tags.clear();
            expectDifferent(path);
        }
        tags.clear();
        tags.addAll(standing);
    }

    private void floats(String path, Object owner, ClassField field) throws Throwable {
        Object counterpart = counterpartOf(owner, one, other);
        Object standing = field.get(owner);
        field.set(owner, Double.NaN);
        field.set(counterpart, Double.NaN);
        if (!one.equals(other) || !one.equals(one)) {
            breach(path, "nan-differs");
        }
        field.set(owner, -0.0);
        field.set(counterpart, 0.0);
        if (one.equals(other)) {
            breach(path, "zeros-equal");
            if (one.hashCode() != other.hashCode()) {
                breach(path, "zeros-hash");
            }
        }
        field.set(owner, standing);
        field.set(counterpart, standing);
    }

    /** Returns the object in {@code here} at the path of {@code wanted} in {@code there}. */
    private Object counterpartOf(Object wanted, Object here, Object there) {
        if (wanted == there) {
            return here;
        }
        try {
            for (ClassField field : release.shape(there.getClass()).fields()) {
                Object inner = inner(field, field.get(there));
                Object found = inner == null ? null : counterpartOf(wanted, inner(field, field.get(here)), inner);
                if (found != null) {
                    return found;
                }
            }
            return null;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private void expectEqual(String path) {
        if (!one.equals(other) || !other.equals(one) || !one.equals(one)) {
            breach(path, "copies-differ");
        } else if (one.hashCode() != other.hashCode()) {
            breach(path, "hashes-differ");
        }
    }

    private void expectDifferent(String path) {
        if (one.equals(other) || other.equals(one)) {
            breach(path, "change-unseen");
        }
    }

    private void breach(String path, String what) {
        out.putText(path);
        out.putText(what);
    }

    /** Calls {@code duplicate()} of an instance, which every generated class has. */
    static Object duplicate(Object instance) throws Throwable {
        Method duplicate = instance.getClass().getMethod("duplicate");
        return SchemaCodec.call(duplicate, instance);
    }

    /** Reports that a duplicate has another value. */
    static void differs(ByteSink out) {
        out.putText("");
        out.putText("duplicate-differs");
    }
}
