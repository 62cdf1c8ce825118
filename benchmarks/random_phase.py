"""What judging costs beside drawing: the random phase with all checks, against the bare engine.

    python benchmarks/random_phase.py [--examples N] [--rounds N] CELL...

Both sides run Hypothesis with the same strategy, seed and number of examples in one process; the bare one
has an empty body, the other every check against Kafka's classes. Rounds alternate; medians are compared.
Exits 1 where the ratio is below what the project promises.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from wireproof.cli.store import open_store
from wireproof.cli.wiring import make_bench, prepare
from wireproof.model import Cell, Phase
from wireproof.releases import table
from wireproof.run import RunOptions
from wireproof.run.prover import CellProver
from wireproof.strategies import from_layout
from wireproof.strategies.search import search

PROMISED = 0.60
CELLS = [
    "FetchRequest/17",
    "MetadataResponse/13",
    "ApiVersionsRequest/3",
    "ProduceRequest/9",
    "JoinGroupResponse/9",
]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cells", nargs="*", default=CELLS, metavar="MESSAGE/VERSION")
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    prepared = prepare([table().find("newest")], open_store(None, False), ["compiled", "interpreted"])
    bench = make_bench(prepared)()
    ratios = []
    print(f"{'cell':28}{'bare/s':>10}{'all checks/s':>14}{'ratio':>8}")
    for name in options.cells:
        message, version = name.split("/")
        module, _ = prepared.parts[0].schemas.find(message)
        cell = Cell(prepared.parts[0].release.version, module, message, int(version))
        bare, full = [], []
        for round_ in range(options.rounds + 1):
            pair = (
                _rate(options.examples, lambda cell=cell: _bare(bench, cell, options.examples)),
                _rate(options.examples, lambda cell=cell: _full(bench, cell, options.examples)),
            )
            if round_:  # the first one warms up: codecs are compiled, the JVM starts
                bare.append(pair[0])
                full.append(pair[1])
        ratio = statistics.median(full) / statistics.median(bare)
        ratios.append(ratio)
        print(f"{name:28}{statistics.median(bare):10,.0f}{statistics.median(full):14,.0f}{ratio:8.2f}")
    middle = statistics.median(ratios)
    print(f"median ratio {middle:.2f}; promised at least {PROMISED:.2f}")
    return 0 if middle >= PROMISED else 1


def _rate(examples: int, run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return examples / (time.perf_counter() - start)


def _bare(bench: Any, cell: Cell, examples: int) -> None:
    def found(value: dict[str, Any]) -> None:
        raise AssertionError("the empty body found something")

    search(
        from_layout(bench.layouts.of(cell)),
        lambda value: True,
        examples=examples,
        seed=0,
        shrink_s=0,
        found=found,
    )


def _full(bench: Any, cell: Cell, examples: int) -> None:
    options = RunOptions(phases=(Phase.RANDOM,), examples=examples)
    done = CellProver(bench, options, cell, lambda event: None, lambda phase, names: None).prove()
    assert not done.failed_cases, done


if __name__ == "__main__":
    sys.exit(main())
