package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/** Kafka's {@code MessageUtil}: a version, or a record type, and the body. */
final class VersionPrefix {
    private final Method versioned;
    private final Method typed;

    VersionPrefix(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> util = loader.loadClass("org.apache.kafka.common.protocol.MessageUtil");
        versioned = BlobForm.methodOrNull(util, "toVersionPrefixedBytes", 2);
        typed = BlobForm.methodOrNull(util, "toCoordinatorTypePrefixedBytes", 1);
    }

    byte[] versioned(Object message, short version) throws Throwable {
        return (byte[]) SchemaCodec.call(versioned, null, version, message);
    }

    /** With the record type in front, where the release has a method for it; null where it has none. */
    byte[] typed(Object message) throws Throwable {
        return typed == null ? null : (byte[]) SchemaCodec.call(typed, null, message);
    }

    /** The form whose reader is the generated class itself, behind the two bytes: Kafka has no other. */
    BlobForm plain() {
        return new BlobForm() {
            @Override
            Blob write(Object message, short version) throws Throwable {
                return new Blob(null, versioned(message, version));
            }

            @Override
            Content read(CellCodec cell, Blob blob) throws Throwable {
                Object message = body(cell, blob.data, cell.version);
                return new Content(message, write(message, ByteBuffer.wrap(blob.data).getShort()));
            }
        };
    }

    /** The body behind the prefix, by the generated class. */
    static Object body(CellCodec cell, byte[] data, short version) throws Throwable {
        Object message = cell.newInstance();
        cell.release.protocol().read(message, ByteBuffer.wrap(data, 2, data.length - 2).slice(), version);
        return message;
    }
}
