import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.TreeMap;

/** An example codec for one message, so that the adapter works at once. Delete this file. */
final class Codec {
    private static final int LONGEST_STRING = Short.MAX_VALUE;
    private static final int HIGHEST_TAG = Integer.MAX_VALUE - 1;
    private static final int LAST_VERSION = 3;

    String clientSoftwareName = "";
    String clientSoftwareVersion = "";
    final SortedMap<Integer, byte[]> tags = new TreeMap<>();

    static final class MalformedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message);
        }
    }

    byte[] encode(short version) {
        checkVersion(version);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (version >= 3) { // older versions have no fields
            for (String text : new String[] {clientSoftwareName, clientSoftwareVersion}) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                putVarint(out, bytes.length + 1);
                out.writeBytes(bytes);
            }
            putVarint(out, tags.size());
            tags.forEach((tag, data) -> {
                putVarint(out, tag);
                putVarint(out, data.length);
                out.writeBytes(data);
            });
        }
        return out.toByteArray();
    }

    static Codec decode(short version, Reader in) {
        checkVersion(version);
        Codec read = new Codec();
        if (version >= 3) {
            read.clientSoftwareName = in.string();
            read.clientSoftwareVersion = in.string();
            int last = -1;
            for (int left = in.varint(); left > 0; left--) {
                int tag = in.varint();
                if (tag <= last || tag > HIGHEST_TAG) {
                    throw new MalformedException("tag " + tag + " is not above the previous one, or too large");
                }
                read.tags.put(tag, in.take(in.varint()));
                last = tag;
            }
        }
        return read;
    }

    private static void checkVersion(short version) {
        if (version < 0 || version > LAST_VERSION) {
            throw new IllegalArgumentException(
                    "ApiVersionsRequest has versions 0 to " + LAST_VERSION + ", not " + version);
        }
    }

    private static void putVarint(ByteArrayOutputStream out, int number) {
        int rest = number;
        for (; rest > 0x7f; rest >>>= 7) {
            out.write(rest & 0x7f | 0x80);
        }
        out.write(rest);
    }

    static final class Reader {
        private final ByteBuffer data;

        Reader(byte[] data) {
            this.data = ByteBuffer.wrap(data);
        }

        int position() {
            return data.position();
        }

        byte[] take(int count) {
            if (count < 0 || count > data.remaining()) {
                throw new MalformedException(count + " bytes expected, " + data.remaining() + " left");
            }
            byte[] taken = new byte[count];
            data.get(taken);
            return taken;
        }

        String string() {
            int length = varint() - 1;
            if (length > LONGEST_STRING) {
                throw new MalformedException("a string of " + length + " bytes");
            }
            try {
                return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(take(length))).toString();
            } catch (CharacterCodingException bad) {
                throw new MalformedException("a string that is not UTF-8");
            }
        }

        int varint() {
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
}
