package io.wireproof.testee;

import io.wireproof.testee.JsonReader.InvalidRequestException;
import io.wireproof.testee.JsonReader.Request;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Reads requests and writes answers. */
final class Serving {
    private static final int FLUSHED = 1 << 16;
    private static final int KEPT = 1 << 20;
    private static final int FRAMES = 40;

    private final Testee testee;
    private final InputStream in;
    private final OutputStream out;
    private final JsonWriter answers = new JsonWriter();
    private byte[] line = new byte[1 << 16];
    private int length;
    private int searched;

    Serving(Testee testee, InputStream in, OutputStream out) {
        this.testee = testee;
        this.in = in;
        this.out = out;
    }

    /** See {@link Testee#main}. */
    static void main(Supplier<? extends Testee> adapter) {
        InputStream in = new FileInputStream(FileDescriptor.in);
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        System.setIn(InputStream.nullInputStream());
        try {
            new Serving(adapter.get(), in, out).run();
        } catch (Throwable fault) {
            fault.printStackTrace();
            System.exit(2); // the codec may have running threads
        }
        System.exit(0);
    }

    /**
     * Answers requests until a stop request or the end of the input.
     *
     * @throws InvalidRequestException if a line is not a valid request
     */
    void run() throws IOException {
        for (int end = nextLine(); end >= 0; end = nextLine()) {
            boolean stopped = answerLine(new JsonReader(line, end));
            answers.flush(out);
            if (stopped) {
                return;
            }
            drop(end);
        }
    }

    /** Returns the end of the first line in the buffer, or -1 at the end of the input. */
    private int nextLine() throws IOException {
        for (;;) {
            for (; searched < length; searched++) {
                if (line[searched] == '\n') {
                    return searched;
                }
            }
            if (length == line.length) {
                line = Arrays.copyOf(line, (int) Math.min(Integer.MAX_VALUE - 8, 2L * length));
            }
            int read = in.read(line, length, line.length - length);
            if (read < 0) {
                return length > 0 ? length : -1;
            }
            length += read;
        }
    }

    private void drop(int end) {
        int from = Math.min(length, end + 1);
        int left = length - from;
        byte[] kept = line.length > KEPT && left <= FLUSHED ? new byte[FLUSHED] : line;
        System.arraycopy(line, from, kept, 0, left);
        line = kept;
        length = left;
        searched = 0;
    }

    /** Answers a line: a request with an answer, a list of requests with a list of answers. */
    private boolean answerLine(JsonReader reader) throws IOException {
        boolean stopped = false;
        if (reader.peek() != '[') {
            stopped = answer(reader.request());
        } else {
            reader.expect('[');
            String separator = "[";
            do {
                answers.raw(separator);
                separator = ",";
                stopped |= answer(reader.request());
                if (answers.length() > FLUSHED) {
                    answers.flush(out);
                }
            } while (reader.has(','));
            reader.expect(']');
            answers.raw("]");
        }
        answers.raw("\n");
        if (reader.peek() != 0) {
            throw reader.fail("the end of the line");
        }
        return stopped;
    }

    /** Answers one request. If the codec throws, reports that and removes the partial answer. */
    private boolean answer(Request request) {
        answers.raw("{\"id\":" + request.id() + ",");
        int start = answers.length();
        try {
            Map<String, ?> content = content(request);
            answers.key("ok");
            answers.object(content);
        } catch (Refusal refusal) {
            answers.rewind(start);
            refusal.details.put("message", refusal.getMessage());
            answers.key(refusal.answer);
            answers.object(refusal.details);
        } catch (Throwable thrown) {
            answers.rewind(start);
            printStackTrace(request, thrown);
            answers.key("internal_error");
            String name = thrown.getClass().getName();
            String message = Refusal.messageOf(thrown);
            answers.object(isLacking(thrown)
                    ? Map.of("class", "AdapterError", "message", name + ": " + message + " at " + thrown.getStackTrace()[0])
                    : Map.of("class", name, "message", message));
        }
        answers.raw("}");
        return request.op().equals("stop");
    }

    private Map<String, ?> content(Request request) throws Exception {
        String message = request.message();
        short version = request.version();
        if (request.framing() != null) {
            return embedded(testee.embedded(), request);
        }
        switch (request.op()) {
            case "hello":
                return testee.hello().tree();
            case "stop":
                return Map.of();
            case "decode":
                Testee.Decoded decoded = testee.decode(message, version, request.data());
                return Map.of("value", decoded.value(), "consumed", decoded.consumed());
            case "encode":
                return Map.of("data", testee.encode(message, version, request.value()));
            case "reencode":
                Testee.Reencoded again = testee.reencode(message, version, request.data());
                return Map.of("data", again.data(), "consumed", again.consumed());
            case "size":
                return Map.of("size", testee.size(message, version, request.value()));
            case "frame":
                return Map.of("data", testee.frame(message, version, request.header(), request.value()));
            case "unframe":
                Testee.Unframed frame = testee.unframe(message, version, request.data());
                return Map.of("header", frame.header(), "value", frame.value(), "consumed", frame.consumed());
            case "feed":
                PartStream stream = new PartStream(request.parts());
                Testee.Decoded fed = testee.feed(message, version, stream);
                return Map.of("value", fed.value(), "consumed", fed.consumed(), "parts", stream.given());
            case "equal":
                return equality(testee.equal(message, version, request.data(), request.other()));
            case "copy":
                return Map.of("data", testee.copy(message, version, request.data()));
            case "primitive":
                return primitive(testee.primitives(), request);
            default:
                throw new UnsupportedOperationException("there is no operation " + request.op());
        }
    }

    private static Map<String, ?> equality(Testee.Equality equality) {
        return equality.hashes() == null
                ? Map.of("equal", equality.equal())
                : Map.of("equal", equality.equal(), "hashes", equality.hashes());
    }

    /** Decodes the request's data if it has any, else encodes its value. */
    private static Map<String, ?> primitive(Primitives primitives, Request request) throws Exception {
        if (primitives == null) {
            throw Testee.unclaimed("primitive");
        }
        if (request.data() == null) {
            return Map.of("data", primitives.encode(request.type(), request.given()));
        }
        Primitives.Found found = primitives.decode(request.type(), request.data());
        Map<String, Object> content = new LinkedHashMap<>(); // a value may be null
        content.put("value", found.value());
        content.put("consumed", found.consumed());
        return content;
    }

    private static Map<String, ?> embedded(Embedded embedded, Request request) throws Exception {
        if (embedded == null) {
            throw Testee.unclaimed(request.op() + " in framings");
        }
        String framing = request.framing();
        String message = request.message();
        String known = message == null ? request.topic() : message;
        Embedded.Blob blob = new Embedded.Blob(request.data(), request.key());
        switch (request.op()) {
            case "decode":
                Embedded.Found found = embedded.decode(framing, known, blob);
                return Map.of("message", found.message(), "version", found.version(), "value", found.value(),
                        "consumed", found.consumed());
            case "encode":
                return members(embedded.encode(framing, message, request.version(), request.value()));
            case "reencode":
                Embedded.Again again = embedded.reencode(framing, known, blob);
                Map<String, Object> content = members(again.blob());
                content.put("consumed", again.consumed());
                return content;
            case "size":
                return Map.of("size", embedded.size(framing, message, request.version(), request.value()));
            default:
                throw new UnsupportedOperationException("there is no operation " + request.op() + " in framings");
        }
    }

    private static Map<String, Object> members(Embedded.Blob blob) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("data", blob.data());
        if (blob.key() != null) {
            members.put("key", blob.key());
        }
        return members;
    }

    /**
     * Returns whether an adapter lacks a class, a method or a field of the library for which it was compiled. What was
     * built with the kit is the adapter's.
     */
    private static boolean isLacking(Throwable thrown) {
        StackTraceElement[] frames = thrown.getStackTrace();
        if (!(thrown instanceof LinkageError) || frames.length == 0) {
            return false;
        }
        try {
            Class<?> thrower = Class.forName(frames[0].getClassName(), false, Serving.class.getClassLoader());
            return thrower.getProtectionDomain().getCodeSource() != null
                    && thrower.getProtectionDomain().getCodeSource().equals(Serving.class.getProtectionDomain().getCodeSource());
        } catch (ClassNotFoundException | LinkageError other) {
            return false;
        }
    }

    /** Prints the first frames of the stack to standard error: an overflowing stack has a thousand of them. */
    private static void printStackTrace(Request request, Throwable thrown) {
        System.err.println(thrown + " in " + request.op() + " of " + request.message() + "/" + request.version());
        StackTraceElement[] frames = thrown.getStackTrace();
        for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
            System.err.println("\tat " + frames[i]);
        }
    }
}
