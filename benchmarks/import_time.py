"""The cost of `import wireproof`: milliseconds of a fresh interpreter, and the modules that cost the most.

    python benchmarks/import_time.py [--runs N] [--name NAME] [--top N]

Starts `python -c pass` and `python -c "import wireproof"` in turns, N times each, and compares the medians of
the wall clock. Then one interpreter with `-X importtime` says which of the modules that the import adds cost
the most by themselves. `--name RunConfig` measures the first use of a name of the package in place of the
bare import. Byte code is read from a cache, as after an installation. Exits 1 where the bare import costs
more than is promised, 100 ms beyond the interpreter.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Final, NamedTuple

PROMISED_MS: Final = 100
_LINE: Final = re.compile(r"import time: +(\d+) \| +(\d+) \| ( *)(\S+)")
_BARE: Final = "pass"


class Module(NamedTuple):
    """A module that an interpreter imported.

    Attributes:
        own_us: microseconds in the module itself, without those that it imports.
        whole_us: microseconds with those that it imports first.
    """

    name: str
    own_us: int
    whole_us: int


def main() -> int:
    """Read the options, and give the interpreters a cache for byte code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=25, help="of each program")
    parser.add_argument("--name", help="a name of the package to use, such as RunConfig")
    parser.add_argument("--top", type=int, default=10, help="so many modules are listed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wireproof-benchmark-") as cache:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = cache
        return measure(options)


def measure(options: argparse.Namespace) -> int:
    """Measure both programs; the exit code."""
    program = "import wireproof" + (f"; wireproof.{options.name}" if options.name else "")
    bare_ms, import_ms = medians((_BARE, program), options.runs)
    print(f"python -c {_BARE!r:40}{bare_ms:8.1f} ms, median of {options.runs}")
    print(f"python -c {program!r:40}{import_ms:8.1f} ms")
    cost_ms = import_ms - bare_ms
    known = {module.name for module in imported(_BARE)}
    added = [module for module in imported(program) if module.name not in known]
    print(f"the import costs {cost_ms:.1f} ms and adds {len(added)} modules; those that cost the most:")
    for module in sorted(added, key=lambda module: -module.own_us)[: options.top]:
        print(
            f"  {module.name:40}{module.own_us / 1000:8.2f} ms, with its imports {module.whole_us / 1000:.2f}"
        )
    if options.name:
        return 0
    print(f"promised at most {PROMISED_MS} ms")
    return 1 if cost_ms > PROMISED_MS else 0


def medians(programs: tuple[str, ...], runs: int) -> list[float]:
    """Milliseconds of each program, the median of its runs; the programs take turns."""
    for program in programs:
        _run(program)  # byte code is written, files are in memory
    rounds = [[_run_ms(program) for program in programs] for _ in range(runs)]
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def _run_ms(program: str) -> float:
    start = time.perf_counter()
    _run(program)
    return (time.perf_counter() - start) * 1000


def imported(program: str) -> list[Module]:
    """The modules that an interpreter with that program imports, each with its cost."""
    found = map(_LINE.match, _run(program, "-X", "importtime").splitlines())
    return [Module(line[4], int(line[1]), int(line[2])) for line in found if line]


def _run(program: str, *flags: str) -> str:
    """Run a program in a fresh interpreter; its standard error."""
    done = subprocess.run(
        [sys.executable, *flags, "-c", program], stderr=subprocess.PIPE, text=True, check=True
    )
    return done.stderr


if __name__ == "__main__":
    sys.exit(main())
