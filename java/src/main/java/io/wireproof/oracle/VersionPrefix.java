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

    /** The form whose reader is the generated class itself, after the two bytes: Kafka does not have another one. */
    BlobForm plain() {
        return new BlobForm() {
            @Override
            Blob write(Object message, short version) throws Throwable {
                return new Blob(null, versioned(message, version));
            }

            @Override
            Content read(ValueCell cell, Blob blob) throws Throwable {
                Object message = body(cell, blob.data, cell.version);
                return new Content(message, write(message, ByteBuffer.wrap(blob.data).getShort()));
            }
        };
    }

    /** Reads the body after the prefix with the cell. */
    static Object body(ValueCell cell, byte[] data, short version) throws Throwable {
        return cell.parse(ByteBuffer.wrap(data, 2, data.length - 2).slice(), version);
    }
}
