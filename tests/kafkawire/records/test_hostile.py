"""Record sets that need much time or memory for few bytes: the right fault, linear work, bounded memory."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from kafkawire.errors import DecodeError, Fault
from kafkawire.records import (
    Compression,
    Header,
    Message,
    Record,
    RecordBatch,
    RecordSet,
    decode_records,
    encode_records,
)
from kafkawire.records import _record_loop as loop
from kafkawire.records.compression import _gzip as gzip_members
from kafkawire.records.compression import _zstd as zstd_frames
from kafkawire.records.decoding import OBJECT_BYTES
from kafkawire.records.size import size_of_records
from tests.support.hostile import hostile_records
from tests.support.hostile.hostile_records import ATTACKS, MIB, batch

DECODE_ALL = """
import resource
from tests.support.hostile.hostile_records import ATTACKS
from kafkawire.errors import DecodeError
from kafkawire.records import decode_records

attacks = {name: make() for name, (make, _) in ATTACKS.items()}
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (200 << 20), resource.RLIM_INFINITY))
for name, data in attacks.items():
    try:
        decode_records(data)
    except DecodeError:
        pass
    except MemoryError:
        print(name)
"""


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused(name: str) -> None:
    """The fault is the one that the bytes have; a right record set is read."""
    make, fault = ATTACKS[name]
    try:
        decode_records(make())
        found = None
    except DecodeError as error:
        found = error.fault
    assert found == fault


def test_no_attack_takes_more_than_200_mb() -> None:
    """All attacks are read in a process that may use 200 MiB more than the attacks themselves."""
    done = subprocess.run(
        [sys.executable, "-c", DECODE_ALL],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_only_the_wrong_record_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of 100,000 records is wrong: the exact reader reads that one alone."""
    read: list[int] = []

    def noted(data: bytes, start: int, room: int) -> tuple[Record, int]:
        read.append(len(data) - start)
        return exact(data, start, room)

    exact: Callable[[bytes, int, int], tuple[Record, int]] = vars(loop)["read_record"]
    monkeypatch.setattr(loop, "read_record", noted)
    with pytest.raises(DecodeError, match="records\\[100000\\]"):
        decode_records(batch(hostile_records._TINY * 100_000 + b"\x0a\x00", 100_001))
    assert read == [2]


class Sliced(bytes):
    """Bytes that count the slices taken from them."""

    sliced = 0

    def __getitem__(self, key: Any) -> Any:
        part = bytes.__getitem__(self, key)
        if isinstance(part, bytes):
            self.sliced += len(part)
        return part


def test_many_gzip_members_are_read_in_linear_work() -> None:
    """Members have 20 bytes: zlib gets a few times the data instead of its square."""
    data = Sliced(gzip.compress(b"", mtime=0) * 5000)
    assert gzip_members.decompress(data, MIB) == b""
    assert data.sliced < 8 * len(data)


def test_many_zstd_frames_are_read_in_linear_work() -> None:
    """Skippable frames of 8 bytes each cost a piece of bounded size."""
    data = Sliced(hostile_records._ZSTD_SKIPPABLE * 5000)
    assert zstd_frames.decompress(data, MIB) == b""
    assert data.sliced <= 5000 * 64


def test_gzip_members_that_grow_are_read_whole() -> None:
    """A large member after a small one is given to zlib in pieces, each twice as large as the last."""
    parts = [b"a", bytes(range(256)) * 4096, b"", b"z" * 70_000]
    assert gzip_members.decompress(b"".join(map(gzip.compress, parts)), 8 * MIB) == b"".join(parts)


@pytest.mark.parametrize("codec", list(Compression)[1:])
def test_records_and_headers_count_against_the_limit(codec: Compression) -> None:
    """Three records with two headers each are nine objects; a limit one byte below their size gives a
    bomb."""
    records = [Record(index, 0, None, b"v", (Header("a", b"1"), Header("b"))) for index in range(3)]
    one = RecordBatch.of(records, compression=codec)
    held = len(encode_records([RecordBatch.of(records)])) - 61 + 9 * OBJECT_BYTES
    data = encode_records([one])
    assert decode_records(data, max_decompressed=held).batches == (one,)
    with pytest.raises(DecodeError) as caught:
        decode_records(data, max_decompressed=held - 1)
    assert caught.value.fault is Fault.BOMB


@pytest.mark.parametrize("magic", [memoryview(bytearray(1)), True, 1.0, "1", None])
def test_a_size_refuses_a_magic_that_is_not_an_integer(magic: Any) -> None:
    """`encode_records` refuses it too, by the codec's own error."""
    with pytest.raises(Exception) as caught:
        size_of_records(RecordSet((Message(magic=magic),)))
    assert (type(caught.value).__name__, getattr(caught.value, "fault", None)) == ("EncodeError", Fault.MAGIC)
