package io.wireproof.oracle;

import io.wireproof.oracle.ProbedStruct.ProbedField;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Instances of a generated class made by reflection and from what a {@link Prober} found: a second
 * source of cases that no layout of ours has a say in.
 */
final class Instances {
    private static final int[] COUNTS = {0, 1, 2, 128};

    private final ProbedStruct root;
    private final Taker taker;
    private final BoundaryValues boundaries;
    private final Tags tags;
    private final Release release;

    Instances(Release release, ProbedStruct root, Taker taker) {
        this.release = release;
        this.root = root;
        this.taker = taker;
        this.boundaries = new BoundaryValues(release);
        this.tags = new Tags(release.protocol());
    }

    /** Is given each instance, which changes afterwards. */
    @FunctionalInterface
    interface Taker {
        void take(Object instance) throws Throwable;
    }

    /**
     * The default instance, everything set without and with unknown tags, every null there can be, each
     * field at each boundary; then {@code count} random ones.
     */
    void make(int count, long seed) throws Throwable {
        taker.take(plain(root));
        taker.take(full(root, false));
        taker.take(full(root, true));
        taker.take(nulls(root));
        Object instance = plain(root);
        boundaries(instance, instance, root);
        RandomInstances random = new RandomInstances(release, boundaries, tags, new SplittableRandom(seed));
        for (int i = 0; i < count; i++) {
            taker.take(random.make(root));
        }
    }

    /** A default instance, its records filled where the class needs it. */
    private Object plain(ProbedStruct struct) throws Throwable {
        Object instance = struct.shape.newInstance();
        if (struct.needsRecords) {
            new Candidates(release).fillRecords(instance);
        }
        return instance;
    }

    private Object full(ProbedStruct struct, boolean tagged) throws Throwable {
        Object instance = plain(struct);
        for (ProbedField probed : struct.fields) {
            if (probed.isWritten()) {
                probed.field.set(instance, fullValue(probed, tagged));
            }
        }
        if (tagged && struct.flexible) {
            tags.set(instance, tags.several());
        }
        return instance;
    }

    private Object fullValue(ProbedField probed, boolean tagged) throws Throwable {
        ClassField field = probed.field;
        if (probed.inner == null) {
            Class<?> type = field.isCollection() ? field.elementType : field.type;
            List<Object> values = boundaries.of(type);
            Object value = values.get(values.size() > 3 ? 3 : 1);
            return field.isCollection() ? Candidates.listOf(field, value, values.get(1)) : value;
        }
        return field.isCollection()
                ? Candidates.listOf(field, full(probed.inner, tagged), full(probed.inner, tagged))
                : full(probed.inner, tagged);
    }

    private Object nulls(ProbedStruct struct) throws Throwable {
        Object instance = plain(struct);
        for (ProbedField probed : struct.fields) {
            if (probed.isWritten() && probed.takesNull()) {
                probed.field.set(instance, null);
            } else if (probed.isWritten() && probed.inner != null) {
                Object inner = nulls(probed.inner);
                probed.field.set(instance, probed.field.isCollection()
                        ? Candidates.listOf(probed.field, inner)
                        : inner);
            }
        }
        return instance;
    }

    /** Each field of the struct, then of the structs in it, at each of its boundaries. */
    private void boundaries(Object whole, Object owner, ProbedStruct struct) throws Throwable {
        for (ProbedField probed : struct.fields) {
            if (!probed.isWritten()) {
                continue;
            }
            Object standing = probed.field.get(owner);
            for (Object value : values(probed)) {
                tryValue(whole, owner, probed.field, value);
            }
            if (probed.inner != null) {
                Object inner = plain(probed.inner);
                probed.field.set(owner, probed.field.isCollection()
                        ? Candidates.listOf(probed.field, inner)
                        : inner);
                boundaries(whole, inner, probed.inner);
            }
            probed.field.set(owner, standing);
        }
        if (struct.flexible) {
            for (List<Object> some : List.of(tags.one(), tags.several())) {
                tags.set(owner, some);
                taker.take(whole);
            }
            tags.set(owner, Collections.emptyList());
        }
    }

    private void tryValue(Object whole, Object owner, ClassField field, Object value) throws Throwable {
        try {
            field.set(owner, value);
        } catch (RuntimeException outsideTheSchemaType) {
            return;
        }
        taker.take(whole);
    }

    private List<Object> values(ProbedField probed) throws Throwable {
        ClassField field = probed.field;
        List<Object> found = new ArrayList<>();
        if (probed.takesNull()) {
            found.add(null);
        }
        if (field.isCollection()) {
            for (int count : COUNTS) {
                found.add(Candidates.listOf(field, elements(probed, count)));
            }
        } else if (probed.inner != null) {
            found.add(plain(probed.inner));
            found.add(full(probed.inner, false));
        } else {
            found.addAll(boundaries.of(field.type));
        }
        return found;
    }

    /** So many elements: boundary values in turn, or default structs (whose map keys are all alike). */
    private Object[] elements(ProbedField probed, int count) throws Throwable {
        Object[] elements = new Object[count];
        List<Object> values = probed.inner == null ? boundaries.of(probed.field.elementType) : null;
        for (int i = 0; i < count; i++) {
            elements[i] = values == null ? plain(probed.inner) : values.get((i + 1) % values.size());
        }
        return elements;
    }
}
