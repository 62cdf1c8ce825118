"""LZ4 frames as Kafka writes and reads them (`Lz4BlockOutputStream`, `Lz4BlockInputStream`).

A frame has independent blocks of 64 KiB, and no checksum except the one byte of the header. For magic 0
this byte also covers the frame's magic number, a bug that Kafka keeps (KAFKA-3160); the reader accepts both
bytes for magic 0.
"""

from typing import Final

from kafkawire.errors import Fault
from kafkawire.records._libraries import library
from kafkawire.records.compression._refusal import CompressionRefusal

FRAME_MAGIC: Final = b"\x04\x22\x4d\x18"
INDEPENDENT: Final = 0x20
CONTENT_SIZE: Final = 0x08
DICTIONARY: Final = 0x01

_PIECE: Final = 1 << 16

_MASK: Final = 0xFFFFFFFF
_PRIMES: Final = (2654435761, 2246822519, 3266489917, 668265263, 374761393)


def compress(data: bytes, magic: int) -> bytes:
    """Return one LZ4 frame."""
    lz4 = library("lz4.frame", "lz4")
    frame: bytes = lz4.compress(
        data, block_size=lz4.BLOCKSIZE_MAX64KB, block_linked=False, content_checksum=False, store_size=False
    )
    if magic > 0:
        return frame
    end = _header_end(frame)
    return frame[:end] + _header_checksum(frame[:end]) + frame[end + 1 :]


def decompress(data: bytes, magic: int, limit: int) -> bytes:
    """The frame's content, at most `limit` bytes."""
    end = _header_end(data)
    if magic == 0 and data[end : end + 1] == _header_checksum(data[:end]):
        data = data[:end] + _header_checksum(data[4:end]) + data[end + 1 :]
    lz4 = library("lz4.frame", "lz4")
    frame = lz4.LZ4FrameDecompressor()
    piece = max(_PIECE, 8 * len(data))  # the library allocates as much as it is allowed
    out: list[bytes] = []
    left = limit
    while not frame.eof:
        try:
            content: bytes = frame.decompress(data, max_length=min(left + 1, piece))
        except (RuntimeError, EOFError) as error:
            raise CompressionRefusal(Fault.COMPRESSION, str(error)) from error
        left -= len(content)
        if left < 0:
            raise CompressionRefusal(Fault.BOMB, f"more than the {limit} bytes that may be left")
        if not content and not frame.eof and frame.needs_input:
            raise CompressionRefusal(Fault.COMPRESSION, "the frame is cut off")
        out.append(content)
        data = b""
    if frame.unused_data:
        raise CompressionRefusal(Fault.COMPRESSION, "bytes after the frame")
    return b"".join(out)


def _header_end(frame: bytes) -> int:
    """Return the offset of the header's checksum."""
    if len(frame) < 7 or not frame.startswith(FRAME_MAGIC):
        raise CompressionRefusal(Fault.COMPRESSION, "no LZ4 frame begins here")
    flags = frame[4]
    if not flags & INDEPENDENT:
        raise CompressionRefusal(Fault.COMPRESSION, "blocks that depend on each other, which Kafka refuses")
    return 6 + (8 if flags & CONTENT_SIZE else 0) + (4 if flags & DICTIONARY else 0)


def _header_checksum(descriptor: bytes) -> bytes:
    return bytes([xxh32(descriptor) >> 8 & 0xFF])


def xxh32(data: bytes) -> int:
    """The 32-bit xxHash with seed 0, of a few bytes."""
    one, two, three, four, five = _PRIMES
    pos = 0
    if len(data) >= 16:
        lanes = [(one + two) & _MASK, two, 0, -one & _MASK]
        while pos + 16 <= len(data):
            for lane in range(4):
                word = int.from_bytes(data[pos : pos + 4], "little")
                lanes[lane] = _rotate(lanes[lane] + word * two, 13) * one & _MASK
                pos += 4
        value = sum(_rotate(lane, turn) for lane, turn in zip(lanes, (1, 7, 12, 18), strict=True))
    else:
        value = five
    value += len(data)
    while pos + 4 <= len(data):
        word = int.from_bytes(data[pos : pos + 4], "little")
        value = _rotate(value + word * three, 17) * four
        pos += 4
    for byte in data[pos:]:
        value = _rotate(value + byte * five, 11) * one
    value &= _MASK
    value = (value ^ value >> 15) * two & _MASK
    value = (value ^ value >> 13) * three & _MASK
    return value ^ value >> 16


def _rotate(value: int, turn: int) -> int:
    value &= _MASK
    return (value << turn | value >> 32 - turn) & _MASK
