package io.wireproof.oracle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ByteSinkTest {
    @Test
    void numbersAreBigEndian() {
        ByteSink out = new ByteSink(0);
        out.putByte(0x101);
        out.putShort(0x0203);
        out.putInt(0x04050607);
        out.putLong(0x08090a0b0c0d0e0fL);
        assertEquals("010203040506" + "0708090a0b0c0d0e0f", Reply.hex(out.toArray()));
    }

    @Test
    void growingKeepsWhatIsThere() {
        ByteSink out = new ByteSink(0);
        byte[] block = new byte[100_000];
        block[99_999] = 7;
        out.putByte(1);
        out.putBytes(block);
        assertEquals(100_001, out.toArray().length);
        assertEquals(7, out.toArray()[100_000]);
    }

    @Test
    void windowBecomesPartOfTheSinkAsFarAsItIsAdvanced() {
        ByteSink out = new ByteSink(0);
        out.putByte(9);
        ByteBuffer window = out.window(200);
        window.put((byte) 1).put((byte) 2);
        out.advance(2);
        assertArrayEquals(new byte[] {9, 1, 2}, out.toArray());
        assertEquals(200, window.capacity());
    }

    @Test
    void rewindForgetsAndPatchOverwrites() {
        ByteSink out = new ByteSink(0);
        out.putInt(0);
        out.putText("gone");
        out.rewind(4);
        out.patchInt(0, -2);
        assertEquals("fffffffe", Reply.hex(out.toArray()));
    }

    @Test
    void bufferIsWrittenFromItsPositionAndKeepsIt() {
        ByteSink out = new ByteSink(0);
        ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3}).position(1);
        out.putBuffer(data);
        assertEquals("000000020203", Reply.hex(out.toArray()));
        assertEquals(1, data.position());
    }
}
