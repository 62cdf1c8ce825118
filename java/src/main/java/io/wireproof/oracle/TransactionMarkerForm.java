package io.wireproof.oracle;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/** The marker of a transaction's end by Kafka's {@code EndTransactionMarker}: records of type COMMIT. */
final class TransactionMarkerForm extends BlobForm {
    private final ControlRecords records;
    private final Constructor<?> newMarker;
    private final Method reader;
    private final Method epoch;
    private final Object commit;

    TransactionMarkerForm(ClassLoader loader) throws ReflectiveOperationException {
        records = new ControlRecords(loader);
        Class<?> marker = records.type("EndTransactionMarker");
        Class<?> control = records.type("ControlRecordType");
        newMarker = marker.getConstructor(control, int.class);
        reader = method(marker, "deserialize", records.type("Record"));
        epoch = method(marker, "coordinatorEpoch");
        commit = control.getField("COMMIT").get(null);
    }

    @Override
    Blob write(Object message, short version) throws Throwable {
        Object held = SchemaCodec.call(method(message.getClass(), "coordinatorEpoch"), message);
        return records.made("withEndTransactionMarker", newMarker.newInstance(commit, held));
    }

    @Override
    Content read(CellCodec cell, Blob blob) throws Throwable {
        Object marker = SchemaCodec.call(reader, null, records.record(blob));
        Object message = cell.newInstance();
        SchemaCodec.call(method(message.getClass(), "setCoordinatorEpoch", int.class), message,
                SchemaCodec.call(epoch, marker));
        return new Content(message, write(message, cell.version));
    }
}
