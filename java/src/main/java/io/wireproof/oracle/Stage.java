package io.wireproof.oracle;

/** Where an input failed. The order is part of the replies' binary form. */
enum Stage {
    /** Reading the bytes. */
    READ,
    /** Telling the value of an instance in canonical form. */
    VALUE,
    /** Building an instance from a canonical value. */
    BUILD,
    /** Computing its size. */
    SIZE,
    /** Writing it. */
    WRITE
}
