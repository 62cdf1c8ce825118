"""The cost of a testee: many questions in flight against one at a time, a codec alone, memory over millions.

A case is a value of ApiVersionsRequest 3: the testee encodes it and decodes its bytes; both answers are
compared with what our own codec says, as the run compares them. Kafka's classes are not asked.

    python benchmarks/testees.py [--testee go-franz-go-kmsg] [--cases 100000]
    python benchmarks/testees.py --memory 5000000
    python benchmarks/testees.py --testee python-kafka-python --alone

With --memory: what both processes hold after each fifth of so many cases. With --alone: what the testee's
process works for a case, against what the same adapter's calls of its codec work in this process; of a Python
testee whose codec is installed here.
"""

import argparse
import runpy
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.schema import resolve
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.assembly.worker_environment import open_testee
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.adapter import Decode, Decoded, Encode, Encoded
from wireproof.model.cell import Cell
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.testees.build.launch import prepare_testee
from wireproof.proof.testees.description.manifest import shipped_folder
from wireproof.proof.testees.session.in_process_testees import load_kit

RELEASE = "4.4"
MESSAGE, VERSION = "ApiVersionsRequest", 3
BATCH = 1024
STEPS = 5


def values(count: int) -> Iterator[dict[str, Any]]:
    for index in range(count):
        yield {"clientSoftwareName": f"client-{index}", "clientSoftwareVersion": f"{index % 100}.0"}


class TesteeBenchmark:
    """One testee and the expected answers."""

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
        # Below the launcher and the first process of the namespace is the testee itself.
        self.process = psutil.Process().children(recursive=True)[-1]

    def judge(self, batch: list[dict[str, Any]]) -> None:
        """Ask two questions for each value, and compare every answer."""
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

    def cost_us(self, cases: int) -> float:
        """Processor time of the testee for a case, in microseconds."""
        every = list(values(cases))
        self.judge(every[:BATCH])
        before = self.spent_s()
        for at in range(0, cases, BATCH):
            self.judge(every[at : at + BATCH])
        return (self.spent_s() - before) / cases * 1e6

    def spent_s(self) -> float:
        """Processor time of the testee so far."""
        times = self.process.cpu_times()
        return times.user + times.system

    def held_mib(self) -> tuple[float, float]:
        """Resident memory of this process and of the testee's."""
        return psutil.Process().memory_info().rss / 2**20, self.process.memory_info().rss / 2**20


def in_flight(benchmark: TesteeBenchmark, word: str, cases: int) -> None:
    alone = benchmark.rate(cases // 20, 1)
    many = benchmark.rate(cases, BATCH)
    again = benchmark.rate(cases // 20, 1)
    one = max(alone, again)
    print(f"{word}: {many:,.0f} cases/s in flight, {one:,.0f} one at a time: {many / one:.1f} times")


def memory(benchmark: TesteeBenchmark, cases: int) -> None:
    """Print the memory of both processes after each step."""
    benchmark.rate(BATCH, BATCH)
    done = 0
    for _ in range(STEPS):
        mine, testees = benchmark.held_mib()
        print(f"after {done:>9,} cases: harness {mine:.1f} MiB, testee {testees:.1f} MiB", flush=True)
        for _ in range(cases // STEPS // 10_000):
            benchmark.rate(10_000, BATCH)
        done += cases // STEPS
    mine, testees = benchmark.held_mib()
    print(f"after {done:>9,} cases: harness {mine:.1f} MiB, testee {testees:.1f} MiB")


def alone(benchmark: TesteeBenchmark, word: str, cases: int) -> None:
    """The testee's work against that of its adapter's calls."""
    port = _port(word)
    every = list(values(cases))
    bodies = [benchmark.codec.encode(value) for value in every]
    things = [port.from_value(value) for value in every]
    for _ in range(2):  # the first time warms up
        codec_s = _work_s(
            lambda: [(port.write(thing), port.read(body)) for thing, body in zip(things, bodies, strict=True)]
        )
        calls_s = _work_s(
            lambda: [
                (port.write(port.from_value(value)), port.to_value(port.read(body)[0]))
                for value, body in zip(every, bodies, strict=True)
            ]
        )
    testee_us = benchmark.cost_us(cases)
    codec_us, calls_us = codec_s / cases * 1e6, calls_s / cases * 1e6
    print(
        f"{word}: {testee_us:.1f} us of processor time a case by the protocol; the codec alone "
        f"{codec_us:.1f} ({codec_us / testee_us:.0%} of its rate), with values {calls_us:.1f} "
        f"({calls_us / testee_us:.0%})"
    )


def _port(word: str) -> Any:
    """The adapter's own object for the message, in this process."""
    name, _, variant = word.partition(":")
    program = shipped_folder() / name / "adapter.py"
    sys.path.insert(0, str(program.parent))
    arguments, sys.argv = sys.argv, [str(program), *([variant] if variant else [])]
    with load_kit().hosted():
        names = runpy.run_path(str(program), run_name="__main__")
    sys.argv = arguments
    return names["port"](MESSAGE, VERSION)


def _work_s(work: Any) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--testee", default="go-franz-go-kmsg")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument(
        "--memory", type=int, default=0, metavar="CASES", help="how much both hold, up to so many"
    )
    parser.add_argument("--alone", action="store_true", help="against the calls of the codec in this process")
    options = parser.parse_args()
    benchmark = TesteeBenchmark(options.testee)
    if options.memory:
        memory(benchmark, options.memory)
    elif options.alone:
        alone(benchmark, options.testee, options.cases)
    else:
        in_flight(benchmark, options.testee, options.cases)
    benchmark.testee.close()


if __name__ == "__main__":
    main()
