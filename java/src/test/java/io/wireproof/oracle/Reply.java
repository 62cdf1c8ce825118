package io.wireproof.oracle;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One reply read back: its texts and blocks in hexadecimal. */
final class Reply {
    /** Null for a value. */
    Stage stage;

    String error;
    int predicted;
    int consumed;
    String written;
    String value;
    final List<String> absent = new ArrayList<>();

    /** Inputs, in hexadecimal with blanks, as a batch. */
    static byte[] batch(String... inputs) {
        ByteSink out = new ByteSink(64);
        for (String input : inputs) {
            out.putBlock(bytes(input));
        }
        return out.toArray();
    }

    static List<Reply> all(byte[] replies) {
        ByteSource in = new ByteSource(replies);
        List<Reply> found = new ArrayList<>();
        while (in.hasMore()) {
            found.add(one(in));
        }
        return found;
    }

    static byte[] bytes(String hex) {
        String digits = hex.replace(" ", "");
        byte[] data = new byte[digits.length() / 2];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return data;
    }

    static String hex(byte[] data) {
        StringBuilder digits = new StringBuilder();
        for (byte one : data) {
            digits.append(String.format(Locale.ROOT, "%02x", one));
        }
        return digits.toString();
    }

    private static Reply one(ByteSource in) {
        Reply reply = new Reply();
        int status = in.getByte();
        if (status != 0) {
            reply.stage = Stage.values()[status - 1];
            reply.consumed = in.getInt();
            reply.error = text(in);
            text(in);
            return reply;
        }
        reply.predicted = in.getInt();
        reply.consumed = in.getInt();
        int written = in.getInt();
        int value = in.getInt();
        int absent = in.getInt();
        reply.written = hex(in.getBytes(written));
        reply.value = hex(in.getBytes(value));
        for (int i = 0; i < absent; i++) {
            reply.absent.add(text(in));
        }
        return reply;
    }

    private static String text(ByteSource in) {
        return new String(in.getBytes(in.getInt()), StandardCharsets.UTF_8);
    }
}
