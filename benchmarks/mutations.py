"""Malformed frames: how many a process judges against Kafka, and what a million of them cost our own codec.

    python benchmarks/mutations.py [--frames N]

Prints frames judged a second with Kafka's classes beside them; then, for N malformed frames of many cells
through the compiled codec in a limited process: the slowest frame, and what ended neither in a value nor in a
`DecodeError`, or took more memory than it may.
"""

import argparse
import random
import resource
import time
from collections.abc import Iterator
from functools import partial

from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from wireproof import RunConfig
from wireproof.app.assembly.run_plan import RunPlan, plan_run
from wireproof.base.exit_codes import FatalError
from wireproof.model.cell import Cell, Phase
from wireproof.model.malformed_input import DecodeOutcome
from wireproof.proof.adapters.own.limited_codec import LimitedCodec
from wireproof.proof.run.core.environment import Layouts, all_cells
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.malformed.message_mutations import mutations

JUDGED = (
    "FetchRequest",
    "FetchResponse",
    "MetadataResponse",
    "ProduceRequest",
    "ConsumerGroupHeartbeatRequest",
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=1_000_000)
    options = parser.parse_args()
    plan = plan_run(RunConfig.of(phase="mutations", message=[*JUDGED], twin="compiled"))
    cells = [cell for cell in all_cells(plan.prepared.parts[0].schemas) if cell.module != "records"]
    layouts = _judged(plan).of
    _through_the_codec({cell: layouts(cell) for cell in random.Random(0).sample(cells, 200)}, options.frames)


def _judged(plan: RunPlan) -> Layouts:
    """One process, one form of our codec, Kafka's classes in it: the second round, when all is loaded."""
    environment = plan.make_environment()
    for counted in (False, True):
        start, spent_before, frames = time.perf_counter(), _processor_s(), 0
        for cell in plan.cells:
            prove = CellProver(environment, plan.options, cell, lambda event: None, lambda phase, names: None)
            frames += prove.prove().cases[Phase.MUTATIONS]
        spent = time.perf_counter() - start
        for codec in environment.limited:
            codec.close()  # only then is its processor time known
        if counted:
            worked = _processor_s() - spent_before
            print(
                f"judged against Kafka: {frames / spent:,.0f} frames a second, "
                f"{frames / worked:,.0f} a second of processor time, the codec's process included "
                f"({frames:,} of {len(plan.cells)} cells)"
            )
    return environment.layouts


def _processor_s() -> float:
    """Processor time of this process, the JVM in it, and of the children that have ended."""
    return sum(
        use.ru_utime + use.ru_stime
        for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _through_the_codec(layouts: dict[Cell, MessageLayout], wanted: int) -> None:
    codec = LimitedCodec("kafkawire[compiled]", compile_layout)
    done = largest = accepted = 0
    slowest = 0.0
    wrong: list[str] = []
    start = time.perf_counter()
    for layout, batch in _hostile(layouts, wanted):
        for data, answer in zip(batch, codec.decode_all(layout, batch), strict=True):
            accepted += answer.outcome is DecodeOutcome.ACCEPTED
            if answer.outcome not in (DecodeOutcome.ACCEPTED, DecodeOutcome.REFUSED):
                wrong.append(
                    f"{layout.name} {layout.version}: {answer.outcome} {answer.error} {data.hex()[:80]}"
                )
            slowest = max(slowest, answer.cpu_s)
            largest = max(largest, len(data))
        done += len(batch)
    codec.close()
    spent = time.perf_counter() - start
    print(f"through the codec: {done:,} frames, {done / spent:,.0f} a second, {accepted:,} accepted")
    print(
        f"  largest frame {largest:,} bytes, slowest {slowest * 1000:.1f} ms of processor time (50 allowed)"
    )
    print(f"  neither value nor DecodeError within {128} times its memory: {len(wrong)}")
    for line in wrong[:5]:
        print(f"    {line}")


def _hostile(layouts: dict[Cell, MessageLayout], wanted: int) -> Iterator[tuple[MessageLayout, list[bytes]]]:
    """Named mutations of the fullest instances and of long ones, then random bytes in place of some."""
    chance = random.Random(1)
    left = wanted
    while left > 0:
        for layout in layouts.values():
            encode = compile_layout(layout).encode
            cases = [scenario.value for scenario in scenarios(layout)]
            bodies = sorted(map(encode, chance.sample(cases, min(6, len(cases)))), key=len)
            for body in bodies:
                if not body or len(body) > 65536:
                    continue
                named = (
                    (mutation.apply(body) for mutation in mutations(layout, body)) if len(body) < 2048 else ()
                )
                batch = [*named, *(map(partial(_spoiled, chance), [body] * 64))][:left]
                left -= len(batch)
                if batch:
                    yield layout, batch


def _spoiled(chance: random.Random, body: bytes) -> bytes:
    spoiled = bytearray(body)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(spoiled))
        spoiled[at : at + chance.randint(0, 4)] = chance.randbytes(chance.randint(0, 6)) or b"\xff"
        if not spoiled:
            return b"\xff"
    return bytes(spoiled)


if __name__ == "__main__":
    try:
        main()
    except FatalError as error:
        raise SystemExit(str(error)) from error
