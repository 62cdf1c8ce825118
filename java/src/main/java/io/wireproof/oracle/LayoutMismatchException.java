package io.wireproof.oracle;

/** The layout names a field that the class does not have, or has with a type that cannot hold it. */
final class LayoutMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LayoutMismatchException(String message) {
        super(message);
    }
}
