package io.wireproof.spark;

/** A row names a release, message or version that the shipped classes do not have. */
final class UnknownCellException extends Exception {
    private static final long serialVersionUID = 1L;

    UnknownCellException(String message) {
        super(message);
    }

    UnknownCellException(String message, Throwable cause) {
        super(message, cause);
    }
}
