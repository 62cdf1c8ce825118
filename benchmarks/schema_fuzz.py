"""The speed of `wireproof schema fuzz`, and where the time goes.

    python benchmarks/schema_fuzz.py [--count N] [--plain N]

Compares N schemas in one process: drawing, the front end, Kafka's generator with javac, the values; then,
without Java, drawing, front end and round trip. Seconds are the CPU's own, because other programs run
meanwhile. The promised rates on two cores are 20 a second with Java and 1,000 without: 100 ms and 2 ms
of CPU for each. Exits 1 if a schema costs more.
"""

import argparse
import sys
import time
from collections.abc import Callable

from wireproof.app.assembly.schema_fuzz_setup import comparer_maker, fuzz_release
from wireproof.definitions.fuzz import FuzzPlan, compare_block
from wireproof.kafka.releases import JarStore

JAVA_MS = 100.0
PLAIN_MS = 2.0


def cost_ms(work: Callable[[], object], count: int) -> float:
    """Milliseconds of CPU for each schema."""
    started = time.process_time()
    work()
    return (time.process_time() - started) / count * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=512)
    parser.add_argument("--plain", type=int, default=5000)
    given = parser.parse_args()
    release = fuzz_release("newest")
    costs = {}
    for java, count, most_ms in ((True, given.count, JAVA_MS), (False, given.plain, PLAIN_MS)):
        comparer = comparer_maker(release, JarStore() if java else None, peak=True)()
        compare_block(comparer, FuzzPlan(release, 1, 64, java=java))  # starts Java
        blocks = FuzzPlan(release, 0, count, java=java).blocks()

        def work(comparer=comparer, blocks=blocks) -> None:  # type: ignore[no-untyped-def]
            for block in blocks:
                compare_block(comparer, block)

        costs[java] = cost_ms(work, count)
        name = "with Java" if java else "without Java"
        rate = 1000 / costs[java]
        print(f"{name}: {costs[java]:.2f} ms of CPU a schema, {rate:.0f}/s a core (at most {most_ms} ms)")
    return int(costs[True] > JAVA_MS or costs[False] > PLAIN_MS)


if __name__ == "__main__":
    sys.exit(main())
