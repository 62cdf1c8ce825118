package io.wireproof.oracle;

/** The stage in which an input failed. The order is part of the replies' binary form. */
enum Stage {
    /** Reading the bytes. */
    READ,
    /** Reporting the value of an instance in canonical form. */
    VALUE,
    /** Building an instance from a canonical value. */
    BUILD,
    /** Computing its size. */
    SIZE,
    /** Writing it. */
    WRITE
}
