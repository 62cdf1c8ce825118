"""The cost of judging beside drawing: the random phase with all checks, against the bare engine.

    python benchmarks/random_phase.py [--examples N] [--rounds N] CELL...

The bare engine is Hypothesis with an empty body: it draws one instance an example, as a plain Hypothesis test
does. The random phase draws the same number of instances in groups, and makes every check against Kafka's
classes. Rounds alternate; medians of processor time are compared, so that other work on the machine changes
them little. Exits 1 where the median ratio of the messages, or the least, is below what the project promises.

The last column promises nothing: the ratio to an empty body that draws the same groups. It is lower, because
groups make drawing cheaper and leave judging as it is.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from wireproof import RunConfig
from wireproof.app.assembly.run_plan import plan_run
from wireproof.model import Cell
from wireproof.proof.run import RunOptions, WorkerEnvironment
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies import from_layout
from wireproof.proof.strategies.drawing.search import search

PROMISED = 0.60
"""The median over the messages."""
LEAST = 0.50
"""No message is below it."""
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
    patterns = [f"*/{name}" for name in options.cells]
    plan = plan_run(RunConfig.of(phase="random", cell=patterns, examples=options.examples))
    environment = plan.make_environment()
    cells = {f"{cell.message}/{cell.version}": cell for cell in plan.cells}
    ratios = []
    print(f"{'cell':28}{'bare/s':>10}{'all checks/s':>14}{'ratio':>8}{'groups/s':>10}{'ratio':>8}")
    for name in options.cells:
        rates = _rates(environment, plan.options, cells[name], options.rounds)
        bare, full, groups = (statistics.median(each) for each in zip(*rates, strict=True))
        ratios.append(full / bare)
        print(f"{name:28}{bare:10,.0f}{full:14,.0f}{full / bare:8.2f}{groups:10,.0f}{full / groups:8.2f}")
    middle = statistics.median(ratios)
    least = min(ratios)
    print(f"median ratio {middle:.2f}; promised at least {PROMISED:.2f}")
    print(f"least ratio {least:.2f}; promised at least {LEAST:.2f}")
    return 0 if middle >= PROMISED and least >= LEAST else 1


def _rates(
    environment: WorkerEnvironment, options: RunOptions, cell: Cell, rounds: int
) -> list[tuple[float, ...]]:
    """Instances a second of each way, round by round."""
    ways = (_bare, _full, _groups)
    done = [
        tuple(_rate(options.examples, partial(way, environment, options, cell)) for way in ways)
        for _ in range(rounds + 1)
    ]
    return done[1:]  # the first one warms up: codecs are compiled, the JVM starts


def _rate(examples: int, run: Callable[[], None]) -> float:
    start = time.process_time()
    run()
    return examples / (time.process_time() - start)


def _bare(environment: WorkerEnvironment, options: RunOptions, cell: Cell) -> None:
    groups = from_layout(environment.layouts.of(cell)).map(_alone)
    search(groups, _proven, examples=options.examples, seed=0, shrink_s=0, found=_unexpected)


def _alone(value: dict[str, Any]) -> list[dict[str, Any]]:
    """A group of one; not a lambda, whose source Hypothesis would look up."""
    return [value]


def _groups(environment: WorkerEnvironment, options: RunOptions, cell: Cell) -> None:
    environment.source.search(
        environment.layouts.of(cell),
        _proven,
        examples=options.examples,
        seed=0,
        shrink_s=0,
        found=_unexpected,
    )


def _proven(value: dict[str, Any]) -> bool:
    return True


def _unexpected(value: dict[str, Any]) -> None:
    raise AssertionError("the empty body found something")


def _full(environment: WorkerEnvironment, options: RunOptions, cell: Cell) -> None:
    done = CellProver(environment, options, cell, lambda event: None, lambda phase, names: None).prove()
    assert not done.failed_cases, done


if __name__ == "__main__":
    sys.exit(main())
