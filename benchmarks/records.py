"""Record batches beside kafka-python and aiokafka, in one process on one thread.

    pip install kafka-python==3.0.12 aiokafka==0.14.0 cramjam google-crc32c lz4 zstandard
    PYTHONPATH=codecs python benchmarks/records.py [--rounds N] [--only CODEC]

A batch of 100 records of 100 bytes, uncompressed and with each compression. Each codec encodes the batch, and
decodes the same bytes (our own; that all three read the same records out of them is checked first) with
the checksum verified, to the point where every record's offset, timestamp, key, value and headers were
read. The codecs take turns in each round, and a ratio is the median over the rounds of theirs / ours,
in CPU time. aiokafka's inner loops are C. Ends with 1 where ours is slower than kafka-python's.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from aiokafka.record.default_records import DefaultRecordBatchBuilder as AioBuilder
from aiokafka.record.memory_records import MemoryRecords as AioRecords
from kafka.record.memory_records import MemoryRecords as PythonRecords
from kafka.record.memory_records import MemoryRecordsBuilder as PythonBuilder

from kafkawire.records import Compression, Record, RecordBatch, decode_records, encode_records

BASE = 1_700_000_000_000
RECORDS = 100
RECORD_BYTES = 100
LOOPS = 20
"""Calls in one measurement."""

Row: TypeAlias = tuple[int, int, bytes | None, bytes | None]


def rows() -> list[Row]:
    """Offset, timestamp, key, value: 100 bytes a record, about a fifth of them random."""
    chance = random.Random(4)
    words = [bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz", k=9)) for _ in range(30)]
    made: list[Row] = []
    for index in range(RECORDS):
        key = b"key-%06d" % index
        text = b" ".join(chance.choices(words, k=8)) + chance.randbytes(20)
        made.append((index, BASE + 7 * index, key, text[: RECORD_BYTES - len(key)]))
    return made


def our_batch(data: list[Row], codec: Compression) -> bytes:
    records = [Record(offset, stamp - BASE, key, value) for offset, stamp, key, value in data]
    return encode_records([RecordBatch.of(records, base_timestamp=BASE, compression=codec)])


def our_rows(data: bytes) -> list[Row]:
    found: list[Row] = []
    for batch in decode_records(data).batches:
        assert isinstance(batch, RecordBatch)
        offset, stamp = batch.base_offset, batch.base_timestamp
        found += [(offset + each[0], stamp + each[1], each.key, each.value) for each in batch.records]
    return found


def python_batch(data: list[Row], codec: Compression) -> bytes:
    builder = PythonBuilder(magic=2, compression_type=int(codec), batch_size=1 << 20)
    for _, stamp, key, value in data:
        builder.append(timestamp=stamp, key=key, value=value, headers=[])
    builder.close()
    return bytes(builder.buffer())


def aio_batch(data: list[Row], codec: Compression) -> bytes:
    builder = AioBuilder(
        magic=2, compression_type=int(codec), is_transactional=False, producer_id=-1, producer_epoch=-1,
        base_sequence=-1, batch_size=1 << 20,
    )  # fmt: skip
    for offset, stamp, key, value in data:
        builder.append(offset, stamp, key, value, [])
    return bytes(builder.build())


def reader_rows(kind: Any, data: bytes) -> list[Row]:
    found: list[Row] = []
    records = kind(data)
    while records.has_next():
        batch = records.next_batch()
        if not batch.validate_crc():
            raise ValueError("checksum")
        found += [(each.offset, each.timestamp, each.key, each.value) for each in batch]
    return found


def subjects(codec: Compression) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Codec to (encode, decode)."""
    data = rows()
    ours = our_batch(data, codec)
    calls: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "ours": (lambda: our_batch(data, codec), lambda: our_rows(ours)),
        "kafka-python": (lambda: python_batch(data, codec), lambda: reader_rows(PythonRecords, ours)),
        "aiokafka": (lambda: aio_batch(data, codec), lambda: reader_rows(AioRecords, ours)),
    }
    for name, (encode, decode) in calls.items():
        if not our_rows(encode()) == decode() == data:
            raise SystemExit(f"{name} reads or writes other records with {codec.name.lower()}")
    return calls


def cpu_us(call: Callable[[], Any]) -> float:
    start = time.process_time()
    for _ in range(LOOPS):
        call()
    return (time.process_time() - start) / LOOPS * 1e6


def measure(codec: Compression, rounds: int) -> bool:
    """Print the two lines of a compression; whether ours is nowhere slower than kafka-python."""
    calls = subjects(codec)
    fine = True
    for index, direction in enumerate(("encode", "decode")):
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(rounds):
            for name, pair in calls.items():
                times[name].append(cpu_us(pair[index]))
        ratios = {
            name: statistics.median(
                theirs / mine for theirs, mine in zip(times[name], times["ours"], strict=True)
            )
            for name in calls
        }
        ours = statistics.median(times["ours"])
        shown = "  ".join(f"{name} x{ratios[name]:.2f}" for name in calls if name != "ours")
        print(f"{codec.name.lower():<8}{direction}  ours {ours:6.0f} us a batch  {shown}")
        fine = fine and ratios["kafka-python"] >= 1.0
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=[codec.name.lower() for codec in Compression])
    options = parser.parse_args()
    codecs = [codec for codec in Compression if options.only in (None, codec.name.lower())]
    results = [measure(codec, options.rounds) for codec in codecs]
    if not all(results):
        print("Slower than kafka-python.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
