package io.wireproof.spark;

import java.util.Map;
import java.util.TreeSet;

/** The releases that were shipped with a function. */
final class Books {
    private Books() {}

    /** The release of this name, opened. */
    static ShippedRelease find(Map<String, String> books, String release) throws UnknownCellException {
        String book = books.get(release);
        if (book == null) {
            throw new UnknownCellException(
                    "no release " + release + " was shipped; there are: " + new TreeSet<>(books.keySet()));
        }
        return ShippedRelease.of(book);
    }
}
