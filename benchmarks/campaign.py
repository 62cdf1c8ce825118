"""A campaign on Spark against `wireproof run` on the same cores: instances a second a core, side by side.

    python benchmarks/campaign.py [--cases N] [--cell RELEASE/MESSAGE/VERSION ...] [--cores 1 2]

Both prove the same instances of the same cells with every check against Kafka's classes. Each way runs twice,
with N and with 3N instances a cell, and its rate is that of the difference: starts, jars and the first
compilation cancel out. Where one core is measured, all processes are held to it, Java's compilers among them.
Exits 1 where a campaign does less than it promises: 80 % of the single machine's rate.

The defaults take some 15 minutes. They are for a machine that does nothing else.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PROMISED = 0.8
LONGER = 3


@dataclass(frozen=True, slots=True)
class Way:
    """A way to prove the instances.

    Args:
        words: the command without cells, cases and output.
        cores: that it may use.
    """

    name: str
    words: Sequence[str]
    cores: int
    spark: bool = False


def ways(cores: int) -> tuple[Way, Way]:
    bulk = ["run", "--phase", "enumerated", "--phase", "bulk", "--jobs", str(cores)]
    return (
        Way(f"run --jobs {cores}", bulk, cores),
        Way(f"campaign on local[{cores}]", ["campaign", "--master", f"local[{cores}]"], cores, spark=True),
    )


def seconds(way: Way, cells: Sequence[str], cases: int) -> float:
    """A run from its start to its end."""
    held = sorted(os.sched_getaffinity(0))[: way.cores]
    pinned = ["taskset", "-c", ",".join(map(str, held))]
    with tempfile.TemporaryDirectory(prefix="wireproof-benchmark-") as folder:
        output = ["--output", str(Path(folder, "out"))] if way.spark else []
        command = [
            *pinned,
            *(sys.executable, "-m", "wireproof", *way.words, *cells, "--cases", str(cases), "--offline"),
            *output,
        ]
        started = time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        spent = time.monotonic() - started
    if done.returncode:
        sys.exit(f"{way.name} ended with {done.returncode}:\n{done.stderr}")
    print(f"  {way.name:24} {cases:10,} instances a cell: {spent:8.1f} s  {done.stderr.splitlines()[-1]}")
    return spent


def rate(way: Way, cells: Sequence[str], number: int, cases: int) -> float:
    """Instances a second a core, beyond what a start costs."""
    short, long = seconds(way, cells, cases), seconds(way, cells, LONGER * cases)
    if long <= short:
        sys.exit("more instances took no longer: give --cases a larger number")
    return (LONGER - 1) * cases * number / (long - short) / way.cores


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=150_000, help="a cell, in the shorter run")
    parser.add_argument("--cell", nargs="+", default=["4.4.0/FetchRequest/12", "4.4.0/MetadataResponse/12"])
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    cells = [word for pattern in options.cell for word in ("--cell", pattern)]
    kept = True
    for cores in options.cores:
        print(f"{cores} cores:" if cores > 1 else "1 core:")
        alone, spark = (rate(way, cells, len(options.cell), options.cases) for way in ways(cores))
        kept = kept and spark >= PROMISED * alone
        print(f"  alone {alone:,.0f}, campaign {spark:,.0f} instances a second a core: {spark / alone:.2f}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
