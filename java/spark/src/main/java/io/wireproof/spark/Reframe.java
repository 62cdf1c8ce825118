package io.wireproof.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF6;

/**
 * Kafka's own classes as a function of Spark: (release, module, message, version, header version, bytes) to a
 * struct, see {@link Statuses}. Whatever the bytes are, no row fails its task.
 *
 * <p>The header version is that of the header which goes before the message; null where the bytes are a body
 * alone, as in logs. What it needs travels with it: the names of the shipped books.
 */
public final class Reframe implements UDF6<String, String, String, Integer, Integer, byte[], Row> {
    private static final long serialVersionUID = 1L;
    private static final int NO_HEADER = -1;

    private final HashMap<String, String> books;
    private final boolean whole;

    /**
     * @param books release to the name of its shipped book
     * @param whole whether the answers have the bytes and values themselves beside their digests
     */
    public Reframe(Map<String, String> books, boolean whole) {
        this.books = new HashMap<>(books);
        this.whole = whole;
    }

    @Override
    public Row call(
            String release, String module, String message, Integer version, Integer headerVersion, byte[] bytes) {
        try {
            ShippedRelease shipped = Books.find(books, release);
            if (module == null || message == null || version == null || bytes == null) {
                throw new UnknownCellException("a row without a module, a message, a version or bytes");
            }
            int header = headerVersion == null ? NO_HEADER : headerVersion;
            return Statuses.row(shipped.frames(module, message, version, header).reread(bytes, whole), whole);
        } catch (UnknownCellException refusal) {
            return Statuses.unknown(refusal, whole);
        }
    }
}
