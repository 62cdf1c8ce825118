package io.wireproof.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/** A growing array of bytes, big-endian: where replies and canonical values are written. */
final class ByteSink {
    private byte[] bytes;
    private int end;

    ByteSink(int capacity) {
        bytes = new byte[Math.max(64, capacity)];
    }

    /** The number of bytes written so far. */
    int position() {
        return end;
    }

    /** Forget what was written from {@code position} on. */
    void rewind(int position) {
        end = position;
    }

    void putByte(int value) {
        ensure(1);
        bytes[end++] = (byte) value;
    }

    void putShort(int value) {
        ensure(2);
        bytes[end++] = (byte) (value >> 8);
        bytes[end++] = (byte) value;
    }

    void putInt(int value) {
        ensure(4);
        patchInt(end, value);
        end += 4;
    }

    void putLong(long value) {
        ensure(8);
        patchInt(end, (int) (value >> 32));
        patchInt(end + 4, (int) value);
        end += 8;
    }

    /** Overwrite four bytes that were written before. */
    void patchInt(int position, int value) {
        bytes[position] = (byte) (value >> 24);
        bytes[position + 1] = (byte) (value >> 16);
        bytes[position + 2] = (byte) (value >> 8);
        bytes[position + 3] = (byte) value;
    }

    void putBytes(byte[] data) {
        ensure(data.length);
        System.arraycopy(data, 0, bytes, end, data.length);
        end += data.length;
    }

    /** An int32 length, then what the buffer has left; the buffer's position stays. */
    void putBuffer(ByteBuffer data) {
        int length = data.remaining();
        putInt(length);
        ensure(length);
        data.duplicate().get(bytes, end, length);
        end += length;
    }

    /** An int32 length, then the bytes. */
    void putBlock(byte[] data) {
        putInt(data.length);
        putBytes(data);
    }

    /** An int32 length, then the text as UTF-8. */
    void putText(String text) {
        putBlock(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A buffer over the next {@code length} bytes; {@link #advance} makes them part of this sink. */
    ByteBuffer window(int length) {
        ensure(length);
        return ByteBuffer.wrap(bytes, end, length).slice();
    }

    void advance(int length) {
        end += length;
    }

    byte[] toArray() {
        return copy(0, end);
    }

    /** The bytes from {@code from} up to {@code to}. */
    byte[] copy(int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    /** Let a digest see all that was written so far. */
    void feed(MessageDigest digest) {
        digest.update(bytes, 0, end);
    }

    /** The bytes that this sink holds on to. */
    int capacity() {
        return bytes.length;
    }

    private void ensure(int more) {
        if (bytes.length - end < more) {
            grow(more);
        }
    }

    private void grow(int more) {
        long wanted = Math.max((long) end + more, bytes.length + (long) (bytes.length >> 1));
        if ((long) end + more > Integer.MAX_VALUE - 8) {
            throw new OutOfMemoryError("replies above 2 GiB");
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
    }
}
