package io.wireproof.oracle;

import io.wireproof.oracle.ProbedStruct.Null;
import io.wireproof.oracle.ProbedStruct.Other;
import io.wireproof.oracle.ProbedStruct.ProbedField;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Finds out what a generated class does at one version by trying it: no layout and no schema is asked.
 *
 * <p>Each field is set to null and to a value off its default, in an instance whose containers on the
 * way to it are set (an array has one element, a struct is there); then the instance is written.
 */
final class Prober {
    /** An unknown tag no message has. */
    private static final int FOREIGN_TAG = 100_000;

    private final Release release;
    private final short version;
    private final Candidates candidates;

    Prober(Release release, short version) {
        this.release = release;
        this.version = version;
        this.candidates = new Candidates(release);
    }

    ProbedStruct probe(Class<?> type) throws Throwable {
        Object root = release.shape(type).newInstance();
        boolean filled = settle(root, root);
        return struct(root, root, filled);
    }

    /** Fill the owner's records if the root is not written without; whether that was needed. */
    private boolean settle(Object root, Object owner) throws Throwable {
        if (written(root) != null) {
            return false;
        }
        candidates.fillRecords(owner);
        if (written(root) == null) {
            release.protocol().bytes(root, version);
        }
        return true;
    }

    private ProbedStruct struct(Object root, Object owner, boolean filled) throws Throwable {
        ClassShape shape = release.shape(owner.getClass());
        ProbedStruct probed = new ProbedStruct(shape, filled, takesTags(root, owner));
        byte[] before = release.protocol().bytes(root, version);
        for (ClassField field : shape.fields()) {
            probed.fields.add(field(root, owner, field, before));
        }
        return probed;
    }

    private boolean takesTags(Object root, Object owner) throws Throwable {
        List<Object> tags = release.protocol().unknownTags(owner);
        tags.add(release.protocol().newRawTag(FOREIGN_TAG, new byte[] {1}));
        boolean taken = written(root) != null;
        tags.clear();
        return taken;
    }

    private ProbedField field(Object root, Object owner, ClassField field, byte[] before) throws Throwable {
        Object standing = field.get(owner);
        Null onNull = tryNull(root, owner, field);
        Other onOther = Other.REFUSED;
        ProbedStruct inner = null;
        for (Object candidate : candidates.of(field, standing)) {
            Other outcome = tryOther(root, owner, field, candidate, before);
            onOther = outcome.compareTo(onOther) < 0 ? outcome : onOther;
            if (outcome == Other.WRITTEN) {
                inner = inner(root, owner, field, candidate);
                break;
            }
        }
        field.set(owner, standing);
        return new ProbedField(field, onNull, onOther, inner);
    }

    private Null tryNull(Object root, Object owner, ClassField field) throws Throwable {
        if (field.type.isPrimitive()) {
            return Null.PRIMITIVE;
        }
        Object standing = field.get(owner);
        field.set(owner, null);
        boolean taken = written(root) != null;
        field.set(owner, standing);
        return taken ? Null.ACCEPTED : Null.REFUSED;
    }

    private Other tryOther(Object root, Object owner, ClassField field, Object candidate, byte[] before)
            throws Throwable {
        field.set(owner, candidate);
        byte[] after = written(root);
        if (after == null) {
            return Other.REFUSED;
        }
        return Arrays.equals(before, after) ? Other.DROPPED : Other.WRITTEN;
    }

    /** Probe the struct in the container, which holds a candidate that was written. */
    private ProbedStruct inner(Object root, Object owner, ClassField field, Object held) throws Throwable {
        Object struct = field.isCollection() ? ((Collection<?>) held).iterator().next() : held;
        if (!candidates.isStruct(struct.getClass())) {
            return null;
        }
        return struct(root, struct, needsRecords(root, owner, field));
    }

    /** True if the container is refused with an untouched struct in it. */
    private boolean needsRecords(Object root, Object owner, ClassField field) throws Throwable {
        Object held = field.get(owner);
        Class<?> type = field.isCollection() ? field.elementType : field.type;
        Object fresh = release.shape(type).newInstance();
        field.set(owner, field.isCollection() ? Candidates.listOf(field, fresh) : fresh);
        boolean refused = written(root) == null;
        field.set(owner, held);
        return refused;
    }

    /** The bytes of the root, or null where the class refuses to write it. */
    private byte[] written(Object root) {
        try {
            return release.protocol().bytes(root, version);
        } catch (Throwable refusal) {
            return null;
        }
    }
}
