package io.wireproof.oracle;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;

/** The key of a control record, of which {@code ControlRecordType} reads the type. */
final class ControlTypeForm extends BlobForm {
    private final VersionPrefix prefix;
    private final Method parse;

    ControlTypeForm(ClassLoader loader, VersionPrefix prefix) throws ReflectiveOperationException {
        this.prefix = prefix;
        Class<?> type = new ControlRecords(loader).type("ControlRecordType");
        parse = method(type, "parseTypeId", ByteBuffer.class);
    }

    @Override
    Blob write(Object message, short version) throws Throwable {
        return new Blob(null, prefix.versioned(message, version));
    }

    @Override
    Content read(CellCodec cell, Blob blob) throws Throwable {
        Object id = SchemaCodec.call(parse, null, ByteBuffer.wrap(blob.data));
        Object message = cell.newInstance();
        SchemaCodec.call(method(message.getClass(), "setType", short.class), message, id);
        return new Content(message, write(message, cell.version));
    }
}
