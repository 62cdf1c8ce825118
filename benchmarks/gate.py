"""The gate: how long the commands take that people wait for, and how much memory they use.

    python benchmarks/gate.py

Jars must be in the cache (`wireproof releases --fetch`). Each command runs as a process of its own; its
time is the wall clock, its memory the largest resident set of it and of each of its children.
Exits 1 where a figure is above what the project promises for two cores.
"""

import os
import resource
import statistics
import subprocess
import sys
import time

GATE = ["run", "--module", "clients", "--phase", "enumerated"]
ONE_CELL = ["run", "--cell", "4.4.0/FetchRequest/12"]
HELP_FACTOR = 8
MEMORY_MIB = 1024


def main() -> int:
    failed = 0
    bare = _median([sys.executable, "-c", "pass"], rounds=9)
    help_ = _median([sys.executable, "-m", "wireproof", "--help"], rounds=9)
    failed += _report("--help, times a bare interpreter", help_ / bare, HELP_FACTOR)
    failed += _report(
        "one cell, seconds", _median([sys.executable, "-m", "wireproof", *ONE_CELL], rounds=3), 3
    )
    failed += _report("gate, seconds", _median([sys.executable, "-m", "wireproof", *GATE], rounds=1), 60)
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    failed += _report("largest process, MiB", largest, MEMORY_MIB)
    return 1 if failed else 0


def _median(command: list[str], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        ran = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ, check=False
        )
        times.append(time.perf_counter() - start)
        if ran.returncode:
            sys.exit(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stderr.decode()}")
    return statistics.median(times)


def _report(what: str, figure: float, most: float) -> bool:
    print(f"{what:36}{figure:10.2f}  promised at most {most}")
    return figure > most


if __name__ == "__main__":
    sys.exit(main())
