"""Attacks on record sets and frames: the processor time and the memory of each, in a process of its own.

    PYTHONPATH=codecs:harness python benchmarks/hostile.py [--only NAME]

The attacks on record sets are those of tests/support/hostile/hostile_records.py. The attacks on frames are
messages of 256 KiB whose counts, lengths and tags want more than is there, through the compiled codec. Ends
with 1 where an attack takes more than a second of processor time or 200 MB.
"""

import argparse
import contextlib
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from kafkawire.compiler import compile_layout
from kafkawire.errors import DecodeError
from kafkawire.records import decode_records
from kafkawire.schema import resolve
from kafkawire.wire.varints import write_uvarint
from tests.support.hostile.hostile_records import ATTACKS
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot

MOST_S = 1.0
MOST_BYTES = 200 << 20
FRAME_BYTES = 256 << 10


def frames() -> Iterator[tuple[str, Callable[[bytes], object], bytes]]:
    """Messages of `FRAME_BYTES` with as many elements as fit, all of them right; one more is declared."""
    schemas = load_snapshot(table().find("newest"))
    for name, version, head, element in (
        ("MetadataRequest", 12, b"", bytes(16) + b"\x00\x00"),
        ("FetchRequest", 4, bytes(17), b"\x00\x00\x00\x00\x00\x00"),
        ("DescribeGroupsRequest", 5, b"", b"\x01"),
        ("DeleteTopicsResponse", 6, bytes(4), b"\x00" + bytes(16) + b"\x00\x00\x00\x00"),
    ):
        _, spec = schemas.find(name)
        layout = resolve(spec, version)
        count = FRAME_BYTES // len(element)
        prefix = write_uvarint(count + 2) if layout.flexible else (count + 1).to_bytes(4, "big")
        yield f"{name}-{version}-elements", compile_layout(layout).decode, head + prefix + element * count
        most = b"\xff\xff\xff\xff\x07" if layout.flexible else b"\x7f\xff\xff\xff"
        yield f"{name}-{version}-count", compile_layout(layout).decode, head + most + element * count
    _, spec = schemas.find("ApiVersionsRequest")
    tags = b"".join(write_uvarint(100 + tag) + b"\x00" for tag in range(FRAME_BYTES // 4))
    head = b"\x01\x01" + write_uvarint(FRAME_BYTES // 4 + 1)
    yield "ApiVersionsRequest-4-tags", compile_layout(resolve(spec, 4)).decode, head + tags


def measured(call: Callable[[bytes], object], data: bytes) -> tuple[float, int]:
    """The processor time in seconds and the memory in bytes that a call takes, in a child process."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.process_time()
        with contextlib.suppress(DecodeError):
            call(data)
        spent = time.process_time() - started
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(theirs, f"{spent} {grown * 1024}".encode())
        os._exit(0)
    os.close(theirs)
    text = os.read(ours, 100).decode()
    os.close(ours)
    os.waitpid(child, 0)
    seconds, grown_bytes = text.split()
    return float(seconds), int(grown_bytes)


def attacks() -> Iterator[tuple[str, Callable[[bytes], object], Callable[[], bytes]]]:
    for name, (make, _) in ATTACKS.items():
        yield name, decode_records, make
    for name, decode, data in frames():
        yield name, decode, lambda data=data: data


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="attacks whose name contains this")
    only = parser.parse_args().only
    failed = 0
    print(f"{'attack':45} {'bytes':>9} {'CPU s':>7} {'MB':>5}")
    for name, call, make in attacks():
        if only not in name:
            continue
        data = make()
        seconds, grown = measured(call, data)
        over = seconds > MOST_S or grown > MOST_BYTES
        failed += over
        print(f"{name:45} {len(data):9,} {seconds:7.2f} {grown >> 20:5} {'over the bound' if over else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
