package io.wireproof.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A cursor over bytes, big-endian: batches, plans and canonical values as Python wrote them. */
final class ByteSource {
    private final ByteBuffer buffer;

    ByteSource(byte[] bytes) {
        buffer = ByteBuffer.wrap(bytes);
    }

    boolean hasMore() {
        return buffer.hasRemaining();
    }

    int position() {
        return buffer.position();
    }

    void position(int position) {
        buffer.position(position);
    }

    byte getByte() {
        return buffer.get();
    }

    short getShort() {
        return buffer.getShort();
    }

    int getInt() {
        return buffer.getInt();
    }

    long getLong() {
        return buffer.getLong();
    }

    byte[] getBytes(int length) {
        if (length < 0 || length > buffer.remaining()) {
            throw new IllegalArgumentException(length + " bytes wanted, " + buffer.remaining() + " are left");
        }
        byte[] data = new byte[length];
        buffer.get(data);
        return data;
    }

    /** A one-byte length, then that much ASCII: a name of a plan. */
    String getName() {
        return new String(getBytes(buffer.get() & 0xff), StandardCharsets.US_ASCII);
    }
}
