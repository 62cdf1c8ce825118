package io.wireproof.oracle;

import java.nio.ByteBuffer;

/** Whole frames of one cell: size (int32), header, body. */
public final class FrameCodec {
    private final CellCodec header;
    private final CellCodec body;
    private final KafkaProtocol protocol;

    FrameCodec(CellCodec header, CellCodec body) {
        this.header = header;
        this.body = body;
        this.protocol = body.release.protocol();
    }

    /** Read each frame and write it again: {@link Replies} of the form {@code frame}. */
    public byte[] reframe(byte[] batch) {
        return each(batch, true);
    }

    /** Read each frame and report header and body, but do not write it. */
    public byte[] read(byte[] batch) {
        return each(batch, false);
    }

    private byte[] each(byte[] batch, boolean again) {
        ByteSource in = new ByteSource(batch);
        ByteSink out = new ByteSink(4 * batch.length);
        CellCodec.Attempt attempt = new CellCodec.Attempt();
        while (in.hasMore()) {
            int length = in.getInt();
            ByteBuffer frame = ByteBuffer.wrap(batch, in.position(), length).slice();
            int mark = out.position();
            try {
                frame(frame, again, out, attempt);
            } catch (Throwable refusal) {
                out.rewind(mark);
                Replies.putRefusal(out, attempt.stage, refusal, frame.position());
            }
            in.position(in.position() + length);
        }
        return out.toArray();
    }

    private void frame(ByteBuffer frame, boolean again, ByteSink out, CellCodec.Attempt attempt) throws Throwable {
        attempt.at(Stage.READ);
        takeSize(frame);
        Object head = header.newInstance();
        protocol.read(head, frame, header.version);
        Object content = body.newInstance();
        protocol.read(content, frame, body.version);
        int reply = startReply(out, frame.position());
        int written = again ? write(head, content, out, attempt) : 0;
        attempt.at(Stage.VALUE);
        int headStart = out.position();
        header.value(head, out);
        int bodyStart = out.position();
        body.value(content, out);
        out.patchInt(reply + 9, written);
        out.patchInt(reply + 13, bodyStart - headStart);
        out.patchInt(reply + 17, out.position() - bodyStart);
    }

    /** Read the size, which then bounds the buffer. */
    static void takeSize(ByteBuffer frame) {
        int size = frame.getInt();
        if (size < 0 || size > frame.remaining()) {
            throw new InvalidFrameException("a size of " + size + " before " + frame.remaining() + " bytes");
        }
        frame.limit(frame.position() + size);
    }

    private int write(Object head, Object content, ByteSink out, CellCodec.Attempt attempt) throws Throwable {
        attempt.at(Stage.SIZE);
        Object headCache = protocol.newCache();
        Object bodyCache = protocol.newCache();
        int size = protocol.size(head, headCache, header.version) + protocol.size(content, bodyCache, body.version);
        attempt.at(Stage.WRITE);
        ByteBuffer window = out.window(4 + size);
        window.putInt(size);
        protocol.write(head, window, headCache, header.version);
        protocol.write(content, window, bodyCache, body.version);
        out.advance(window.position());
        return window.position();
    }

    private int startReply(ByteSink out, int consumed) {
        int reply = out.position();
        out.putByte(0);
        out.putInt(header.version);
        out.putInt(consumed);
        out.putInt(0);
        out.putLong(0);
        return reply;
    }

    /** A size that the bytes do not bear out. Kafka's transport never hands such a frame on. */
    static final class InvalidFrameException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidFrameException(String message) {
            super(message);
        }
    }
}
