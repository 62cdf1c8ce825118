package io.wireproof.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF2;

/**
 * Kafka's MemoryRecords as a function of Spark: (release, record set) to a struct, see {@link Statuses}. The value
 * is the form of {@code io.wireproof.oracle.RecordSets}; checksums are looked at, and nothing is written again.
 */
public final class ReadRecords implements UDF2<String, byte[], Row> {
    private static final long serialVersionUID = 1L;

    private final HashMap<String, String> books;
    private final boolean whole;

    /**
     * @param books release to the name of its shipped book
     * @param whole whether the answers have the value itself beside its digest
     */
    public ReadRecords(Map<String, String> books, boolean whole) {
        this.books = new HashMap<>(books);
        this.whole = whole;
    }

    @Override
    public Row call(String release, byte[] set) {
        try {
            if (set == null) {
                throw new UnknownCellException("a row without a record set");
            }
            return Statuses.row(Books.find(books, release).recordSets().readOne(set, whole), whole);
        } catch (UnknownCellException refusal) {
            return Statuses.unknown(refusal, whole);
        }
    }
}
