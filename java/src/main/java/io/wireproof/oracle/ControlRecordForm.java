package io.wireproof.oracle;

import java.lang.reflect.Method;

/**
 * Control records that hold a message: {@code MemoryRecords.withLeaderChangeMessage} and its like write them,
 * {@code ControlRecordUtils} reads them.
 */
final class ControlRecordForm extends BlobForm {
    private final ControlRecords records;
    private final String maker;
    private final Method reader;

    ControlRecordForm(ClassLoader loader, Class<?> message) throws ReflectiveOperationException {
        records = new ControlRecords(loader);
        maker = "with" + message.getSimpleName();
        reader = reader(records.type("ControlRecordUtils"), records.type("Record"), message.getSimpleName());
    }

    private static Method reader(Class<?> utils, Class<?> record, String name) throws NoSuchMethodException {
        try {
            return method(utils, "deserialize" + name, record);
        } catch (NoSuchMethodException e) {
            return method(utils, "deserialized" + name, record); // its name in 3.0 to 3.2
        }
    }

    @Override
    Blob write(Object message, short version) throws Throwable {
        return records.made(maker, message);
    }

    @Override
    Content read(CellCodec cell, Blob blob) throws Throwable {
        Object message = SchemaCodec.call(reader, null, records.record(blob));
        return new Content(message, write(message, cell.version));
    }
}
