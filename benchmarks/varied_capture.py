"""A capture of any size, with content that varies, made out of a real one: what `pipeline.py` is measured on.

    python benchmarks/varied_capture.py --frames 5000000 --output FOLDER [--capture corpus/sample]

Every exchange of the capture is taken again and again, each time with other texts, bytes, ids and numbers of
the same size; error codes, flags, lengths and record sets stay. Connections are those of the capture, each
begun again for each round. Two processes; the same arguments give the same frames.
"""

import argparse
import json
import random
import shutil
import uuid
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from kafkawire.schema import FieldLayout, ScalarType, StructLayout
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import Exchange
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, SegmentWriter, StreamDirection
from wireproof.traffic.wire.segment_reader import read_segment, segment_facts
from wireproof.traffic.wire.stream_assembler import StreamAssembler

FRAMES_A_FILE = 250_000
START_NS = 1_800_000_000_000_000_000
KEPT = frozenset({"acks", "replicaId", "correlationId", "requestApiKey", "requestApiVersion", "clientId"})
LARGEST = 16 * 1024
"""Frames above it are left out: the number of frames is measured, not their volume."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--capture", type=Path, default=Path("corpus/sample"))
    options = parser.parse_args()
    make(options.capture, options.output, options.frames)


def make(capture: Path, output: Path, frames: int) -> None:
    """Write segment files of so many frames in all; nothing where they are there already."""
    done = output / "capture.json"
    if done.is_file() and json.loads(done.read_text())["frames"] == frames:
        return
    shutil.rmtree(output, ignore_errors=True)
    (output / "segments").mkdir(parents=True)
    parts = [
        (capture, output / "segments" / f"{number:04}-CLIENT.wpseg", min(FRAMES_A_FILE, frames - first))
        for number, first in enumerate(range(0, frames, FRAMES_A_FILE))
    ]
    with get_context("spawn").Pool(2) as pool:
        written = sum(pool.imap(write_file, parts))
    done.write_text(json.dumps({"frames": frames, "bytes": written}) + "\n")


def write_file(part: tuple[Path, Path, int]) -> int:
    """One segment file; its bytes."""
    capture, path, frames = part
    release, talks = read_talks(capture)
    naming = FrameIdentifier(load_snapshot(table().find(release)))
    rng = random.Random(path.name)
    varying = {}
    left = frames
    with path.open("xb", buffering=1 << 20) as file:
        marker = rng.randbytes(16)
        facts = {"release": release, "listener": "CLIENT", "node": 1}
        writer = SegmentWriter(file, marker, facts, START_NS)
        connection, time_ns = 0, START_NS
        while left > 0:
            for talk in talks:
                connection += 1
                writer.open(connection, time_ns, {"knownStart": True})
                for exchange in talk:
                    if left <= 0:
                        break
                    names = naming.exchange(exchange)
                    for direction, named, frame in (
                        (StreamDirection.TO_BROKER, names.request, exchange.request),
                        (StreamDirection.TO_CLIENT, names.response, exchange.response),
                    ):
                        assert isinstance(named, FrameType)
                        if named.layout not in varying:
                            varying[named.layout] = Varying(naming, named)
                        data = varying[named.layout].again(frame.data, rng)
                        time_ns += 50_000
                        writer.add(EntryKind.DATA, time_ns, connection, direction, data)
                        left -= 1
                writer.add(EntryKind.CLOSE, time_ns, connection)
                if left <= 0:
                    break
        return writer.position


def read_talks(capture: Path) -> tuple[str, list[list[Exchange]]]:
    """The release, and the exchanges of each connection that our codec reads and writes again alike."""
    talks: dict[tuple[str, int], tuple[StreamAssembler, list[Exchange]]] = {}
    release = ""
    for path in sorted(capture.glob("segments/*.wpseg")):
        with path.open("rb") as file:
            release = str(segment_facts(file)["release"])
            for entry in read_segment(file):
                if isinstance(entry, SegmentEntry) and entry.connection:
                    talk = talks.setdefault((path.name, entry.connection), (StreamAssembler(), []))
                    talk[1].extend(each for each in talk[0].feed(entry) if isinstance(each, Exchange))
    naming = FrameIdentifier(load_snapshot(table().find(release)))
    sound = [[each for each in exchanges if is_sound(naming, each)] for _, exchanges in talks.values()]
    return release, [each for each in sound if each]


def is_sound(naming: FrameIdentifier, exchange: Exchange) -> bool:
    names = naming.exchange(exchange)
    for named, frame in ((names.request, exchange.request), (names.response, exchange.response)):
        if not isinstance(named, FrameType) or len(frame.data) > LARGEST:
            return False
        codec = naming.codec(named)
        if codec.encode(*codec.decode(frame.data)) != frame.data:
            return False
    return True


class Varying:
    """Frames of one layout, again with other content."""

    def __init__(self, naming: FrameIdentifier, named: FrameType) -> None:
        self._codec = naming.codec(named)
        self._vary = struct_of(named.layout.root)

    def again(self, data: bytes, rng: random.Random) -> bytes:
        header, body = self._codec.decode(data)
        self._vary(body, rng)
        return self._codec.encode(header, body)


Vary = Callable[[Any, random.Random], Any]


def struct_of(struct: StructLayout) -> Vary:
    fields = [(each.name, vary) for each in struct.all_fields if (vary := field_of(each)) is not None]

    def vary_struct(value: Any, rng: random.Random) -> Any:
        for name, vary in fields:
            given = value.get(name)
            if given is not None:
                value[name] = vary(given, rng)
        return value

    return vary_struct


def field_of(field: FieldLayout) -> Vary | None:
    one = struct_of(field.struct) if field.struct is not None else scalar_of(field)
    if one is None or field.name in KEPT:
        return None
    if not field.is_array:
        return one
    return lambda value, rng: [None if each is None else one(each, rng) for each in value]


def scalar_of(field: FieldLayout) -> Vary | None:
    match field.scalar:
        case ScalarType.INT32 | ScalarType.INT64:
            return number
        case ScalarType.STRING:
            return text
        case ScalarType.BYTES:
            return lambda value, rng: rng.randbytes(len(value))
        case ScalarType.UUID:
            return lambda value, rng: value if value.int < 100 else uuid.UUID(int=rng.getrandbits(128))
        case _:
            return None


def number(value: int, rng: random.Random) -> int:
    """Another number of as many bits; small ones mean something, and stay."""
    return value if value < 4 else rng.randrange(1 << value.bit_length() - 1, 1 << value.bit_length())


_LETTERS = "".join(random.Random(0).choices("abcdefghijklmnopqrstuvwxyz0123456789-", k=1 << 16))


def text(value: str, rng: random.Random) -> str:
    """Another text of as many characters; of one beyond ASCII itself."""
    if not value.isascii() or value.startswith("__"):
        return value
    start = rng.randrange(len(_LETTERS) - len(value)) if len(value) < len(_LETTERS) else 0
    return _LETTERS[start : start + len(value)]


if __name__ == "__main__":
    main()
