"""Bounds of time and memory to decode hostile bytes, and of the time to compile a layout.

    PYTHONPATH=codecs python benchmarks/codec_bounds.py

For each array of each cell of 4.4.0, 64 kB of elements as small as can be are decoded, whole and with
the last byte cut off, which is the longest way to a refusal. CPU time of one thread, the collector of
garbage at rest. Memory is the peak that Python allocates while a codec decodes: all arrays at 4 kB, and those
that take most at 64 kB and at 256 kB. Ends with 1 where a decoding takes more than 50 ms or 128 times
the memory of its input, or compiling one function 3 ms on the average.
"""

import gc
import json
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

from kafkawire.canonical import Canonical
from kafkawire.compiler import MessageCodec
from kafkawire.compiler.compiled import CompiledCodec
from kafkawire.compiler.interpreted import InterpretedCodec
from kafkawire.errors import DecodeError
from kafkawire.schema import MessageLayout, StructLayout, from_snapshot, resolve
from kafkawire.schema.layout import FieldLayout

SNAPSHOT = Path(__file__).parents[1] / "corpus" / "schemas" / "4.4.0.json"
FRAME_BYTES = 65000
SMALL_BYTES = 4000
MOST_LOOKED_AT = 4
MOST_MS, MOST_COMPILE_MS, MOST_MEMORY = 50.0, 3.0, 128.0

Build = Callable[[Any], dict[str, Any]]


def layouts() -> list[MessageLayout]:
    """Every cell of the release."""
    schemas = from_snapshot(json.loads(SNAPSHOT.read_text(encoding="utf-8")))
    return [resolve(spec, version) for _, spec in schemas for version in spec.valid_versions]


def smallest(struct: StructLayout) -> dict[str, Any]:
    """A struct in as few bytes as can be: null or empty wherever that is allowed."""
    return {field.name: smallest_value(field) for field in struct.fields}


def smallest_value(field: FieldLayout) -> Any:
    if field.nullable:
        return None
    if field.is_array:
        return []
    if field.struct is not None:
        return smallest(field.struct)
    return {"string": "", "bytes": b"", "records": b""}.get(str(field.scalar), field.default)


def element(field: FieldLayout) -> Any:
    if field.struct is not None:
        return smallest(field.struct)
    values = {"string": "", "bytes": b"", "records": b"", "bool": False, "uuid": UUID(int=1), "float64": 0.0}
    return values.get(str(field.scalar), 0)


def arrays(struct: StructLayout, build: Build, path: str = "") -> Iterator[tuple[str, Callable[[int], Any]]]:
    """Each array: its path, and what makes a message with so many elements in it."""
    for field in struct.all_fields:

        def wrap(inner: Any, field: FieldLayout = field) -> dict[str, Any]:
            return build({**smallest(struct), field.name: [inner] if field.is_array else inner})

        if field.is_array:

            def fill(count: int, field: FieldLayout = field) -> dict[str, Any]:
                return build({**smallest(struct), field.name: [element(field)] * count})

            yield f"{path}{field.name}", fill
        if field.struct is not None:
            yield from arrays(field.struct, wrap, f"{path}{field.name}.")


def timed_ms(call: Callable[[], Any]) -> float:
    start = time.process_time()
    with suppress(DecodeError):
        call()
    return (time.process_time() - start) * 1e3


def decode_times(layout: MessageLayout) -> Iterator[tuple[float, str]]:
    codec = CompiledCodec(layout)
    codec.decode(codec.encode(smallest(layout.root)))
    for path, fill in arrays(layout.root, lambda value: value):
        count = FRAME_BYTES * 1000 // codec.size(fill(1000))
        data = codec.encode(fill(count))
        for title, frame in (("whole", data), ("cut", data[:-1])):
            best = min(timed_ms(lambda frame=frame: codec.decode(frame)) for _ in range(3))  # type: ignore[misc]
            yield best, f"{layout.name} v{layout.version} {path}: {count} elements, {title}"


def memory_ratio(codec: MessageCodec, data: bytes) -> float:
    """The peak of memory while some bytes are decoded or refused, in bytes for each of theirs."""
    with suppress(DecodeError):
        codec.decode(data)  # what is made once is not on their bill
    tracemalloc.start(1)
    with suppress(DecodeError):
        codec.decode(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / len(data)


def memory_ratios(layout: MessageLayout) -> Iterator[tuple[float, str, Callable[[int], bytes]]]:
    """For each array what it takes, its title, and what makes a frame of it of about so many bytes."""
    codec = CompiledCodec(layout)
    for path, fill in arrays(layout.root, lambda value: value):
        each = codec.size(fill(1000)) / 1000

        def frame(size: int, fill: Callable[[int], Any] = fill, each: float = each) -> bytes:
            return codec.encode(fill(int(size / each)))

        title = f"{layout.name} v{layout.version} {path}"
        yield memory_ratio(codec, frame(SMALL_BYTES)), title, frame


def most_memory(cells: list[MessageLayout]) -> float:
    """Return the largest ratio of memory, over sizes, codecs, whole and cut frames; print the largest."""
    found = [
        (ratio, title, layout, frame) for layout in cells for ratio, title, frame in memory_ratios(layout)
    ]
    found.sort(key=lambda each: -each[0])
    largest = 0.0
    for _, title, layout, frame in found[:MOST_LOOKED_AT]:
        ratios = [
            memory_ratio(codec, data[: len(data) - cut])
            for codec in (CompiledCodec(layout), InterpretedCodec(layout))
            for data in (frame(FRAME_BYTES), frame(4 * FRAME_BYTES))
            for cut in (0, 1)
        ]
        largest = max(largest, *ratios)
        sys.stdout.write(f"memory {min(ratios):6.1f} to {max(ratios):5.1f} times the input   {title}\n")
    return largest


def compile_times(layout: MessageLayout) -> dict[str, float]:
    value = smallest(layout.root)
    codec, form = CompiledCodec(layout), Canonical(layout)
    times = {"encode": timed_ms(lambda: codec.encode(value))}
    data = codec.encode(value)
    times["decode"] = timed_ms(lambda: codec.decode(data))
    times["size"] = timed_ms(lambda: codec.size(value))
    times["canonical"] = timed_ms(lambda: form.to_binary(value))
    return times


def main() -> int:
    cells = layouts()
    gc.freeze()
    gc.disable()
    compiled = [compile_times(layout) for layout in cells]
    missed = False
    for name in compiled[0]:
        mean = statistics.mean(times[name] for times in compiled)
        missed = missed or mean > MOST_COMPILE_MS
        sys.stdout.write(
            f"compile {name:10} mean {mean:5.2f} ms   most {max(t[name] for t in compiled):5.2f} ms\n"
        )
    slowest = sorted((found for layout in cells for found in decode_times(layout)), reverse=True)[:5]
    for time_ms, title in slowest:
        sys.stdout.write(f"decode {time_ms:6.1f} ms   {title}\n")
    memory = most_memory(cells)
    return 1 if missed or slowest[0][0] > MOST_MS or memory > MOST_MEMORY else 0


if __name__ == "__main__":
    raise SystemExit(main())
