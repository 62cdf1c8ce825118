package io.wireproof.oracle;

import io.wireproof.oracle.ProbedStruct.ProbedField;
import java.util.List;
import java.util.SplittableRandom;

/** Random instances of a probed class, the same for the same seed. */
final class RandomInstances {
    private static final String ALPHABET = "aZ09-_. \u00e9\u20ac\u4e2d";

    private final Release release;
    private final BoundaryValues boundaries;
    private final Tags tags;
    private final SplittableRandom random;

    RandomInstances(Release release, BoundaryValues boundaries, Tags tags, SplittableRandom random) {
        this.release = release;
        this.boundaries = boundaries;
        this.tags = tags;
        this.random = random;
    }

    Object make(ProbedStruct struct) throws Throwable {
        Object instance = struct.shape.newInstance();
        if (struct.needsRecords) {
            new Candidates(release).fillRecords(instance);
        }
        for (ProbedField probed : struct.fields) {
            if (probed.isWritten() && random.nextInt(4) != 0) {
                set(instance, probed);
            }
        }
        if (struct.flexible && random.nextInt(4) == 0) {
            tags.set(instance, random.nextBoolean() ? tags.one() : tags.several());
        }
        return instance;
    }

    private void set(Object instance, ProbedField probed) throws Throwable {
        Object value = probed.takesNull() && random.nextInt(8) == 0 ? null : value(probed);
        try {
            probed.field.set(instance, value);
        } catch (RuntimeException outsideTheSchemaType) {
            probed.field.set(instance, boundaries.of(probed.field.type).get(2));
        }
    }

    private Object value(ProbedField probed) throws Throwable {
        if (!probed.field.isCollection()) {
            return probed.inner == null ? scalar(probed.field.type) : make(probed.inner);
        }
        Object[] elements = new Object[random.nextInt(4)];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = probed.inner == null ? scalar(probed.field.elementType) : make(probed.inner);
        }
        return Candidates.listOf(probed.field, elements);
    }

    private Object scalar(Class<?> type) throws Throwable {
        if (random.nextInt(3) == 0) {
            List<Object> edges = boundaries.of(type);
            return edges.get(random.nextInt(edges.size()));
        }
        if (type == boolean.class || type == Boolean.class) {
            return random.nextBoolean();
        }
        if (type == double.class || type == Double.class) {
            return Double.longBitsToDouble(random.nextLong());
        }
        if (Integers.isInteger(type)) {
            long bits = random.nextLong() >> random.nextInt(64);
            return Integers.box(bits % (Integers.highest(type) / 2 + 1), type);
        }
        if (type == String.class) {
            return text();
        }
        if (Kind.UUID.fits(type)) {
            return release.protocol().newUuid(random.nextLong(), random.nextLong());
        }
        byte[] bytes = new byte[random.nextInt(40)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) random.nextInt();
        }
        return boundaries.blob(type, bytes);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(20); length > 0; length--) {
            text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }
}
