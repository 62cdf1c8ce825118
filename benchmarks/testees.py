"""What a testee costs: many questions in flight against one at a time.

A case is a value of ApiVersionsRequest 3: the testee encodes it and decodes its bytes; both answers are
compared with what our own codec says, as the run compares them. Kafka's classes are not asked.

    python benchmarks/testees.py [--testee go-franz-go-kmsg] [--cases 100000] [--memory 0]
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.schema import resolve
from wireproof.cli.store import open_store
from wireproof.cli.wiring import open_testee
from wireproof.model import Cell, Decode, Decoded, Encode, Encoded
from wireproof.releases import load_snapshot, table
from wireproof.testees import TesteeAdapter, prepare_testee

RELEASE = "4.4"
MESSAGE, VERSION = "ApiVersionsRequest", 3
BATCH = 1024


def values(count: int) -> Iterator[dict[str, Any]]:
    for index in range(count):
        yield {"clientSoftwareName": f"client-{index}", "clientSoftwareVersion": f"{index % 100}.0"}


class Bench:
    """One testee and what its answers have to be."""

    def __init__(self, word: str) -> None:
        (release,) = table().choose(RELEASE)
        module, spec = load_snapshot(release).find(MESSAGE)
        self.cell = Cell(release.version, module, MESSAGE, VERSION)
        self.layout = resolve(spec, VERSION)
        self.codec = compile_layout(self.layout)
        self.form = canonical(self.layout)
        launch = prepare_testee(word, Path(open_store(None, True).cache_dir), print)
        self.testee = open_testee(launch)
        self.adapter = TesteeAdapter(self.testee, {})
        self.testee.hello()

    def judge(self, batch: list[dict[str, Any]]) -> None:
        """Two questions for each value; every answer is looked at."""
        encoded = self.adapter.ask(self.cell, self.layout, [Encode(value) for value in batch])
        bodies = [reply.data for reply in encoded if isinstance(reply, Encoded)]
        decoded = self.adapter.ask(self.cell, self.layout, [Decode(body) for body in bodies])
        for value, body, reply in zip(batch, bodies, decoded, strict=True):
            right = body == self.codec.encode(value) and isinstance(reply, Decoded)
            if not right or self.form.to_binary(reply.value) != self.form.to_binary(value):  # type: ignore[union-attr]
                raise SystemExit(f"the testee is wrong about {value}: {body.hex()}, {reply}")

    def rate(self, cases: int, batch: int) -> float:
        """Cases a second of wall-clock time."""
        every = list(values(cases))
        self.judge(every[:batch])
        start = time.perf_counter()
        for at in range(0, cases, batch):
            self.judge(every[at : at + batch])
        return cases / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--testee", default="go-franz-go-kmsg")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--memory", type=int, default=0, help="cases after which memory is looked at again")
    options = parser.parse_args()
    bench = Bench(options.testee)
    alone = bench.rate(options.cases // 20, 1)
    many = bench.rate(options.cases, BATCH)
    again = bench.rate(options.cases // 20, 1)
    one = max(alone, again)
    print(
        f"{options.testee}: {many:,.0f} cases/s in flight, {one:,.0f} one at a time: {many / one:.1f} times"
    )
    if options.memory:
        me = psutil.Process()
        before = me.memory_info().rss
        for _ in range(options.memory // options.cases):
            bench.rate(options.cases, BATCH)
        grown = (me.memory_info().rss - before) >> 20
        print(f"after {options.memory:,} cases more this process holds {grown} MiB more")
    bench.testee.close()


if __name__ == "__main__":
    main()
