package io.wireproof.oracle;

import java.nio.ByteBuffer;
import java.util.List;

/** The part of a coordinator that reads one record of its log after a restart. */
interface RecordLoad {
    /** Words about what it holds then; null if it ignores the record with a warning. Throws what Kafka throws. */
    String load(ByteBuffer key, ByteBuffer value) throws Throwable;

    /** The values that it writes of what it has read, as {@link CoordinatorLoads#rewrite} returns them. */
    List<String> rewrite(ByteBuffer key, ByteBuffer value) throws Throwable;

    /** A value after its setting. */
    static String written(Object setting, byte[] value) {
        StringBuilder text = new StringBuilder().append(setting).append('=');
        for (byte each : value) {
            text.append(String.format("%02x", each));
        }
        return text.toString();
    }
}
