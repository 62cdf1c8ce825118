package io.wireproof.oracle;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/**
 * Principals of forwarded requests by Kafka's {@code DefaultKafkaPrincipalBuilder}.
 *
 * <p>It reads a {@code KafkaPrincipal}, which has no room for unknown tags.
 */
final class PrincipalForm extends BlobForm {
    private final VersionPrefix prefix;
    private final Object builder;
    private final Method serialize;
    private final Method deserialize;

    PrincipalForm(ClassLoader loader, VersionPrefix prefix) throws ReflectiveOperationException {
        this.prefix = prefix;
        Class<?> type = loader.loadClass("org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder");
        Constructor<?> constructor = type.getConstructors()[0];
        builder = constructor.newInstance(new Object[constructor.getParameterCount()]);
        Class<?> principal = loader.loadClass("org.apache.kafka.common.security.auth.KafkaPrincipal");
        serialize = method(type, "serialize", principal);
        deserialize = method(type, "deserialize", byte[].class);
    }

    @Override
    Blob write(Object message, short version) throws Throwable {
        return new Blob(null, prefix.versioned(message, version));
    }

    @Override
    Content read(CellCodec cell, Blob blob) throws Throwable {
        Object principal = SchemaCodec.call(deserialize, builder, blob.data);
        byte[] again = (byte[]) SchemaCodec.call(serialize, builder, principal);
        short version = ByteBuffer.wrap(again).getShort();
        return new Content(VersionPrefix.body(cell, again, version), new Blob(null, again));
    }
}
