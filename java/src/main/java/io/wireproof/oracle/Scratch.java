package io.wireproof.oracle;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The buffers of a thread, for one input after the other: a sink, and a digest. */
final class Scratch {
    /** The size that a thread keeps between two inputs; a larger buffer is released. */
    static final int KEPT_BYTES = 1 << 20;

    private static final ThreadLocal<Scratch> MINE = ThreadLocal.withInitial(Scratch::new);

    final ByteSink out = new ByteSink(1 << 12);
    private final MessageDigest sha256;

    private Scratch() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            // Every Java platform has it (the documentation of MessageDigest).
            throw new IllegalStateException(impossible);
        }
    }

    /** This thread's own, with an empty sink. */
    static Scratch take() {
        Scratch mine = MINE.get();
        mine.out.rewind(0);
        return mine;
    }

    /** The input is done with. */
    void giveBack() {
        if (out.capacity() > KEPT_BYTES) {
            MINE.remove();
        }
    }

    /** The digest of the content of the sink. */
    byte[] digest() {
        out.feed(sha256);
        return sha256.digest();
    }
}
