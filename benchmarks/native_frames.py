"""Compare the native codec with the interpreted one over mutated frames, from a seed.

    python benchmarks/native_frames.py [--frames 10000000] [--seed 1]

A frame is a full instance of a random bundled cell with one to three mutations: a byte changed, bytes
removed, inserted or repeated. Both codecs must give the same value, or a refusal of the same class, fault,
path, offset and text. Ends with 1 at the first difference, with the frame in hex.
"""

import argparse
import random
import sys
import time
from typing import Any

from kafkawire.bundled import implementation, layout, messages, releases, versions
from kafkawire.compiler import interpret_layout
from kafkawire.compiler.native import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.schema import MessageLayout
from wireproof.proof.strategies.values.whole_instances import full

FRAMES_OF_A_CELL = 200


def outcome(decode: Any, data: bytes) -> str:
    """Return the value or the refusal as text, in which NaN equals itself."""
    try:
        return repr(decode(data))
    except CodecError as error:
        return f"{type(error).__name__} {error.fault} {error.path} {error.offset} {error}"


def mutated(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        start = draw.randint(0, len(changed))
        stop = min(len(changed), start + draw.randint(1, 4))
        kind = draw.randrange(4)
        if kind == 0 and start < len(changed):
            changed[start] = draw.choice((0, 1, 2, 0x7F, 0x80, 0xFF, draw.randrange(256)))
        elif kind == 1:
            del changed[start:stop]
        elif kind == 2:
            changed[start:start] = draw.randbytes(stop - start)
        else:
            changed[start:start] = changed[start:stop]
    return bytes(changed)


def cells() -> list[MessageLayout]:
    """Every different layout of the bundled releases."""
    names = [(release, message) for release in releases() for message in messages(release)]
    found = {layout(m, v, release=r): None for r, m in names for v in versions(m, r)}
    return list(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if implementation() != "native":
        raise SystemExit("kafkawire-native is not in use: pip install ./codecs/native")
    draw, all_cells, started, refused = random.Random(options.seed), cells(), time.monotonic(), 0
    for done in range(options.frames):
        if done % FRAMES_OF_A_CELL == 0:
            cell = draw.choice(all_cells)
            native, interpreted = fastest_codec(cell), interpret_layout(cell)
            whole = interpreted.encode(full(cell.root, unknown_tags=True))
        data = mutated(whole, draw)
        expected, found = outcome(interpreted.decode, data), outcome(native.decode, data)
        refused += expected.startswith("DecodeError")
        if found != expected:
            sys.stdout.write(
                f"{cell.name} v{cell.version} {data.hex()}\n  native {found}\n  not {expected}\n"
            )
            return 1
    seconds = time.monotonic() - started
    sys.stdout.write(
        f"{options.frames} frames of {len(all_cells)} cells, {refused} refused, {seconds:.0f} s: the same\n"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
