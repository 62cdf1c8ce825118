package io.wireproof.testee;

import java.io.InputStream;
import java.util.List;
import java.util.Objects;

/** A stream of bytes that arrive in parts. It counts the parts of which bytes were read. */
final class PartStream extends InputStream {
    private final List<byte[]> parts;
    private byte[] part = {};
    private int at;
    private int given;

    PartStream(List<byte[]> parts) {
        this.parts = parts;
    }

    int given() {
        return given;
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int start, int length) {
        Objects.checkFromIndexSize(start, length, into.length);
        if (length > 0 && available() == 0) {
            if (given == parts.size()) {
                return -1;
            }
            part = parts.get(given++);
            at = 0;
        }
        int count = Math.min(length, available());
        System.arraycopy(part, at, into, start, count);
        at += count;
        return count;
    }

    @Override
    public int available() {
        return part.length - at;
    }
}
