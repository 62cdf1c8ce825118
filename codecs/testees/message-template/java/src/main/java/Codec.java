import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;

/** An example codec for MESSAGE, so that the adapter works at once. Delete this file. */
final class Codec {
    static final String VERSIONS = "VERSIONS_TEXT";
    private static final String FLEXIBLE = "FLEXIBLE_TEXT";
    private static final int LONGEST_TEXT = Short.MAX_VALUE;
    private static final int HIGHEST_TAG = Integer.MAX_VALUE - 1;

    private Codec() {}

    static final class MalformedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message);
        }
    }

    /** A struct of Kafka. */
    abstract static class Struct {
        SortedMap<Integer, byte[]> unknownTags = new TreeMap<>();

        /** Gives each field to a reader or a writer, and holds what this returns. */
        abstract void fields(Wire wire);

        /** Returns a struct of the same class with Kafka's defaults. */
        abstract Struct initial();
    }

    /** How a field is on the wire: ranges of versions such as "3-5", "3", or "" for none. */
    record Form(String there, String nullable, int tag, String tagged, String compact) {
        static Form in(String there) {
            return new Form(there, "", -1, "", FLEXIBLE);
        }

        Form nullable(String versions) {
            return new Form(there, versions, tag, tagged, compact);
        }

        Form tag(int number, String versions) {
            return new Form(there, nullable, number, versions, compact);
        }

        Form compact(String versions) {
            return new Form(there, nullable, tag, tagged, versions);
        }
    }

    private static boolean has(short version, String versions) {
        String[] ends = versions.split("-");
        return !versions.isEmpty()
                && Short.parseShort(ends[0]) <= version
                && version <= Short.parseShort(ends[ends.length - 1]);
    }

    private static void checkVersion(short version) {
        if (!has(version, VERSIONS)) {
            throw new IllegalArgumentException("MESSAGE has the versions " + VERSIONS + ", not " + version);
        }
    }

    static byte[] encode(Struct made, short version) {
        checkVersion(version);
        Writer writer = new Writer(version, null);
        writer.write(made);
        return writer.out.toByteArray();
    }

    /** Decodes bytes into a new message. */
    static <T extends Struct> T decode(T made, Reader reader) {
        checkVersion(reader.version);
        return reader.read(made);
    }

    /** A reader or a writer. A function takes what a field holds, and returns what it holds then. */
    abstract static class Wire {
        final short version;

        Wire(short version) {
            this.version = version;
        }

        abstract <T> T field(T held, String type, Form form);

        abstract <T> List<T> list(List<T> held, String type, Form form);

        abstract <T extends Struct> T struct(T held, Supplier<T> making, Form form);

        abstract <T extends Struct> List<T> structs(List<T> held, Supplier<T> making, Form form);

        boolean is(String versions) {
            return has(version, versions);
        }
    }

    static final class Writer extends Wire {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final SortedMap<Integer, byte[]> tags; // while the fields with tags are written

        Writer(short version, SortedMap<Integer, byte[]> tags) {
            super(version);
            this.tags = tags;
        }

        private void write(Struct made) {
            made.fields(this);
            if (is(FLEXIBLE)) {
                SortedMap<Integer, byte[]> given = tagsOf(made);
                SortedMap<Integer, byte[]> initial = tagsOf(made.initial());
                given.entrySet().removeIf(tag -> Arrays.equals(tag.getValue(), initial.get(tag.getKey())));
                given.putAll(made.unknownTags);
                putVarint(given.size());
                given.forEach((tag, data) -> {
                    putVarint(tag);
                    putVarint(data.length);
                    out.writeBytes(data);
                });
            }
        }

        private SortedMap<Integer, byte[]> tagsOf(Struct made) {
            SortedMap<Integer, byte[]> found = new TreeMap<>();
            made.fields(new Writer(version, found));
            return found;
        }

        private interface Writing {
            void to(Writer writer);
        }

        private <T> T put(T held, Form form, Writing writing) {
            boolean tagged = is(form.tagged);
            if (tags != null && tagged) {
                Writer inner = new Writer(version, null);
                writing.to(inner);
                tags.put(form.tag, inner.out.toByteArray());
            } else if (tags == null && !tagged && is(form.there)) {
                writing.to(this);
            }
            return held;
        }

        @Override
        <T> T field(T held, String type, Form form) {
            return put(held, form, writer -> writer.scalar(held, type, form));
        }

        @Override
        <T> List<T> list(List<T> held, String type, Form form) {
            return put(held, form, writer -> {
                writer.length(held == null ? -1 : held.size(), form, false);
                (held == null ? List.<T>of() : held).forEach(each -> writer.scalar(each, type, form));
            });
        }

        @Override
        <T extends Struct> T struct(T held, Supplier<T> making, Form form) {
            return put(held, form, writer -> {
                if (is(form.nullable)) {
                    writer.out.write(held != null ? 1 : is(form.tagged) ? 0 : -1);
                }
                if (held != null || !is(form.nullable)) {
                    writer.write(held);
                }
            });
        }

        @Override
        <T extends Struct> List<T> structs(List<T> held, Supplier<T> making, Form form) {
            return put(held, form, writer -> {
                writer.length(held == null ? -1 : held.size(), form, false);
                (held == null ? List.<T>of() : held).forEach(writer::write);
            });
        }

        private void scalar(Object held, String type, Form form) {
            switch (type) {
                case "bool" -> out.write((Boolean) held ? 1 : 0);
                case "int8" -> out.write((Byte) held);
                case "int16" -> number(2, (Short) held);
                case "uint16" -> number(2, (Integer) held);
                case "int32" -> number(4, (Integer) held);
                case "uint32" -> number(4, (Long) held);
                case "int64" -> number(8, (Long) held);
                case "float64" -> number(8, Double.doubleToRawLongBits((Double) held));
                case "uuid" -> {
                    number(8, ((UUID) held).getMostSignificantBits());
                    number(8, ((UUID) held).getLeastSignificantBits());
                }
                default -> {
                    boolean text = type.equals("string");
                    byte[] data = text && held != null ? ((String) held).getBytes(StandardCharsets.UTF_8) : (byte[]) held;
                    if (text && data != null && data.length > LONGEST_TEXT) {
                        throw new IllegalArgumentException("a string of " + data.length + " bytes");
                    }
                    length(data == null ? -1 : data.length, form, text);
                    out.writeBytes(data == null ? new byte[0] : data);
                }
            }
        }

        private void number(int width, long number) {
            for (int shift = 8 * width - 8; shift >= 0; shift -= 8) {
                out.write((int) (number >> shift));
            }
        }

        private void length(int length, Form form, boolean text) {
            if (length < 0 && !is(form.nullable)) {
                throw new NullPointerException("a field that is not nullable in version " + version);
            }
            if (is(form.compact)) {
                putVarint(length + 1);
            } else {
                number(text ? 2 : 4, length);
            }
        }

        private void putVarint(int number) {
            int rest = number;
            for (; (rest & ~0x7f) != 0; rest >>>= 7) {
                out.write(rest & 0x7f | 0x80);
            }
            out.write(rest);
        }
    }

    static final class Reader extends Wire {
        private final ByteBuffer data;
        private SortedMap<Integer, byte[]> tags; // while the fields with tags are read

        Reader(byte[] data, short version) {
            super(version);
            this.data = ByteBuffer.wrap(data);
        }

        int position() {
            return data.position();
        }

        private <T extends Struct> T read(T made) {
            made.fields(this);
            if (is(FLEXIBLE)) {
                Reader inner = new Reader(new byte[0], version);
                inner.tags = new TreeMap<>();
                for (int left = varint(), last = -1; left > 0; left--) {
                    int tag = varint();
                    if (tag <= last || tag > HIGHEST_TAG) {
                        throw new MalformedException("tag " + tag + " is not above the previous one, or too large");
                    }
                    inner.tags.put(tag, take(varint()));
                    last = tag;
                }
                made.fields(inner);
                made.unknownTags = inner.tags;
            }
            return made;
        }

        private interface Reading<T> {
            T from(Reader reader);
        }

        private <T> T get(T held, Form form, Reading<T> reading) {
            boolean tagged = is(form.tagged);
            if (tags == null) {
                return !tagged && is(form.there) ? reading.from(this) : held;
            }
            byte[] tag = tags.remove(form.tag);
            if (tag == null) {
                return held;
            }
            Reader inner = new Reader(tag, version);
            T read = reading.from(inner);
            if (!tagged || inner.data.hasRemaining()) {
                throw new MalformedException("tag " + form.tag + " is of another version, or has bytes behind its field");
            }
            return read;
        }

        @Override
        <T> T field(T held, String type, Form form) {
            return get(held, form, reader -> reader.scalar(type, form));
        }

        @Override
        <T> List<T> list(List<T> held, String type, Form form) {
            Form items = form.nullable("");
            return get(held, form, reader -> reader.items(form, () -> reader.scalar(type, items)));
        }

        @Override
        <T extends Struct> T struct(T held, Supplier<T> making, Form form) {
            return get(held, form, reader -> {
                if (is(form.nullable)) {
                    int marker = reader.take(1)[0];
                    if (marker == (is(form.tagged) ? 0 : -1)) {
                        return null;
                    }
                    if (marker != 1) {
                        throw new MalformedException(marker + " before a struct that may be null");
                    }
                }
                return reader.read(making.get());
            });
        }

        @Override
        <T extends Struct> List<T> structs(List<T> held, Supplier<T> making, Form form) {
            return get(held, form, reader -> reader.items(form, () -> reader.read(making.get())));
        }

        private <T> List<T> items(Form form, Supplier<T> reading) {
            int count = length(form, false);
            if (count > data.remaining()) {
                throw new MalformedException(count + " elements, " + data.remaining() + " bytes left");
            }
            List<T> items = count < 0 ? null : new ArrayList<>();
            for (int left = count; left > 0; left--) {
                items.add(reading.get());
            }
            return items;
        }

        @SuppressWarnings("unchecked")
        private <T> T scalar(String type, Form form) {
            return (T) switch (type) {
                case "bool" -> (Object) (take(1)[0] != 0);
                case "int8" -> take(1)[0];
                case "int16" -> (short) number(2);
                case "uint16" -> (int) number(2) & 0xffff;
                case "int32" -> (int) number(4);
                case "uint32" -> number(4) & 0xffffffffL;
                case "int64" -> number(8);
                case "float64" -> Double.longBitsToDouble(number(8));
                case "uuid" -> new UUID(number(8), number(8));
                default -> {
                    boolean text = type.equals("string");
                    int length = length(form, text);
                    yield length < 0 ? null : text ? text(take(length)) : take(length);
                }
            };
        }

        private static String text(byte[] bytes) {
            if (bytes.length > LONGEST_TEXT) {
                throw new MalformedException("a string of " + bytes.length + " bytes");
            }
            try {
                return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            } catch (CharacterCodingException bad) {
                throw new MalformedException("a string that is not UTF-8");
            }
        }

        private byte[] take(int count) {
            if (count < 0 || count > data.remaining()) {
                throw new MalformedException(count + " bytes expected, " + data.remaining() + " left");
            }
            byte[] taken = new byte[count];
            data.get(taken);
            return taken;
        }

        private long number(int width) {
            long number = 0;
            for (byte each : take(width)) {
                number = number << 8 | each & 0xff;
            }
            return number;
        }

        private int length(Form form, boolean text) {
            int length = is(form.compact) ? varint() - 1 : text ? (short) number(2) : (int) number(4);
            if (length < -1 || length == -1 && !is(form.nullable)) {
                throw new MalformedException("the length " + length + " ends at " + position());
            }
            return length;
        }

        private int varint() {
            long number = 0;
            for (int shift = 0; shift < 35; shift += 7) {
                int next = take(1)[0];
                number |= (next & 0x7fL) << shift;
                if (next >= 0) {
                    if (number > Integer.MAX_VALUE) {
                        throw new MalformedException("a varint beyond 31 bits: " + number);
                    }
                    return (int) number;
                }
            }
            throw new MalformedException("a varint longer than five bytes");
        }
    }
    // STRUCTS
}
