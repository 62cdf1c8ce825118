"""Compare the speed of two versions of wireproof: both run the same programs, in turns.

    python benchmarks/same_speed.py --before COMMIT [--after FOLDER] [--rounds N] [--only NAME]

Measures processor seconds, user and system, of the program and of all processes that it waits for. A round
runs both versions, and every other round begins with the other one. The ratio of a program is the median of
after / before over the rounds. Exits with 1 if a ratio is above 1.05. A version is a checkout or a commit.
"""

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from same_verdicts import HERE, Checkout, checkout

AT_MOST: Final = 1.05
LOOPS: Final = 1000
RUN: Final = ("-m", "wireproof", "run", "--jobs", "1")
PROGRAMS: Final = {
    "kafkawire: encode and decode": (str(HERE / "same_speed.py"), "--measured"),
    "run, FetchRequest": (*RUN, "--message", "FetchRequest"),
    "bulk, FetchResponse": (
        *(*RUN, "--cell", "4.4.0/FetchResponse/17"),
        *("--phase", "bulk", "--cases", "10000"),
    ),
}
"""Programs by their names."""


def main() -> int:
    options = _options()
    if options.measured:
        _encode_and_decode(Path(options.after))
        return 0
    chosen = {name: program for name, program in PROGRAMS.items() if options.only in name}
    slower = 0
    with contextlib.ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        before, after = (
            Checkout(stack.enter_context(checkout(text)).resolve(), work / side)
            for side, text in (("before", options.before), ("after", options.after))
        )
        for name, program in chosen.items():
            slower += _compare(name, program, before, after, options.rounds)
    return 1 if slower else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare the speed of two versions of wireproof.")
    parser.add_argument("--before", default="HEAD", help="a checkout or a commit")
    parser.add_argument("--after", default=str(HERE.parent), help="a checkout or a commit")
    parser.add_argument("--rounds", type=int, default=5, help="how often each version runs a program")
    parser.add_argument("--only", default="", help="only the programs whose name has this text")
    parser.add_argument("--measured", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _compare(name: str, program: tuple[str, ...], before: Checkout, after: Checkout, rounds: int) -> bool:
    """Run a program in turns and print the medians; return true if the second version is slower."""
    pairs = []
    for number in range(rounds):
        order = (before, after) if number % 2 == 0 else (after, before)
        ran = {side.root: side.run(program, f"{name} {number}") for side in order}
        runs = [ran[side.root] for side in (before, after)]
        if any(run.exit_code for run in runs):
            sys.exit(f"{name}: {program} ended with {[run.exit_code for run in runs]}")
        pairs.append((runs[0].seconds, runs[1].seconds))
    ratios = sorted(new / old for old, new in pairs)
    ratio = statistics.median(ratios)
    old, new = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(
        f"{name:30}{old:8.2f} and {new:8.2f} s; after / before {ratio:.3f}"
        f" ({ratios[0]:.3f} to {ratios[-1]:.3f}), at most {AT_MOST}",
        flush=True,
    )
    return ratio > AT_MOST


def _encode_and_decode(root: Path) -> None:
    """Encode and decode a large response, with the kafkawire on `PYTHONPATH`."""
    from kafkawire.compiler import compile_layout
    from kafkawire.schema import from_snapshot, resolve

    snapshot = json.loads((root / "corpus" / "schemas" / "4.4.0.json").read_text("utf-8"))
    codec = compile_layout(resolve(from_snapshot(snapshot).find("MetadataResponse")[1], 12))
    value = _metadata()
    data = codec.encode(value)
    started = time.process_time()
    for _ in range(LOOPS):
        codec.encode(value)
        codec.decode(data)
    print(f"{time.process_time() - started:.3f} s of processor time without the start")


def _metadata() -> dict[str, Any]:
    """Return a value of 100 topics with 12 partitions each."""
    nodes = [1, 2, 3]
    partition: dict[str, Any] = {"errorCode": 0, "leaderId": 1, "leaderEpoch": 7}
    partition |= {"replicaNodes": nodes, "isrNodes": nodes, "offlineReplicas": []}
    topics = [
        {"errorCode": 0, "name": f"topic-{topic:03}", "isInternal": False}
        | {"partitions": [{**partition, "partitionIndex": index} for index in range(12)]}
        for topic in range(100)
    ]
    brokers = [{"nodeId": node, "host": f"b{node}.example.org", "port": 9092} for node in nodes]
    return {"brokers": brokers, "clusterId": "I1xYAwzuSt2kZuMHMEOzWw", "controllerId": 1, "topics": topics}


if __name__ == "__main__":
    sys.exit(main())
