package io.wireproof.oracle;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Unknown tagged fields to set on instances: above every tag that a message has. */
final class Tags {
    /** The highest tag Kafka writes: 2^31 - 1 is refused. */
    static final int HIGHEST = Integer.MAX_VALUE - 1;

    private final KafkaProtocol protocol;

    Tags(KafkaProtocol protocol) {
        this.protocol = protocol;
    }

    List<Object> one() throws Throwable {
        return Collections.singletonList(protocol.newRawTag(100, new byte[] {(byte) 0xaa}));
    }

    /** Three, the first empty, the second with a size of two bytes, the last at the highest tag. */
    List<Object> several() throws Throwable {
        return Arrays.asList(
                protocol.newRawTag(127, new byte[0]),
                protocol.newRawTag(16384, new byte[128]),
                protocol.newRawTag(HIGHEST, new byte[] {0, -1}));
    }

    /** Give an instance these unknown tags in place of those it has. */
    void set(Object instance, List<Object> tags) throws Throwable {
        List<Object> held = protocol.unknownTags(instance);
        held.clear();
        held.addAll(tags);
    }
}
