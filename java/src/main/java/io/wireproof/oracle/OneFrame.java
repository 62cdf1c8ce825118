package io.wireproof.oracle;

import java.nio.ByteBuffer;

/**
 * Frames of one cell, or its bodies alone, for callers that have them one at a time: each is read, its value reported,
 * its size computed, and it is written again.
 *
 * <p>May be used by many threads at once.
 */
public final class OneFrame {
    private static final int SIZE_BYTES = 4;

    private final CellCodec header;
    private final CellCodec body;
    private final KafkaProtocol protocol;

    /** @param header null where the body is alone, without a size too */
    OneFrame(CellCodec header, CellCodec body) {
        this.header = header;
        this.body = body;
        this.protocol = body.release.protocol();
    }

    /**
     * Read a frame, report its value, compute its size, write it again: in this order, and up to the first
     * refusal.
     *
     * @param whole whether the answer has the bytes and values themselves beside their digests
     */
    public Answer reread(byte[] frame, boolean whole) {
        Scratch scratch = Scratch.take();
        Answer answer = new Answer();
        CellCodec.Attempt attempt = new CellCodec.Attempt();
        attempt.at(Stage.READ);
        ByteBuffer in = ByteBuffer.wrap(frame);
        try {
            reread(in, scratch, answer, attempt, whole);
        } catch (Throwable refusal) {
            answer.consumed = in.position();
            answer.refuse(attempt.stage, refusal);
        }
        scratch.giveBack();
        return answer;
    }

    private void reread(
            ByteBuffer in, Scratch scratch, Answer answer, CellCodec.Attempt attempt, boolean whole)
            throws Throwable {
        Object head = null;
        if (header != null) {
            FrameCodec.takeSize(in);
            head = header.parse(in, header.version);
        }
        Object content = body.parse(in, body.version);
        answer.consumed = in.position();
        attempt.at(Stage.VALUE);
        report(head, content, scratch, answer, whole);
        attempt.at(Stage.SIZE);
        Object headCache = protocol.newCache();
        Object bodyCache = protocol.newCache();
        int size = head == null ? 0 : SIZE_BYTES + protocol.size(head, headCache, header.version);
        size += protocol.size(content, bodyCache, body.version);
        answer.size = size;
        attempt.at(Stage.WRITE);
        scratch.out.rewind(0);
        ByteBuffer window = scratch.out.window(size);
        if (head != null) {
            window.putInt(size - SIZE_BYTES);
            protocol.write(head, window, headCache, header.version);
        }
        protocol.write(content, window, bodyCache, body.version);
        scratch.out.advance(window.position());
        answer.writtenDigest = scratch.digest();
        answer.written = whole ? scratch.out.toArray() : null;
    }

    private void report(Object head, Object content, Scratch scratch, Answer answer, boolean whole) throws Throwable {
        if (head != null) {
            header.value(head, scratch.out);
        }
        int middle = scratch.out.position();
        body.value(content, scratch.out);
        answer.valueDigest = scratch.digest();
        if (whole) {
            answer.header = head == null ? null : scratch.out.copy(0, middle);
            answer.value = scratch.out.copy(middle, scratch.out.position());
        }
    }
}
