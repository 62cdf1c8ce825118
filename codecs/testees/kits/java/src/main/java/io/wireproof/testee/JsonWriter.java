package io.wireproof.testee;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;

/** Writes answers into memory, so that a partial answer can be removed. */
final class JsonWriter {
    private static final byte[] DIGITS = "0123456789abcdef".getBytes();
    private static final int KEPT = 1 << 20;

    private byte[] buffer = new byte[1 << 16];
    private int length;

    int length() {
        return length;
    }

    /** Removes everything after the given length. */
    void rewind(int to) {
        length = to;
    }

    void flush(OutputStream out) throws IOException {
        out.write(buffer, 0, length);
        out.flush();
        length = 0;
        if (buffer.length > KEPT) {
            buffer = new byte[1 << 16];
        }
    }

    /** Writes ASCII without quotes or escapes. */
    void raw(String ascii) {
        room(ascii.length());
        for (int i = 0; i < ascii.length(); i++) {
            buffer[length++] = (byte) ascii.charAt(i);
        }
    }

    void key(String name) {
        text(name);
        raw(":");
    }

    /** Writes a value in its canonical form; see {@link Values}. */
    void value(Object value) {
        if (value == null || value instanceof Boolean) {
            raw(String.valueOf(value));
        } else if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            raw(value.toString());
        } else if (value instanceof Long || value instanceof UUID) {
            quoted(value.toString());
        } else if (value instanceof Double || value instanceof Float) {
            float64(((Number) value).doubleValue());
        } else if (value instanceof CharSequence text) {
            text(text);
        } else if (value instanceof byte[] bytes) {
            hex(ByteBuffer.wrap(bytes));
        } else if (value instanceof ByteBuffer bytes) {
            hex(bytes);
        } else if (value instanceof Map<?, ?> map) {
            object(map);
        } else if (value instanceof Iterable<?> list) {
            list(list);
        } else {
            throw new IllegalArgumentException("canonical JSON has no form for " + value.getClass().getName());
        }
    }

    void object(Map<?, ?> map) {
        String separator = "{";
        for (Map.Entry<?, ?> member : map.entrySet()) {
            raw(separator);
            separator = ",";
            key(String.valueOf(member.getKey()));
            value(member.getValue());
        }
        raw(map.isEmpty() ? "{}" : "}");
    }

    private void list(Iterable<?> list) {
        raw("[");
        String separator = "";
        for (Object item : list) {
            raw(separator);
            separator = ",";
            value(item);
        }
        raw("]");
    }

    private void float64(double number) {
        if (Double.isFinite(number) && (number != 0 || 1 / number > 0)) {
            raw(Double.toString(number));
        } else {
            quoted(String.format("0x%016x", Double.doubleToRawLongBits(number)));
        }
    }

    private void quoted(String ascii) {
        raw("\"");
        raw(ascii);
        raw("\"");
    }

    private void hex(ByteBuffer bytes) {
        room(2 * bytes.remaining() + 2);
        buffer[length++] = '"';
        for (int i = bytes.position(); i < bytes.limit(); i++) {
            buffer[length++] = DIGITS[bytes.get(i) >> 4 & 15];
            buffer[length++] = DIGITS[bytes.get(i) & 15];
        }
        buffer[length++] = '"';
    }

    /** Writes a string in UTF-8. A lone surrogate becomes U+FFFD: UTF-8 cannot encode it. */
    private void text(CharSequence text) {
        raw("\"");
        text.codePoints().forEach(this::character);
        raw("\"");
    }

    private void character(int point) {
        if (point < ' ' || point == '"' || point == '\\') {
            raw(String.format("\\u%04x", point));
        } else if (point < 0x80) {
            room(1);
            buffer[length++] = (byte) point;
        } else {
            utf8(point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xfffd : point);
        }
    }

    private void utf8(int point) {
        int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
        room(more + 1);
        buffer[length++] = (byte) (0xff00 >> more + 1 | point >> 6 * more);
        for (int left = more - 1; left >= 0; left--) {
            buffer[length++] = (byte) (0x80 | point >> 6 * left & 0x3f);
        }
    }

    private void room(int more) {
        int needed = Math.addExact(length, more);
        if (needed > buffer.length) {
            buffer = Arrays.copyOf(buffer, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(needed, 2L * buffer.length)));
        }
    }
}
