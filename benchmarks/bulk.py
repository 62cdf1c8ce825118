"""The cost of volume: the bulk phase of one cell with every check against Kafka's classes, and its pieces.

    python benchmarks/bulk.py [--cases N] [--most N] [MESSAGE/VERSION]

Draws, encodes, decodes and judges in one process on one thread, as a worker of `wireproof run --phase bulk`
does. First the pieces, each alone over the same instances; then the whole phase; then the phase with twice as
many cases again and again, with what the process then holds. Seconds are of the clock; the CPU's own are
beside them for machines that do other work meanwhile. Exits 1 where less than is promised comes out: 5,000
cases a second, and a case no dearer by a quarter in the longest round than in the first.
"""

import argparse
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout, interpret_layout
from kafkawire.schema import FieldLayout, StructLayout
from wireproof import RunConfig
from wireproof.app.assembly.run_plan import plan_run
from wireproof.model import Cell, Phase
from wireproof.proof.run import RunOptions, WorkerEnvironment
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies import BLOCK_CASES, bulk_block

PROMISED = 5000
DEARER = 1.25
PIECE_CASES = 40 * BLOCK_CASES


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds by the clock and by the CPU (of this thread: the compilers of Java work beside it)."""

    wall_s: float
    cpu_s: float


def spent(run: Callable[[], object]) -> Spent:
    wall, cpu = time.perf_counter(), time.thread_time()
    run()
    return Spent(time.perf_counter() - wall, time.thread_time() - cpu)


def phase(
    environment: WorkerEnvironment, planned: RunOptions, cell: Cell, cases: int, first: int = 0
) -> None:
    """The bulk phase as a worker runs it."""
    options = replace(planned, cases=cases, first_case=first)
    done = CellProver(environment, options, cell, lambda event: None, lambda phase, names: None).prove()
    assert not done.failed_cases, done
    assert done.cases[Phase.BULK] == cases, done


def leaves(struct: StructLayout, value: dict[str, Any]) -> int:
    """Return the number of scalars of a complete value."""
    return sum(_leaves(field, value[field.name]) for field in struct.all_fields)


def _leaves(field: FieldLayout, value: Any) -> int:
    if value is None or (field.struct is None and not field.is_array):
        return 1
    if not field.is_array:
        return leaves(field.struct, value)
    return len(value) if field.struct is None else sum(leaves(field.struct, each) for each in value)


def pieces(environment: WorkerEnvironment, cell: Cell) -> None:
    """Each step of a case alone, in microseconds of CPU a case: of each batch the best of three."""
    layout, oracle = environment.layouts.of(cell), environment.oracles[cell.release]
    form, compiled, interpreted = canonical(layout), compile_layout(layout), interpret_layout(layout)
    costs: Counter[str] = Counter()
    sizes, numbers = [], []

    def timed(name: str, do: Callable[[Any], Any], *batch: Any) -> Any:
        runs = []
        for _ in range(3):
            start = time.thread_time()
            out = do(*batch)
            runs.append(time.thread_time() - start)
        costs[name] += min(runs) / PIECE_CASES * 1e6
        return out

    for block in range(PIECE_CASES // BLOCK_CASES):
        values = timed("draw", lambda block: bulk_block(layout, 1, block), block)
        binaries = timed("canonical form", lambda them: [*map(form.to_binary, them)], values)
        bodies = timed("encode", lambda them: [*map(compiled.encode, them)], values)
        timed("size", lambda them: [*map(compiled.size, them)], values)
        back = timed("decode", lambda them: [*map(compiled.decode, them)], bodies)
        timed("canonical form of what was decoded", lambda them: [*map(form.to_binary, them)], back)
        timed("oracle writes", lambda them: oracle.write(cell, layout, them), binaries)
        timed("oracle reads", lambda them: oracle.reread(cell, layout, them), bodies)
        timed(
            "(interpreted: encode, size, decode)",
            lambda them: [_all(interpreted, one) for one in them],
            values,
        )
        sizes += map(len, bodies)
        numbers += [leaves(layout.root, value) for value in back]
    print(
        f"{cell.message} version {cell.version}: on average {statistics.mean(numbers):.0f} leaves and "
        f"{statistics.mean(sizes):.0f} bytes (median {statistics.median(sizes):.0f}, most {max(sizes):,})"
    )
    for name, cost in costs.items():
        print(f"  {name:38}{cost:8.1f} us")
    total = sum(cost for name, cost in costs.items() if not name.startswith("("))
    print(f"  {'sum, but for what is in brackets':38}{total:8.1f} us")


def _all(codec: Any, value: dict[str, Any]) -> None:
    codec.decode(codec.encode(value))
    codec.size(value)


def growth(environment: WorkerEnvironment, planned: RunOptions, cell: Cell, cases: int, most: int) -> bool:
    """Ever twice as many cases; whether the last ones cost no more than the first."""
    print(f"{'cases':>12}{'seconds':>10}{'CPU s':>10}{'cases/s':>10}{'us CPU':>9}{'MB held':>9}")
    costs = []
    while cases <= most:
        one = spent(lambda cases=cases: phase(environment, planned, cell, cases))
        costs.append((cases, one.cpu_s))
        print(
            f"{cases:12,}{one.wall_s:10.1f}{one.cpu_s:10.1f}{cases / one.wall_s:10,.0f}"
            f"{one.cpu_s / cases * 1e6:9.1f}{_held_mb():9.0f}"
        )
        cases *= 2
    if len(costs) < 2:
        return True
    (few, first), (many, last) = costs[0], costs[-1]
    exponent = math.log(last / first) / math.log(many / few)
    dearer = (last / many) / (first / few)
    print(
        f"time grows with the number of cases to the power of {exponent:.3f}; a case costs {dearer:.2f} times"
    )
    return dearer <= DEARER


def _held_mb() -> float:
    """Resident memory of the process now, the JVM in it."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cell", nargs="?", default="FetchRequest/12", metavar="MESSAGE/VERSION")
    parser.add_argument("--cases", type=int, default=50_000, help="of the first round")
    parser.add_argument("--most", type=int, default=200_000, help="of the last round: 10000000 for the law")
    options = parser.parse_args()
    message, version = options.cell.split("/")
    config = RunConfig.of(phase="bulk", message=message, message_version=version, cases=options.most)
    plan = plan_run(config)
    environment, (cell,) = plan.make_environment(), plan.cells
    phase(environment, plan.options, cell, 20_000)  # codecs are compiled, Java warms up
    pieces(environment, cell)
    whole = spent(lambda: phase(environment, plan.options, cell, options.cases, first=1_000_000))
    rate = options.cases / whole.wall_s
    print(
        f"the whole phase: {rate:,.0f} cases a second by the clock, "
        f"{options.cases / whole.cpu_s:,.0f} by the CPU; promised {PROMISED:,}"
    )
    steady = growth(environment, plan.options, cell, options.cases, options.most)
    return 0 if rate >= PROMISED and steady else 1


if __name__ == "__main__":
    sys.exit(main())
