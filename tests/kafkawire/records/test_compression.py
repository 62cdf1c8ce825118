"""The framings of compression, including those that our own writers do not make."""

import gzip
import os

import cramjam
import lz4.frame
import pytest
import zstandard

from kafkawire.errors import Fault
from kafkawire.records import Compression
from kafkawire.records.compression import CompressionRefusal, compress, decompress
from kafkawire.records.compression._lz4 import xxh32

LIMIT = 1 << 20
CODECS = [(codec, magic) for codec in Compression for magic in (0, 1, 2)]
CONTENTS = [b"", b"x", bytes(100_000), os.urandom(70_000), b"abcdefg" * 30_000]


@pytest.mark.parametrize(("codec", "magic"), CODECS)
def test_content_is_decompressed_unchanged(codec: Compression, magic: int) -> None:
    """The content is empty, short or long, and compresses well or badly."""
    for content in CONTENTS:
        assert decompress(codec, compress(codec, content, magic), magic, len(content)) == content


@pytest.mark.parametrize(("codec", "magic"), [each for each in CODECS if each[0]])
def test_a_cut_framing_is_refused(codec: Compression, magic: int) -> None:
    """No prefix of a framing is valid, except snappy cut after the header or a block."""
    data = compress(codec, bytes(range(256)) * 2, magic)
    for end in range(1, len(data)):
        if codec is Compression.SNAPPY and end == 16:
            continue
        with pytest.raises(CompressionRefusal) as caught:
            decompress(codec, data[:end], magic, LIMIT)
        assert caught.value.fault is Fault.COMPRESSION


def test_several_frames_are_one_content() -> None:
    """Consecutive zstd frames, gzip members and xerial streams are one content."""
    for codec in (Compression.ZSTD, Compression.GZIP, Compression.SNAPPY):
        pieces = [b"abc" * 1000, b"", bytes(70_000)]
        data = b"".join(compress(codec, piece, 2) for piece in pieces)
        assert decompress(codec, data, 2, LIMIT) == b"".join(pieces)
    sized = zstandard.ZstdCompressor().compress(b"abc") + zstandard.ZstdCompressor().compress(b"def")
    assert decompress(Compression.ZSTD, sized, 2, LIMIT) == b"abcdef"
    assert decompress(Compression.GZIP, gzip.compress(b"a") + gzip.compress(b"b"), 2, LIMIT) == b"ab"


def test_raw_snappy_is_read() -> None:
    """Some C clients send a block without the stream around it."""
    assert (
        decompress(Compression.SNAPPY, bytes(cramjam.snappy.compress_raw(b"abc" * 99)), 2, LIMIT)
        == b"abc" * 99
    )


def test_the_wrong_checksum_of_magic_0_is_written_and_read() -> None:
    """LZ4 in magic 0 has a checksum over too much (KAFKA-3160): it is written so, and read with both
    checksums."""
    right, wrong = (compress(Compression.LZ4, b"abc", magic) for magic in (1, 0))
    assert (right[6], wrong[6]) == (xxh32(right[4:6]) >> 8 & 0xFF, xxh32(right[:6]) >> 8 & 0xFF)
    assert right[6] != wrong[6]
    assert right[:6] + right[7:] == wrong[:6] + wrong[7:]
    assert (
        decompress(Compression.LZ4, right, 0, LIMIT) == decompress(Compression.LZ4, wrong, 0, LIMIT) == b"abc"
    )
    with pytest.raises(CompressionRefusal):
        decompress(Compression.LZ4, wrong, 1, LIMIT)
    sized = lz4.frame.compress(b"abc" * 9, block_linked=False, store_size=True)
    broken = sized[:14] + bytes([xxh32(sized[:14]) >> 8 & 0xFF]) + sized[15:]
    assert (
        decompress(Compression.LZ4, sized, 0, LIMIT)
        == decompress(Compression.LZ4, broken, 0, LIMIT)
        == b"abc" * 9
    )


def test_xxh32_has_the_published_values() -> None:
    """The values are those of the algorithm's author, for lengths with and without whole lanes."""
    assert xxh32(b"") == 0x02CC5D05
    assert xxh32(b"abc") == 0x32D153FF
    assert xxh32(b"Nobody inspects the spammish repetition") == 0xE2293B2F


def test_dependent_blocks_are_refused() -> None:
    """Kafka's reader does not accept LZ4 blocks that refer to the block before."""
    with pytest.raises(CompressionRefusal):
        decompress(Compression.LZ4, lz4.frame.compress(os.urandom(99_999), block_linked=True), 2, LIMIT)


def test_bytes_after_an_lz4_frame_are_refused() -> None:
    """Only one frame is allowed."""
    with pytest.raises(CompressionRefusal):
        decompress(Compression.LZ4, compress(Compression.LZ4, b"abc", 2) + b"x", 2, LIMIT)


def test_declared_lengths_reserve_no_memory() -> None:
    """A snappy block declares 4 GiB, and a zstd frame 2^60 bytes."""
    snappy = b"\xff\xff\xff\xff\x0f" + b"\x00a"
    frame = bytes.fromhex("28b52ffd") + b"\xe0" + (1 << 60).to_bytes(8, "little") + b"\x01\x00\x00"
    for codec, data in ((Compression.SNAPPY, snappy), (Compression.ZSTD, frame)):
        with pytest.raises(CompressionRefusal) as caught:
            decompress(codec, data, 2, LIMIT)
        assert caught.value.fault is Fault.COMPRESSION


@pytest.mark.parametrize(("codec", "magic"), [each for each in CODECS if each[0]])
def test_bombs_are_refused(codec: Compression, magic: int) -> None:
    """Content above the limit is refused, however small its compressed form is."""
    bomb = compress(codec, bytes(40 << 20), magic)
    with pytest.raises(CompressionRefusal) as caught:
        decompress(codec, bomb, magic, LIMIT)
    assert caught.value.fault is Fault.BOMB
