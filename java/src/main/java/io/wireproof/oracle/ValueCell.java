package io.wireproof.oracle;

import java.nio.ByteBuffer;

/** One message at one version, whose instances have a canonical form. */
abstract class ValueCell {
    final Release release;
    final short version;

    ValueCell(Release release, short version) {
        this.release = release;
        this.version = version;
    }

    /** The instance of a canonical value that ends at {@code end}. */
    abstract Object build(ByteSource in, int end) throws Throwable;

    /** The canonical form of an instance. */
    abstract void value(Object instance, ByteSink out) throws Throwable;

    /** The instance in a body, whose position is then the number of bytes read. */
    abstract Object parse(ByteBuffer body, short at) throws Throwable;
}
