package io.wireproof.testee;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads a line of requests. It decodes hexadecimal digits directly, so that large data is in memory only twice. */
final class JsonReader {
    private static final Set<String> BYTES = Set.of("data", "other", "key");

    private final byte[] line;
    private final int end;
    private int at;

    JsonReader(byte[] line, int length) {
        this.line = line;
        this.end = length;
    }

    /** Thrown for a line that is not a valid request. It has no id that an answer could name. */
    static final class InvalidRequestException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidRequestException(String message) {
            super(message);
        }
    }

    /** One request. Fields that its operation does not use are null. */
    record Request(
            long id,
            String op,
            String framing,
            String message,
            String topic,
            String type,
            short version,
            byte[] data,
            byte[] other,
            byte[] key,
            List<byte[]> parts,
            Object given,
            Map<String, Object> header) {
        /** Returns the value of a message. */
        Map<String, Object> value() {
            return object(given);
        }
    }

    /** Skips white space and returns the next byte without consuming it; 0 at the end of the line. */
    int peek() {
        while (at < end) {
            byte next = line[at];
            if (next != ' ' && next != '\t' && next != '\r' && next != '\n') {
                return next;
            }
            at++;
        }
        return 0;
    }

    /** Consumes the next character if it is the wanted one. Returns whether it is. */
    boolean has(char wanted) {
        if (peek() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    void expect(char wanted) {
        if (!has(wanted)) {
            throw fail("'" + wanted + "'");
        }
    }

    InvalidRequestException fail(String wanted) {
        int shown = Math.min(end, at + 40);
        String found = new String(line, at, shown - at, StandardCharsets.UTF_8);
        return new InvalidRequestException(wanted + " expected at " + at + " of the line, found \"" + found + "\"");
    }

    /** Reads items, separated by commas, between two brackets. */
    void each(char open, char close, Runnable one) {
        expect(open);
        if (has(close)) {
            return;
        }
        do {
            one.run();
        } while (has(','));
        expect(close);
    }

    Request request() {
        Map<String, Object> members = new LinkedHashMap<>();
        each('{', '}', () -> {
            String name = text();
            expect(':');
            members.put(name, BYTES.contains(name) ? bytes() : name.equals("parts") ? parts() : value());
        });
        if (members.get("id") instanceof Long id && members.get("op") instanceof String op) {
            try {
                return new Request(
                        id,
                        op,
                        (String) members.get("framing"),
                        (String) members.get("message"),
                        (String) members.get("topic"),
                        (String) members.get("type"),
                        (short) Values.signed(members.getOrDefault("version", 0L), 16),
                        (byte[]) members.get("data"),
                        (byte[]) members.get("other"),
                        (byte[]) members.get("key"),
                        parts(members.get("parts")),
                        op.equals("primitive") ? members.get("value") : object(members.get("value")),
                        object(members.get("header")));
            } catch (ClassCastException | IllegalArgumentException | ArithmeticException misfit) {
                throw new InvalidRequestException("an invalid request: " + misfit.getMessage());
            }
        }
        throw fail("a request with id and op before this,");
    }

    @SuppressWarnings("unchecked")
    private static List<byte[]> parts(Object value) {
        return (List<byte[]>) value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    Object value() {
        switch (peek()) {
            case '{':
                Map<String, Object> object = new LinkedHashMap<>();
                each('{', '}', () -> {
                    String name = text();
                    expect(':');
                    object.put(name, value());
                });
                return object;
            case '[':
                List<Object> list = new ArrayList<>();
                each('[', ']', () -> list.add(value()));
                return list;
            case '"':
                return text();
            case 'n':
                return word("null", null);
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            default:
                return number();
        }
    }

    private Object word(String word, Object meaning) {
        for (int i = 0; i < word.length(); i++) {
            if (at + i >= end || line[at + i] != word.charAt(i)) {
                throw fail(word);
            }
        }
        at += word.length();
        return meaning;
    }

    private Object number() {
        int from = at;
        boolean whole = true;
        while (at < end && "+-.0123456789Ee".indexOf(line[at]) >= 0) {
            whole &= ".Ee".indexOf(line[at]) < 0;
            at++;
        }
        String digits = new String(line, from, at - from, StandardCharsets.ISO_8859_1);
        try {
            if (!whole) {
                return Double.valueOf(digits);
            }
            return digits.length() < 19 ? (Object) Long.valueOf(digits) : shortest(new BigInteger(digits));
        } catch (NumberFormatException misfit) {
            at = from;
            throw fail("a value");
        }
    }

    private static Object shortest(BigInteger number) {
        return number.bitLength() < Long.SIZE ? (Object) number.longValue() : number;
    }

    /** Reads a list of strings of hexadecimal digits. */
    private List<byte[]> parts() {
        List<byte[]> parts = new ArrayList<>();
        each('[', ']', () -> parts.add(bytes()));
        return parts;
    }

    /** Reads a string of hexadecimal digits. */
    private byte[] bytes() {
        expect('"');
        int from = at;
        while (at < end && line[at] != '"') {
            at++;
        }
        byte[] data = new byte[(at - from) / 2];
        for (int i = 0; i < data.length; i++) {
            int high = Character.digit(line[from + 2 * i], 16);
            int low = Character.digit(line[from + 2 * i + 1], 16);
            if ((high | low) < 0) {
                at = from + 2 * i;
                throw fail("hexadecimal bytes");
            }
            data[i] = (byte) (high << 4 | low);
        }
        if (2 * data.length != at - from) {
            throw fail("another digit");
        }
        expect('"');
        return data;
    }

    private String text() {
        expect('"');
        int from = at;
        while (at < end && line[at] != '"' && line[at] != '\\') {
            at++;
        }
        String plain = new String(line, from, at - from, StandardCharsets.UTF_8);
        return at < end && line[at] == '\\' ? escaped(plain) : closed(plain);
    }

    private String closed(String text) {
        if (at >= end) {
            throw fail("the end of a string");
        }
        at++;
        return text;
    }

    private String escaped(String begun) {
        StringBuilder text = new StringBuilder(begun);
        while (at < end && line[at] != '"') {
            if (line[at] == '\\') {
                at++;
                text.append(escape());
                continue;
            }
            int from = at;
            while (at < end && line[at] != '"' && line[at] != '\\') {
                at++;
            }
            text.append(new String(line, from, at - from, StandardCharsets.UTF_8));
        }
        return closed(text.toString());
    }

    /** Reads the rest of an escape, after the backslash. It returns one half of a surrogate pair at a time. */
    private char escape() {
        int plain = at < end ? "\"\\/bfnrt".indexOf(line[at]) : -1;
        if (plain >= 0) {
            at++;
            return "\"\\/\b\f\n\r\t".charAt(plain);
        }
        if (at + 5 > end || line[at] != 'u') {
            throw fail("an escape");
        }
        try {
            String digits = new String(line, at + 1, 4, StandardCharsets.ISO_8859_1);
            char unit = (char) Integer.parseUnsignedInt(digits, 16);
            at += 5;
            return unit;
        } catch (NumberFormatException misfit) {
            throw fail("four hexadecimal digits");
        }
    }
}
