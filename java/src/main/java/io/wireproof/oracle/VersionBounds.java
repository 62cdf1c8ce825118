package io.wireproof.oracle;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/**
 * The outcome of a message at some version, which the release may lack.
 *
 * <pre>
 * bounds  lowest, highest version that the class names (int16 each), whether SCHEMAS has the version (1 byte),
 *         text write, text request
 * </pre>
 *
 * <p>{@code write} is what became of writing an untouched instance by the class itself, {@code request} of
 * handing those bytes to {@code AbstractRequest.parseRequest}, as a broker does: the class of the exception,
 * {@code taken} where there was none, and nothing where the message is not a request.
 */
final class VersionBounds {
    private static final String TAKEN = "taken";

    private final Release release;
    private final ApiMessageTypes messageTypes;
    private final Method knowsId;
    private final Method idOf;
    private final Method parse;
    private final boolean fromBuffer;
    private final Class<?> accessor;

    VersionBounds(Release release, ClassLoader loader, ApiMessageTypes messageTypes) throws ReflectiveOperationException {
        this.release = release;
        this.messageTypes = messageTypes;
        Class<?> apiKeys = loader.loadClass("org.apache.kafka.common.protocol.ApiKeys");
        knowsId = apiKeys.getMethod("hasId", int.class);
        idOf = apiKeys.getMethod("forId", int.class);
        accessor = loader.loadClass("org.apache.kafka.common.protocol.ByteBufferAccessor");
        parse = parser(loader.loadClass("org.apache.kafka.common.requests.AbstractRequest"));
        fromBuffer = parse.getParameterTypes()[2] == ByteBuffer.class;
    }

    /** It takes a buffer until 4.0, a {@code Readable} from 4.1 on. */
    private static Method parser(Class<?> requests) throws NoSuchMethodException {
        for (Method method : requests.getMethods()) {
            if (method.getName().equals("parseRequest") && method.getParameterCount() == 3) {
                return method;
            }
        }
        throw new NoSuchMethodException("AbstractRequest.parseRequest");
    }

    byte[] report(Class<?> message, short version) throws Throwable {
        Object fresh = release.shape(message).newInstance();
        new Candidates(release).fillRecords(fresh);
        short lowest = (short) SchemaCodec.call(message.getMethod("lowestSupportedVersion"), fresh);
        short highest = (short) SchemaCodec.call(message.getMethod("highestSupportedVersion"), fresh);
        Object schemas = message.getField("SCHEMAS").get(null);
        boolean described =
                version >= 0 && version < Array.getLength(schemas) && Array.get(schemas, version) != null;
        ByteSink out = new ByteSink(128);
        out.putShort(lowest);
        out.putShort(highest);
        out.putByte(described ? 1 : 0);
        byte[] bytes;
        try {
            bytes = release.protocol().bytes(fresh, version);
            out.putText(TAKEN);
        } catch (Throwable refusal) {
            out.putText(refusal.getClass().getSimpleName());
            bytes = release.protocol().bytes(fresh, version < lowest ? lowest : highest);
        }
        out.putText(isParsed(message) ? parsed(message, version, bytes) : "");
        return out.toArray();
    }

    /** True for a request of Kafka's. The parser does not know the private requests of a fork. */
    private boolean isParsed(Class<?> message) throws Throwable {
        return messageTypes.isRequest(message)
                && (boolean) SchemaCodec.call(knowsId, null, (int) messageTypes.apiKey(message));
    }

    private String parsed(Class<?> message, short version, byte[] bytes) throws Throwable {
        Object key = SchemaCodec.call(idOf, null, (int) messageTypes.apiKey(message));
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        Object source = fromBuffer ? buffer : accessor.getConstructor(ByteBuffer.class).newInstance(buffer);
        try {
            SchemaCodec.call(parse, null, key, version, source);
            return TAKEN;
        } catch (Throwable refusal) {
            return refusal.getClass().getSimpleName();
        }
    }
}
